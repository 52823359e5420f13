"""What outcomes advise about the gates' numbers, and what is pathological about a blend: pure functions."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.beliefs.adapting.blend_history import MOST_SHARE, blend_faults
from engram.beliefs.adapting.gate_tuning import (
    AGAINST,
    MOST_WEEKS,
    RULES,
    Advice,
    Cause,
    Held,
    Outcomes,
    Rule,
    Tally,
    advise,
    cause_of,
    outcomes_of,
    week_end,
    week_of,
)
from engram.safety import ceilings
from engram.scoring.relevance import BOUNDS, COMPONENTS, Learned, alphas_after
from engram.tuning import NUMBERS, Tuning

ENOUGH = 20
rules = st.sampled_from([*RULES.values()])
tallies = st.integers(0, 400).flatmap(lambda n: st.integers(0, n).map(lambda worthy: Tally(n, worthy)))
weeks = st.lists(st.dictionaries(st.sampled_from([*Cause]), tallies), max_size=6)
directions = st.sampled_from([-1, 0, 1])


def strict(rule: Rule, count: int = 100) -> Outcomes:
    """Return a week in which all that was held back was needed."""
    return {rule.held_back: Tally(count, count), rule.let_in: Tally(count, count)}


def lax(rule: Rule, count: int = 100) -> Outcomes:
    """Return a week in which nothing that was let in was used, and nothing else was needed."""
    return {rule.held_back: Tally(count, 0), rule.let_in: Tally(count, 0)}


def told(rule: Rule, *some: Outcomes, last: int = 0) -> Advice | None:
    """Return what some weeks advise about a number that stands at its default."""
    return advise(rule, some, Held(value=rule.default, last=last), enough=ENOUGH)


@given(rule=rules, some=weeks, share=st.floats(0, 1), last=directions)
def test_a_step_is_bounded(rule: Rule, some: list[Outcomes], share: float, last: int) -> None:
    """Whatever comes of it, a number moves by one step at most, and never out of its band."""
    value = round(rule.low + share * (rule.high - rule.low), 6)
    advice = advise(rule, some, Held(value=value, last=last), enough=ENOUGH)
    if advice is None:
        return
    assert abs(advice.after - value) <= rule.step + 1e-6
    assert rule.low <= advice.after <= rule.high
    assert advice.moves == (advice.direction != 0)
    if advice.moves:
        assert math.copysign(1, advice.after - value) == advice.direction * rule.opens


@given(rule=rules, some=weeks, low=st.floats(0.0, 1.0))
def test_a_number_outside_of_its_band_goes_no_further(rule: Rule, some: list[Outcomes], low: float) -> None:
    """A number that was left outside of the band is moved towards it, and by a step at most, or not at all."""
    advice = advise(rule, some, Held(value=low), enough=ENOUGH)
    if advice is not None:
        assert abs(advice.after - low) <= rule.step + 1e-6
        assert min(rule.low, low) - 1e-6 <= advice.after <= max(rule.high, low) + 1e-6


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_each_number_follows_both_kinds_of_outcome(rule: Rule) -> None:
    """What was needed opens the gate, what nobody uses closes it, and what is neither leaves it as it is."""
    opened, closed = told(rule, strict(rule), strict(rule)), told(rule, lax(rule), lax(rule))
    fair: Outcomes = {rule.held_back: Tally(100, 0), rule.let_in: Tally(100, 60)}
    stayed = told(rule, fair, fair)
    assert opened is not None
    assert closed is not None
    assert stayed is not None
    assert (opened.direction, closed.direction, stayed.direction) == (1, -1, 0)
    assert (opened.after - rule.default) * (closed.after - rule.default) < 0
    assert not stayed.moves
    assert opened.gain == pytest.approx(1 - rule.much)
    assert closed.gain == pytest.approx(rule.little)


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_bands_are_narrower_than_what_a_person_may_set(rule: Rule) -> None:
    """Each band holds the default, and ends before the number's own range does."""
    number = NUMBERS[rule.key]
    assert number.low < rule.low < rule.default < rule.high < number.high
    assert rule.step <= (rule.high - rule.low) / 4 + 1e-9


