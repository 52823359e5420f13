"""Its own context fed back to the loop for hundreds of turns: nothing that was recalled becomes a new memory."""

import re
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import numpy as np
import pytest

from engram.lifecycle import tune
from engram.llm import Models
from engram.loop.agent import Agent
from engram.loop.escalation import Correction
from engram.loop.events import Event, Failed, Quoted, Replied
from engram.loop.reflections import store_correction
from engram.memory import Engram
from engram.records import Turn
from engram.testing import FixedClock, ScriptedModel
from tests.graph.beside import run

pytestmark = pytest.mark.graph

TURNS = 200
SITUATIONAL = 300
"""Tokens of the memories in a prompt: so few that some of them stand there in a shorter form."""

FACTS = (
    "My dog Rex eats carrots",
    "I live in Berlin, near the old airport, and on warm evenings half of the town meets there to fly kites.",
    "We decided to use Postgres. Bob was against it, since he had lost a whole weekend to a migration once.",
    "The dentist's number is 555-0199, ask for Ms Ito.",
    "Grandma's recipe needs three eggs, flour and a pinch of salt. She never wrote it down; my aunt did.",
    "I never drink coffee after four. It keeps me awake, and then the next day is lost as well.",
    "Our flat costs 950 euros a month and has two rooms. The landlord wants to sell it in the spring, maybe.",
    "Eva plays the cello in the town orchestra since 2019.",
    "The night train to Vienna leaves at 22:10 from platform 7, and the dining car closes an hour later.",
    "My sister married in June; the wedding was on a boat, it rained, and nobody minded.",
)
ASKED = "Where do I live, what does Rex eat, was the tram late, and which train do I take?"


STORY = (
    "The tram was late again, the rain fell, nobody had a ticket, and the inspector laughed about it. " * 4
)
SHORT_FORM = "Ada was on a late and wet tram without a ticket."
"""What a model made of it in one line, in words of its own."""


@pytest.fixture
def lived(memory: Engram, clock: FixedClock) -> Engram:
    """Give a memory of another day, with something that always holds and something that was corrected."""
    # Before anything is written: numbers that were read once hold for a while.
    tune(
        memory.graph,
        space=memory.space,
        key="context.situational",
        value=SITUATIONAL,
        by="test",
        now=clock.now,
    )
    memory.remember_turns(
        Turn(text=text, speaker="Ada", at=clock.now - timedelta(days=9, minutes=number), session="then")
        for number, text in enumerate(FACTS)
    )
    story = Turn(text=STORY.strip(), speaker="Ada", at=clock.now, session="then", compressed=SHORT_FORM)
    memory.remember_turns([story])
    memory.remember("Never give medical advice to Ada or to her dog.", immutable=True)
    store_correction(
        memory,
        Correction(
            trigger="Someone asks where they live",
            error_type="old address",
            original_reasoning="The oldest note about the flat was taken to hold",
            correction="Take the newest note about where they live",
        ),
        at=clock.now,
    )
    return memory


Said = Callable[[list[str], np.random.Generator], str]


def _one(lines: list[str], draw: np.random.Generator) -> str:
    return lines[int(draw.integers(len(lines)))]


def _body(line: str) -> str:
    return line.split(": ", 1)[1]


WAYS: dict[str, Said] = {
    "a section": lambda lines, _: "<memories>\n" + "\n".join(lines) + "\n</memories>",
    "a line": _one,
    "two lines in one": lambda lines, draw: f"{_one(lines, draw)} {_one(lines, draw)}",
    "quoted": lambda lines, draw: f"You said: “{_body(_one(lines, draw))}”",
    "its words": lambda lines, draw: _body(_one(lines, draw)),
    "a list": lambda lines, _: "\n".join(f"- {_body(line)}" for line in lines),
    "re-joined": lambda lines, draw: " ".join(_body(_one(lines, draw)) for _ in range(3)),
    "shouted": lambda lines, draw: _body(_one(lines, draw)).upper(),
    "whispered": lambda lines, draw: re.sub(r"[.,;:!]+(?=\s|$)", "", _body(_one(lines, draw))).lower(),
    "spread out": lambda lines, draw: _body(_one(lines, draw)).replace(" ", "  ").replace(". ", ".\n\n"),
}
"""Ways to say back what a prompt held, given its lines."""


QUOTED_WAYS: dict[str, Said] = {
    "whole": lambda lines, _: "I remember:\n" + "\n".join(f"  {line}" for line in lines),
    "a line": _one,
    "two lines in one": lambda lines, draw: f"{_one(lines, draw)} {_one(lines, draw)}",
    "its words": lambda lines, draw: re.findall(r"“(.*)”", _one(lines, draw))[0],
    "shouted": lambda lines, draw: _one(lines, draw).upper(),
    "with thanks": lambda lines, draw: f"{_one(lines, draw)}\nThanks!",
}
"""Ways to say back an answer that quotes, given its lines."""


def remembered(system: str) -> list[str]:
    """Return the lines of a prompt that are memories, of whatever section."""
    return [line for line in system.splitlines() if re.match(r"\[[0-9a-f]{8}\] \d{4}-\d\d-\d\d", line)]


def quotes(text: str) -> list[str]:
    """Return the lines of an answer that quotes."""
    return [line.strip() for line in text.splitlines() if line.endswith("]")]


def contents(memory: Engram) -> Counter[str]:
    """Return the words of all memories, and with them how many there are."""
    return Counter(row["content"] for row in run(memory, "loop_read_memories"))


def test_what_a_prompt_held_is_nothing_new(lived: Engram, clock: FixedClock) -> None:
    """Said back by the person and repeated by the model for 200 turns, it makes no memory after the first turn."""
    draw = np.random.default_rng(5)
    said, first = ASKED, iter(["You live in Berlin, Rex eats carrots, and the train leaves at ten past ten."])
    model = ScriptedModel(respond=lambda _: next(first, said))

    def begin() -> Agent:
        return Agent(lived, Models(system1=model), session="echo", user="Ada", clock=clock, generator=draw)

    with begin() as agent:
        list(agent.say(said))
    before = contents(lived)
    shortened = 0
    with begin() as agent:
        for turn in range(TURNS):
            clock.advance(timedelta(minutes=2))
            lines = remembered(model.asked[-1].system)
            shortened += any(SHORT_FORM in line for line in lines)
            said = [*WAYS.values()][turn % len(WAYS)](lines, draw)
            events = list(agent.say(said))
            assert not [event for event in events if isinstance(event, Failed)]
            assert isinstance(events[-2], Replied)
    assert shortened, "some of what is said back was told by its one line"
    assert contents(lived) - before == Counter()
    assert lived.stats().turns == 2 * (TURNS + 1) + len(FACTS) + 1


def test_what_was_quoted_is_nothing_new(lived: Engram, clock: FixedClock) -> None:
    """Without a model, an answer that is pasted back for 200 turns makes no memory after the first turn."""
    draw = np.random.default_rng(6)
    with Agent(lived, session="echo", user="Ada", clock=clock, generator=draw) as agent:
        answer = quoted(list(agent.say(ASKED)))
        agent.flush()
        before = contents(lived)
        for turn in range(TURNS):
            clock.advance(timedelta(minutes=2))
            said = [*QUOTED_WAYS.values()][turn % len(QUOTED_WAYS)](quotes(answer), draw)
            text = quoted(list(agent.say(said)))
            answer = text if quotes(text) else answer
    assert contents(lived) - before == Counter()


def quoted(events: list[Event]) -> str:
    """Return the answer that quotes."""
    (found,) = (event.text for event in events if isinstance(event, Quoted))
    return found
