"""Tensions: two memories that cannot both hold, and nothing says which one does. Both stay, and both stay visible.

A tension is the relationship `IN_TENSION_WITH` between the two; once somebody resolves it, or evidence does, it stays
there as resolved. A memory of kind `tension` says it in words, so that it can come to mind like any other: it is
nothing that nags, and has no bonus (v4 plan, 4.2). Surfaced `tension.fatigue` times without a resolution, a tension is
`acknowledged`: "I contain this contradiction".
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from engram.beliefs.changes import Change, ChangeKind, Touched, list_changes, record
from engram.beliefs.conflicts.disputes import Side, Tension, disputes, find_tension, list_tensions, side_of
from engram.beliefs.conflicts.outcomes import STANDING, before, retire
from engram.beliefs.truth import find_leaning, settle_leaning, settle_truth
from engram.errors import ErasedError, InvalidInputError, NotFoundError
from engram.graph import Row, Transaction
from engram.loop.inputs import Source
from engram.memory import Engram
from engram.records import FOREVER, Kind, Memory
from engram.remembering import Draft
from engram.text import inert, short

__all__ = [
    "Side",
    "Tension",
    "describe_missing",
    "describe_tensions",
    "detect_resolutions",
    "disputes",
    "find_tension",
    "list_tensions",
    "resolve",
]

PREFIX = "Internal contradiction: "
"""What the memory of a tension begins with (v4 plan, 4.2)."""
LONGEST_SIDE = 180
"""Characters of each side in it."""
SOURCE = "tension"
"""Where such a memory comes from."""
_IN_WORDS = {"both": "both hold", "neither": "neither holds"}


def describe_tensions(memory: Engram, changes: Iterable[str]) -> int:
    """Say in words the tensions that these changes of belief have found; call it after their commit.

    It may be left out: `describe_missing` finds what was.

    Args:
        memory: Whose.
        changes: Ids of the changes; those of other kinds are passed over.

    Returns:
        How many memories of tensions there are more.
    """
    wanted = sorted(set(changes))
    return _describe(memory, wanted, limit=len(wanted)) if wanted else 0


def describe_missing(memory: Engram, *, limit: int = 50) -> int:
    """Say in words the tensions that no memory says yet, the oldest first; return how many these were.

    Args:
        memory: Whose.
        limit: How many at most.
    """
    return _describe(memory, None, limit=limit)


def _describe(memory: Engram, changes: list[str] | None, *, limit: int) -> int:
    rows = memory.graph.read(
        "believe/tension_find_undescribed", space=memory.space, changes=changes, limit=limit
    )
    return sum(_remember(memory, row["low"], row["high"], row["at"]) for row in rows)


def _remember(memory: Engram, low: Row, high: Row, at: datetime) -> bool:
    """Write the memory of one tension; the same tension again is the same memory."""
    now = memory.now()
    first, second = sorted((low, high), key=lambda side: (side["event_at"], side["id"]))
    content = f"{PREFIX}{inert(first['content'], LONGEST_SIDE)} | {inert(second['content'], LONGEST_SIDE)}"
    draft = Draft(
        content=content,
        contextualized=content,
        kind=Kind.TENSION,
        source=SOURCE,
        identity=f"{SOURCE}:{low['id']}:{high['id']}",
        source_tag=Source.CONSOLIDATION.value,
        speaker=None,
        category=None,
        importance=min(low["importance"], high["importance"]),
        event_at=at,
        known_at=now,
        valid_from=at,
        valid_to=FOREVER,
        reopen=True,
        names=(),  # its sides mention whom they are about; its own words name nobody
    )
    described = 0

    def link(transaction: Transaction, said: Memory) -> None:
        nonlocal described
        ids = sorted((said.id, low["id"], high["id"]))
        transaction.run("write/lock_memories", space=memory.space, ids=ids)
        described = transaction.run(
            "believe/tension_describe",
            space=memory.space,
            id=said.id,
            low=low["id"],
            high=high["id"],
            now=now,
        ).rows[0]["described"]
        if not described:
            raise InvalidInputError("It was resolved a moment ago.")

    try:
        memory.writer.write(draft, now, then=link)
    except (ErasedError, InvalidInputError):
        return False  # a person does not want to read it, or it was resolved meanwhile
    return bool(described)


def resolve(memory: Engram, tension: str, keep: str, *, by: str = "user") -> Change:
    """Say which side of a tension holds, and return the change, which can be taken back.

    The other side is superseded, and that counts against its truth.

    Args:
        memory: Whose.
        tension: Id of the memory that says it, or of one of the two; or the beginning of one.
        keep: `A` or `B` as `list_tensions` gives the sides, the id of one or its beginning; `both` where they do not
            exclude each other; `neither` where both are to be forgotten.
        by: Who decides.

    Raises:
        NotFoundError: There is no such tension.
        InvalidInputError: `keep` is none of these, or what it would retire is not active any more.
    """
    found = find_tension(memory, tension)
    kept = side_of(found, keep)
    now, tuning = memory.now(), memory.tuning()
    low, high = sorted(side.id for side in found.sides)
    said = [found.id] if found.id else []

    def work(transaction: Transaction) -> str:
        leaning = find_leaning(transaction, space=memory.space, ids=[low, high])
        ids = sorted({low, high, *said, *leaning})
        rows = transaction.run("write/lock_memories", space=memory.space, ids=ids).rows
        held = {row["id"]: row["memory"] for row in rows}
        if not {low, high} <= held.keys():
            raise NotFoundError("One of the two memories is gone.")
        retired: dict[str, Row] = {}
        match kept:
            case "both":
                roles = {low: "one", high: "other"}
            case "neither":
                roles = dict.fromkeys((low, high), "refused")
                retired = {each: before(held[each]) for each in (low, high)}
                _put_away(transaction, memory.space, [held[low], held[high]])
            case _:
                other = high if kept == low else low
                roles = {kept: "kept", other: "refused"}
                retired = {other: before(held[other])}
                _retire(transaction, memory.space, held[kept], held[other], by, now)
        change = _close(
            transaction,
            memory.space,
            (low, high),
            said=found.id,
            kept=kept,
            how=f"resolved by {by}",
            reason=_IN_WORDS.get(kept, "one side holds"),
            by=by,
            roles=roles,
            retired=retired,
            now=now,
        )
        if change is None:
            raise InvalidInputError("It was resolved a moment ago.")
        settle_truth(transaction, space=memory.space, ids=[low, high], tuning=tuning)
        settle_leaning(transaction, space=memory.space, ids=leaning, tuning=tuning)
        return change

    change = memory.graph.transact(work)
    return list_changes(memory.graph, space=memory.space, limit=1, prefix=change)[0]


def _retire(transaction: Transaction, space: str, newer: Row, older: Row, by: str, now: datetime) -> None:
    done = newer["status"] in STANDING and retire(
        transaction,
        space=space,
        newer=newer,
        older=older,
        reason=f"resolved by {by}",
        by=by,
        now=now,
    )
    if not done:
        raise InvalidInputError(
            f"{short(newer['id'])} cannot replace {short(older['id'])}: they are {newer['status']} and {older['status']}."
        )


def _put_away(transaction: Transaction, space: str, memories: Iterable[Row]) -> None:
    """Archive both, as a person does by hand."""
    for memory in memories:
        if memory["status"] not in STANDING:
            raise InvalidInputError(f"{short(memory['id'])} is {memory['status']} already.")
        transaction.run(
            "write/set_status",
            **{"space": space, "id": memory["id"], "from": sorted(STANDING), "to": "archived"},
        )


def detect_resolutions(memory: Engram, run: str | None = None, *, limit: int = 50) -> int:
    """Resolve the tensions that something has settled since; return how many these were.

    One side was replaced, corrected or forgotten; or people said one side again on two days or more, and the other
    never. Nothing is superseded by that.

    Args:
        memory: Whose.
        run: Id of the job's run that looks.
        limit: How many at most.
    """
    rows = memory.graph.read("believe/tension_find_settled", space=memory.space, limit=limit)
    return sum(_resolve_by_evidence(memory, row, run) for row in rows)


def _resolve_by_evidence(memory: Engram, row: Row, run: str | None) -> bool:
    low, high = row["low"], row["high"]
    roles = {low: "one", high: "other"}
    if row["kept"] is not None:
        roles = {each: "kept" if each == row["kept"] else "refused" for each in roles}
    tuning = memory.tuning()

    def work(transaction: Transaction) -> bool:
        said = [row["said"]] if row["said"] else []
        leaning = find_leaning(transaction, space=memory.space, ids=[low, high])
        transaction.run("write/lock_memories", space=memory.space, ids=sorted({low, high, *said, *leaning}))
        change = _close(
            transaction,
            memory.space,
            (low, high),
            said=row["said"],
            kept=row["kept"],
            how=row["how"],
            reason=row["how"],
            by="evidence",
            roles=roles,
            retired={},
            now=memory.now(),
            run=run,
        )
        if change is not None:
            settle_truth(transaction, space=memory.space, ids=[low, high], tuning=tuning)
            settle_leaning(transaction, space=memory.space, ids=leaning, tuning=tuning)
        return change is not None

    return memory.graph.transact(work)


def _close(
    transaction: Transaction,
    space: str,
    pair: tuple[str, str],
    *,
    said: str | None,
    kept: str | None,
    how: str,
    reason: str,
    by: str,
    roles: Mapping[str, str],
    retired: Mapping[str, Row],
    now: datetime,
    run: str | None = None,
) -> str | None:
    """Resolve one tension, locked, and return the change; None where it is resolved already."""
    rows = transaction.run(
        "believe/tension_close",
        space=space,
        low=pair[0],
        high=pair[1],
        said=said,
        kept=kept,
        how=how,
        now=now,
    ).rows
    if not rows:
        return None
    touched = [
        Touched(id=each, role=role, before={"state": rows[0]["state"], **retired.get(each, {})})
        for each, role in roles.items()
    ]
    if rows[0]["said"] is not None:
        status = rows[0]["said"]["status"]
        touched.append(Touched(id=rows[0]["said"]["id"], role="tension", before={"status": status}))
    return record(
        transaction,
        space=space,
        kind=ChangeKind.RESOLVED,
        by=by,
        reason=reason,
        now=now,
        memories=touched,
        run=run,
    )