@given(rule=rules, count=st.integers(0, ENOUGH - 1), some=st.integers(0, 1))
def test_too_little_says_nothing(rule: Rule, count: int, some: int) -> None:
    """Under so many outcomes, or with fewer than two weeks, nothing is concluded; the weeks wait for more."""
    week = (strict, lax)[some](rule, count)
    assert told(rule, week, strict(rule)) is None
    assert told(rule, strict(rule)) is None
    assert told(rule) is None


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_number_does_not_swing(rule: Rule) -> None:
    """A step against the last one needs twice the evidence, one in the same direction does not."""
    assert told(rule, strict(rule, ENOUGH), strict(rule), last=-1) is None
    assert told(rule, lax(rule, ENOUGH), lax(rule), last=1) is None
    for week, last in ((strict(rule, AGAINST * ENOUGH), -1), (strict(rule, ENOUGH), 1)):
        advice = told(rule, week, strict(rule), last=last)
        assert advice is not None
        assert advice.direction == 1


def test_need_comes_before_disuse() -> None:
    """Where something held back was needed, a gate opens however little of what it lets in is used."""
    rule = RULES["gate.skip_short"]
    week: Outcomes = {rule.held_back: Tally(100, 6), rule.let_in: Tally(100, 0)}
    advice = told(rule, week, week)
    assert advice is not None
    assert advice.direction == 1
    some: Outcomes = {rule.held_back: Tally(100, 4), rule.let_in: Tally(100, 0)}
    assert (advice := told(rule, some, some)) is not None
    assert not advice.moves, "nor does it close where something was needed"


def test_at_its_bound_a_number_stays() -> None:
    """However much speaks for one more step, there is none beyond the band."""
    rule = RULES["gate.noise"]
    advice = advise(rule, [strict(rule)] * 2, Held(value=rule.high, last=1), enough=ENOUGH)
    assert advice is not None
    assert (advice.moves, advice.direction) == (False, 0)
    assert "bound" in advice.why


def test_only_the_newest_weeks_count() -> None:
    """What was long ago is not looked at."""
    rule = RULES["gate.core"]
    recent = [lax(rule, 5)] * MOST_WEEKS
    assert told(rule, strict(rule, 10_000), *recent) == told(rule, *recent)


def test_the_two_gates_see_a_step() -> None:
    """A step that the week kept apart speaks against, or that has nothing to be tried on, fires; one it confirms passes."""
    gate = ceilings(Tuning({"safety.enforced_phase": 2}))["two_gate"]
    rule, now = RULES["gate.peripheral"], datetime(2026, 1, 1, tzinfo=UTC)
    for apart, passes in ((strict(rule), True), ({}, False), ({rule.held_back: Tally(100, 1)}, False)):
        advice = told(rule, strict(rule), apart)
        assert advice is not None
        event = gate.fired(advice.change(), at=now)
        assert (event is None) == passes
        if event is not None:
            assert (event.subject, event.enforced) == ("gate.peripheral", True)
            assert event.after == pytest.approx(rule.step / rule.default)


ENTRY: dict[str, Any] = {
    "state": "decided",
    "text": "We took the night train to Vienna",
    "signals": [],
    "action": "drop",
    "reason": "irrelevant (0.10), nothing like it is known",
    "novelty": "novel",
    "memory": None,
}
KEPT = {"action": "persist", "reason": "core (0.70), novel: 0.20 to 0a1b2c3d", "memory": "m"}


