"""Rank: how central each memory is among what is used together, by PageRank over the associations."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from engram.graph import Outcome, Row

from .job import Job, Work
from .lease import Lease, leased


def _rank(work: Work) -> None:
    """Rank one space, unless another worker does; the ranks in the making stand on the memories until the end."""
    with leased(work, "rank") as lease:
        if lease is None:
            return
        try:
            _settle(lease)
        finally:
            _clear(lease)  # a lease that is lost ends this too: what stands there is the other worker's


def _clear(lease: Lease) -> None:
    clear = "consolidate/rank_clear_ranks"
    for _ in lease.batches(lambda **cursor: lease.work.graph.write(clear, **cursor).rows, stoppable=False):
        pass


def _settle(lease: Lease) -> None:
    """Let rank flow along the associations until it settles, and store what came of it.

    A run that finds the stored ranks within the tolerance leaves them alone, and each run comes so close that the
    next finds them there. For a round that was `u` away in all, with damping d and relaxation w, leaves the ranks at
    most `(w - 1 + dw)u` away, and scaling them to a sum of 1 at most doubles that.
    """
    work = lease.work
    tolerance, damping = work.tuning["rank.tolerance"], work.tuning["rank.damping"]
    edges: dict[str, Any] = {"decay": work.tuning.edge_decay, "now": work.now}
    prepared = list(_batches(lease, "consolidate/rank_prepare_memories", **edges))
    ranked, stale = (sum(row[name] for row in prepared) for name in ("ranked", "stale"))
    start = 1.0 / max(ranked, 1)

    def move(relaxation: float) -> float:
        rows = _batches(
            lease,
            "consolidate/rank_move_ranks",
            start=start,
            damping=damping,
            relaxation=relaxation,
            **edges,
        )
        return math.fsum(row["due"] for row in rows)

    if not stale and move(0.0) < tolerance:
        return
    # Young's optimum: no eigenvalue of the plain iteration, Jacobi's, is greater than the damping.
    relaxation = 2.0 / (1.0 + math.sqrt(1.0 - damping**2))
    close = tolerance / (4.0 * (relaxation - 1.0 + damping * relaxation or 1.0))
    rounds = work.tuning.whole("rank.iterations")
    for number in range(rounds):
        if work.progress is not None:
            work.progress(number / rounds)
        if move(relaxation) < close:
            break
    else:
        work.notes.append(f"not settled after {rounds:,} rounds; the next run goes on from there")
    total = work.read("consolidate/rank_sum_ranks", space=work.space)[0]["total"]
    stored = _batches(
        lease,
        "consolidate/rank_store_centrality",
        write=work.write,
        total=total or 1.0,
        tolerance=tolerance / 4.0 * start,
    )
    for row in stored:
        work.count(row["changed"], row["examples"])


def _batches(
    lease: Lease, statement: str, *, write: Callable[..., Outcome] | None = None, **parameters: Any
) -> Iterator[Row]:
    """Yield what a statement returns for each batch of the space; the order of ids is part of the method.

    A dry run writes the ranks in the making too, and removes them as every run does.
    """
    run = write or lease.work.graph.write
    return lease.batches(lambda **cursor: run(statement, **cursor, **parameters).rows)


JOB = Job(
    name="rank",
    why="What is used together with much that is itself well connected is central: PageRank over the associations "
    "says how much, for the Browser and for other jobs.",
    steps=(_rank,),
    again="nothing, once the ranks have settled",
)
