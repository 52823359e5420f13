"""The gut feeling against a real Neo4j: what is felt, where it shows, what is kept of it, and what it is measured from."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest

from engram.goals import Goals
from engram.llm import Models
from engram.loop.agent import Agent
from engram.loop.exit_gate import Focus
from engram.loop.inputs import Source
from engram.loop.matrix import emotional_charge
from engram.loop.scratch import Scratch
from engram.memory import Engram
from engram.mind import gut
from engram.mind.felt import EVERY, FeltLog
from engram.remembering import embed_memories, turn_key
from engram.testing import FixedClock, ScriptedModel
from tests.graph.beside import everything, run
from tests.graph.talking import entry, talk
from tests.graph.test_exit_gate import gate_of
from tests.graph.test_identity import weigh

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.gut:JOB")
Means: Any = resolve_name("engram.jobs.means:Means")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
RULE = "You never tell anybody the code of the safe"
GOAL, FAR = "paint the boat of Noor", "My tax return is due on Friday"
MINUTE = timedelta(minutes=1)


def measure(memory: Engram, clock: FixedClock, **options: Any) -> Any:
    """Run the job over the memory's space."""
    assert memory.flush()
    with Means(memory, models=lambda: Models(system1=None, system2=None, quiet=None)) as means:
        return run_job(JOB, memory.graph, space=memory.space, clock=clock, means=means, **options)


def kept(memory: Engram) -> Any:
    """Return what is kept of feelings."""
    return run(memory, "gut_read")[0]


@pytest.fixture
def chat(memory: Engram, clock: FixedClock) -> Iterator[Callable[..., Agent]]:
    """Begin conversations that end with the test."""
    begun: list[Agent] = []

    def begin(**more: Any) -> Agent:
        begun.append(talk(memory, clock, **more))
        return begun[-1]

    yield begin
    for each in begun:
        each.finish()


def aim(memory: Engram, clock: FixedClock) -> None:
    """Set a goal."""
    Goals(memory.graph, memory.embedder, space=memory.space, clock=clock).add(GOAL)


def feeling(agent: Agent) -> Any:
    """Return the part of the mind that feels."""
    return agent._presence.feeling


def test_a_young_space_feels_nothing_and_says_nothing(memory: Engram, chat: Callable[..., Agent]) -> None:
    """Where nothing is known there are no depths: no charge, no line in the prompt, nothing kept."""
    agent = chat(system1=ScriptedModel("Hello."))
    list(agent.say("Good morning"))
    assert (feeling(agent).charge, feeling(agent).felt) == (0.0, None)
    assert agent.assembled is not None
    assert "gut feeling" not in agent.assembled.system
    agent.finish()
    assert kept(memory)["feelings"] == []


def test_what_is_far_from_the_goals_is_felt_more(
    memory: Engram, clock: FixedClock, chat: Callable[..., Agent]
) -> None:
    """The charge is the magnitude of the delta, and stands in the prompt in words and as a number, with where it points."""
    aim(memory, clock)
    far = chat(system1=ScriptedModel("I see."))
    list(far.say(FAR))
    near = chat(system1=ScriptedModel("Gladly."), session="another")
    list(near.say("Let us paint the boat of Noor"))
    assert 0.0 <= feeling(near).charge < feeling(far).charge <= 1.0
    assert far.assembled is not None
    assert f"{feeling(far).charge:.2f} of 1" in far.assembled.system
    assert "It points away from: paint, boat, noor." in far.assembled.system
    assert feeling(far).of(FAR).magnitude == pytest.approx(feeling(far).charge)


def test_every_feeling_is_kept_with_its_turn_and_what_was_done(
    memory: Engram, clock: FixedClock, chat: Callable[..., Agent]
) -> None:
    """More of them than are written at once, all are in the graph after the conversation, each at its own turn."""
    aim(memory, clock)
    agent = chat(system1=ScriptedModel(*["Well."] * (EVERY + 2)))
    said = [f"I saw the boat number {n} today" for n in range(EVERY + 2)]
    for text in said:
        list(agent.say(text))
        clock.advance(MINUTE)
    agent.finish()
    feelings = kept(memory)["feelings"]
    assert [each["said"] for each in feelings] == [each["context"] for each in feelings] == said
    assert {each["action"] for each in feelings} == {"answered"}
    assert all(each["gate"] for each in feelings)
    assert {each["model"] for each in feelings} == {memory.embedder.name}


