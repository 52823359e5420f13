"""Outcomes against a real Neo4j: what a person and the graph say later ends where the decision was made."""

from collections.abc import Callable
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.lifecycle import tune
from engram.loop.scratch import Scratch, Verdict
from engram.memory import Engram
from engram.mind.outcomes import OutcomeKind, count_outcomes, list_outcomes
from engram.records import Turn
from engram.testing import FixedClock
from tests.graph.beside import run
from tests.graph.talking import entry, talk
from tests.graph.test_adapt import DAY, KEY, adapt, dropped
from tests.graph.test_gut import MINUTE, aim, kept, measure

pytestmark = pytest.mark.graph

cli = resolve_name("engram.cli.outcomes")
SCHEDULE: Any = resolve_name("engram.jobs.scheduler:JOBS")


def goods(memory: Engram, kind: OutcomeKind) -> dict[str, float]:
    """Return how good the outcomes of a kind are, by the end of the id of what led to them."""
    found = list_outcomes(memory.graph, space=memory.space, kind=kind, limit=99)
    return {each.led.id.rpartition(":")[2]: each.good for each in found if each.led is not None}


def both(memory: Engram, clock: FixedClock) -> None:
    """Run both jobs that judge the gates, the one that knows less first."""
    measure(memory, clock)
    adapt(memory, clock)


def test_a_verdict_ends_at_the_feeling_and_gives_an_axis_its_meaning(
    memory: Engram, clock: FixedClock
) -> None:
    """What was found useful while one thing was felt, and useless while another was, names the axis between the two."""
    tune(memory.graph, space=memory.space, key="gut.outcomes", value=4, by="test", now=clock.now)
    aim(memory, clock)
    memory.remember("The boat of Noor is blue like the harbour")
    memory.remember("The tax office wants the form before Friday")
    clock.advance(MINUTE)
    agent = talk(memory, clock)
    for question, useful in [
        ("Is the boat of Noor blue?", True),
        ("What does the tax office want?", False),
        ("Which boat of Noor is in the harbour?", True),
        ("Does the tax office want a form?", False),
        ("Is the blue boat that of Noor?", True),
        ("Which form does the tax office want?", False),
    ]:
        list(agent.say(question))
        agent.judge(useful=useful, which=None)
        clock.advance(MINUTE)
    agent.finish()
    measure(memory, clock)
    found = kept(memory)
    assert [each["good"] for each in found["feelings"]] == [1.0, 0.0] * 3
    assert {each["why"] for each in found["feelings"]} == {"a verdict on what came to mind"}
    widest = found["axes"][0]
    assert abs(widest["correlation"]) > 0.7
    name, words = (
        ("hope", {"boat", "noor", "blue"})
        if widest["correlation"] > 0
        else ("fear", {"tax", "office", "form"})
    )
    kind, _, told = widest["name"].partition(": ")
    assert kind == name
    assert {*told.split(", ")} <= words | {"harbour", "want"}
    assert abs(sum(each["share"] for each in found["axes"]) - 1.0) < 1e-6
    clock.advance(timedelta(days=1))
    later = talk(memory, clock, session="later")
    list(later.say("Is the boat of Noor blue?" if name == "hope" else "What does the tax office want?"))
    lines = later._presence.sections()["gut"]
    later.finish()
    assert any(f"“{widest['name']}”" in line for line in lines)


def test_what_is_said_next_is_an_outcome_too(memory: Engram, clock: FixedClock) -> None:
    """A correction right after is bad, thanks are good, and anything else says nothing."""
    aim(memory, clock)
    agent = talk(memory, clock)
    for text in ("My boat is called Ines", "No, I meant Irina", "Thanks a lot", "It rains today"):
        list(agent.say(text))
        clock.advance(MINUTE)
    agent.finish()
    measure(memory, clock)
    assert [each["good"] for each in kept(memory)["feelings"]] == [0.0, 1.0, None, None]


def test_promotions_and_escalations_come_to_what_followed(memory: Engram, clock: FixedClock) -> None:
    """Taken back is bad, verdicts count by their share, of what is asked after them none does; once each."""
    promoted = memory.remember("The boat of Noor is blue")
    run(memory, "outcomes_lay", promoted=promoted.id, at=clock.now)
    clock.advance(MINUTE)
    for _ in range(2):
        measure(memory, clock)
        assert goods(memory, OutcomeKind.PROMOTION) == {"taken-back": 0.0, "judged": 0.75}
        assert goods(memory, OutcomeKind.ESCALATION) == {"call-judged": 0.0}
    tallies = {
        each.kind: (each.outcomes, each.good) for each in count_outcomes(memory.graph, space=memory.space)
    }
    assert tallies == {"promotion": (2, 0.375), "escalation": (1, 0.0), "feeling": (1, 0.0)}
    newest = list_outcomes(memory.graph, space=memory.space, kind=OutcomeKind.PROMOTION)
    assert {each.memories for each in newest} == {(promoted.id,)}
    told = [line for each in newest for line in cli.outcome_lines(each)]
    assert any("75% good: 3 of 4 verdicts found it useful" in line for line in told)
    assert f"     memories: {promoted.id[:8]}" in told
    assert "promotions: 2, 38% good" in cli.tally_lines(count_outcomes(memory.graph, space=memory.space))


