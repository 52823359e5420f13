"""Reconsolidation: an insight whose source has fallen is looked at again, and kept, revised or withdrawn.

A source falls when it is superseded, put away by a person, or withdrawn itself; what a job has archived is out of sight and
not untrue. The relationship to each source knows what had become of it when the insight was last looked at, so one change
is looked at once. Only notes are reconsolidated: what tells of something that happened once stays as it was.

With a model, one isolated call for each insight, with its sources as they stand now. Without one, or without a usable
answer, an insight is kept while more than half of what it rests on stands, and withdrawn otherwise. A revised insight is a
new memory that rests on what holds, supersedes the older one, and goes on with its weight. All of it can be taken back.

Source: v4 plan, 4.4, and the reconsolidation of notes in the project's second seed.
"""

from collections import defaultdict
from dataclasses import dataclass

from engram.beliefs.changes import ChangeKind, Touched, record
from engram.beliefs.conflicts.judging import settle
from engram.beliefs.conflicts.verdicts import supersede
from engram.beliefs.promotion.review import Decision, Insight, Verdict, decide, plain
from engram.beliefs.truth import settle_truth
from engram.context import Said, contextualize
from engram.errors import ErasedError
from engram.graph import Graph, Row, Transaction
from engram.llm.base import ChatModel
from engram.loop.inputs import Source
from engram.memory import Engram
from engram.records import FOREVER, Memory
from engram.remembering import Draft

