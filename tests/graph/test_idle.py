"""The idle mind: what comes to mind while nobody talks, where it goes, and what it may cost."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest

from engram.costs import Ledger
from engram.errors import BudgetError
from engram.goals import Goals
from engram.llm.base import ChatModel, Usage
from engram.memory import Engram
from engram.mind.idle import BUSY, NO_MODEL, Cycle, IdleMind
from engram.mind.rations import PURPOSE, Rations
from engram.mind.surfacing import Surfaced
from engram.mind.thoughts import Thought, Thoughts
from engram.mind.wandering import Channel
from engram.testing import FixedClock, ScriptedAnswer, ScriptedModel
from tests.graph.beside import everything
from tests.graph.talking import nodes, talk

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.idle:JOB")
run_job: Any = resolve_name("engram.jobs.job:run_job")
Means: Any = resolve_name("engram.jobs.means:Means")
FACTS = (
    "Noor paints the boat in the harbour",
    "The boat needs a new sail before summer",
    "The dentist moved to the station square",
    "Kayaks float even when they are full of water",
    "The piano in the hall is out of tune",
)
GOAL = "Help Noor paint the boat in the harbour"


@pytest.fixture
def lived(memory: Engram, clock: FixedClock) -> Engram:
    """Give a space that remembers a few things and is after one."""
    for fact in FACTS:
        memory.remember(fact, speaker="Noor", event_at=clock.now - timedelta(days=200))
    Goals(memory.graph, memory.embedder, space=memory.space, clock=clock).add(GOAL)
    assert memory.flush()
    clock.advance(timedelta(hours=2))
    return memory


@pytest.fixture
def ledger(memory: Engram, clock: FixedClock) -> Iterator[Ledger]:
    """Give the space's ledger."""
    opened = Ledger(memory.graph, space=memory.space, clock=clock, prices={})
    yield opened
    opened.close()


def minded(memory: Engram, seed: int = 1, model: ChatModel | None = None, **more: Any) -> IdleMind:
    """Return an idle mind that draws the same every time."""
    return IdleMind(memory, model, generator=np.random.default_rng(seed), **more)


def wander(memory: Engram, clock: FixedClock, cycles: int, model: ChatModel | None = None) -> list[Cycle]:
    """Let a mind wander for some minutes."""
    with minded(memory, model=model) as mind:
        done = []
        for _ in range(cycles):
            done.append(mind.cycle())
            clock.advance(timedelta(minutes=1))
    return done


def kept(memory: Engram, clock: FixedClock) -> tuple[Thought, ...]:
    """Return all thoughts of a space, the newest first."""
    return Thoughts(memory.graph, space=memory.space).list(since=clock.now - timedelta(days=9), limit=99)


def metered(ledger: Ledger, *answers: Any, **more: Any) -> tuple[ChatModel, ScriptedModel]:
    """Return a model as the idle mind is given one, and the script behind it."""
    script = ScriptedModel(*answers, **more)
    return ledger.model(script, purpose=PURPOSE, background=True), script


def test_each_channel_is_taken_and_nothing_that_surfaces_is_used(lived: Engram, clock: FixedClock) -> None:
    """Goals are thought of, distant memories are put together, and no memory gains by coming to mind."""
    before = {each["id"]: each for each in nodes(lived, "memories")}
    done = wander(lived, clock, 12)
    thoughts = kept(lived, clock)
    taken = Counter(each.channel for each in thoughts)
    assert len(thoughts) == len(done) == 12
    assert taken[Channel.GOAL]
    assert taken[Channel.INSIGHT]
    assert taken[Channel.REVIEW]
    for each in thoughts:
        match each.channel:
            case Channel.GOAL:
                assert each.goal
                assert GOAL in each.text
                assert len(each.surfaced) == 1
            case Channel.INSIGHT:
                assert each.goal is None
                assert len(each.surfaced) == 2
            case _:
                assert not each.goal
    assert {each["id"]: each for each in nodes(lived, "memories")} == before


def test_what_is_about_the_agent_is_kept_to_be_evaluated(memory: Engram, clock: FixedClock) -> None:
    """A memory that always holds brings identity to mind: the thought is of that channel and asks what it says."""
    memory.remember("I keep my word to whom I gave it", immutable=True)
    memory.remember("The harbour was quiet in the morning")
    clock.advance(timedelta(hours=2))
    thoughts = [each.thought for each in wander(memory, clock, 10) if each.thought]
    own = [each for each in thoughts if each.channel is Channel.IDENTITY]
    assert own
    assert all("What does that say about me?" in each.text for each in own)
    assert {each.state for each in own} == {"offered"}


def test_without_a_model_it_says_so_and_waits(lived: Engram, clock: FixedClock) -> None:
    """Thoughts are kept all the same; those about goals wait until somebody can think them through."""
    with minded(lived) as mind:
        for _ in range(6):
            assert mind.cycle().reply is None
        assert NO_MODEL in mind.notes
    states = {each.channel: each.state for each in kept(lived, clock)}
    assert states[Channel.GOAL] == "waiting"
    assert states[Channel.INSIGHT] == "offered"
    assert nodes(lived, "calls") == []


