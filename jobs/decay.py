"""Decay: write down what elapsed time has left of each memory's energy, and what idle time says against it."""

from collections.abc import Mapping
from typing import Any

from engram.tuning import Tuning

from .job import Batches, Job


def _parameters(tuning: Tuning) -> Mapping[str, Any]:
    return {
        "energy": tuning.energy,
        "tolerance": tuning["decay.tolerance"],
        "weight": tuning.idle,
    }


JOB = Job(
    name="decay",
    why="Readers compute energy from elapsed time, so settling changes no answer; it keeps the stored figures fresh "
    "for the Browser and for other jobs. What is never used loses weight, slowly.",
    steps=(
        Batches(
            statement="consolidate/decay_memories", batch_size="decay.batch_size", parameters=_parameters
        ),
    ),
    again="nothing: both are functions of elapsed time",
)
