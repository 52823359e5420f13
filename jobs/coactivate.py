"""Coactivate: what was used in one session belongs together, associations fade, and the weakest are pruned."""

from collections.abc import Mapping
from typing import Any

from engram.lifecycle import close_ended_sessions
from engram.scoring.relevance import EDGE_CONFIDENCE
from engram.tuning import Tuning

from .job import Batches, Job, Work


def _pair(work: Work) -> None:
    """Pair what was used together in the sessions that have ended, the earliest end first."""
    if not work.dry_run:
        # What ended must count before the edges are settled beyond its end.
        close_ended_sessions(work.graph, space=work.space, now=work.now, tuning=work.tuning)
    for session in work.read("consolidate/find_unpaired_sessions", space=work.space, now=work.now):
        if work.stopping():
            return
        row = work.write(
            "consolidate/pair_session",
            space=work.space,
            session=session["id"],
            memories=work.tuning.whole("coactivate.memories"),
            edge={"half": work.tuning["coactivate.half"], "decay": work.tuning.edge_decay},
            confidence=EDGE_CONFIDENCE,
            now=work.now,
        ).rows[0]
        work.count(row["changed"], row["examples"])
        work.empty += not row["counted"]


def _prune(work: Work) -> None:
    """Prune what is weak, from the lowest id up.

    An edge that one memory loses, the other has no longer too many of: begun anywhere else, as other walks are, what
    is left would depend on chance.
    """
    parameters = {
        "edges": _edges(work.tuning),
        "decay": work.tuning.edge_decay,
        "floor": work.tuning["coactivate.floor"],
        "partners": work.tuning.whole("coactivate.partners"),
        "run": work.run,
        "now": work.now,
    }
    rows = work.batches(
        lambda **cursor: work.write("consolidate/prune_edges", **cursor, **parameters).rows,
        batch_size="coactivate.batch_size",
    )
    for row in rows:
        work.count(row["changed"], row["examples"])


def _fading(tuning: Tuning) -> Mapping[str, Any]:
    return {
        "edges": _edges(tuning),
        "decay": tuning.edge_decay,
        "tolerance": tuning["coactivate.tolerance"],
    }


def _edges(tuning: Tuning) -> int:
    """Return how many edges a batch of memories has if each has as many as it may keep."""
    return tuning.whole("coactivate.batch_size") * tuning.whole("coactivate.partners")


def _restore(work: Work) -> None:
    """Put back what a run pruned, record by record, where both ends are still there and not associated again."""
    after: str | None = ""
    orphaned = renewed = 0
    while after is not None and not work.stopping():
        row = work.write("consolidate/restore_edges", space=work.space, run=work.undoing, after=after).rows[0]
        work.count(row["changed"])
        orphaned += row["orphaned"]
        renewed += row["renewed"]
        after = row["last"]
    if orphaned:
        work.notes.append(f"not put back, since a memory at one end is gone: {orphaned:,}")
    if renewed:
        work.notes.append(f"not put back, since they were made anew: {renewed:,}")


JOB = Job(
    name="coactivate",
    why="What was used in one session belongs together; what is not used together any more comes apart. Only the "
    "strongest associations of a memory are kept.",
    # Pruned before the others are settled, so that what is kept for undoing it is what was there.
    steps=(
        _pair,
        _prune,
        Batches(statement="consolidate/settle_edges", batch_size="coactivate.batch_size", parameters=_fading),
    ),
    again="nothing: a session is paired once, and the rest is a function of elapsed time",
    undo=_restore,
    undoes="what it pruned, if anything; pairs stay",
)