def test_with_a_model_what_waits_is_thought_through(lived: Engram, clock: FixedClock, ledger: Ledger) -> None:
    """An earlier run's thought is taken up; the reply is kept, and calls are the idle mind's own purpose."""
    wander(lived, clock, 3)
    waiting = [each for each in kept(lived, clock) if each.state == "waiting"]
    assert waiting
    model, script = metered(ledger, respond=lambda _: "It does: paint needs a dry day.")
    done = wander(lived, clock, 6, model)
    assert any(each.reply for each in done)
    thought = [each for each in kept(lived, clock) if each.state == "thought"]
    assert thought
    assert all(each.acted_at for each in thought)
    assert {each.run for each in thought} - {waiting[0].run} or waiting[0].id in {each.id for each in thought}
    assert ledger.flush()
    assert {each["purpose"] for each in nodes(lived, "calls")} == {PURPOSE}
    assert len(nodes(lived, "calls")) == len(script.asked)
    assert any("paint needs a dry day" in each["text"] for each in nodes(lived, "turns"))


def test_a_reply_is_to_the_thought_that_was_thought_through(
    lived: Engram, clock: FixedClock, ledger: Ledger
) -> None:
    """Only what bears on a goal, or looks back, is thought through; the cycle names it, and no other is marked for it."""
    model, script = metered(ledger, respond=lambda _: "It does: paint needs a dry day.")
    done = wander(lived, clock, 12, model)
    answered = [each.answered for each in done if each.reply]
    assert answered
    assert all(each is not None and each.channel in {Channel.GOAL, Channel.REVIEW} for each in answered)
    asked = [
        message.text for each in script.asked for message in each.messages if "<thought>" in message.text
    ]
    told = {each.text for each in answered if each is not None}
    assert all(any(text in each for each in asked) for text in told)
    assert all(any(text in each for text in told) for each in asked)
    stored = {each.id: each for each in kept(lived, clock)}
    assert {each.id for each in stored.values() if each.state == "thought"} == {
        each.id for each in answered if each is not None
    }
    assert {each.state for each in stored.values() if each.channel is Channel.INSIGHT} == {"offered"}


def test_what_has_left_the_working_set_does_not_come_to_mind(memory: Engram, clock: FixedClock) -> None:
    """As long as twenty others are there; where hardly anything else is, it does."""
    old = {memory.remember(f"The old pier has plank number {n}").id for n in range(30)}
    clock.advance(timedelta(days=1))
    assert wander(memory, clock, 1)[0].thought, "everything has left, and the mind is not empty"
    new = {memory.remember(f"The new mast has ring number {n}").id for n in range(25)}
    clock.advance(timedelta(minutes=5))
    drawn = [minded(memory, seed).imagine() for seed in range(20)]
    first = [each.memories[0] for each in drawn if isinstance(each, Surfaced) and each.memories]
    assert len(first) == 20
    assert {*first} <= new
    assert not {*first} & old


def test_it_is_quiet_while_somebody_talks(lived: Engram, clock: FixedClock) -> None:
    """What is said keeps it quiet for ten minutes, whether the conversation is over or not; then it goes on."""
    with talk(lived, clock) as agent:
        list(agent.say("Hello there, I am painting today"))
        said = minded(lived).cycle()
        assert said.thought is None
        assert said.why is not None
        assert "somebody spoke" in said.why
    assert wander(lived, clock, 1)[0].thought is None
    assert kept(lived, clock) == ()
    clock.advance(timedelta(minutes=15))
    assert wander(lived, clock, 1)[0].thought is not None


def test_an_open_conversation_keeps_it_quiet(lived: Engram, clock: FixedClock) -> None:
    """Somebody who has just opened a conversation is about to speak; its own runs are none."""
    with talk(lived, clock):
        assert "a conversation is open" in str(minded(lived).cycle().why)
    with minded(lived) as mind:
        assert mind.cycle().thought
        assert mind.cycle().thought


def test_one_process_wanders_at_a_time(lived: Engram) -> None:
    """A second run finds the lease taken, says so and keeps nothing; after the first it may."""
    with minded(lived) as first, minded(lived, 2) as second:
        assert first.cycle().thought
        assert second.cycle().why == BUSY
        first.close()
        assert second.cycle().thought


def test_the_same_topic_over_and_over_broadens(lived: Engram, clock: FixedClock) -> None:
    """Once the topics of what came to mind hold little entropy, the leanings count less."""
    store = Thoughts(lived.graph, space=lived.space)
    (usual,) = wander(lived, clock, 1)
    assert usual.thought
    assert not usual.broadened
    for number in range(6):
        again = {name: getattr(usual.thought, name) for name in Thought.__slots__} | {
            "id": f"{number:032x}{lived.space}",
            "at": clock.now,
        }
        store.store(Thought(**again))
    clock.advance(timedelta(minutes=1))
    assert wander(lived, clock, 1)[0].broadened


