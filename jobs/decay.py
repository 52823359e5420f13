"""Decay: write down what elapsed time has left of each memory's energy."""

from datetime import timedelta

from engram.energy import DECAY_PER_HOUR

from .job import Job

JOB = Job(
    name="decay",
    why="Readers compute energy from elapsed time, so this changes no answer; it keeps the stored figures fresh "
    "for the Browser and for other jobs.",
    every=timedelta(minutes=10),
    batch="consolidate/settle_energy",
    preview="consolidate/count_unsettled",
    # A hundredth of a creation boost: less is not worth a write.
    parameters={"rates": DECAY_PER_HOUR, "tolerance": 0.01},
)