def test_an_impulse_is_felt_as_well(memory: Engram, clock: FixedClock, chat: Callable[..., Agent]) -> None:
    """What is felt about a thought colours what comes to mind for it, and is kept; how a person takes it is not its own.

    At what is only kept, and is thought through by nobody, nothing is felt.
    """
    aim(memory, clock)
    agent = chat(system1=ScriptedModel(*["Well."] * 3))
    list(agent.say("The boat needs paint"))
    clock.advance(MINUTE)
    agent.offer(FAR, source=Source.DMN)
    agent.offer("The hut leaks", source=Source.DMN, competes=False)
    list(agent.think())
    thought = agent._recollection.felt
    assert thought is not None
    assert thought.magnitude == pytest.approx(feeling(agent).of(FAR).magnitude)
    clock.advance(MINUTE)
    list(agent.say("Thanks, let us paint it"))
    assert agent._recollection.felt is feeling(agent).felt
    agent.finish()
    assert [(each["said"], each["action"], each.get("reaction")) for each in kept(memory)["feelings"]] == [
        ("The boat needs paint", "answered", "thanked"),
        (FAR, "answered", None),
        ("Thanks, let us paint it", "answered", None),
    ]


def test_what_cannot_be_kept_yet_is_tried_again(memory: Engram, clock: FixedClock) -> None:
    """A feeling at a turn that waits in the journal is written once that turn is in the graph."""
    heard = [entry(f"{memory.space}-{n}", clock.now) for n in range(EVERY + 1)]
    log = FeltLog(memory.graph, space=memory.space)
    for each in heard:
        log.add(
            {
                "id": f"{each.id}-felt",
                "turn": turn_key(each.session, each.turn, each.speaker, each.text),
                "session": each.session,
                "at": each.at,
                "vector": [1.0, 0.0],
                "magnitude": 0.5,
                "context": each.text,
                "towards": "",
                "model": "a model",
            },
            said=True,
        )
    assert len(log) == len(heard)
    Scratch(memory.graph, space=memory.space).hear(heard, run=None, now=clock.now)
    log.close()
    assert len(log) == 0
    assert len(kept(memory)["feelings"]) == len(heard)


def test_the_deepest_layer_is_the_mean_of_all_by_importance(
    memory: Engram, clock: FixedClock, chat: Callable[..., Agent]
) -> None:
    """The job keeps what a straightforward recomputation gives; a conversation reads it, and another model's it does not."""
    told = [("The boat is blue", 0.9), ("The hut leaks", 0.2), ("Rex eats carrots", 0.5)]
    made = [memory.remember(text, importance=importance) for text, importance in told]
    measure(memory, clock)
    vectors = embed_memories(
        memory.embedder, [(each.kind, each.content, each.contextualized) for each in made]
    )
    expected = gut.centroid(vectors, [each.importance for each in made])
    assert expected is not None
    assert np.allclose(kept(memory)["manifest"]["subconscious_l2"], expected, atol=1e-6)
    assert np.allclose(feeling(chat()).memories, expected, atol=1e-6)
    memory.graph.write(
        "mind/gut_store_subconscious", space=memory.space, vector=[1.0], model="another", now=clock.now
    )
    assert feeling(chat(session="later")).memories is None


def test_a_second_run_and_a_dry_one_change_nothing(
    memory: Engram, clock: FixedClock, chat: Callable[..., Agent]
) -> None:
    """At the same instant the depths and axes are what they are, and a rehearsal leaves nothing behind."""
    aim(memory, clock)
    memory.remember("The boat is blue")
    agent = chat()
    for text in (FAR, "The boat needs paint", "Thanks, that was it"):
        list(agent.say(text))
        clock.advance(MINUTE)
    agent.finish()
    before = everything(memory)
    assert measure(memory, clock, dry_run=True).changed > 0
    assert everything(memory) == before
    assert measure(memory, clock).changed > 0
    after = everything(memory)
    assert measure(memory, clock).changed == 0
    assert everything(memory) == after


