"""Inputs are equal: whatever it is, it is heard, attended to, answered and let through the gate in one way."""

from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.errors import InvalidInputError, LanguageModelDownError
from engram.loop.agent import FLUSHED_EVERY, Agent
from engram.loop.events import Attended, Failed, Notice, Replied, Stored
from engram.loop.inputs import URGENCY, Source
from engram.loop.restart import Restart
from engram.memory import Engram
from engram.testing import FixedClock, ScriptedModel
from tests.graph.talking import kinds, lines, memories, nodes, only, talk

pytestmark = pytest.mark.graph

# By name: the checkout's `cli` folder is the package `engram.cli` only once installed.
cli = resolve_name("engram.cli.chat")

IMPULSES = (Source.DMN, Source.CONSOLIDATION, Source.GUT, Source.SCHEDULE)
THOUGHT = "The boat in Ghent has not been looked after since May"


def charged(agent: Agent, text: str = THOUGHT) -> None:
    """Let an impulse wait that weighs more than any message."""
    agent.offer(text, source=Source.GUT, emotional=1.0, urgency=1.0)


@pytest.mark.parametrize("source", IMPULSES)
def test_an_impulse_takes_the_way_of_a_message(memory: Engram, clock: FixedClock, source: Source) -> None:
    """Durable before it waits, attended with its report, thought about by the same model, and gated like the rest."""
    model = ScriptedModel("It should be looked after.")
    with talk(memory, clock, model) as agent:
        offered = agent.offer(THOUGHT, source=source, confidence=0.4)
        (line,) = lines(memory)
        assert (line["id"], line["state"], line["text"]) == (offered.id, "buffered", THOUGHT)
        assert (line["source_tag"], line["source_confidence"]) == (source.value, 0.4)
        assert (offered.urgency, offered.confidence) == (URGENCY[source], 0.4)
        assert model.asked == []

        events = list(agent.think())
        assert kinds(events) == ["Attended", "Recalled", "Delta", "Replied", "Stored"]
        attended = only(events, Attended)
        assert (attended.text, attended.source) == (THOUGHT, source.value)
        assert attended.report.startswith("[COGNITIVE STATE]\n")
        (asked,) = model.asked
        assert f"<state>\n{attended.report}\n</state>" in asked.system
        assert f"<thought>\n{THOUGHT}\n</thought>" in asked.messages[-1].text
        assert list(agent.think()) == []
    reply = lines(memory)[-1]
    assert (reply["text"], reply["source_tag"]) == ("It should be looked after.", "internal_reply")
    assert {line["state"] for line in lines(memory)} == {"decided"}
    assert [turn["source"] for turn in nodes(memory, "turns")] == ["chat:thought"] * 2


def test_what_a_person_says_takes_it_too(memory: Engram, clock: FixedClock) -> None:
    """It is a line of the scratch buffer with the tag of a person, and its report is in the prompt."""
    model = ScriptedModel("Noted.")
    with talk(memory, clock, model) as agent:
        list(agent.say("I live in Lisbon, near the river"))
        heard = lines(memory)[0]
        assert (heard["source_tag"], heard["source_confidence"]) == ("external_user", 1.0)
        (asked,) = model.asked
        assert "Attention candidates this cycle:" in asked.system
        assert "I live in Lisbon, near the river" in asked.system
        assert agent.report in asked.system
    assert "I live in Lisbon, near the river" in memories(memory)


def test_a_message_usually_comes_first(memory: Engram, clock: FixedClock) -> None:
    """Beside impulses of each source as they usually are, the person is answered at once, and they wait."""
    model = ScriptedModel("Fine.")
    with talk(memory, clock, model) as agent:
        for number, source in enumerate(IMPULSES):
            agent.offer(f"Thought number {number} of its own", source=source)
        events = list(agent.say("How are you on this fine day?"))
        assert kinds(events) == ["Stored", "Recalled", "Delta", "Replied", "Stored"]
        assert agent.status().waiting == len(IMPULSES)
        assert "Winner: User message" in model.asked[0].system
        assert agent.report.count("  - ") == len(IMPULSES) + 1