@pytest.mark.parametrize(
    ("entry", "cause"),
    [
        ({}, Cause.IRRELEVANT),
        ({"novelty": "confirming"}, None),
        ({"reason": "an echo of what was recalled (0a1b2c3d)"}, None),
        ({"reason": "it could not be decided (ValueError)"}, None),
        ({"action": "skip", "reason": "peripheral (0.31), confirming: 0.90 to 0a1b2c3d"}, None),
        ({"action": "skip", "reason": "a short question tells nothing"}, None),
        ({"state": "skipped", "text": "ok", "action": None, "reason": None}, Cause.SHORT),
        ({"state": "skipped", "text": '{"a": 1, "b": 2}', "action": None, "reason": None}, Cause.MECHANICAL),
        (KEPT, Cause.CORE),
        (KEPT | {"action": "persist_and_flag"}, Cause.CORE),
        (KEPT | {"reason": "peripheral (0.31), nothing like it is known; kept at look 2"}, Cause.EDGE),
        (KEPT | {"reason": "irrelevant (0.1), nothing like it is known; kept by chance"}, Cause.CHANCE),
        (KEPT | {"text": "no meat"}, Cause.SHORT_IN),
        (KEPT | {"text": "no meat", "signals": ["preference"]}, Cause.CORE),
        (KEPT | {"text": '{"a": 1, "b": 2}'}, Cause.MECHANICAL_IN),
        (KEPT | {"action": "reinforce"}, None),
        (KEPT | {"memory": None}, None),
    ],
)
def test_causes(entry: dict[str, Any], cause: Cause | None) -> None:
    """Each decision is judged as what decided it, and what loses nothing is not judged."""
    assert cause_of(ENTRY | entry) == cause


@given(st.datetimes(datetime(2000, 1, 3), datetime(2100, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_weeks(at: datetime) -> None:
    """A time lies in its week, and weeks sort as they follow each other."""
    end = week_end(week_of(at))
    assert end - timedelta(weeks=1) <= at < end
    assert week_of(end) > week_of(at)
    assert week_end(week_of(end)) == end + timedelta(weeks=1)


@given(st.dictionaries(st.sampled_from([*Cause]), tallies.filter(lambda tally: tally.count)))
def test_counters_are_read_as_they_are_written(outcomes: dict[Cause, Tally]) -> None:
    """What a week counts is what is read of it, whatever else stands on it."""
    counters = {cause.value: tally.count for cause, tally in outcomes.items()}
    counters |= {cause.worthy: tally.worthy for cause, tally in outcomes.items() if tally.worthy}
    assert outcomes_of(counters | {"space": "a", "week": "2026-W01"}) == outcomes


@given(
    experience=st.floats(0, 1e6),
    offsets=st.lists(st.floats(-50, 50), min_size=5, max_size=5),
)
def test_a_blend_is_at_a_bound_or_not(experience: float, offsets: list[float]) -> None:
    """A blend is complained of where an alpha stands at a bound or one has nearly all, and nowhere else."""
    learned = Learned(experience, tuple(offsets))
    base, alphas = alphas_after(experience).as_array(), learned.alphas().as_array()
    ratios = alphas / base
    at_bound = {
        name
        for name, ratio in zip(COMPONENTS, ratios, strict=True)
        if any(math.isclose(ratio, bound, rel_tol=1e-8) for bound in BOUNDS)
    }
    faults = blend_faults(experience, offsets)
    assert {name for name in COMPONENTS if any(f"taken {name} to" in fault for fault in faults)} == at_bound
    assert any("the others hardly count" in fault for fault in faults) == (
        learned.alphas().mean().max() > MOST_SHARE
    )


@pytest.mark.parametrize(
    ("experience", "offsets"),
    [
        (0.0, [math.nan, 0, 0, 0, 0]),
        (0.0, [math.inf, 0, 0, 0, 0]),
        (-1.0, [0] * 5),
        (0.0, [0] * 4),
        (math.nan, [0] * 5),
    ],
)
def test_a_blend_that_cannot_be_used_is_said_to_be(experience: float, offsets: list[float]) -> None:
    """What no recall could blend with is one fault, and no error."""
    (fault,) = blend_faults(experience, offsets)
    assert "cannot be used" in fault


def test_a_fresh_blend_is_sound() -> None:
    """Where nothing was learned nothing is wrong."""
    assert blend_faults(0.0, [0.0] * 5) == ()
