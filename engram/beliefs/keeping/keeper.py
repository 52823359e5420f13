"""Keeping facts: what was drawn from turns becomes memories, each once, and what is told again becomes evidence.

Each fact is a transaction of its own. It looks at what is held, is judged against it outside of the transaction, and is
written only if what is held is still the same under the locks; else it looks again. So a batch that was killed is
finished by keeping it once more: what was kept is found again by its turns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from engram.beliefs.conflicts import judging
from engram.beliefs.conflicts.judging import ConflictOutcome, Verdict
from engram.beliefs.conflicts.tensions import describe_tensions
from engram.beliefs.facts import Fact, HeldFact
from engram.beliefs.keeping.candidate import Candidate, Keys, Unfit, as_candidate
from engram.beliefs.keeping.sameness import Known, find_same, known_from
from engram.beliefs.truth import settle_leaning, settle_truth
from engram.embedding.protocol import Vectors
from engram.entities import entity_key
from engram.errors import DatabaseError, ErasedError
from engram.graph import Row, Transaction
from engram.llm.base import ChatModel
from engram.memory import Engram
from engram.records import Memory
from engram.remembering import Draft, embed_memories

NEAREST = 8
"""Facts near a new one that it is compared with."""
WIDTH = 200
"""Rows taken from the vector index to find them: most memories are no facts."""
MOST = 20
"""Facts of the same attribute that a new one is compared with."""
_TRIES = 6


class Became(StrEnum):
    """What became of a fact."""

    KEPT = "kept"
    MERGED = "merged"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one fact, and why."""

    fact: Fact
    became: Became
    memory: str | None
    """Id of the memory that it became or was known as; None: it was dropped."""
    why: str
    changes: tuple[str, ...] = ()
    """Ids of the changes of belief that it brought about."""


class _Changed(Exception):  # noqa: N818  (no error: it takes a transaction back)
    """What is held is not what it was before the locks."""


class _Gone(Exception):  # noqa: N818  (see above)
    """None of the turns that a fact was drawn from is there any more."""


def keep_facts(
    memory: Engram, facts: Sequence[Fact], *, judge: ChatModel | None = None, run: str | None = None
) -> tuple[Outcome, ...]:
    """Make facts memories, in order, each in a transaction of its own; kept again, they change nothing.

    What is known already gains evidence instead of a copy. What contradicts it is settled by
    `engram.beliefs.conflicts.judging`.

    Args:
        memory: Whose they become.
        facts: What was drawn from turns.
        judge: Asked about contradictions that slots and words leave unsure; None: what is plain decides.
        run: Id of the job's run that keeps them.

    Returns:
        What became of each, in their order.

    Raises:
        DatabaseError: The database refused or went away; the facts before that are kept.
        EmbeddingError: No vectors could be made.
    """
    return _Keeper(memory, judge, run).keep(facts)