def test_recall_leans_towards_what_is_felt_and_not_without(memory: Engram) -> None:
    """The emotional component is the valence under the feeling; without one it says the same of every memory."""
    boat, hut = memory.remember("The boat of Noor is blue"), memory.remember("The mountain hut is old")
    towards, away = memory.embedder.embed([boat.contextualized, hut.contextualized]).astype(np.float64)
    felt = gut.delta(towards, away)
    found = {
        hit.memory.id: (hit.terms or {})["emotional"]
        for hit in memory.recall("Which is old or blue?", explain=True, read_only=True, felt=felt)
    }
    plain = {
        (hit.terms or {})["emotional"]
        for hit in memory.recall("Which is old or blue?", explain=True, read_only=True)
    }
    assert len(plain) == 1
    assert found[boat.id] > max(plain) > found[hut.id]


def test_the_gate_feels_against_the_depths_of_the_conversation(
    memory: Engram, clock: FixedClock, chat: Callable[..., Agent]
) -> None:
    """What always holds, who one is, the goals and all memories: the same text is as far from them at both places."""
    aim(memory, clock)
    memory.remember(RULE, immutable=True)
    weigh(memory, "The boat of Noor is blue", 12.0, 4.0)
    weigh(memory, "The hut leaks", 1.0, 4.0)
    measure(memory, clock)
    agent = chat()
    (vector,) = memory.embedder.embed([FAR]).astype(np.float64)
    expected = emotional_charge(gut.score(gut.delta(vector, feeling(agent).depths())))
    said = entry(f"{memory.space}-said", clock.now, text=FAR)
    (felt,) = gate_of(memory).decide([said], agent._gate_focus([said]), last=False)
    assert felt.emotional == pytest.approx(expected, abs=1e-6)
    assert felt.emotional > 0.0


def test_what_weighs_more_is_deeper(memory: Engram, clock: FixedClock, chat: Callable[..., Agent]) -> None:
    """The layers are weighted means: of identity by weight, where what always holds counts whole, of goals by priority."""
    memory.remember(RULE, immutable=True)
    weigh(memory, "The boat of Noor is blue", 12.0, 4.0)
    weigh(memory, "The hut leaks", 1.0, 4.0)
    goals = Goals(memory.graph, memory.embedder, space=memory.space, clock=clock)
    goals.add("learn to sail")
    clock.advance(timedelta(days=10))
    goals.mention([goals.add(GOAL).id])
    pressing, other = goals.list(state="active")
    assert (pressing.priority or 0.0) > (other.priority or 0.0) > 0.0
    told = memory.embedder.embed([RULE, "The boat of Noor is blue", "The hut leaks"])
    identity = gut.centroid(told, [1.0, 0.75, 0.2])
    wanted = gut.centroid(
        np.array([pressing.embedding, other.embedding]), [pressing.priority or 0.0, other.priority or 0.0]
    )
    expected = gut.subconscious((identity, wanted, None))
    assert expected is not None
    assert np.allclose(feeling(chat()).depths(), expected, atol=1e-6)


def test_the_gate_feels_each_entry_against_the_depths(memory: Engram, clock: FixedClock) -> None:
    """Whatever those are, an entry's charge is how far its gut is from indifference."""
    text = "The boat of Noor is blue and old"
    (depths,) = memory.embedder.embed(["The boat of Noor is blue"]).astype(np.float64)
    (vector,) = memory.embedder.embed([text]).astype(np.float64)
    gate = gate_of(memory)
    said = entry(f"{memory.space}-said", clock.now, text=text)
    (felt,) = gate.decide([said], Focus(depths=depths), last=False)
    (unfelt,) = gate.decide([said], Focus(), last=False)
    assert felt.emotional == pytest.approx(emotional_charge(gut.score(gut.delta(vector, depths))), abs=1e-6)
    assert felt.emotional > unfelt.emotional == 0.0
