"""Goals in a conversation, against a real Neo4j."""

from datetime import timedelta

import pytest

from engram.goals import Goal, Goals
from engram.loop.events import Event, Notice
from engram.memory import Engram
from engram.mind.incubation import LONGEST
from engram.testing import FixedClock, ScriptedModel
from tests.graph.beside import run
from tests.graph.talking import talk

pytestmark = pytest.mark.graph

STUCK = "I still cannot get the paint to stick on the old boat"


@pytest.fixture
def goals(memory: Engram, clock: FixedClock) -> Goals:
    """Give the goals of a clean space."""
    return Goals(memory.graph, memory.embedder, space=memory.space, clock=clock)


def hold(memory: Engram, clock: FixedClock, *texts: str, minutes: float = 25.0) -> tuple[str, list[Event]]:
    """Hold a conversation a day later, so many minutes between what is said; return its greeting and its events."""
    clock.advance(timedelta(days=1))
    events: list[Event] = []
    with talk(memory, clock, session=f"{clock():%d %b}") as agent:
        for place, text in enumerate(texts):
            clock.advance(timedelta(minutes=minutes if place else 0.0))
            events += agent.say(text)
        return agent.greeting or "", events


def notices(events: list[Event]) -> list[str]:
    """Return the texts of what the person was told of goals."""
    return [each.text for each in events if isinstance(each, Notice) and "goal" in each.text]


def only(goals: Goals) -> Goal:
    """Return the one goal."""
    (goal,) = goals.list()
    return goal


def test_a_goal_that_is_spoken_of_comes_first(memory: Engram, goals: Goals, clock: FixedClock) -> None:
    """A mention lifts it above the others, in the very prompt that answers; what rests is not in it at all."""
    bread = goals.add("bake bread every Sunday", tractability=0.6)
    boat = goals.add("paint the old boat")
    rest = goals.add("visit Japan")
    goals.incubate(rest.id)
    model = ScriptedModel(respond=lambda _: "I see.")
    with talk(memory, clock, model) as agent:
        list(agent.say("Good morning to you"))
        list(agent.say("The old boat needs paint"))
        first, second = (
            asked.system + "".join(each.text for each in asked.messages) for asked in model.asked
        )
    assert first.index(bread.text) < first.index(boat.text)
    assert second.index(boat.text) < second.index(bread.text)
    assert rest.text not in first + second
    assert {each.text for each in goals.list() if each.mentioned_at == clock()} == {boat.text}


def test_what_sounds_like_a_goal_is_proposed_once(memory: Engram, goals: Goals, clock: FixedClock) -> None:
    """The person is told and asked; the same again makes no second, and the next conversation asks once more."""
    said = "I want to learn Portuguese by June, because of the sea."
    _, events = hold(memory, clock, said, said, "What do I want to learn?")
    goal = only(goals)
    assert (goal.state, goal.text) == ("proposed", "learn Portuguese by June")
    name = goal.id[:8]
    (told,) = notices(events)
    assert told.startswith("That sounds like a goal: “learn Portuguese by June”. ")
    assert told.endswith(f"/goals accept {name} keeps it, /goals refuse {name} drops it.")
    assert goal.found_in is not None
    greeting, _ = hold(memory, clock)
    assert "One goal that I found in what you said waits for your word: /goals." in greeting
    goals.refuse(goal.id)
    greeting, events = hold(memory, clock, said)
    assert notices(events) == []
    assert "goal" not in greeting
    assert only(goals).state == "dropped"


def test_a_goal_that_is_stuck_rests_and_comes_back(memory: Engram, goals: Goals, clock: FixedClock) -> None:
    """Three long conversations without progress set it aside; what comes up later brings it back, and not before."""
    made = goals.add("paint the old boat")
    for count in (1, 2):
        hold(memory, clock, STUCK, STUCK)
        assert (only(goals).state, only(goals).sessions_without) == ("active", count)
    hold(memory, clock, STUCK, STUCK)
    assert (only(goals).state, only(goals).incubated) == ("incubating", 0)
    told = memory.remember("Zinc under the paint of the old boat", event_at=clock())
    lay(memory, clock, "since", told.id)
    greeting, _ = hold(memory, clock, "Good morning to you")
    assert "“paint the old boat” is set aside" in greeting
    assert (only(goals).state, only(goals).incubated) == ("incubating", 1)
    greeting, _ = hold(memory, clock)
    assert "“paint the old boat” has rested for 1 conversation and is taken up again" in greeting
    assert "“Zinc under the paint of the old boat” may help" in greeting
    back = only(goals)
    assert (back.id, back.state, back.sessions_without, back.incubating_since) == (made.id, "active", 0, None)


def lay(memory: Engram, clock: FixedClock, name: str, *ids: str) -> None:
    """Lay an episode that begins a minute from now."""
    at = clock.advance(timedelta(minutes=1))
    assert memory.flush()
    run(
        memory, "mind_lay_episodes", episodes=[{"id": f"{memory.space}:{name}", "memories": [*ids], "at": at}]
    )


def test_what_led_to_a_rest_does_not_end_it(memory: Engram, goals: Goals, clock: FixedClock) -> None:
    """The episode that a goal got stuck in is near to it, and no news; after five conversations a person is asked."""
    made = goals.add("paint the old boat")
    lay(memory, clock, "before", memory.remember(STUCK).id)
    goals.incubate(made.id)
    greetings = [hold(memory, clock, "Good morning to you")[0] for _ in range(LONGEST + 2)]
    asked = [place for place, greeting in enumerate(greetings) if "Try another way" in greeting]
    assert asked == [LONGEST]
    assert f"has rested for {LONGEST} conversations and nothing came up" in greetings[LONGEST]
    assert (only(goals).state, only(goals).incubated) == ("incubating", LONGEST + 2)


@pytest.mark.parametrize(
    "saves",
    [
        (STUCK, "I finished the hull of the old boat, paint and all"),
        (
            STUCK,
            "Perhaps vinegar and sandpaper, a warm wind from Lisbon, then paint, and the boat dries in July",
        ),
        (STUCK, "Good morning to you"),
    ],
    ids=["progress", "a new approach", "little time"],
)
def test_what_gets_on_or_is_tried_anew_is_not_stuck(
    memory: Engram, goals: Goals, clock: FixedClock, saves: tuple[str, str]
) -> None:
    """Word of progress, something unlike what was said before, or a word in passing: the goal stays as it is."""
    goals.add("paint the old boat")
    for _ in range(2):
        hold(memory, clock, STUCK, STUCK)
    hold(memory, clock, *saves)
    assert only(goals).state == "active"
    assert only(goals).sessions_without == (0 if "finished" in saves[1] else 3)
