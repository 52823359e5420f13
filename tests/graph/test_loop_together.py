"""Several who talk at once: in one space nothing is lost or doubled, and two spaces never see each other."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import numpy as np
import pytest

from engram.costs import Ledger
from engram.llm import Models
from engram.loop.agent import Agent
from engram.loop.escalation import Correction
from engram.loop.inputs import Source
from engram.loop.journal import Journal
from engram.loop.reflections import store_correction
from engram.loop.scratch import Scratch
from engram.memory import Engram
from engram.prices import Price
from engram.records import Turn
from engram.remembering import turn_key
from engram.safety import Phase, SafetyEvent
from engram.testing import FixedClock, ScriptedModel
from tests.conftest import Address
from tests.graph.beside import another, everything, run
from tests.graph.loop_checks import broken, kept_turns, missed, twice
from tests.graph.loop_talkers import PARSED, Place, Talker

pytestmark = pytest.mark.graph

TALKED = 12
"""Turns of each person."""


def test_many_at_once_lose_and_double_nothing(memory: Engram, neo4j_address: Address) -> None:
    """Processes that talk in one space, two of them in one session, and find one journal, keep all of it once."""
    waiting = missed(40, datetime.now(UTC) - timedelta(hours=1))
    journal = Journal(memory.settings, space=memory.space, database=memory.database_id)
    for each in waiting:
        journal.append(each)
    names = ["one", "two", "two"]
    places = [Place.of(memory, neo4j_address, name) for name in names]
    lines = [
        [f"{name} {number}: line {n} of the talk" for n in range(TALKED)] for number, name in enumerate(names)
    ]
    with ExitStack() as stack:
        talkers = [
            stack.enter_context(Talker(place, texts, seed=seed))
            for seed, (place, texts) in enumerate(zip(places, lines, strict=True))
        ]
        told = [talker.rest() for talker in talkers]
        for talker in talkers:
            talker.process.join(30)
            assert talker.process.exitcode == 0
    assert [[each.text for each in one if each.role == "user"] for one in told] == lines
    kept = kept_turns(memory)
    assert not twice(kept)
    acknowledged = {each.key(place.session) for place, one in zip(places, told, strict=True) for each in one}
    before = {turn_key("away", each.turn, "user", each.text) for each in waiting}
    assert {each["id"] for each in kept} == acknowledged | before
    assert [each["text"] for each in kept if each["session"] == "away"] == [each.text for each in waiting]
    assert not journal.file.exists()
    assert broken(memory) == 0


def test_a_long_session_is_written_without_deadlocks(
    memory: Engram, clock: FixedClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Hearing, the exit gate and learning write one session at once; each gets its turn, none has to begin again."""
    rounds = 40
    long = [replace(each, session="long") for each in missed(3 * rounds, clock.now)]
    turns = [Turn(text=each.text, speaker="user", at=each.at, session="long", id=each.turn) for each in long]
    # From so many links on, Neo4j keeps those of a node in groups, with locks of their own.
    memory.remember_turns(turns[rounds:])
    scratch = Scratch(memory.graph, space=memory.space)

    def hear(number: int) -> None:
        scratch.hear([replace(long[number], text=f"{number} more")], run=None, now=clock.now)

    def learn(number: int) -> None:
        memory.recall(f"the {number}th parcel", 3, session="long")
        assert memory.flush()

    jobs = (hear, learn, lambda number: memory.remember_turns([turns[number]]))
    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(lambda job: [job(number) for number in range(rounds)], job) for job in jobs]:
            done.result()
    assert "DeadlockDetected" not in caplog.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A space that is full of one creature, and a conversation that goes on there."""

    creature: str
    memory: Engram
    model: ScriptedModel
    agent: Agent

    @property
    def prompts(self) -> str:
        """Everything that any of its models was told."""
        asked = (
            text for one in self.model.asked for text in (one.system, *(each.text for each in one.messages))
        )
        return "\n".join(asked)


def furnish(memory: Engram, clock: FixedClock, creature: str) -> Home:
    """Put a creature into every part of a space, and begin a conversation about it."""
    memory.remember(f"Nobody may ever feed the {creature} by the lake.", immutable=True)
    named = memory.remember(f"The {creature} by the lake is called Mies.").id
    # So weighty that it belongs to who the agent is.
    run(memory, "set_properties", id=named, properties={"weight_alpha": 90.0, "weight_beta": 1.0})
    correction = Correction(
        trigger=f"Somebody asks where by the lake the {creature} sleeps and what it is called",
        error_type="guess",
        original_reasoning=f"the {creature} was taken for another",
        correction="look it up",
    )
    store_correction(memory, correction, at=clock.now)
    # What a run heard that has died since, and what was kept while the database was away.
    heard, kept = missed(2, clock.now - timedelta(days=2))
    heard = replace(heard, text=f"Where does my {creature} sleep?", awaits=True)
    Scratch(memory.graph, space=memory.space).hear([heard], run=None, now=clock.now)
    journal = Journal(memory.settings, space=memory.space, database=memory.database_id)
    journal.append(replace(kept, text=f"Has the {creature} come back to the lake?"))
    model = ScriptedModel(
        respond=lambda asked: PARSED[asked.shape] if asked.shape else f"The {creature} sleeps in the reeds.",
        name="dear",
    )
    ledger = Ledger(
        memory.graph, space=memory.space, clock=clock, prices={"dear": Price(input=0, output=1_000_000)}
    )
    agent = Agent(
        memory,
        Models(system1=model, system2=model, quiet=model),
        session="lake",
        clock=clock,
        generator=np.random.default_rng(9),
        ledger=ledger,
    )
    agent.goals.add(f"Find out where by the lake the {creature} sleeps")
    fired = SafetyEvent(
        id=uuid4().hex,
        at=clock.now,
        ceiling="weight_cap",
        phase=Phase.A,
        enforced=True,
        subject=creature,
        reason=f"the {creature} was recalled too often",
        before=0.5,
        after=0.99,
    )
    agent.safety.record([fired])
    agent.offer(f"I just remembered the {creature} by the lake", source=Source.DMN)
    return Home(creature=creature, memory=memory, model=model, agent=agent)


def test_two_spaces_never_see_each_other(memory: Engram, clock: FixedClock) -> None:
    """Prompts, recall, scratch, journal, goals, costs, safety, corrections, identity: of its own space, and no other."""
    otter, heron = (furnish(another(memory, clock), clock, creature) for creature in ("otter", "heron"))
    for home in (otter, heron):
        home.agent.flush()  # what the run before had left
    held = {home.creature: everything(home.memory) for home in (otter, heron)}
    for home, other in ((otter, heron), (heron, otter)):
        agent = home.agent
        for text in (
            "I saw it by the lake again, it has three young.",
            "Where by the lake does it sleep, and what is it called?",
        ):
            list(agent.say(text))
            agent.flush()
        for section in ("immutable", "identity", "errors", "goals", "state"):
            assert f"<{section}>" in home.prompts, section
        told = [
            home.prompts,
            agent.greeting,
            agent.describe(),
            agent.recalled,
            home.memory.recall("the creature by the lake", 50, read_only=True),
            agent.goals.list(),
            agent.safety.events(),
        ]
        assert agent.ledger.flush()  # calls are recorded behind the conversation
        calls = run(home.memory, "read_llm_calls")[0]["calls"]
        assert agent.ledger.spent().lifetime == pytest.approx(sum(call["cost_usd"] for call in calls))
        agent.finish()
        kept_turns(home.memory)
        now = {each.creature: everything(each.memory) for each in (otter, heron)}
        assert now[other.creature] == held[other.creature]
        for each in (*told, now[home.creature]):
            assert home.creature in str(each)
            assert other.creature not in str(each)
        held = now