def test_what_a_person_replaced_was_no_good_promotion(memory: Engram, clock: FixedClock) -> None:
    """Whatever the verdicts on it said before; that no job has found it out changes nothing."""
    promoted = memory.remember("The boat of Noor is blue")
    run(memory, "outcomes_lay", promoted=promoted.id, at=clock.now)
    clock.advance(MINUTE)
    painted = memory.remember("The boat of Noor is red now")
    memory.supersede(promoted.id, painted.id, reason="painted")
    measure(memory, clock)
    found = list_outcomes(memory.graph, space=memory.space, kind=OutcomeKind.PROMOTION)
    assert {(each.led.id.rpartition(":")[2], each.good, each.why) for each in found if each.led} == {
        ("taken-back", 0.0, "taken back"),
        *(
            (each, 0.0, "withdrawn, replaced or contradicted since")
            for each in ("judged", "unknown", "young")
        ),
    }


@pytest.mark.parametrize(
    ("kind", "role", "undone", "good"),
    [
        ("withdrawal", "insight", False, 0.0),
        ("withdrawal", "insight", True, 0.75),
        ("withdrawal", "source", False, 0.75),
        ("tension", "a", False, 0.0),
        ("reinforcement", "old", False, 0.75),
    ],
)
def test_what_speaks_against_a_promotion_makes_it_bad(
    memory: Engram, clock: FixedClock, *, kind: str, role: str, undone: bool, good: float
) -> None:
    """A withdrawal of the insight itself or a contradiction, as long as it stands; else its verdicts count."""
    promoted = memory.remember("The boat of Noor is blue")
    run(memory, "outcomes_lay", promoted=promoted.id, at=clock.now)
    clock.advance(MINUTE)
    run(
        memory,
        "outcomes_against",
        promoted=promoted.id,
        kind=kind,
        role=role,
        undone=undone,
        at=clock.now,
    )
    measure(memory, clock)
    assert goods(memory, OutcomeKind.PROMOTION)["judged"] == good


def test_a_decision_of_the_gate_is_judged_when_its_time_is_over(memory: Engram, clock: FixedClock) -> None:
    """Held back and never needed was good, but that is only known after the days in which it may have been."""
    said = entry(f"{memory.space}-dropped", clock.now, text="The hut has a roof", source_tag="internal_reply")
    scratch = Scratch(memory.graph, space=memory.space)
    scratch.hear([said], run=None, now=clock.now)
    verdict = Verdict(
        entry=said,
        action="drop",
        reason="irrelevant (0.10)",
        relevance=0.1,
        novelty="novel",
        similarity=0.0,
        buffered=False,
    )
    memory.graph.transact(lambda transaction: scratch.note(transaction, [verdict], now=clock.now))
    adapt(memory, clock)
    measure(memory, clock)
    assert goods(memory, OutcomeKind.GATE) == {}
    clock.advance(timedelta(days=7, minutes=-1))
    both(memory, clock)
    assert goods(memory, OutcomeKind.GATE) == {}
    clock.advance(MINUTE)
    both(memory, clock)
    (only,) = list_outcomes(memory.graph, space=memory.space)
    assert (only.kind, only.good, only.why) == ("gate", 1.0, "held back (irrelevant), never used")


def test_what_the_gate_kept_is_good_as_soon_as_it_is_used(memory: Engram, clock: FixedClock) -> None:
    """A use in time settles it at once; the turn that was decided about is what led to it."""
    agent = talk(memory, clock)
    list(agent.say("The boat of Noor is blue and lies in the harbour"))
    agent.finish()
    adapt(memory, clock)
    measure(memory, clock)
    assert goods(memory, OutcomeKind.GATE) == {}
    clock.advance(MINUTE)
    (hit, *_) = memory.recall("Where is the boat of Noor?", 1)
    measure(memory, clock)
    (only,) = list_outcomes(memory.graph, space=memory.space, kind=OutcomeKind.GATE)
    assert (only.good, only.memories) == (1.0, (hit.memory.id,))
    assert only.led is not None
    assert only.led.text == "The boat of Noor is blue and lies in the harbour"


def test_what_was_held_back_and_said_again_was_needed(memory: Engram, clock: FixedClock) -> None:
    """With both jobs every day, the one that knows what was needed in other words is the one that judges."""
    dropped(memory, clock, KEY)
    both(memory, clock)
    clock.advance(3 * DAY)
    memory.remember_turns([Turn(text=KEY, speaker="Ida", at=clock.now)])
    for days in (0, 3, 1):
        clock.advance(days * DAY)
        both(memory, clock)
    (only,) = list_outcomes(memory.graph, space=memory.space, kind=OutcomeKind.GATE)
    assert (only.good, only.why) == (0.0, "held back (irrelevant), needed since")


def test_what_was_kept_has_until_its_last_day(memory: Engram, clock: FixedClock) -> None:
    """A first use on the last day is in time, though a day before nothing was known of one."""
    agent = talk(memory, clock)
    list(agent.say("The boat of Noor is blue and lies in the harbour"))
    agent.finish()
    both(memory, clock)
    clock.advance(13 * DAY)
    both(memory, clock)
    assert goods(memory, OutcomeKind.GATE) == {}
    clock.advance(DAY - MINUTE)
    memory.recall("Where is the boat of Noor?", 1)
    clock.advance(DAY)
    both(memory, clock)
    assert list(goods(memory, OutcomeKind.GATE).values()) == [1.0]


def test_calls_that_led_to_something_are_still_rolled_up(memory: Engram, clock: FixedClock) -> None:
    """An outcome keeps no record of a call alive: it stays, and says that what led to it is not on record any more."""
    promoted = memory.remember("The boat of Noor is blue")
    run(memory, "outcomes_lay", promoted=promoted.id, at=clock.now)
    measure(memory, clock)
    clock.advance(timedelta(days=60))
    sweep: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
    sweep(SCHEDULE["sweep"], memory.graph, space=memory.space, clock=clock)
    (left,) = list_outcomes(memory.graph, space=memory.space, kind=OutcomeKind.ESCALATION)
    assert left.led is None