def test_the_day_s_budget_holds(lived: Engram, clock: FixedClock, ledger: Ledger) -> None:
    """Calls end at the day's limit and begin anew on the next; what was not thought through waits."""
    lived.tune("idle.daily_calls", 2)
    model, script = metered(ledger, respond=lambda _: "It does: paint needs a dry day.")
    done = wander(lived, clock, 9, model)
    assert len(script.asked) <= 2
    assert any(each.why and "budget" in each.why for each in done)
    assert "waiting" in {each.state for each in kept(lived, clock)}
    asked = len(script.asked)
    clock.advance(timedelta(days=1))
    wander(lived, clock, 5, model)
    assert asked < len(script.asked) <= asked + 2


def test_a_run_over_midnight_goes_on(lived: Engram, clock: FixedClock, ledger: Ledger) -> None:
    """One run that has used up a day's calls takes up what waits once the next day has begun."""
    lived.tune("idle.daily_calls", 1)
    model, script = metered(ledger, respond=lambda _: "It does: paint needs a dry day.")
    with minded(lived, model=model) as mind:
        for _ in range(9):
            mind.cycle()
            clock.advance(timedelta(minutes=1))
        assert len(script.asked) == 1
        waiting = {each.id for each in kept(lived, clock) if each.state == "waiting"}
        assert waiting
        clock.advance(timedelta(hours=12))
        for _ in range(9):
            mind.cycle()
            clock.advance(timedelta(minutes=1))
        assert len(script.asked) == 2


@pytest.mark.parametrize(("calls", "tokens", "granted"), [(5, 10**6, 5), (50, 250, 2), (0, 10**6, 0)])
def test_no_two_runs_pass_the_budget_together(
    lived: Engram, clock: FixedClock, calls: int, tokens: int, granted: int
) -> None:
    """However many ask at once, no more is reserved than a day holds: 100 tokens each."""
    with talk(lived, clock):
        pass
    lived.tune("idle.daily_calls", calls)
    lived.tune("idle.daily_tokens", tokens)
    numbers = lived.tuning()
    rations = [Rations(lived.graph, space=lived.space, tuned=lambda: numbers, clock=clock) for _ in range(2)]

    def ask(number: int) -> bool:
        try:
            rations[number % 2].reserve(100)
        except BudgetError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(ask, range(12))) == granted


def test_what_the_ledger_has_recorded_counts(lived: Engram, clock: FixedClock, ledger: Ledger) -> None:
    """Calls of the purpose that the count knows nothing of are of the day all the same; unused tokens are given back."""
    with talk(lived, clock):
        pass
    used = ScriptedAnswer("Yes.", usage=Usage(input_tokens=40_000, output_tokens=1_000))
    model, _ = metered(ledger, used)
    list(model.stream("", (), max_tokens=9))
    assert ledger.flush()
    rations = Rations(lived.graph, space=lived.space, tuned=lived.tuned, clock=clock)
    with pytest.raises(BudgetError):
        rations.reserve(9_001)
    day = rations.reserve(9_000)
    rations.settle(day, 8_000)
    rations.reserve(8_000)


def test_the_job_wanders_and_a_dry_run_only_says(lived: Engram, clock: FixedClock) -> None:
    """A run lets as many thoughts come up as it is told; a dry run says what one would be, and writes nothing."""
    lived.tune("idle.cycles", 3)
    script = ScriptedModel(respond=lambda _: "It does: paint needs a dry day.")
    models = resolve_name("engram.llm:Models")(system1=script, quiet=script)
    before = everything(lived)
    with Means(lived, models=lambda: models) as means:
        dry = run_job(JOB, lived.graph, space=lived.space, clock=clock, means=means, dry_run=True)
        assert everything(lived) == before
        assert [{*each} for each in dry.examples] == [{"channel", "leaning", "text"}]
        done = run_job(JOB, lived.graph, space=lived.space, clock=clock, means=means)
        assert run_job(JOB, lived.graph, space=lived.space, clock=clock, means=means).changed == 0
    assert done.changed == 3
    assert len(kept(lived, clock)) == 3
    assert all(each["purpose"] == PURPOSE for each in nodes(lived, "calls"))


def test_a_seed_repeats_a_mind(lived: Engram) -> None:
    """The same seed brings the same to mind, and nothing is written by imagining."""
    before = everything(lived)
    first, again = (minded(lived, 3).imagine() for _ in range(2))
    assert isinstance(first, Surfaced)
    assert first == again
    assert len({minded(lived, seed).imagine() for seed in range(10)}) > 1
    assert everything(lived) == before


def test_an_empty_space_has_nothing_to_think_of(memory: Engram) -> None:
    """It says so, and writes nothing."""
    with minded(memory) as mind:
        assert mind.cycle() == Cycle(why="Nothing is remembered yet.")
    assert everything(memory) == ([], [])


def test_nobody_was_there_while_it_wandered(lived: Engram, clock: FixedClock) -> None:
    """An idle run is no restart, and does not hide for how long nobody talked."""
    with talk(lived, clock):
        pass
    clock.advance(timedelta(days=3))
    assert wander(lived, clock, 2)[0].thought
    with talk(lived, clock, session="later") as agent:
        assert agent.manifest.restarts == 1
        assert agent.manifest.away is not None
        assert agent.manifest.away.days == 3