def test_what_moves_it_more_comes_first_and_the_person_is_answered_all_the_same(
    memory: Engram, clock: FixedClock
) -> None:
    """One impulse is thought about; then the message has its own answer, within the same call."""
    model = ScriptedModel("The boat!", "Lisbon is a fine city.")
    with talk(memory, clock, model) as agent:
        charged(agent)
        charged(agent, "The other boat was sold in June")
        events = list(agent.say("I live in Lisbon"))
        assert kinds(events) == [
            "Stored",
            "Attended",
            *["Recalled", "Delta", "Replied", "Stored"],
            *["Recalled", "Delta", "Replied", "Stored"],
        ]
        thought, answer = model.asked
        assert not any("Lisbon" in message.text for message in thought.messages)
        assert THOUGHT in thought.messages[-1].text
        assert [message.text for message in answer.messages] == ["I live in Lisbon"]
        assert "Winner: User message" in answer.system
        assert agent.status().waiting == 1
        assert [line.get("awaits") for line in lines(memory) if line["text"] == "I live in Lisbon"] == [None]


def test_what_it_thinks_is_no_part_of_the_conversation(memory: Engram, clock: FixedClock) -> None:
    """Neither now nor when it is resumed are an impulse and its thought told as what somebody said."""
    first = ScriptedModel("Good morning.", "The boat!", "Fine.")
    with talk(memory, clock, first) as agent:
        list(agent.say("Good morning to you"))
        agent.offer(THOUGHT, source=Source.DMN)
        list(agent.think())
        list(agent.say("How are you on this fine day?"))
    resumed = ScriptedModel("Still fine.")
    with talk(memory, clock, resumed) as agent:
        list(agent.say("And now?"))
    for asked in (first.asked[-1], resumed.asked[-1]):
        told = [message.text for message in asked.messages]
        assert not any("boat" in text.lower() for text in told)
    assert [message.text for message in resumed.asked[-1].messages] == [
        "Good morning to you",
        "Good morning.",
        "How are you on this fine day?",
        "Fine.",
        "And now?",
    ]


def test_a_thought_that_is_stopped_is_a_thought(memory: Engram, clock: FixedClock) -> None:
    """What there is of it is kept as one, the message that was to come next is no impulse, and the next one is answered."""
    model = ScriptedModel(["The ", KeyboardInterrupt()], "Fine.")
    with talk(memory, clock, model) as agent:
        charged(agent)
        with pytest.raises(KeyboardInterrupt):
            list(agent.say("I live in Lisbon"))
        assert [turn["source"] for turn in nodes(memory, "turns")].count("chat:thought") == 2
        assert agent.status().waiting == 0
        events = list(agent.say("Are you there?"))
        assert "Attended" not in kinds(events)
        told = [message.text for message in model.asked[-1].messages]
        assert told == ["I live in Lisbon\n\nAre you there?"]


def test_urgency_fades_while_it_waits(memory: Engram, clock: FixedClock) -> None:
    """What lost waits, at half the urgency after half an hour, and one that is new overtakes it."""
    with talk(memory, clock, ScriptedModel("Well.", "Well.")) as agent:
        agent.offer("The train to Ghent leaves at noon", source=Source.DMN, urgency=0.8)
        clock.advance(timedelta(minutes=60))
        agent.offer("The boat needs paint before winter", source=Source.DMN, urgency=0.4)
        first = only(list(agent.think()), Attended)
        assert first.text == "The boat needs paint before winter"
        assert "urgency" in first.report
        assert only(list(agent.think()), Attended).text == "The train to Ghent leaves at noon"


def test_a_full_queue_keeps_no_message_from_being_answered(memory: Engram, clock: FixedClock) -> None:
    """Where more wait than may, and all weigh more than the message, it is answered all the same."""
    model = ScriptedModel("A thought.", "Lisbon!")
    with talk(memory, clock, model) as agent:
        agent._attention._largest = 3
        for number in range(3):
            charged(agent, f"Thought number {number} of its own")
        events = list(agent.say("I live in Lisbon"))
        assert [event.text for event in events if isinstance(event, Replied)] == ["A thought.", "Lisbon!"]


def test_without_a_model_an_impulse_is_kept_and_gated(memory: Engram, clock: FixedClock) -> None:
    """Nobody thinks about it, and what the gate lets through of it is remembered."""
    with talk(memory, clock) as agent:
        agent.offer(THOUGHT, source=Source.DMN)
        assert kinds(agent.think()) == ["Attended"]
        assert list(agent.think()) == []
    assert [line["state"] for line in lines(memory)] == ["decided"]


@pytest.mark.parametrize("text", ["", " \n", "word " * 220_000])
def test_an_impulse_that_cannot_be_kept_does_not_wait(memory: Engram, clock: FixedClock, text: str) -> None:
    """What is not durable is not thought about."""
    with talk(memory, clock, ScriptedModel()) as agent:
        with pytest.raises(InvalidInputError):
            agent.offer(text, source=Source.DMN)
        assert agent.status().waiting == 0
        assert lines(memory) == []