SOURCE = "reconsolidation"
"""Source of revised insights."""
_CARRIED = (
    "weight_alpha",
    "weight_beta",
    "pattern_stage",
    "pattern_alpha",
    "dreamed",
    "dreamed_by",
    "dream_depth",
    "dream_run",
    "narrates",
    "told_of",
)
"""Properties that a revised insight takes over from the one that it replaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconsidered:
    """What became of the insights that were looked at."""

    kept: tuple[str, ...] = ()
    """Ids of those that stay."""
    revised: tuple[str, ...] = ()
    """Ids of the memories that replace them."""
    withdrawn: tuple[str, ...] = ()
    """Ids of those that were archived."""
    notes: tuple[str, ...] = ()
    """What could not be done, and why; quotes nothing."""

    @property
    def changed(self) -> int:
        """How many were looked at."""
        return len(self.kept) + len(self.revised) + len(self.withdrawn)


class _ChangedError(Exception):
    """What a decision was made on is not so any more."""


def count_due(graph: Graph, *, space: str, limit: int) -> int:
    """Return how many insights have lost a source since they were last looked at, up to a limit."""
    return len(graph.read("believe/reconsider_find", space=space, limit=limit)[0]["ids"])


def reconsider(
    memory: Engram, model: ChatModel | None, *, run: str | None = None, limit: int = 20
) -> Reconsidered:
    """Look again at insights that have lost a source; what changes meanwhile is left to the next time.

    Args:
        memory: The space.
        model: Who is asked, or None.
        run: Id of the job's run.
        limit: How many insights at most.
    """
    found = memory.graph.read("believe/reconsider_find", space=memory.space, limit=limit)[0]["ids"]
    rows = memory.graph.read("believe/reconsider_read", space=memory.space, ids=found)
    done: defaultdict[Verdict, list[str]] = defaultdict(list)
    notes: list[str] = []
    for insight in map(Insight.from_row, rows):
        decision = decide(insight, model, notes)
        if decision is None:
            break  # nobody answers; what is left stays due
        try:
            verdict, stands = _Review(memory, insight, run).carry_out(decision)
        except _ChangedError:
            notes.append(f"{insight.memory.id[:8]} has changed meanwhile, and is left to the next time")
        else:
            done[verdict].append(stands)
    return Reconsidered(
        kept=tuple(done[Verdict.KEEP]),
        revised=tuple(done[Verdict.REVISE]),
        withdrawn=tuple(done[Verdict.WITHDRAW]),
        notes=tuple(notes),
    )


class _Review:
    """Writes what becomes of one insight, in one transaction."""

    def __init__(self, memory: Engram, insight: Insight, run: str | None) -> None:
        self._memory = memory
        self._insight = insight
        self._run = run

    def carry_out(self, decision: Decision) -> tuple[Verdict, str]:
        """Write it; return what was done, and the id of the insight or of what replaces it.

        Raises:
            _ChangedError: The insight does not rest on the same any more, or another worker was faster.
        """
        if decision.verdict is Verdict.REVISE:
            return self._revise(decision)

        def work(transaction: Transaction) -> None:
            self._lock(transaction)
            self._look(transaction)
            if decision.verdict is Verdict.WITHDRAW:
                self._withdraw(transaction, decision)
            if self._insight.note:
                self._settle(transaction, self._id)

        self._memory.graph.transact(work)
        return decision.verdict, self._id

    @property
    def _id(self) -> str:
        return self._insight.memory.id

    def _revise(self, decision: Decision) -> tuple[Verdict, str]:
        memory = self._memory
        now = memory.now()

        def then(transaction: Transaction, new: Memory) -> None:
            rows = self._lock(transaction, new.id, *decision.cites)
            if any(row["status"] not in {"active", "dormant"} for row in rows if row["id"] in decision.cites):
                raise _ChangedError
            transaction.run(
                "write/link_sources", space=memory.space, id=new.id, sources=list(decision.cites), now=now
            )
            self._look(transaction)
            settle(
                transaction,
                space=memory.space,
                new=new.id,
                verdicts=[(self._id, supersede(decision.reason, "model"))],
                now=now,
                run=self._run,
            )
            self._settle(transaction, new.id)

        try:
            revised = memory.writer.write(self._draft(decision.text), now, then=then)
        except ErasedError:
            # What a person had erased is not said again; its sources decide.
            return self.carry_out(plain(self._insight))
        return Verdict.REVISE, revised.id

    def _draft(self, text: str) -> Draft:
        now, older = self._memory.now(), self._insight.memory
        held = self._insight.properties
        return Draft(
            content=text,
            contextualized=contextualize([Said(text=text, speaker=None, at=now)], 0),
            kind=older.kind,
            source=SOURCE,
            identity=f"{SOURCE}:{older.id}",
            # Whoever drew the first one, this is the agent's own thought, which is no evidence of anything.
            source_tag=Source.CONSOLIDATION.value,
            speaker=None,
            category=older.category,
            importance=older.importance,
            event_at=now,
            known_at=now,
            valid_from=now,
            valid_to=FOREVER,
            reopen=True,
            more={name: held[name] for name in _CARRIED if held.get(name) is not None}
            # What it was drawn from must not be strengthened by that.
            | {"reinforce_due_at": None},
        )

    def _lock(self, transaction: Transaction, *more: str) -> list[Row]:
        """Lock the insight, its sources and more, in order; return their properties.

        Raises:
            _ChangedError: The insight does not rest on the same any more.
        """
        ids = sorted({self._id, *(each.id for each in self._insight.sources), *more})
        rows = transaction.run("write/lock_memories", space=self._memory.space, ids=ids).rows
        now = transaction.run("believe/reconsider_read", space=self._memory.space, ids=[self._id]).rows
        if not now or Insight.from_row(now[0]).state != self._insight.state:
            raise _ChangedError
        return [row["memory"] for row in rows]

    def _look(self, transaction: Transaction) -> None:
        """Note that the insight was looked at."""
        transaction.run(
            "believe/reconsider_note", space=self._memory.space, id=self._id, now=self._memory.now()
        )

    def _withdraw(self, transaction: Transaction, decision: Decision) -> None:
        space, now = self._memory.space, self._memory.now()
        transaction.run(
            "believe/reconsider_withdraw", space=space, id=self._id, reason=decision.reason, now=now
        )
        record(
            transaction,
            space=space,
            kind=ChangeKind.WITHDRAWN,
            by=decision.by,
            reason=decision.reason,
            now=now,
            memories=[Touched(id=self._id, role="insight", before={"status": self._insight.memory.status})],
            run=self._run,
        )

    def _settle(self, transaction: Transaction, memory: str) -> None:
        settle_truth(transaction, space=self._memory.space, ids=[memory], tuning=self._memory.tuned())
