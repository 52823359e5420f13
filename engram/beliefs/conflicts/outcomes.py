"""Writing what became of two memories that contradict each other: one is retired, or both stand in tension.

Everything here runs inside the caller's transaction, in which the memories are locked, and leaves a change of belief
that can be taken back (`engram.beliefs.changes`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from engram.beliefs.changes import ChangeKind, Touched, record
from engram.graph import Row, Transaction

STANDING = frozenset({"active", "dormant"})
"""Statuses of what may be retired."""
_KEPT = ("status", "valid_to", "valid_to_before", "closed_at")
"""Properties that retiring a memory changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Two memories that cannot both hold."""

    one: str
    other: str
    why: str
    """In a few words, for people; it stands on the relationship, which erasing either memory deletes."""
    by: str
    """Who or what found it."""
    reason: str
    """The same for the log, quoting nothing."""


def retire(
    transaction: Transaction,
    *,
    space: str,
    newer: Row,
    older: Row,
    reason: str,
    by: str,
    now: datetime,
    correction: bool = False,
) -> bool:
    """Let a memory replace another, without a change in the log; return whether that was possible.

    It is not where the older one is retired or put away already, or replaces the newer one at any distance.

    Args:
        transaction: In which both are locked.
        space: Whose.
        newer: The properties of the memory that holds.
        older: Of the one that does not hold any more.
        reason: Why, quoting nothing.
        by: Who or what decided.
        now: When that was decided.
        correction: Whether the older one never held.
    """
    if older["status"] not in STANDING or older["id"] == newer["id"]:
        return False
    chain = transaction.run(
        "inspect/find_supersession", space=space, newer=older["id"], older=newer["id"]
    ).rows[0]
    if chain["found"]:
        return False
    transaction.run(
        "write/supersede_memory",
        space=space,
        old=older["id"],
        new=newer["id"],
        valid_to=_end(newer, older, now),
        closed_at=min(now, newer["known_at"]),
        reason=reason,
        by=by,
        correction=correction,
        now=now,
    )
    return True


def _end(newer: Row, older: Row, now: datetime) -> datetime:
    """Return when the older memory ceased to hold: when the newer one began, or says that it was over, or was said.

    The first of these that came after the older one began; else it is now.
    """
    began: datetime = older["valid_from"]
    over = min(newer["valid_to"], newer["event_at"])
    end: datetime = next((at for at in (newer["valid_from"], over, newer["event_at"]) if at > began), now)
    limit: datetime = older["valid_to"]
    return min(limit, end)


def before(memory: Row) -> Row:
    """Return what retiring a memory changes, as it is now."""
    return {name: memory[name] for name in _KEPT if memory.get(name) is not None}


def flag(
    transaction: Transaction,
    disagreements: Sequence[Disagreement],
    *,
    space: str,
    now: datetime,
    run: str | None = None,
) -> Mapping[tuple[str, str], str]:
    """Put pairs of memories in tension, each once for ever, and log those that are new.

    Args:
        transaction: In which the memories are locked, or none is that has a lower id than any of them.
        disagreements: The pairs.
        space: Whose.
        now: When.
        run: Id of the job's run that found them.

    Returns:
        The ids of the changes, by the pairs' ids, the lower first. A pair that was in tension before, open or
        resolved, is not among them.
    """
    by_pair: dict[tuple[str, str], Disagreement] = {}
    for each in disagreements:
        if each.one != each.other:
            by_pair.setdefault((min(each.one, each.other), max(each.one, each.other)), each)
    if not by_pair:
        return {}
    flagged = transaction.run(
        "write/flag_tensions",
        space=space,
        ids=sorted({each for pair in by_pair for each in pair}),
        pairs=[{"low": low, "high": high, "why": each.why} for (low, high), each in sorted(by_pair.items())],
        now=now,
    ).rows[0]["pairs"]
    new = [(row["low"], row["high"]) for row in flagged]
    return {
        (low, high): record(
            transaction,
            space=space,
            kind=ChangeKind.TENSION,
            by=by_pair[low, high].by,
            reason=by_pair[low, high].reason,
            now=now,
            memories=[Touched(id=low, role="one"), Touched(id=high, role="other")],
            run=run,
        )
        for low, high in new
    }
