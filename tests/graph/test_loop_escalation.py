"""Escalation in a whole conversation: who is asked, what is shown and kept of it, and what is learned for the next time."""

import json
from typing import Any

import pytest

from engram.errors import LanguageModelDownError
from engram.llm.base import ToolCall
from engram.loop.agent import Agent
from engram.loop.escalation import DELIBERATE
from engram.loop.events import Notice, Replied, Revising
from engram.memory import Engram
from engram.records import Kind
from engram.testing import Asked, FixedClock, ScriptedAnswer, ScriptedModel
from tests.graph.beside import another
from tests.graph.talking import kinds, lines, nodes, only, talk

pytestmark = pytest.mark.graph

DELETE = "Please delete all of my photos from the archive"
"""A message that always escalates: what it asks for cannot be undone."""
SURE, UNSURE = "It starts at nine.", "Maybe nine, I guess? Or perhaps ten? I am not sure."
CORRECTION = {
    "trigger": "The time of a concert is asked",
    "error_type": "wrong time",
    "original_reasoning": "It guessed.",
    "correction": "Look at the ticket first.",
}


def thought(answer: str, **more: Any) -> str:
    """Return what System 2 answers."""
    return json.dumps(
        {"answer": answer, "explanation": "Photos do not come back.", "correction": None} | more
    )


def replied(agent: Agent, text: str) -> Replied:
    """Say something and return the reply."""
    reply: Replied = only(agent.say(text), Replied)
    return reply


def test_what_cannot_be_undone_goes_to_system_2_first(memory: Engram, clock: FixedClock) -> None:
    """It is shown why, the reply says that it was asked, and one reply is kept; each call has its purpose."""
    system1, system2 = ScriptedModel("Are you sure about that?"), ScriptedModel(thought("Ask first."))
    with talk(memory, clock, system1, system2) as agent:
        events = list(agent.say(DELETE))
        assert kinds(events) == ["Stored", "Recalled", "Revising", "Delta", "Replied", "Stored"]
        assert only(events, Revising) == Revising(by="system2", why="cannot be undone")
        assert only(events, Replied).escalated
    assert "Answer: Ask first." in system1.asked[0].system
    assert [line["text"] for line in lines(memory)] == [DELETE, "Are you sure about that?"]
    assert sorted(call["purpose"] for call in nodes(memory, "calls")) == ["deliberate", "reply"]


def test_isolated_calls_know_nothing_of_the_talk(memory: Engram, clock: FixedClock) -> None:
    """Neither System 2, nor who is asked how sure an answer is, nor the gate's judge is told history or identity."""
    memory.remember("You never lie to anybody", immutable=True)
    quiet = ScriptedModel(respond=lambda _: '{"confidence": 0.1}')
    system1 = ScriptedModel("A fine city indeed.", SURE, UNSURE, SURE)
    system2 = ScriptedModel(thought("At nine."), thought("At nine."))
    with talk(memory, clock, system1, system2, quiet, persona="You are a parrot.") as agent:
        list(agent.say("I live in Lisbon"))
        list(agent.say(DELETE))
        list(agent.say("When does the concert of Felix begin?"))
        agent.flush()
    asked = [*system2.asked, *quiet.asked]
    assert len(system2.asked) >= 1
    assert len(quiet.asked) >= 1
    for each in asked:
        (message,) = each.messages
        told = each.system + message.text
        assert "parrot" not in told
        assert "never lie" not in told
        if not message.text.startswith("<notes>") and DELETE in message.text:
            assert "Lisbon" not in message.text.partition("<memories>")[0]


def test_system_1_asks_by_itself(memory: Engram, clock: FixedClock) -> None:
    """The question that it wrote is thought through, and what it says then is the one reply that is kept."""
    call = ToolCall.read(
        id="c1",
        name=DELIBERATE.name,
        raw=json.dumps({"question": "Is nine before ten?", "why": "it needs care"}),
    )
    system1 = ScriptedModel(ScriptedAnswer("Hm. ", calls=(call,)), SURE)
    system2 = ScriptedModel(thought("Yes."))
    with talk(memory, clock, system1, system2) as agent:
        events = list(agent.say("Does the concert begin early"))
        assert only(events, Revising) == Revising(by="system2", why="it needs care")
        assert only(events, Replied).text == SURE
    assert "Is nine before ten?" in system2.asked[0].messages[0].text
    assert [line["text"] for line in lines(memory)][1:] == [SURE]


@pytest.mark.parametrize(
    "answer", ["I think so.", [LanguageModelDownError("away")]], ids=["unusable", "away"]
)
def test_without_a_usable_system_2_the_person_is_answered(
    memory: Engram, clock: FixedClock, answer: Any
) -> None:
    """System 1 answers alone, with a word about that, and an unusable answer is kept with its call."""
    with talk(memory, clock, ScriptedModel(SURE), ScriptedModel(answer)) as agent:
        events = list(agent.say(DELETE))
        assert "slower model" in only(events, Notice).text
        assert only(events, Replied).escalated is False
    (deliberated,) = [call for call in nodes(memory, "calls") if call["purpose"] == "deliberate"]
    assert deliberated["outcome"] in {"prose", "failed"}
    assert deliberated.get("raw") == (answer if isinstance(answer, str) else None)


