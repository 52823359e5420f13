"""Gut: what came of things is linked to them, and the depths that feelings are measured from are measured anew."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import numpy as np

from engram.mind import gut
from engram.mind.axes import name_of
from engram.mind.gut import Floats
from engram.mind.outcomes import LINKS, WORDS, OutcomeKind

from .job import Job, Work
from .lease import Lease, leased

_DIGITS = 12
"""Decimals of what is stored: sums in another order come to the same."""


def _gut(work: Work) -> None:
    """Link outcomes, then measure the depths and the axes, one worker at a time."""
    with leased(work, "gut") as lease:
        if lease is None:
            return
        for kind in OutcomeKind:
            _link(lease, kind)
        _measure(lease)
        _find_axes(lease)


def _link(lease: Lease, kind: OutcomeKind) -> None:
    """Link the outcomes of one kind that are known by now."""
    work = lease.work
    limit, linked = work.tuning.whole("gut.batch_size"), 0
    while True:
        lease.go_on()
        done = work.write(LINKS[kind], space=work.space, limit=limit, now=work.now, **_times(work, kind)).rows
        linked += done[0]["linked"]
        if work.dry_run or done[0]["linked"] < limit:  # what a dry run takes back would come again
            break
    if linked:
        told = {"linked": WORDS[kind], "outcomes": linked}
        work.count(linked, [told])
        work.report.append(told)


def _times(work: Work, kind: OutcomeKind) -> Mapping[str, Any]:
    match kind:
        case OutcomeKind.GATE | OutcomeKind.PROMOTION:
            return {}
        case OutcomeKind.ESCALATION | OutcomeKind.FEELING:
            return {"since": work.now - timedelta(days=work.tuning["sweep.keep_days"])}


def _measure(lease: Lease) -> None:
    """Keep the centroid of all memories, weighted by importance; of a large space, of a sample."""
    work = lease.work
    centre = _centre(lease)
    if centre is None:
        work.notes.append("nothing is remembered yet that could be felt for")
        return
    done = work.write(
        "mind/gut_store_subconscious",
        space=work.space,
        vector=centre.round(_DIGITS).tolist(),
        model=work.memory.embedder.name,
        now=work.now,
    )
    if done.rows[0]["changed"]:
        work.count(1, [{"measured": "the centre of all memories"}])


def _centre(lease: Lease) -> Floats | None:
    """Return the centroid of the first `gut.sample` memories: ids are drawn at random, so those are a fair sample.

    It is the same one every day, as far as nothing was forgotten: the centre moves with the memory and not by luck.
    """
    work = lease.work
    after: str | None = ""
    left, total = work.tuning.whole("gut.sample"), np.zeros(work.memory.embedder.dimensions)
    while after is not None and left > 0:
        lease.go_on()
        row = work.read(
            "mind/gut_read_vectors",
            space=work.space,
            after=after,
            limit=min(left, work.tuning.whole("gut.batch_size")),
            model=work.memory.embedder.name,
        )[0]
        if row["vectors"]:
            total += np.array(row["weights"]) @ np.array(row["vectors"], dtype=np.float64)
        after, left = row["last"], left - row["looked_at"]
    if after is not None:
        work.notes.append(f"measured from a sample of {work.tuning.whole('gut.sample'):,} memories")
    return gut.unit(total)


def _find_axes(lease: Lease) -> None:
    """Find the axes along which feelings have moved, and name those that went with what came of them."""
    work = lease.work
    lease.go_on()
    model = work.memory.embedder.name
    rows = work.read(
        "mind/gut_read_deltas", space=work.space, model=model, limit=work.tuning.whole("gut.deltas")
    )
    deltas = np.array([row["vector"] for row in rows], dtype=np.float64)
    outcomes = [row["good"] for row in rows]
    known, fewest = sum(each is not None for each in outcomes), work.tuning.whole("gut.outcomes")
    found = gut.axes(deltas, outcomes, fewest=fewest)
    contexts = [row["context"] for row in rows]
    axes = [
        {
            "number": number,
            "direction": axis.direction.round(_DIGITS).tolist(),
            "middle": round(axis.middle, _DIGITS),
            "spread": round(axis.spread, _DIGITS),
            "share": round(axis.share, _DIGITS),
            "correlation": None if axis.correlation is None else round(axis.correlation, _DIGITS),
            "name": name_of(axis, deltas, contexts, least=work.tuning["gut.correlation"]),
        }
        for number, axis in enumerate(found)
    ]
    done = work.write(
        "mind/axis_store", space=work.space, rows=axes, model=model, most=gut.AXES, now=work.now
    )
    told = [{key: axis[key] for key in ("number", "share", "correlation", "name")} for axis in axes]
    work.count(done.rows[0]["changed"], told)
    work.report.extend(told)
    if known < fewest:
        work.notes.append(f"axes mean nothing yet: {known:,} feelings have an outcome, {fewest:,} are needed")
    elif any(axis["name"] for axis in axes):
        work.notes.append("axes are named by words, no model is asked")


JOB = Job(
    name="gut",
    why="What came of decisions, promotions, escalations and feelings is linked to them. What the memory as a whole is "
    "about is measured anew, and along which axes feelings move; those that go with what comes of them get a name.",
    steps=(_gut,),
    again="nothing: what is linked stays so, and the same memory has the same centre",
)
