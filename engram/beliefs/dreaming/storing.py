"""Storing: the insights and narratives that a dream comes to, one transaction for each.

What was read before a model was asked is looked at again under the locks: sources that are not active any more are not
cited. So a dream that dies leaves whole items and no part of one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engram.beliefs.changes import ChangeKind, Touched, record
from engram.beliefs.conflicts.judging import settle
from engram.beliefs.conflicts.verdicts import supersede
from engram.beliefs.dreaming.drafts import Item, context, draft, names_of
from engram.beliefs.dreaming.insights import FEWEST_CITED, Insight
from engram.beliefs.dreaming.narratives import Narrative
from engram.beliefs.dreaming.yields import DreamYield, Dropped, Kept
from engram.beliefs.truth import settle_truth
from engram.errors import ErasedError
from engram.feedback import move_weights
from engram.graph import Row, Transaction
from engram.memory import Engram
from engram.records import Kind, Memory
from engram.remembering import embed_memories
from engram.text import normal
from engram.tuning import Tuning

BY = "job:dream"
WIDTH = 50
"""Rows of the vector index that are looked through for an insight like a new one."""
_IMPORTANCE = 0.5
"""Of a narrative."""


class _Gone(Exception):  # noqa: N818  (no error: it takes a transaction back)
    """Too little of what an item rests on is left."""


class Keeper:
    """Stores what one dream of a space comes to."""

    def __init__(self, memory: Engram, tuning: Tuning, *, run: str) -> None:
        """Store nothing yet.

        Args:
            memory: The space.
            tuning: Its numbers.
            run: Id of the job's run.
        """
        self._memory = memory
        self._graph = memory.graph
        self._space = memory.space
        self._tuning = tuning
        self._run = run

    def insight(self, insight: Insight) -> Kept:
        """Store an insight, or add its citations to the one that says the same already.

        Of a merge, the sources that it did not quiet before fall quiet: evidence against their weight, never their
        truth.
        """
        known = insight.joins or self._found(insight)
        if isinstance(known, Dropped):
            return Kept(dropped=known)
        try:
            if known is not None:
                return self._graph.transact(lambda transaction: self._cite(transaction, known, insight))
            return self._new(insight)
        except _Gone:
            return Kept(dropped=Dropped.of(insight.text, "what it rests on has changed"))
        except ErasedError:
            return Kept(dropped=Dropped.of(insight.text, "it was erased at a person's wish"))

    def _found(self, insight: Insight) -> str | Dropped | None:
        """Return the id of the insight that says the same, or nearly, of some of the same; or why there may be none."""
        forms = Kind.REFLECTION, insight.text, context(insight.text, self._memory.now())
        vector = embed_memories(self._memory.embedder, [forms])[0]
        rows = self._graph.read(
            "believe/dream_find_insights",
            space=self._space,
            vector=vector.tolist(),
            width=WIDTH,
            least=self._tuning["dream.same"],
        )
        cites = {each.id for each in insight.cites}
        for row in rows:
            if cites & {*row["cites"]} or normal(row["content"]) == normal(insight.text):
                return (
                    row["id"] if row["status"] == "active" else Dropped.of(insight.text, "it was taken back")
                )
        return None

    def _new(self, insight: Insight) -> Kept:
        item = Item(
            text=insight.text,
            kind=Kind.REFLECTION,
            sort=insight.sort,
            by=insight.by,
            depth=1 + max(each.depth for each in insight.cites),
            importance=max(each.importance for each in insight.cites),
            cites=tuple(sorted(each.id for each in insight.cites)),
            names=names_of(insight),
        )
        kept: list[Kept] = []

        def then(transaction: Transaction, memory: Memory) -> None:
            kept[:] = [self._cite(transaction, memory.id, insight, new=memory.created)]

        self._memory.writer.write(
            draft(item, now=self._memory.now(), run=self._run), self._memory.now(), then=then
        )
        return kept[0]

    def _cite(self, transaction: Transaction, target: str, insight: Insight, *, new: bool = False) -> Kept:
        """Let an insight cite its sources, inside a transaction."""
        fewest = FEWEST_CITED if new else 1
        rows = self._locked(transaction, target, [each.id for each in insight.cites], fewest=fewest)
        merged = insight.sort == "merge"
        stands = transaction.run(
            "believe/dream_mark_insight", space=self._space, id=target, merged=merged
        ).rows[0]
        linked = [each for each in rows if each not in stands["cites"]]
        quieted = [
            each for each in rows if merged and each not in stands["quieted"] and not rows[each]["immutable"]
        ]
        if not linked and not quieted:
            return Kept(id=target)
        self._link(transaction, target, linked)
        self._quiet(transaction, quieted)
        if new or quieted:
            self._record_insight(transaction, target, rows, quieted)
        settle_truth(transaction, space=self._space, ids=[target], tuning=self._tuning)
        brought = DreamYield(links=len(linked), insights=int(new), prunings=len(quieted))
        return Kept(id=target, new=new, brought=brought)

    def _locked(
        self, transaction: Transaction, target: str, sources: Sequence[str], *, fewest: int
    ) -> Mapping[str, Row]:
        """Lock an insight and its sources, and return the sources that are active still, by id, ascending.

        Raises:
            _Gone: The insight is not active, or too few of them are.
        """
        ids = sorted({target, *sources})
        found = transaction.run("write/lock_memories", space=self._space, ids=ids).rows
        active = {row["id"]: row["memory"] for row in found if row["memory"]["status"] == "active"}
        if target not in active or len(active) - 1 < fewest:
            raise _Gone
        return {each: row for each, row in active.items() if each != target}

    def _link(self, transaction: Transaction, target: str, sources: Sequence[str]) -> None:
        transaction.run(
            "write/link_sources",
            space=self._space,
            id=target,
            sources=sorted(sources),
            now=self._memory.now(),
        )

    def _quiet(self, transaction: Transaction, sources: Sequence[str]) -> None:
        """Let sources weigh less, so that the insight that stands for them comes first."""
        move_weights(
            transaction,
            [{"id": each, "alpha": 0.0, "beta": self._tuning["dream.quiet"]} for each in sources],
            by="an insight",
            space=self._space,
            tuning=self._tuning,
            now=self._memory.now(),
        )

    def _record_insight(
        self, transaction: Transaction, target: str, rows: Mapping[str, Row], quieted: Sequence[str]
    ) -> None:
        def before(source: str) -> Mapping[str, Any]:
            if source not in quieted:
                return {}
            held = {name: rows[source][name] for name in ("weight_alpha", "weight_beta")}
            return held | {"quieted": self._tuning["dream.quiet"]}

        record(
            transaction,
            space=self._space,
            kind=ChangeKind.INSIGHT,
            by=BY,
            reason="they say the same" if quieted else "drawn from them",
            now=self._memory.now(),
            memories=[
                Touched(id=target, role="insight"),
                *(Touched(id=each, role="source", before=before(each)) for each in rows),
            ],
            run=self._run,
        )

    def narrative(self, narrative: Narrative) -> Kept:
        """Store a narrative in the place of the one that its theme has."""
        theme = narrative.theme
        item = Item(
            text=narrative.text,
            kind=Kind.NARRATIVE,
            sort="narrative",
            by="words" if narrative.plain else "model",
            depth=theme.depth + 1,
            importance=_IMPORTANCE,
            cites=tuple(sorted({theme.insight, *(each.id for each in theme.cites)})),
            narrates=theme.about,
        )
        kept: list[Kept] = []

        def then(transaction: Transaction, memory: Memory) -> None:
            kept[:] = [self._tell(transaction, memory, item, narrative)]

        try:
            self._memory.writer.write(
                draft(item, now=self._memory.now(), run=self._run), self._memory.now(), then=then
            )
        except _Gone:
            return Kept(dropped=Dropped.of(narrative.text, "what it rests on has changed"))
        except ErasedError:
            return Kept(dropped=Dropped.of(narrative.text, "it was erased at a person's wish"))
        return kept[0]

    def _tell(self, transaction: Transaction, memory: Memory, item: Item, narrative: Narrative) -> Kept:
        older = narrative.theme.narrative
        # All at once, in order: the older one too.
        ids = sorted({memory.id, *item.cites, *([older] if older else [])})
        transaction.run("write/lock_memories", space=self._space, ids=ids)
        rows = self._locked(transaction, memory.id, item.cites, fewest=FEWEST_CITED + 1)
        if narrative.theme.insight not in rows:
            raise _Gone
        # Told in the same words, it is told all the same: else every dream would tell it once more.
        told_of = sorted(each.id for each in narrative.theme.cites)
        transaction.run("believe/dream_note_story", space=self._space, id=memory.id, told_of=told_of)
        self._link(transaction, memory.id, list(rows))
        if not memory.created and older == memory.id:
            return Kept(id=memory.id)
        if older is not None and older != memory.id:
            settle(
                transaction,
                space=self._space,
                new=memory.id,
                verdicts=[(older, supersede("what it rests on has changed", "words"))],
                now=self._memory.now(),
                run=self._run,
            )
        settle_truth(transaction, space=self._space, ids=[memory.id], tuning=self._tuning)
        brought = DreamYield(links=len(rows), topics=1, prunings=int(older is not None))
        return Kept(id=memory.id, new=memory.created, brought=brought)
