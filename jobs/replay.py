"""Replay: what happened one after the other is gone through again, and the links of the chain grow stronger.

Source: temporal chain replay, which strengthens the temporal links between episodic memories (CMA, the continuum
memory architecture). Each replay of a link adds half of what the one before added, so that its strength has a limit.
"""

from collections.abc import Mapping
from typing import Any

from engram.tuning import Tuning

from .job import Batches, Job


def _parameters(tuning: Tuning) -> Mapping[str, Any]:
    return {
        "hours": tuning.whole("replay.hours"),
        "times": tuning.whole("replay.times"),
        "step": tuning["replay.step"],
    }


JOB = Job(
    name="replay",
    why="Recent episodes are gone through again in the order in which they happened, which strengthens the links of "
    "the chain. How often is a matter of elapsed time; a run that comes late makes up for all that is due.",
    steps=(
        Batches(statement="consolidate/replay_links", batch_size="replay.batch_size", parameters=_parameters),
    ),
    again="nothing: the replays of a link are counted",
)