# ----- When the exit gate is asked


def test_it_is_flushed_every_five_exchanges(memory: Engram, clock: FixedClock) -> None:
    """Until the fifth exchange nothing is decided; then everything is looked at."""
    with talk(memory, clock, ScriptedModel(*["Well then."] * FLUSHED_EVERY)) as agent:
        for number in range(FLUSHED_EVERY):
            assert memories(memory) == []
            list(agent.say(f"The volume number {number} of the atlas shows a river"))
        agent._gatekeeper.wait()
        assert all(line["looked"] for line in lines(memory))
        assert len(memories(memory)) >= FLUSHED_EVERY - 1
        assert agent.status().pressure < 2 * FLUSHED_EVERY / 50


@pytest.mark.parametrize("stopped", [False, True])
def test_what_is_pressing_is_flushed_at_once(memory: Engram, clock: FixedClock, *, stopped: bool) -> None:
    """What a person asks to remember is a memory after that very exchange, whether the reply came or was stopped."""
    script: Any = ["Of ", KeyboardInterrupt()] if stopped else "Of course."
    with talk(memory, clock, ScriptedModel(script)) as agent:
        try:
            list(agent.say("Remember that my name is Ada"))
        except KeyboardInterrupt:
            assert stopped
        agent._gatekeeper.wait()
        assert "Remember that my name is Ada" in memories(memory)


