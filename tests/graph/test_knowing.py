"""What the loop knows of its space: looked at behind the conversation's back, and no oftener than it must be."""

import pytest

from engram.goals import Goals
from engram.loop.knowing import WALK_SECONDS, Knowing
from engram.memory import Engram
from engram.testing import FixedClock

pytestmark = pytest.mark.graph


class Seconds:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Return how many have passed."""
        return self.now


def knowing(memory: Engram, clock: FixedClock, seconds: Seconds) -> Knowing:
    """Return what is known of a memory's space."""
    return Knowing(
        memory.graph,
        space=memory.space,
        goals=lambda: Goals(memory.graph, memory.embedder, space=memory.space, clock=clock),
        embedder=lambda: memory.embedder,
        tuned=memory.tuned,
        monotonic=seconds,
    )


def contents(known: Knowing) -> list[str]:
    """Return the memories that may be told as who one is."""
    return [each.content for each in known().identity.weightiest]


def test_the_space_is_walked_no_oftener_than_once_a_minute(memory: Engram, clock: FixedClock) -> None:
    """Keeping up counts at once and walks when the minute is over; looking walks whenever it is asked to."""
    seconds = Seconds()
    known = knowing(memory, clock, seconds)
    memory.remember("The lamp is green")
    assert contents(known) == ["The lamp is green"]
    memory.remember("The door is blue")
    seconds.now = WALK_SECONDS - 1.0
    known.keep_up()
    assert len(contents(known)) == 1
    assert (known().identity.memories, known().tiers) == (2, {"working": 2})
    seconds.now = WALK_SECONDS
    known.keep_up()
    assert len(contents(known)) == len(known().identity_vectors) == 2
    memory.remember("The roof is red")
    known.look()
    assert len(contents(known)) == 3


def test_goals_are_kept_up_with_at_once(memory: Engram, clock: FixedClock) -> None:
    """A goal that came up since the last look bears on the next turn, however lately the space was walked."""
    known = knowing(memory, clock, Seconds())
    assert known().goals == ()
    Goals(memory.graph, memory.embedder, space=memory.space, clock=clock).add("Learn to sail")
    known.keep_up()
    assert (known().goals, len(known().goal_vectors)) == (("Learn to sail",), 1)
