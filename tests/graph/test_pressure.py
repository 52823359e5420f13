"""Consolidation pressure: what makes it, when it is said, what relieves it, and what a consolidation must come to."""

from datetime import timedelta

import pytest

from engram.goals import Goals
from engram.loop.events import Notice
from engram.memory import Engram
from engram.mind.pressing import read_pressure
from engram.testing import FixedClock, HashEmbedder, ScriptedModel
from tests.graph.dreams import dream, held, say, scripted, shapes
from tests.graph.talking import talk

pytestmark = pytest.mark.graph

LINES = "\n".join(f"line {number} of what I had in mind today" for number in range(30))


def answered() -> ScriptedModel:
    """Return a model that answers anything: with one, what was said waits for the fifth exchange."""
    return ScriptedModel(respond=lambda _: "Yes, I have heard that and will keep it in mind.")


def notices(memory: Engram, clock: FixedClock, *said: str) -> list[str]:
    """Return what a conversation says of the pressure."""
    with talk(memory, clock, answered()) as agent:
        events = [event for text in said for event in agent.say(text)]
    return [event.text for event in events if isinstance(event, Notice) and "consolidate" in event.text]


def test_it_is_said_once_at_each_bar(memory: Engram, clock: FixedClock) -> None:
    """Half of fifty lines bring a gentle note, more than fifty say that it is due; each is said once."""
    said = notices(memory, clock, "Hello there", LINES, "and now", LINES)
    assert len(said) == 2
    assert "between two tasks" in said[0]
    assert "before they grow further" in said[1]
    assert all("exit gate" in each and "dream" not in each for each in said), "a dream decides no lines"
    assert read_pressure(memory.graph, space=memory.space).lines == 0, "at the end all are decided"


def test_what_is_counted_on_is_what_waits(memory: Engram, clock: FixedClock) -> None:
    """The status line's pressure is that of the lines that wait, and nothing is read for it."""
    with talk(memory, clock, answered()) as agent:
        assert agent.status().pressure == 0.0
        list(agent.say(LINES))
        waiting = read_pressure(memory.graph, space=memory.space)
        assert agent.status().pressure == pytest.approx(waiting.lines / 50)
        assert any(f"(pressure {waiting.value:.2f})" in line for line in agent.describe())


def test_sessions_and_density_raise_it(memory: Engram, clock: FixedClock) -> None:
    """Three conversations since the last consolidation are a quarter more, a dense one another; none before it counts."""
    for number in range(3):
        with talk(memory, clock, session=f"talk {number}") as agent:
            for turn in range(12 if number == 2 else 1):
                list(agent.say(f"I said something new about the harbour {number} {turn}"))
                clock.advance(timedelta(minutes=1))
        clock.advance(timedelta(hours=2))
    found = read_pressure(memory.graph, space=memory.space)
    assert (found.sessions, found.turns_per_hour >= 12) == (3, True)
    assert found.value >= 0.5
    say(memory, clock)
    clock.advance(timedelta(days=1))
    assert not any("shallow" in note for note in dream(memory, clock).notes)
    after = read_pressure(memory.graph, space=memory.space)
    assert (after.sessions, after.turns_per_hour) == (0, 0.0)


def test_a_compaction_counts_until_a_consolidation(memory: Engram, clock: FixedClock) -> None:
    """What has left a window may be lost, so it presses until a dream has come to something."""
    with talk(memory, clock) as agent:
        agent._presence.compacted()
        agent._presence.compacted()
        assert agent.status().pressure == pytest.approx(0.25)
    assert read_pressure(memory.graph, space=memory.space).compacted
    say(memory, clock)
    clock.advance(timedelta(days=1))
    dream(memory, clock)
    assert not read_pressure(memory.graph, space=memory.space).compacted


def test_a_dream_that_comes_to_nothing_looks_further_once(memory: Engram, clock: FixedClock) -> None:
    """Where there is more than it looked at, it looks twice as far before it says that it was too shallow."""
    for text in ("The dentist moved", "Piano tuning costs money", "Kayaks float", "Bread needs salt"):
        memory.remember(text)
    memory.tune("dream.memories", 2)
    model = scripted(Questions={"questions": ["What moves?"]})
    done = dream(memory, clock, model)
    assert shapes(model)["Questions"] == 2
    assert [note.partition(",")[0] for note in done.notes if "nothing came" in note] == [
        "nothing came of the newest memories",
        "shallow: nothing came of what is new; too shallow for a consolidation",
    ]


def test_a_goal_that_presses_otherwise_is_a_yield(memory: Engram, clock: FixedClock) -> None:
    """A dream after which another goal presses most was not for nothing."""
    goals = Goals(memory.graph, HashEmbedder(memory.embedder.dimensions), space=memory.space, clock=clock)
    old = goals.add("paint the boat")
    clock.advance(timedelta(days=5))
    new = goals.add("tune the piano")
    goals.mention([old.id])
    assert [each.id for each in goals.list(state="active")] == [old.id, new.id]
    memory.remember("Kayaks float")
    memory.remember("Bread needs salt")
    clock.advance(timedelta(days=2))
    dream(memory, clock)
    assert [each.id for each in goals.list(state="active")] == [new.id, old.id]
    (found,) = held(memory, "Dream")
    assert (found["shallow"], found["priorities"]) == (False, 2)
