"""Pondering: what the idle mind kept for consolidation, a dream weighs, once."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from engram.erasing.wanted import One
from engram.memory import Engram
from engram.mind.pondering import AT_ONCE
from engram.mind.thoughts import State, Thought, Thoughts
from engram.mind.wandering import Channel, Leaning
from engram.testing import Asked, FixedClock
from tests.graph.beside import everything, run
from tests.graph.dreams import FEW, dream, dreamed, held, say, scripted, shapes

pytestmark = pytest.mark.graph

PAIR = ("The piano in the hall is out of tune", "The dentist moved to the station square")
OTHERS = ("Kayaks float in the harbour", "Bread in the harbour needs salt", "Rain fell on the harbour")
QUESTION = "What of the harbour?"


@pytest.fixture(autouse=True)
def _without_questions(memory: Engram) -> None:
    """Let a dream ask nothing of its own, and merge nothing: what comes of it comes of thoughts."""
    memory.tune("dream.questions", 0)
    memory.tune("dream.similar", 1)


def keep(
    memory: Engram,
    clock: FixedClock,
    surfaced: Sequence[str],
    *,
    text: str = QUESTION,
    channel: Channel = Channel.INSIGHT,
    state: State = "offered",
) -> str:
    """Keep a thought as the idle mind does, and return its id."""
    thought = Thought(
        id=uuid4().hex,
        at=clock.advance(timedelta(minutes=1)),
        text=text,
        leaning=Leaning.CHANCE,
        channel=channel,
        topic="harbour",
        state=state,
        entry=uuid4().hex,
        run="by hand",
        surfaced=tuple(surfaced),
    )
    Thoughts(memory.graph, space=memory.space).store(thought)
    return thought.id


def states(memory: Engram) -> dict[str, Any]:
    """Return the states of thoughts by id."""
    return {each["id"]: each["state"] for each in held(memory, "Thought")}


@pytest.mark.parametrize("channel", [Channel.INSIGHT, Channel.IDENTITY])
def test_a_kept_thought_becomes_an_insight_once(memory: Engram, clock: FixedClock, channel: Channel) -> None:
    """It cites what came to mind together, though its words recall something else; no later dream weighs it again."""
    pair = [memory.remember(each).id for each in PAIR]
    for each in OTHERS:
        memory.remember(each)
    thought = keep(memory, clock, pair, channel=channel)
    memory.tune("dream.recalled", 2)
    drawn = {"insights": [{"text": "What was in order is not any more", "memories": [1, 2]}]}
    model = scripted(Insights=drawn)
    done = dream(memory, clock, model)
    (insight,) = dreamed(memory, "insight")
    assert (insight["cites"], insight["dreamed_by"]) == (sorted(pair), "model")
    (node,) = held(memory, "Thought")
    assert (node["id"], node["state"], node["weighed_at"]) == (thought, "weighed", clock.now)
    assert "acted_at" not in node
    assert "thoughts of the idle mind: 1 weighed" in done.notes
    clock.advance(timedelta(hours=1))
    memory.remember("The kettle is blue")
    later = dream(memory, clock, model)
    assert shapes(model)["Insights"] == 1
    assert not any("idle mind" in note for note in later.notes)


def test_without_a_model_a_thought_is_weighed_plainly(memory: Engram, clock: FixedClock) -> None:
    """Where what surfaced and what it recalls holds together, the most central sentence stands for it."""
    ids = say(memory, clock)
    keep(memory, clock, ids[:2], text=f"“{FEW[0]}” and “{FEW[1]}” came to mind together.")
    dream(memory, clock)
    (insight,) = dreamed(memory, "insight")
    assert insight["dreamed_by"] == "words"
    assert {*ids[:2]} <= {*insight["cites"]}


def test_other_thoughts_and_dreams_of_nothing_new_leave_all_as_it_is(
    memory: Engram, clock: FixedClock
) -> None:
    """What waits to be thought through is no dream's, and a kept thought alone is no reason to dream."""
    pair = [memory.remember(each).id for each in PAIR]
    waiting = keep(memory, clock, pair, channel=Channel.GOAL, state="waiting")
    model = scripted()
    dream(memory, clock, model)
    kept = keep(memory, clock, pair)
    done = dream(memory, clock, model)
    assert done.notes == ("shallow: nothing is new since the last dream",)
    assert states(memory) == {waiting: "waiting", kept: "offered"}
    assert shapes(model)["Insights"] == 0


def test_what_is_gone_is_not_drawn_from(memory: Engram, clock: FixedClock) -> None:
    """A thought of something erased went with it; what was put away since is not shown to a model."""
    erased, archived, left = (memory.remember(each).id for each in (*PAIR, "The lamp is green"))
    for each in OTHERS:
        memory.remember(each)
    keep(memory, clock, [erased, left])
    thought = keep(memory, clock, [archived, left])
    memory.eraser.erase(One(erased))
    run(memory, "set_properties", id=archived, properties={"status": "archived"})

    def insights(asked: Asked) -> dict[str, Any]:
        told = asked.messages[0].text
        assert "The lamp is green" in told
        assert not any(each in told for each in PAIR)
        return {}

    model = scripted(Insights=insights)
    dream(memory, clock, model)
    assert shapes(model)["Insights"] == 1
    assert states(memory) == {thought: "weighed"}


def test_a_dry_run_weighs_nothing(memory: Engram, clock: FixedClock) -> None:
    """It says what would be drawn, asks no model, and writes nothing."""
    ids = say(memory, clock)
    keep(memory, clock, ids[:2], text=FEW[0])
    before = everything(memory)
    model = scripted()
    done = dream(memory, clock, model, dry_run=True)
    assert "insight" in {each["made"] for each in done.examples}
    assert model.asked == []
    assert everything(memory) == before


def test_a_dream_weighs_the_newest_few_within_its_calls(memory: Engram, clock: FixedClock) -> None:
    """Of each channel the newest come first; with few calls left it is one thought, and the others wait."""
    pair = [memory.remember(each).id for each in PAIR]
    insights = [keep(memory, clock, pair) for _ in range(AT_ONCE + 2)]
    own = keep(memory, clock, pair, channel=Channel.IDENTITY)
    dream(memory, clock)
    weighed = {each for each, state in states(memory).items() if state == "weighed"}
    assert weighed == {*insights[-AT_ONCE:], own}
    memory.tune("dream.calls", 3)
    clock.advance(timedelta(hours=1))
    memory.remember("The kettle is blue")
    model = scripted()
    dream(memory, clock, model)
    assert shapes(model)["Insights"] == 1
    assert {each for each, state in states(memory).items() if state == "offered"} == {insights[0]}
