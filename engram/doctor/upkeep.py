"""Upkeep: jobs that failed or are late, workers that died, and whether a sample of the graph is sound."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from engram.doctor.finding import Finding
from engram.graph import Graph, Row
from engram.records import STOPPED
from engram.tuning import NUMBERS, Tuning, read_tuning

SAMPLE = 1_000
"""Memories that are looked at; the job `health` looks at all of them."""
LATE = 3
"""Intervals after which a job that has run before is late."""
DEAD = timedelta(hours=6)
"""After which a run without an end is one whose process died: jobs run in batches of seconds."""
_BATCH: Mapping[str, Any] = {"after": "", "batch_size": SAMPLE}
_SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "inspect/check_ids": {},
    "inspect/check_claims": {},
    "inspect/check_properties": _BATCH,
    "inspect/check_edges": _BATCH,
}
_PASSING = {"lapsed lease"}
"""What the checks find that a finding of its own tells of."""


def check_jobs(graph: Graph, space: str) -> Iterator[Finding]:
    """Look at the last run of each job over the space."""
    runs = graph.read("inspect/list_last_runs", space=space)
    if not runs:
        return
    failed = [run for run in runs if run["failed"] or (run["error"] and run["error"] != STOPPED)]
    late = list(_late(runs, read_tuning(graph, space=space), graph.now()))
    for run in failed:
        yield Finding(
            name="jobs",
            state="note",
            detail=f"the last run of {run['job']} failed, {_at(run)}: {run['error'] or 'see the history'}",
            remedy="It is tried again at its next time; `engram jobs history` lists all runs.",
        )
    if late:
        yield Finding(
            name="jobs",
            state="note",
            detail="late: " + ", ".join(f"{run['job']} (last {_at(run)})" for run in late),
            remedy="`engram jobs start` runs them at their times. No answer is wrong without them.",
        )
    if not failed and not late:
        yield Finding(name="jobs", state="ok", detail=f"{len(runs)} ran at their times")
    yield from _last_health(runs)


def _late(runs: list[Row], tuning: Tuning, now: datetime) -> Iterator[Row]:
    for run in runs:
        key = f"{run['job']}.interval_minutes"
        if key in NUMBERS and now - run["started_at"] > LATE * tuning.minutes(key):
            yield run


def _last_health(runs: list[Row]) -> Iterator[Finding]:
    for run in runs:
        if run["job"] == "health" and run["broken"]:
            # A run over all spaces does not say which one it was.
            own = run["space"] is not None
            yield Finding(
                name="health",
                state="problem" if own else "note",
                detail=f"{run['broken']:,} things were broken{'' if own else ' in some space'}, {_at(run)}",
                remedy="`engram jobs run health` says which, and what to do.",
            )


def _at(run: Row) -> str:
    return f"{run['started_at']:%Y-%m-%d %H:%M}"


def check_workers(graph: Graph, space: str) -> Iterator[Finding]:
    """Look for what workers that died have left behind."""
    left = graph.read("inspect/find_dead_workers", space=space, before=graph.now() - DEAD)[0]
    if left["leases"]:
        yield Finding(
            name="leases",
            state="note",
            detail=f"{left['leases']} whose time is over and that nobody ended: their workers died",
            remedy="`engram jobs run sweep` ends them; others may have the work already.",
        )
    if left["runs"]:
        yield Finding(
            name="jobs",
            state="note",
            detail=f"{left['runs']} runs never ended: their processes died",
            remedy="What they had committed stays, and the next run goes on from there.",
        )


def check_graph(graph: Graph, space: str) -> Iterator[Finding]:
    """Hold a sample of the space to what must be true of it."""
    broken: dict[str, int] = {}
    for statement, parameters in _SAMPLES.items():
        for found in graph.read(statement, space=space, **parameters)[0]["found"]:
            if found["broken"] and found["check"] not in _PASSING:
                broken[found["check"]] = broken.get(found["check"], 0) + found["broken"]
    if broken:
        yield Finding(
            name="graph",
            state="problem",
            detail="broken: " + ", ".join(f"{check} {count:,}" for check, count in broken.items()),
            remedy="`engram jobs run health` looks at everything, and says what to do.",
        )
    else:
        yield Finding(name="graph", state="ok", detail=f"sound, by {SAMPLE:,} memories at most of this space")
