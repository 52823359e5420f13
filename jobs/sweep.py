"""Sweep: end what has ended, and count and delete the records whose time is over."""

from datetime import UTC, datetime, timedelta

from engram.graph import Row
from engram.lifecycle import close_ended_sessions

from .job import EXAMPLES, Job, Work

RECORDS = (
    "consolidate/roll_up_recalls",
    "consolidate/roll_up_blend_changes",
    "consolidate/roll_up_attempts",
    "consolidate/roll_up_runs",
    "consolidate/roll_up_llm_calls",
    "consolidate/roll_up_loop_runs",
    "consolidate/roll_up_safety_events",
    "consolidate/roll_up_thoughts",
)
"""One statement for each kind of record that is kept for `sweep.keep_days`.

It takes `$space, $before, $skip, $batch_size`, counts the oldest ones into `(:RecordCounter {space, kind, month})`,
deletes them in the same transaction, and returns one row: `changed`.
"""


def _close_sessions(work: Work) -> None:
    """Close the sessions that nobody uses any more."""
    if work.dry_run:
        ended = work.read("inspect/list_ended_sessions", space=work.space, now=work.now)
        work.count(len(ended), [{"session": row["id"]} for row in ended[:EXAMPLES]])
        return
    work.count(close_ended_sessions(work.graph, space=work.space, now=work.now, tuning=work.tuning))


def _end_attempts(work: Work) -> None:
    """End the attempts of workers that died, so that what they held is free."""
    for lapsed in work.read("consolidate/sweep_find_lapsed", space=work.space):
        if work.stopping():
            return
        for row in work.write("consolidate/sweep_end_attempt", space=work.space, attempt=lapsed["id"]).rows:
            work.count(row["changed"], row["examples"])


def _remove_snapshots(work: Work) -> None:
    """Delete snapshots of memories that are no more."""
    rows = work.batches(
        lambda **cursor: work.write("consolidate/sweep_snapshots", **cursor).rows,
        batch_size="sweep.batch_size",
    )
    for row in rows:
        work.count(row["changed"], row["examples"])


def _remove_connections(work: Work) -> None:
    """Delete what connects goals that ended long ago, and what has nothing left to connect."""
    before, size = _before(work), work.tuning.whole("sweep.batch_size")
    last: Row | None = {"at": datetime(1970, 1, 1, tzinfo=UTC), "id": ""}
    while last is not None and not work.stopping():
        row = work.write(
            "consolidate/sweep_connections",
            space=work.space,
            before=before,
            since=last["at"],
            after=last["id"],
            batch_size=size,
        ).rows[0]
        work.count(row["changed"])
        last = row["last"]


def _before(work: Work) -> datetime:
    """Return the time before which records are over."""
    return work.now - timedelta(days=work.tuning["sweep.keep_days"])


def _sweep_scratch(work: Work) -> None:
    """Delete entries of the scratch buffer that were decided a day ago."""
    size, seen = work.tuning.whole("sweep.batch_size"), 0
    while not work.stopping():
        swept: int = work.write(
            "consolidate/sweep_scratch",
            space=work.space,
            now=work.now,
            skip=seen if work.dry_run else 0,
            batch_size=size,
        ).rows[0]["changed"]
        if not swept:
            return
        work.count(swept)
        seen += swept


def _roll_up(work: Work) -> None:
    """Count and delete old records, of the space or, without one, of the runs over every space."""
    before = _before(work)
    size = work.tuning.whole("sweep.batch_size")
    # A record of pruned edges holds up to so many of them.
    records = max(1, size // work.tuning.whole("coactivate.batch_size"))
    while not work.dry_run and not work.stopping():
        row = work.graph.write(
            "consolidate/sweep_pruned_edges", space=work.space, before=before, batch_size=records
        ).rows[0]
        if not row["removed"]:
            break
    for statement in RECORDS:
        seen = 0
        while not work.stopping():
            rolled: int = work.write(
                statement, space=work.space, before=before, skip=seen if work.dry_run else 0, batch_size=size
            ).rows[0]["changed"]
            if not rolled:
                break
            work.count(rolled)
            seen += rolled


JOB = Job(
    name="sweep",
    why="Records of what happened would outgrow what is remembered. Old ones become counters; sessions that nobody "
    "closed are closed, and what a worker that died still held is free again.",
    steps=(_close_sessions, _end_attempts, _remove_snapshots, _remove_connections, _sweep_scratch, _roll_up),
    overall=(_roll_up,),
    again="nothing: what was swept is gone",
)
