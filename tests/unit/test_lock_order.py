"""The rule that keeps concurrent writers from deadlocks and lost updates, held against the text of every statement.

A statement that writes memories, or relationships of memories, first locks all of them in ascending id, and only then
reads what it changes. Or its head says that they were locked in the same transaction: then its caller ran another
statement first that did. What it locks is seen by `SET m._lock = true`.

The statements are read by pattern and not parsed. So the rule is taken strictly: whatever is not known to be a node of
another label, or a relationship between such, counts as a memory.
"""

import re

import pytest

from engram import statements

EXCEPTIONS = {
    "write/remember_memories": "MERGE on the unique content hash is the lock, and rows come in the order of hashes; "
    "only a bare remember, a batch of one, writes what was there before",
    "consolidate/rank_clear_ranks": "removes scratch of the job's own, in ascending id",
    "consolidate/rank_move_ranks": "writes scratch of the job's own, in ascending id, under the job's lease",
    "write/release_lease": "deletes a lease that no memory is linked to",
    "consolidate/roll_up_attempts": "deletes attempts that no memory is linked to",
    "write/erase_entities": "deletes names that no memory mentions any more",
    "consolidate/sweep_snapshots": "deletes snapshots that lead to no memory",
}
"""Statements that need no lock of their own, and why."""
UNLINKED = {
    "JobRun",
    "BlendChange",
    "PrunedEdges",
    "ConfigChange",
    "RecordCounter",
    "Tombstone",
    "ScratchEntry",
    "LoopRun",
    "LlmCall",
    "SafetyEvent",
    "Connection",
}
"""Labels of nodes that memories are never linked to: deleting one deletes no relationship of a memory."""

CALLER_LOCKS = re.compile(r"\blocked\b[^.]*\bin the same transaction\b")
_BOUND = re.compile(r"\((\w+):(\w+)")
_LOCK = re.compile(r"\bSET (\w+)\._lock = true\b")
_WRITE = re.compile(
    r"\b(?P<pattern>MERGE|CREATE) (?P<path>[^\n]*(?:\n\s+(?:[<\-(]|\w+: )[^\n]*)*)"
    r"|\b(?P<detach>DETACH )?DELETE (?P<deleted>\w+)"
    r"|\bREMOVE (?P<removed>\w+)\.(?!_lock\b)"
    r"|\bSET\s+(?P<set>\w+)(?!\._lock\b)\b"
    r"|^\s+(?P<item>\w+)(?:\.\w+|\[\$\w+\]) \+?= "
    r"|setNodeVectorProperty\((?P<vector>\w+)",
    re.MULTILINE,
)
_UNWOUND = re.compile(r"\bUNWIND (?P<list>.+) AS (?P<each>\w+)\n")


def code_of(name: str) -> str:
    """Return a statement without its comments."""
    lines = statements.load(name).text.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("//"))


def strangers(code: str) -> dict[str, str]:
    """Return the names that stand for nodes of other labels, and for relationships between those, with the label."""
    bound = _BOUND.findall(code)
    nodes = {name: label for name, label in bound if (name, "Memory") not in bound}
    for name, some in re.findall(r"FOREACH \((\w+) IN [^|]*\[(\w+)\]", code):
        if some in nodes:
            nodes[name] = nodes[some]
    ends = re.findall(r"\((\w+)[^()]*\)<?-\[(\w+):(\w+)[^\]]*\]->?\((\w+)", code)
    return nodes | {name: kind for start, name, kind, end in ends if {start, end} <= nodes.keys()}


def touches_memories(write: re.Match[str], known: dict[str, str]) -> bool:
    """Say whether one writing clause may write a memory or a relationship of one."""
    if write["pattern"]:
        nodes = set(re.findall(r"\((\w+)", write["path"]))
        return ":Memory" in write["path"] or not nodes <= known.keys()
    name = next(write[group] for group in ("deleted", "removed", "set", "item", "vector") if write[group])
    # With a node its relationships go, and those may be a memory's.
    return name not in known or bool(write["detach"] and known[name] not in UNLINKED)


def first_write(code: str, known: dict[str, str]) -> int | None:
    """Return where a statement first writes what may be a memory's, locks aside."""
    return next((found.start() for found in _WRITE.finditer(code) if touches_memories(found, known)), None)


def in_order(code: str, head: str, lock: re.Match[str]) -> bool:
    """Say whether what is locked comes in ascending id, or is one memory."""
    variable, before = lock[1], code[: lock.start()]
    by_id = rf"\bORDER BY (?:{variable}\.space, )?{variable}\.id\b(?! DESC)"
    unwound = list(_UNWOUND.finditer(before))[-1:]
    since = before[unwound[0].end() :] if unwound else before
    if orders := re.findall(r"\bORDER BY .*", since):
        return bool(re.match(by_id, orders[-1]))
    if not unwound:
        return f"({variable}:Memory {{id: $id}})" in since
    rows, each = unwound[0]["list"], unwound[0]["each"]
    if rows.startswith("$"):
        told = re.search(rf"^{re.escape(rows)}: (.*)", head, re.MULTILINE)
        sorted_rows = told is not None and re.search(r"\b(ascending|sorted)\b", told[1])
        return bool(sorted_rows and re.search(rf"\({variable}:Memory {{id: {each}\b", since))
    # A batch that was collected in order, or what is left of it.
    return each == variable and bool(re.search(rf"{by_id}(?:.*\n)+?.*\bcollect\(.*\b{variable}\b", before))


def memory_locks(code: str) -> list[re.Match[str]]:
    """Return where a statement locks what may be a memory."""
    return [lock for lock in _LOCK.finditer(code) if lock[1] not in strangers(code)]


def complaint(code: str, head: str) -> str | None:
    """Return what is wrong with the order of a statement's locks, or None."""
    write = first_write(code, strangers(code))
    if write is None or CALLER_LOCKS.search(head):
        return None
    locks = memory_locks(code)
    if not locks:
        return "writes memories and locks none"
    if locks[0].start() > write:
        return f"writes before it locks: {code[write:].splitlines()[0]}"
    unordered = [lock[1] for lock in locks if not in_order(code, head, lock)]
    return f"locks {unordered} in no order" if unordered else None


NAMES = [name for name in statements.names() if not name.startswith("schema/")]
LOCKING = [name for name in NAMES if memory_locks(code_of(name)) and name != "write/lock_memories"]


@pytest.mark.parametrize("name", NAMES)
def test_memories_are_locked_in_order_before_they_are_written(name: str) -> None:
    """Every statement that writes memories locks them first, in ascending id, or says that its caller did."""
    found = complaint(code_of(name), statements.load(name).head)
    if name in EXCEPTIONS:
        assert found, "an exception that is not needed any more"
    else:
        assert found is None


@pytest.mark.parametrize("name", LOCKING)
def test_a_lock_that_is_missing_or_in_no_order_is_seen(name: str) -> None:
    """Without its lock, or without what puts the memories in order, each statement is complained of."""
    code, head = code_of(name), statements.load(name).head
    lock = memory_locks(code)[0]
    assert complaint(code[: lock.start()] + code[lock.end() :], head)
    disordered = re.sub(rf"\b(ORDER BY .*?){lock[1]}\.id", rf"\1{lock[1]}.energy", code)
    assert complaint(disordered.replace("{id: $id}", ""), re.sub(r"ascending|sorted", "", head))


def test_every_exception_is_a_statement() -> None:
    """The list of exceptions holds nothing that is no more."""
    assert set(EXCEPTIONS) <= set(NAMES)
