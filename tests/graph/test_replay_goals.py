"""Associative replay against a real Neo4j."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from engram.goals import Goal, Goals
from engram.memory import Engram
from engram.mind.replaying import BRIEF, DEEP, FULL, LEAST, STRONG, Replayer
from engram.observing.operation import Operation, add_watcher, remove_watcher
from engram.testing import FixedClock
from tests.graph.beside import another, run
from tests.graph.dreams import dream

pytestmark = pytest.mark.graph


class Watch:
    """Counts what is asked of the database."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def begin(self, operation: Operation) -> None:
        """Note a statement, or a transaction that is opened for several."""
        if operation.kind in {"statement", "transaction"}:
            self.asked.append(operation.title)

    def end(self, operation: Operation) -> None:
        """Do nothing."""


@contextmanager
def watched() -> Iterator[Watch]:
    """Count while inside."""
    watch = Watch()
    add_watcher(watch)
    try:
        yield watch
    finally:
        remove_watcher(watch)


def goals_of(memory: Engram, clock: FixedClock, *texts: str) -> list[Goal]:
    """Set goals of which the first presses most."""
    goals = Goals(memory.graph, memory.embedder, space=memory.space, clock=clock)
    count = len(texts)
    return [goals.add(text, tractability=1.0 - place / (2 * count)) for place, text in enumerate(texts)]


def lived(memory: Engram, clock: FixedClock, *episodes: Sequence[str]) -> list[list[str]]:
    """Remember episodes, the oldest first, each in a box of its own; return the memories' ids."""
    found = []
    for number, texts in enumerate(episodes):
        at = clock.advance(timedelta(days=1))
        ids = [memory.remember(text, event_at=at).id for text in texts]
        box = {"id": f"{memory.space}:{number}", "memories": ids, "at": at}
        run(memory, "mind_lay_episodes", episodes=[box])
        found.append(ids)
    assert memory.flush()
    return found


def replayer(memory: Engram, clock: FixedClock) -> Replayer:
    """Return what replays a memory's space."""
    return Replayer(memory.graph, space=memory.space, clock=clock)


def connections(memory: Engram) -> list[dict[str, Any]]:
    """Return what connects goals and episodes, the strongest first."""
    return run(memory, "mind_read_connections")


BOAT, PAINT = "paint the old boat before spring", "we paint the old boat before spring comes"
OTHER = "the tax office wants three forms"


def test_a_brief_replay_is_one_round_trip_and_connects(memory: Engram, clock: FixedClock) -> None:
    """An episode is connected with the goal that brings it to mind, with its strength and the memory that does; once."""
    goal, _ = goals_of(memory, clock, BOAT, "write a symphony")
    ((told,), _) = lived(memory, clock, [PAINT], [OTHER])
    with watched() as watch:
        found = replayer(memory, clock).replay(BRIEF)
    assert watch.asked == ["statement mind/replay_goals"]
    (step,) = found.connections
    (row,) = run(memory, "read_vector", id=told)
    expected = float(np.dot(goal.embedding, row["embedding"]))
    assert (step.goal, step.memory, step.hops, step.new) == (goal.id, told, 0, True)
    assert step.strength == pytest.approx(expected, abs=1e-3)
    (kept,) = connections(memory)
    assert (kept["goal"], kept["episode"], kept["first_at"]) == (goal.id, step.episode, clock())
    later = clock.advance(timedelta(hours=1))
    (again,) = replayer(memory, clock).replay(BRIEF).connections
    assert again.new is False
    assert again.strength == pytest.approx(step.strength)
    (kept,) = connections(memory)
    assert (kept["first_at"], kept["at"]) == (later - timedelta(hours=1), later)


def test_what_is_used_together_connects_over_two_hops(memory: Engram, clock: FixedClock) -> None:
    """What a goal does not resemble comes to mind through what does, weaker with each hop; three are too many."""
    (goal,) = goals_of(memory, clock, BOAT)
    chain = ("a visit to Noor", "lentil soup on Friday", "quarterly invoices")
    ((near,), (first,), (second,), (third,)) = lived(memory, clock, [PAINT], *([text] for text in chain))
    edges = [
        {"low": min(pair), "high": max(pair), "weight": 99.0, "at": clock()}
        for pair in ((near, first), (first, second), (second, third))
    ]
    run(memory, "lay_associations", edges=edges)
    found = replayer(memory, clock).replay(replace(DEEP, width=1))
    steps = {step.memory: step for step in found.steps if step.memory}
    assert {key: step.hops for key, step in steps.items()} == {near: 0, first: 1, second: 2}
    assert steps[near].strength > steps[first].strength > steps[second].strength > 0.0
    passed = 0.8 * 99.0 / 100.0
    assert steps[second].strength == pytest.approx(steps[near].strength * passed**2)
    assert {step.goal for step in found.steps} == {goal.id}


