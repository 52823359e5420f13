"""Archive: say how far each fact is to be trusted, and put away what has had its time.

Raw turns of conversations are left alone unless `archive.raw_turns` is 1: an old conversation is found by what was
said in it, and its turns have no other copy.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from engram.beliefs.adapting.guidelines import learn_guidelines
from engram.beliefs.policy.kinds import memory_kind
from engram.beliefs.policy.rules import Bounds, Decision, bounds_of, decide
from engram.beliefs.policy.standing import Standing
from engram.graph import Row

from .job import Job, Work

_SEEN = (
    "version",
    "status",
    "access_count",
    "seen_count",
    "restored_at",
    "lifecycle_state",
    "verification_state",
    "policy_class",
    "memory_kind",
)
"""Properties that must still be as they were when the decision is written."""
_NO_MARKS = dict.fromkeys(("archive_reason", "archived_at", "archived_run", "archived_state"))


def _settle(work: Work) -> None:
    """Decide batch by batch; what changes meanwhile is left to the next run."""
    bounds = bounds_of(work.tuning)
    archived = restored = 0
    for rows in _facts(work, bounds):
        due = [change for row in rows if (change := _change(work, row, bounds))]
        if not due:
            continue
        done = work.write("consolidate/archive_settle_facts", space=work.space, rows=due).rows[0]
        work.count(done["changed"], done["examples"])
        archived += done["archived"]
        restored += done["restored"]
    if archived or restored:
        work.notes.append(f"archived {archived:,}, restored {restored:,}; the others got their states")


def _facts(work: Work, bounds: Bounds) -> Iterator[list[Row]]:
    for begin, until in work.walk():
        after: str | None = begin
        while after is not None and not work.stopping():
            row = work.read(
                "consolidate/archive_list_facts",
                space=work.space,
                after=after,
                until=until,
                batch_size=work.tuning.whole("archive.batch_size"),
                raw_turns=bounds.raw_turns,
            )[0]
            yield row["facts"]
            after = row["last"]
            work.advance(after, until)


def _change(work: Work, row: Row, bounds: Bounds) -> Mapping[str, Any] | None:
    """Return what is to be written of one memory, or None where all is as it should be."""
    standing = Standing.from_row(row)
    decision = decide(standing, bounds, work.now)
    # A raw turn is what was said: it may be put away, and has no states.
    states = {} if standing.raw else _states(row, decision)
    new = {name: value for name, value in states.items() if row[name] != value}
    properties = new | _move(work, row, decision)
    if not properties:
        return None
    return {
        "id": row["id"],
        "seen": {name: row.get(name) for name in _SEEN},
        "properties": properties,
        "revised": int("status" in properties),
    }


def _states(row: Row, decision: Decision) -> dict[str, Any]:
    kind = row["memory_kind"] or memory_kind(row["content"], category=row["category"]).value
    return {
        "lifecycle_state": decision.lifecycle.value,
        "verification_state": decision.verification.value,
        "policy_class": decision.policy_class.value,
        "memory_kind": kind,
    }


def _move(work: Work, row: Row, decision: Decision) -> dict[str, Any]:
    """Return what takes a memory into the archive or out of it."""
    if decision.archive is not None:
        return {
            "status": "archived",
            "archive_reason": decision.archive.value,
            "archived_at": work.now,
            "archived_run": work.run,
            "archived_state": row["lifecycle_state"],
        }
    if decision.restore:
        return {"status": "active", "restored_at": work.now} | _NO_MARKS
    return {}


def _learn(work: Work) -> None:
    """Learn guidelines from outcomes; that nothing came of it is said, and fails nothing."""
    learned = learn_guidelines(work.graph, space=work.space, now=work.now, write=work.write)
    if learned.changed:
        work.count(1, [{"guidelines": " ".join(learned.lines)}])
    if learned.problem:
        work.notes.append(f"no guidelines were learned: {learned.problem}")


def _restore(work: Work) -> None:
    for ids in work.changed_by_undone("consolidate/archive_find_archived", batch_size="archive.batch_size"):
        row = work.write(
            "consolidate/archive_restore_facts", space=work.space, ids=ids, run=work.undoing, now=work.now
        ).rows[0]
        work.count(row["changed"], row["examples"])


JOB = Job(
    name="archive",
    why="What has had its time makes room: resolved commitments, speculation that nothing confirmed, and facts that "
    "are old, unimportant and unused. It is a state and no deletion, with its reason. Each fact also gets a state that "
    "says how far to trust it.",
    steps=(_settle, _learn),
    again="nothing: states are a function of the present standing",
    undo=_restore,
    undoes="what it archived; states stay",
)