@pytest.mark.parametrize(
    ("system1", "system2", "kept"),
    [
        ([["one ", KeyboardInterrupt()]], [thought("Ask.")], "one"),
        ([], [[KeyboardInterrupt()]], None),
    ],
)
def test_stopped_anywhere_what_there_is_of_it_is_kept(
    memory: Engram, clock: FixedClock, system1: list[Any], system2: list[Any], kept: str | None
) -> None:
    """While System 1 says what System 2 thought, and while System 2 thinks."""
    with talk(memory, clock, ScriptedModel(*system1), ScriptedModel(*system2)) as agent:
        with pytest.raises(KeyboardInterrupt):
            list(agent.say(DELETE))
        turns = [(turn["text"], turn["source"]) for turn in nodes(memory, "turns")]
        assert turns[1:] == ([] if kept is None else [(kept, "chat:interrupted")])


def test_a_draft_that_is_stopped_while_it_is_doubted_is_kept(memory: Engram, clock: FixedClock) -> None:
    """The person saw it, so it was said."""
    with talk(memory, clock, ScriptedModel(UNSURE, [KeyboardInterrupt()])) as agent:
        with pytest.raises(KeyboardInterrupt):
            list(agent.say("Is the concert an early one"))
        assert nodes(memory, "turns")[-1]["text"] == UNSURE


def unsure(asked: Asked) -> str:
    """Answer surely only where a second opinion is there to be said."""
    return SURE if "<second_opinion>" in asked.system else UNSURE


FELIX = "First compare the trains and the buses to the concert of Felix step by step, then plan when I leave, and explain why."
"""A question of several steps, which alone is no reason to ask System 2."""


def test_a_correction_is_learned_once_and_told_where_it_bears(memory: Engram, clock: FixedClock) -> None:
    """It is a memory of its own kind, in the prompt at the next similar message, of anybody, and at no unrelated one."""
    first = ScriptedModel(respond=unsure)
    for _ in range(2):
        system2 = ScriptedModel(thought("At nine.", correction=CORRECTION))
        with talk(memory, clock, first, system2) as agent:
            assert replied(agent, FELIX).text == SURE
    corrections = [each for each in nodes(memory, "memories") if each["kind"] == Kind.CORRECTION]
    (correction,) = corrections
    assert "Look at the ticket first." in correction["content"]
    assert correction["source_tag"] == "internal_reply"

    later = ScriptedModel("Fine.", "Fine.")
    with talk(memory, clock, later, session="later") as agent:
        list(agent.say("When does the concert of Felix begin, and which train do I take?"))
        list(agent.say("Bake some bread with walnuts"))
    similar, unrelated = (asked.system for asked in later.asked)
    assert similar.count("Look at the ticket first.") == 1
    assert "<errors>" in similar
    assert "Look at the ticket first." not in unrelated


def test_no_more_than_three_corrections_are_told(memory: Engram, clock: FixedClock) -> None:
    """However many are like the situation, the nearest three are."""
    for number in range(5):
        memory.remember(
            f"Situation: The time of a concert is asked. Right would have been: look {'abcde'[number]}.",
            kind=Kind.CORRECTION,
            source_tag="internal_reply",
        )
    model = ScriptedModel("Fine.")
    with talk(memory, clock, model) as agent:
        list(agent.say("The time of a concert is asked"))
    (asked,) = model.asked
    errors = asked.system.partition("<errors>\n")[2].partition("\n</errors>")[0]
    assert len(errors.splitlines()) == 3


def test_memories_that_disagree_are_a_reason(memory: Engram, clock: FixedClock) -> None:
    """Two that are told and held against each other, and one more reason, and System 2 is asked first."""
    one = memory.remember("The concert of Felix begins at nine")
    two = memory.remember("The concert of Felix begins at ten")
    low, high = sorted((one.id, two.id))
    memory.graph.write(
        "write/flag_tensions",
        space=memory.space,
        ids=[low, high],
        pairs=[{"low": low, "high": high, "why": "nine or ten"}],
        now=clock.now,
    )
    system2 = ScriptedModel(thought("They disagree."))
    with talk(memory, clock, ScriptedModel("Nine or ten."), system2) as agent:
        events = list(agent.say(FELIX))
    assert only(events, Revising).why == "memories contradict, several steps"
    assert "begins at nine" in system2.asked[0].messages[0].text


def test_the_more_it_has_settled_the_less_it_doubts(memory: Engram, clock: FixedClock) -> None:
    """A newborn takes back an answer that a grown one, in a space of its own, gives as it is."""
    answer = "It may be that it starts at nine."
    grown = another(memory, clock)
    grown.tune("escalate.low", "0.8")
    for space, revised in ((memory, 1), (grown, 0)):
        with talk(space, clock, ScriptedModel(answer, SURE)) as agent:
            events = list(agent.say("The train leaves in a while"))
            assert len([event for event in events if isinstance(event, Revising)]) == revised


def test_a_second_thought_that_fails_leaves_the_first(memory: Engram, clock: FixedClock) -> None:
    """The draft is the reply and is kept as one, with a word that it stands."""
    model = ScriptedModel(UNSURE, [LanguageModelDownError("away")])
    with talk(memory, clock, model) as agent:
        events = list(agent.say("Is the concert an early one"))
        assert only(events, Replied).text == UNSURE
        assert "stands" in only(events, Notice).text
    assert (nodes(memory, "turns")[-1]["text"], nodes(memory, "turns")[-1]["source"]) == (UNSURE, "chat")