def test_replay_stops_where_nothing_connects(memory: Engram, clock: FixedClock) -> None:
    """After three weak steps in a row it does not force it: what comes later is not looked at; a deep one goes on."""
    goals_of(memory, clock, "write a symphony", "learn to juggle", "visit Japan", BOAT)
    lived(memory, clock, [PAINT], [OTHER])
    found = replayer(memory, clock).replay(FULL)
    assert (found.ending, len(found.steps), found.connections) == ("weak", 3, ())
    assert connections(memory) == []
    deep = replayer(memory, clock).replay(DEEP)
    assert (deep.ending, len(deep.steps)) == ("done", 8)
    assert len(deep.connections) == len(connections(memory)) == 1


def test_replay_stops_at_what_is_worth_acting_on(memory: Engram, clock: FixedClock) -> None:
    """A strong connection is the last step; the weak ones before it were few enough."""
    goals_of(memory, clock, "write a symphony", BOAT, "paint the old boat red before spring")
    lived(memory, clock, [OTHER], [PAINT])
    found = replayer(memory, clock).replay(BRIEF)
    assert (found.ending, len(found.steps)) == ("strong", 2)
    assert found.steps[0].strength < LEAST < STRONG <= found.steps[1].strength
    assert len(connections(memory)) == 1


def test_a_deep_replay_stops_on_time_between_round_trips(memory: Engram, clock: FixedClock) -> None:
    """It takes some episodes at a time, and no further ones when its time is up."""
    goals_of(memory, clock, BOAT)
    lived(memory, clock, *([f"day {n} went by"] for n in range(5)))
    seconds = iter([0.0, DEEP.within.total_seconds() + 1.0])
    timed = Replayer(memory.graph, space=memory.space, clock=clock, monotonic=lambda: next(seconds))
    found = timed.replay(replace(DEEP, at_once=3))
    assert (found.ending, len(found.steps)) == ("time", 3)
    with watched() as watch:
        whole = replayer(memory, clock).replay(replace(DEEP, at_once=3))
    assert (whole.ending, len(whole.steps), len(watch.asked)) == ("done", 5, 3)
    assert len({step.episode for step in whole.steps}) == 5


def test_only_the_newest_episodes_and_the_most_pressing_goals_are_held_together(
    memory: Engram, clock: FixedClock
) -> None:
    """Three of the one and five of the other, what rests among them; what is done, blocked or proposed is not."""
    kept = Goals(memory.graph, memory.embedder, space=memory.space, clock=clock)
    texts = ("symphony", "juggling", "Japan", "violin", "chess", "bread")
    made = [kept.add(text, tractability=1.0 - place / 10) for place, text in enumerate(texts)]
    kept.incubate(made[0].id)
    kept.block(made[1].id)
    kept.done(made[2].id)
    kept.propose("learn to sail round the world")
    lived(memory, clock, *([f"{text} all day"] for text in ("first", "second", "third", "fourth")))
    found = replayer(memory, clock).replay(replace(FULL, patience=None, strong=None))
    assert [step.episode[-1] for step in found.steps] == [*"3333", *"2222", *"1111"]
    assert [step.goal for step in found.steps[:4]] == [made[n].id for n in (0, 3, 4, 5)]


@pytest.mark.parametrize("bounds", [BRIEF, FULL, DEEP])
def test_a_young_space_has_nothing_to_replay(memory: Engram, clock: FixedClock, bounds: Any) -> None:
    """Without an episode, and without a goal, it says so and writes nothing; another space's are none of it."""
    theirs = another(memory, clock)
    goals_of(theirs, clock, BOAT)
    lived(theirs, clock, [PAINT])
    assert (replayer(memory, clock).replay(bounds).ending, connections(memory)) == ("nothing", [])
    goals_of(memory, clock, BOAT)
    memory.remember(PAINT)
    assert replayer(memory, clock).replay(bounds).ending == "nothing"
    assert connections(memory) == connections(theirs) == []


def test_a_dream_ends_with_a_deep_replay(memory: Engram, clock: FixedClock) -> None:
    """What weak steps would have kept a shorter one from is connected; a rehearsed dream connects nothing."""
    *_, goal = goals_of(memory, clock, "write a symphony", "learn to juggle", "visit Japan", BOAT)
    lived(memory, clock, [PAINT], [OTHER])
    dream(memory, clock, dry_run=True)
    assert connections(memory) == []
    assert dream(memory, clock).changed > 0
    assert [each["goal"] for each in connections(memory)] == [goal.id]
