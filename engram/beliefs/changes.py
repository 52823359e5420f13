"""Changes of belief: a log of what consolidation did to what is believed, each entry with the way back.

Every outcome that is not evidence itself (a supersession, a tension, a merge of names, a promotion, an insight that
quiets its sources) leaves a `:BeliefChange` that points to what it changed and holds what that was before. One command
takes any of them back: `engram undo`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any
from uuid import uuid4

from engram.beliefs.truth import find_leaning, settle_leaning, settle_truth
from engram.errors import InvalidInputError, NotFoundError
from engram.graph import Graph, Row, Transaction
from engram.tuning import read_tuning

LISTED = 1_000
"""Most changes that are listed at once."""


class ChangeKind(StrEnum):
    """What was done; the value is the end of the name of the statement that undoes it, `believe/undo_<value>`."""

    SUPERSEDED = "supersession"
    TENSION = "tension"
    RESOLVED = "resolution"
    NAMES_MERGED = "names_merge"
    INSIGHT = "insight"
    RECOMPRESSED = "rewriting"
    PROMOTED = "promotion"
    WITHDRAWN = "withdrawal"


_EVIDENCE = frozenset({ChangeKind.SUPERSEDED, ChangeKind.TENSION, ChangeKind.RESOLVED})
"""Kinds that are evidence against a memory: taken back, its truth is computed anew."""
WORDS: Mapping[ChangeKind, str] = MappingProxyType(
    {
        ChangeKind.SUPERSEDED: "replaced",
        ChangeKind.TENSION: "found in tension",
        ChangeKind.RESOLVED: "resolved",
        ChangeKind.NAMES_MERGED: "names taken for one",
        ChangeKind.INSIGHT: "merged into an insight",
        ChangeKind.RECOMPRESSED: "described anew",
        ChangeKind.PROMOTED: "promoted",
        ChangeKind.WITHDRAWN: "withdrawn",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """What a change touched, and what that was before."""

    id: str
    """Of a memory, or of an entity its key."""
    role: str
    """What it is in the change, e.g. `new`, `old`, `insight`, `source`."""
    before: Mapping[str, Any] = field(default_factory=dict)
    """Properties as they were, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One entry of the log."""

    id: str
    kind: ChangeKind
    at: datetime
    by: str
    """Who or what decided, e.g. `user`, `slots`, `model`, `job:dream`."""
    reason: str
    """Why, in a few words that quote nothing: what is erased must not stand here."""
    undone_at: datetime | None
    undone_by: str | None
    """The job that took it back by itself; None where a person did."""
    useful: int | None
    useless: int | None
    """Of a promotion, verdicts in the days after it (`patterns.outcome_days`); None while these are not over."""
    touched: tuple[Row, ...]
    """Maps {id, role, text (a memory's content or an entity's name)}, in the order of roles and ids."""


def record(
    transaction: Transaction,
    *,
    space: str,
    kind: ChangeKind,
    by: str,
    reason: str,
    now: datetime,
    memories: Sequence[Touched] = (),
    entities: Sequence[Touched] = (),
    run: str | None = None,
) -> str:
    """Write a change into the log, in the transaction that makes it, and return its id.

    Args:
        transaction: In which the memories are locked already.
        space: Whose.
        kind: What is done.
        by: Who or what decided.
        reason: Why; it quotes nothing.
        now: When.
        memories: Which memories it touches.
        entities: Which entities it touches, by their keys.
        run: Id of the job's run that does it.
    """
    change = uuid4().hex
    transaction.run(
        "believe/record_change",
        space=space,
        id=change,
        kind=kind.value,
        by=by,
        reason=reason,
        run=run,
        memories=_rows(memories),
        entities=_rows(entities),
        now=now,
    )
    return change


def _rows(touched: Sequence[Touched]) -> list[Row]:
    ordered = sorted(touched, key=lambda each: (each.id, each.role))
    return [{"id": each.id, "role": each.role, "before": dict(each.before)} for each in ordered]


def list_changes(graph: Graph, *, space: str, limit: int = 20, prefix: str = "") -> list[Change]:
    """Return the last changes, the newest first.

    Args:
        graph: Where the log is.
        space: Whose.
        limit: How many at most.
        prefix: The beginning of their ids.
    """
    rows = graph.read("believe/list_changes", space=space, prefix=prefix, limit=min(limit, LISTED))
    return [
        Change(
            **row["change"] | {"kind": ChangeKind(row["change"]["kind"]), "touched": tuple(row["touched"])}
        )
        for row in rows
    ]


def undo(graph: Graph, *, space: str, change: str, now: datetime, by: str | None = None) -> Change:
    """Take a change back, wholly or not at all, and return it as it was.

    An insight goes as a whole: what joined it later is taken back with it.

    Args:
        graph: Where.
        space: Whose.
        change: Its id or the beginning of one.
        now: When.
        by: The job that takes it back by itself; None: a person wants it.

    Raises:
        NotFoundError: There is none.
        InvalidInputError: The beginning fits several, it was taken back already, or something that came later stands
            in the way.
    """
    prefix = change.strip().lower()
    found = list_changes(graph, space=space, limit=2, prefix=prefix) if prefix else []
    if not found:
        raise NotFoundError(
            f"There is no change {change!r} in the space {space!r}.", remedy="`engram changes` lists them."
        )
    if len(found) > 1 and found[0].id != prefix:
        raise InvalidInputError(f"{change!r} fits several changes.", remedy="Give more characters.")
    entry = found[0]
    if entry.undone_at is not None:
        raise InvalidInputError(f"The change {entry.id[:8]} was taken back already.")
    tuning = read_tuning(graph, space=space)

    def work(transaction: Transaction) -> None:
        ids = transaction.run("believe/list_concerned", space=space, id=entry.id).rows[0]["ids"]
        leaning = find_leaning(transaction, space=space, ids=ids) if entry.kind in _EVIDENCE else []
        transaction.run("write/lock_memories", space=space, ids=sorted([*ids, *leaning]))
        row = transaction.run(f"believe/undo_{entry.kind.value}", space=space, id=entry.id, now=now).rows
        if not row or not row[0]["undone"]:
            why = row[0]["why"] if row else "what it changed is gone"
            raise InvalidInputError(f"The change {entry.id[:8]} cannot be taken back: {why}.")
        transaction.run("believe/mark_undone", space=space, id=entry.id, by=by, now=now)
        if entry.kind in _EVIDENCE:
            settle_truth(transaction, space=space, ids=ids, tuning=tuning)
            settle_leaning(transaction, space=space, ids=leaning, tuning=tuning)

    graph.transact(work)
    return entry