def test_a_crash_loses_nothing(memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was heard in a run that died is decided by the next one, without anybody saying a word."""
    agent = talk(memory, clock, ScriptedModel("A fine cat."))
    list(agent.say("My cat is called Mies"))
    assert memories(memory) == []
    monkeypatch.setattr(Restart, "alive", lambda _: ())
    monkeypatch.setattr("engram.loop.restart.is_alive", lambda *_, **__: False)
    with talk(memory, clock, ScriptedModel(), session="next") as successor:
        successor._gatekeeper.wait()
        assert "My cat is called Mies" in memories(memory)
    assert all(line["looked"] for line in lines(memory))
    agent.finish()
    assert memories(memory).count("My cat is called Mies") == 1


def test_the_end_decides_what_waits(memory: Engram, clock: FixedClock) -> None:
    """Also where the gate would look again, and a second end changes nothing."""
    agent = talk(memory, clock, ScriptedModel("A fine cat."))
    list(agent.say("My cat is called Mies"))
    assert agent.finish() == 0
    assert {line["state"] for line in lines(memory)} <= {"decided", "skipped"}
    before = lines(memory)
    assert agent.finish() == 0
    assert lines(memory) == before


class Ending:
    """Lines behind which the program is told to end."""

    def __init__(self, *lines: str) -> None:
        self._lines = iter(lines)

    def read(self) -> str | None:
        """Return the next line."""
        for line in self._lines:
            return line
        raise SystemExit(143)


def test_a_program_that_is_told_to_end_decides_what_waits(memory: Engram, clock: FixedClock) -> None:
    """The terminal closes or the machine stops: what was said is decided, the run has ended, and the code stays."""
    agent = talk(memory, clock, ScriptedModel("A fine cat."))
    screen = cli.TextScreen(cli.State())
    with pytest.raises(SystemExit) as ended:
        cli.Conversation(agent, screen, Ending("My cat is called Mies")).run()
    assert ended.value.code == 143
    assert "My cat is called Mies" in memories(memory)
    assert nodes(memory, "runs")[0]["ended_at"] is not None


# ----- What a reply may hold


def test_a_reply_of_a_megabyte_is_told_and_not_stored(memory: Engram, clock: FixedClock) -> None:
    """The person sees all of it and is told that it is not kept; the conversation goes on within its bounds."""
    model = ScriptedModel([("word " * 220_000)], "Short again.")
    with talk(memory, clock, model) as agent:
        events = list(agent.say("Write a long poem for me"))
        assert len(only(events, Replied).text) == 1_100_000
        assert "not stored" in only(events, Notice).text
        assert [event.role for event in events if isinstance(event, Stored)] == ["user"]
        assert agent.unsaved is not None
        list(agent.say("And now a short one please"))
        assert sum(len(message.text) for message in model.asked[-1].messages) < 1_000
        assert agent.unsaved is None


@pytest.mark.parametrize("reply", [["\x00", "\x1b"], ["\ud800\x00"], ["a\x00\ud800b\x1b[0m"]])
def test_any_reply_leaves_clean_text(memory: Engram, clock: FixedClock, reply: list[str]) -> None:
    """Control characters and lone surrogates are in no turn and no message; where nothing is left, it failed."""
    model = ScriptedModel(reply, "Fine.")
    with talk(memory, clock, model) as agent:
        events = list(agent.say("Say something to me please"))
        replied = any(isinstance(event, Replied) for event in events)
        assert replied is not any(isinstance(event, Failed) for event in events)
        list(agent.say("And again something else"))
    kept = [turn["text"] for turn in nodes(memory, "turns")]
    told = [message.text for message in model.asked[-1].messages]
    for text in (*kept, *told):
        assert text == text.encode("utf-8", "replace").decode()
        assert not set(text) & {"\x00", "\x1b"}
        assert text.strip()


# ----- What it costs


def test_every_call_of_a_turn_is_recorded_with_its_purpose(memory: Engram, clock: FixedClock) -> None:
    """Replies, the isolated question and the gate's judgement each, with the conversation that they were for."""
    quiet = ScriptedModel(respond=lambda _: '{"confidence": 0.9}')
    long = "I moved to the house by the river in Ghent because of the garden and because of the boat " * 3
    with talk(memory, clock, ScriptedModel("Perhaps. Maybe so?", "Yes, in Ghent."), quiet=quiet) as agent:
        list(agent.say(long))
        agent.flush()
    calls = nodes(memory, "calls")
    assert [call["purpose"] for call in calls].count("reply") == 2
    assert {call["purpose"] for call in calls} == {"reply", "confidence", "gate"}
    assert {call["session"] for call in calls} == {"evening"}
    assert {call["purpose"] for call in calls if call["background"]} == {"gate"}
    assert len(calls) == 2 + len(quiet.asked)


def limited(memory: Engram, calls: int) -> Engram:
    """Return the memory with a day's limit of calls."""
    return Engram(
        memory.graph,
        memory.settings.model_copy(update={"daily_calls": calls}),
        space=memory.space,
        embedder=memory.embedder,
        clock=memory.now,
    )


def test_over_the_budget_the_person_is_asked_once(memory: Engram, clock: FixedClock) -> None:
    """A no quotes memories instead, for the rest of the day; what was said is kept, and nothing is left unanswered."""
    memory.remember("The boat lies in the harbour of Ghent")
    asked: list[str] = []

    def no(question: str) -> bool:
        asked.append(question)
        return False

    model = ScriptedModel("One.", "Two.")
    with talk(limited(memory, 1), clock, model, consent=no) as agent:
        assert kinds(agent.say("Good morning to you all"))[-2:] == ["Replied", "Stored"]
        for _ in range(2):
            events = list(agent.say("Where does the boat lie?"))
            assert kinds(events) == ["Stored", "Recalled", "Notice", "Quoted"]
        assert len(asked) == 1
        assert len(model.asked) == 1
        assert not any(line.get("awaits") for line in lines(memory))
        clock.advance(timedelta(days=1))
        assert "Replied" in kinds(agent.say("Good morning again to you"))


def test_over_the_budget_a_yes_holds_for_the_day(memory: Engram, clock: FixedClock) -> None:
    """The person is not asked again, and what nobody waits for stays quiet."""
    asked: list[str] = []

    def consent(question: str) -> bool:
        asked.append(question)
        return True

    with talk(limited(memory, 1), clock, ScriptedModel("One.", "Two.", "Three."), consent=consent) as agent:
        for number in range(3):
            assert "Replied" in kinds(agent.say(f"Good morning number {number} to you"))
        assert len(asked) == 1
        agent.offer(THOUGHT, source=Source.DMN)
        assert kinds(agent.think()) == ["Attended"]


def test_the_background_stops_first(memory: Engram, clock: FixedClock) -> None:
    """At 80 % of the budget impulses are not thought about, and the person is answered without being asked."""
    with talk(limited(memory, 5), clock, ScriptedModel(*["Well then."] * 5)) as agent:
        for number in range(4):
            list(agent.say(f"Good morning number {number} to you"))
        agent.offer(THOUGHT, source=Source.DMN)
        assert kinds(agent.think()) == ["Attended"]
        assert "Replied" in kinds(agent.say("Good evening to you as well"))


def test_a_reply_does_not_fail_for_what_it_costs(memory: Engram, clock: FixedClock) -> None:
    """A failed call is recorded as such, and costs nothing."""
    with talk(memory, clock, ScriptedModel([LanguageModelDownError("down")], "Back.")) as agent:
        list(agent.say("Are you there, my friend?"))
        clock.advance(timedelta(seconds=1))
        assert "Replied" in kinds(agent.say("And now, my friend?"))
    assert [call["outcome"] for call in nodes(memory, "calls")] == ["failed", "ok"]