class _Keeper:
    """Keeps one batch of facts."""

    def __init__(self, memory: Engram, model: ChatModel | None, run: str | None) -> None:
        self._memory = memory
        self._model = model
        self._run = run
        self._keys = Keys(memory.graph, memory.space)

    def keep(self, facts: Sequence[Fact]) -> tuple[Outcome, ...]:
        turns = self._turns(facts)
        self._keys.meet(key for fact in facts for key in (fact.subject_key, *map(entity_key, fact.entities)))
        checked = [self._checked(fact, turns) for fact in facts]
        drafts = [each.draft for each in checked if isinstance(each, Candidate)]
        vectors = iter(self._embedded(drafts) if drafts else ())
        outcomes = tuple(
            self._kept(each, next(vectors).tolist()) if isinstance(each, Candidate) else each
            for each in checked
        )
        describe_tensions(self._memory, [change for each in outcomes for change in each.changes])
        return outcomes

    def _turns(self, facts: Sequence[Fact]) -> dict[str, Row]:
        ids = sorted({quote.turn for fact in facts for quote in fact.quotes})
        return {row["id"]: row for row in self._read("believe/fact_read_turns", ids=ids)}

    def _checked(self, fact: Fact, turns: Mapping[str, Row]) -> Candidate | Outcome:
        try:
            return as_candidate(fact, turns, self._keys, limit=self._memory.settings.max_content_bytes)
        except Unfit as error:
            return _dropped(fact, str(error))

    def _embedded(self, drafts: Sequence[Draft]) -> Vectors:
        texts = [(draft.kind, draft.content, draft.contextualized) for draft in drafts]
        return embed_memories(self._memory.embedder, texts)

    def _kept(self, candidate: Candidate, vector: list[float]) -> Outcome:
        for _ in range(_TRIES):
            known = self._find(candidate, vector)
            same = find_same(candidate.new, known, least=self._memory.tuned()["facts.same"])
            try:
                return self._merged(candidate, same, known) if same else self._written(candidate, known)
            except _Changed:
                continue
            except _Gone:
                return _dropped(candidate.fact, "its turns are gone")
            except ErasedError:
                return _dropped(candidate.fact, "it was erased at a person's wish")
        raise DatabaseError(
            "What a fact is compared with was changed by others each time that it was to be kept.",
            remedy="Keep it again once they are done.",
        )

    def _find(self, candidate: Candidate, vector: list[float]) -> list[Known]:
        """Return what a fact is compared with, in the order of ids."""
        near = self._read("believe/fact_find_near", vector=vector, width=WIDTH, nearest=NEAREST)
        alike = {row["id"]: row["similarity"] for row in near}
        rows = self._read("believe/fact_find_held", **_search(candidate, near=sorted(alike)))
        self._keys.meet(key for row in rows for key in (row["subject"], *row["entities"]))
        return [known_from(row, alike.get(row["id"]), self._keys) for row in rows]

    def _merged(self, candidate: Candidate, same: Known, known: Sequence[Known]) -> Outcome:
        held = same.held
        # What is known may be said again to take back something else.
        said = candidate.fact.revision != "none" or _has_begun(candidate.new, held)
        revises = said and held.status == "active" and not same.told
        others = [each for each in known if each is not same]
        verdicts = (
            self._verdicts(replace(candidate.new, id=held.id), candidate.fact, others) if revises else {}
        )
        touched = [same, *(each for each in others if each.held.id in verdicts)]
        changes: tuple[str, ...] = ()

        def work(transaction: Transaction) -> bool:
            nonlocal changes
            self._lock(transaction, touched)
            if not self._link_turns(transaction, candidate, held.id, again=True):
                return False
            entities = [
                {
                    "key": each["key"],
                    "name": each["name"],
                    "mentions": [{"id": held.id, "role": each["role"]}],
                }
                for each in candidate.names
            ]
            if verdicts:
                changes = self._settle(transaction, held.id, verdicts)
            self._settle_truth(transaction, [held.id, *verdicts], touched)
            transaction.run(
                "write/link_entities",
                space=self._memory.space,
                entities=entities,
                now=self._memory.now(),
            )
            return True

        told = self._memory.graph.transact(work)
        why = (
            "known already; it is one more piece of evidence" if told else "known already, from the same turn"
        )
        return Outcome(fact=candidate.fact, became=Became.MERGED, memory=held.id, why=why, changes=changes)

    def _written(self, candidate: Candidate, known: Sequence[Known]) -> Outcome:
        verdicts = self._verdicts(candidate.new, candidate.fact, known)
        settled = [each for each in known if each.held.id in verdicts]
        changes: tuple[str, ...] = ()

        def then(transaction: Transaction, memory: Memory) -> None:
            nonlocal changes
            if not memory.created:  # somebody else was faster
                raise _Changed
            self._lock(transaction, settled)
            self._link_turns(transaction, candidate, memory.id, again=False)
            transaction.run(
                "believe/fact_lock_names",
                space=self._memory.space,
                names=_names(candidate),
                now=self._memory.now(),
            )
            self._look_again(transaction, candidate, memory.id, known)
            changes = self._settle(transaction, memory.id, verdicts)
            self._settle_truth(transaction, [memory.id, *verdicts], settled)

        memory = self._memory.writer.write(candidate.draft, self._memory.now(), then=then)
        why = ", ".join(dict.fromkeys(verdict.reason for verdict in verdicts.values()))
        return Outcome(
            fact=candidate.fact,
            became=Became.KEPT,
            memory=memory.id,
            why=f"new: {why}" if why else "new",
            changes=changes,
        )

    def _verdicts(self, new: HeldFact, fact: Fact, known: Sequence[Known]) -> dict[str, Verdict]:
        """Return what becomes of each memory that a fact contradicts, by its id; a guess contradicts nothing."""
        if fact.confidence < self._memory.tuned()["archive.speculation_confidence"]:
            return {}
        compared = [each.held for each in known if each.held.status != "archived"]
        verdicts = judging.judge(new, compared, revision=fact.revision, model=self._model)
        return {
            held.id: verdict
            for held, verdict in zip(compared, verdicts, strict=True)
            if verdict.outcome is not ConflictOutcome.UNRELATED
        }

    def _settle(
        self, transaction: Transaction, memory: str, verdicts: Mapping[str, Verdict]
    ) -> tuple[str, ...]:
        return judging.settle(
            transaction,
            space=self._memory.space,
            new=memory,
            verdicts=list(verdicts.items()),
            now=self._memory.now(),
            run=self._run,
        )

    def _lock(self, transaction: Transaction, touched: Sequence[Known]) -> None:
        """Lock memories and what leans on them.

        Raises:
            _Changed: One of them is gone or has another status than it had.
        """
        ids = sorted({each for known in touched for each in (known.held.id, *known.leaning)})
        rows = transaction.run("write/lock_memories", space=self._memory.space, ids=ids).rows if ids else []
        statuses = {row["id"]: row["memory"]["status"] for row in rows}
        if any(statuses.get(known.held.id) != known.held.status for known in touched):
            raise _Changed

    def _look_again(
        self, transaction: Transaction, candidate: Candidate, written: str, known: Sequence[Known]
    ) -> None:
        """Look once more at what is held of the same attribute, now that others who write about it wait.

        Raises:
            _Changed: Something is held that was not before.
        """
        rows = transaction.run(
            "believe/fact_find_held", space=self._memory.space, **_search(candidate, near=[])
        ).rows
        before = {(each.held.id, each.held.status) for each in known}
        if any((row["id"], row["status"]) not in before for row in rows if row["id"] != written):
            raise _Changed

    def _link_turns(
        self, transaction: Transaction, candidate: Candidate, memory: str, *, again: bool
    ) -> bool:
        """Let a memory rest on the fact's turns; return whether it did not rest on all of them before.

        Raises:
            _Gone: There is none of them.
        """
        row = transaction.run(
            "believe/fact_link_turns",
            space=self._memory.space,
            id=memory,
            quotes=list(candidate.quotes),
            confidence=candidate.fact.confidence,
            again=again,
            now=self._memory.now(),
        ).rows[0]
        if not row["found"]:
            raise _Gone
        return bool(row["new"])

    def _settle_truth(
        self, transaction: Transaction, changed: Sequence[str], touched: Sequence[Known]
    ) -> None:
        """Settle the truth of memories whose evidence changed, then of what leans on them."""
        space, tuning = self._memory.space, self._memory.tuned()
        leaning = {each for known in touched for each in known.leaning} - {*changed}
        settle_truth(transaction, space=space, ids=sorted(changed), tuning=tuning)
        settle_leaning(transaction, space=space, ids=sorted(leaning), tuning=tuning)

    def _read(self, statement: str, /, **parameters: Any) -> list[Row]:
        return self._memory.graph.read(statement, space=self._memory.space, **parameters)


def _has_begun(new: HeldFact, held: HeldFact) -> bool:
    """Say whether what was planned when it was said first is so by now."""
    return held.event_at < held.valid_from <= new.event_at


def _names(candidate: Candidate) -> list[Row]:
    """Return all names that keeping a fact links to, in the order of keys: none of them may be locked later."""
    named = {each["key"]: {"key": each["key"], "name": each["name"]} for each in candidate.names}
    return [row for _, row in sorted((named | {each["key"]: each for each in candidate.about}).items())]


def _search(candidate: Candidate, *, near: list[str]) -> Row:
    """Return what `believe/fact_find_held` takes beside the space."""
    return {
        "hash": candidate.hashed,
        "subject": candidate.new.subject,
        "slot": candidate.new.slot,
        "value": candidate.new.value,
        "from": candidate.new.valid_from,
        "turns": [quote["turn"] for quote in candidate.quotes],
        "near": near,
        "most": MOST,
    }


def _dropped(fact: Fact, why: str) -> Outcome:
    return Outcome(fact=fact, became=Became.DROPPED, memory=None, why=why)
