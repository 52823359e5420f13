"""The ceilings as pure checks, and what they measure."""

import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import InvalidInputError
from engram.goals import FEWEST as FEWEST_GOALS
from engram.goals import Goals, within_budget
from engram.learning import steps_over
from engram.loop.composing import told_above
from engram.safety import CEILINGS, Change, Phase, ceilings, two_gate
from engram.safety.ceilings import GOAL_SHARE
from engram.safety.measures import (
    FEWEST,
    Coherence,
    WeightSums,
    blend_gain,
    kept_share,
    share,
    weight_sums,
)
from engram.scoring.weight import PRIOR_EVIDENCE, WEIGHT_CAP, StochasticWeight, damped
from engram.tuning import Tuning

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
CENTERS = st.floats(0.01, 0.99)
SHARES = st.one_of(st.none(), st.floats(0.0, 1.0))


def passes(name: str, before: float, after: float, *, exempt: bool = False) -> bool:
    """Return whether a change passes one ceiling with its default limit."""
    return CEILINGS[name].check(Change(subject="m", before=before, after=after, exempt=exempt)).passed


# ----- Ceilings


@pytest.mark.parametrize("phase", range(4))
def test_the_phase_says_what_is_enforced(phase: int) -> None:
    """Ceilings of a phase up to `safety.enforced_phase` are enforced; all others are there, in shadow."""
    held = ceilings(Tuning({"safety.enforced_phase": phase}))
    assert held.keys() == CEILINGS.keys()
    assert {each.enforced for each in held.values() if each.phase <= phase} <= {True}
    assert {each.enforced for each in held.values() if each.phase > phase} <= {False}


def test_phase_a_is_enforced_unless_told_otherwise() -> None:
    """The default is what the plan enforces from the first day."""
    enforced = {name for name, each in CEILINGS.items() if each.enforced}
    assert enforced == {name for name, each in CEILINGS.items() if each.phase is Phase.A}
    assert enforced == {"weight_cap", "goal_budget"}


@given(before=CENTERS, after=CENTERS, exempt=st.booleans())
def test_no_weight_is_lifted_over_the_cap(before: float, after: float, exempt: bool) -> None:  # noqa: FBT001
    """Refused is what ends above the cap and higher than it was; immutable memories are exempt."""
    refused = after > WEIGHT_CAP + 1e-6 and after > before + 1e-6 and not exempt
    assert passes("weight_cap", before, after, exempt=exempt) or after > WEIGHT_CAP
    assert not (refused and passes("weight_cap", before, after, exempt=exempt))
    assert passes("weight_cap", before, min(after, max(before, WEIGHT_CAP)), exempt=exempt)


@given(before=CENTERS, moved=st.floats(-0.9, 0.9))
def test_no_weight_moves_faster_than_the_rate(before: float, moved: float) -> None:
    """Up or down, a tenth of what it was passes and more does not."""
    assert passes("rate_limit", before, before * 1.1)
    assert passes("rate_limit", before, before * 0.9)
    if abs(abs(moved) - 0.1) > 1e-6:
        assert passes("rate_limit", before, before * (1.0 + moved)) is (abs(moved) < 0.1)


@given(
    gain=st.one_of(st.none(), st.floats(-1, 1)),
    load=st.floats(0, 2),
    margin=st.floats(-1, 1),
    capacity=st.floats(0, 2),
)
def test_both_gates_must_let_a_parameter_pass(
    gain: float | None, load: float, margin: float, capacity: float
) -> None:
    """A change needs the margin on cases that it was not drawn from, and room; without cases it does not pass."""
    verdict = two_gate(gain, load, margin=margin, capacity=capacity)
    assert verdict.passed is (gain is not None and gain >= margin and load <= capacity)
    assert bool(verdict.reason) is not verdict.passed


@given(st.lists(st.booleans(), max_size=60))
def test_the_breaker_trips_once_in_a_row(reinforced: list[bool]) -> None:
    """Over any course of cycles it trips once for each run of twelve or more, at the twelfth."""
    streak, tripped, expected = 0, [], []
    for place, again in enumerate(reinforced):
        before, streak = streak, streak + 1 if again else 0
        if not passes("circuit_breaker", before, streak):
            tripped.append(place)
        if (
            reinforced[max(place - 11, 0) : place + 1] == [True] * 12
            and reinforced[max(place - 12, 0) : place] != [True] * 12
        ):
            expected.append(place)
    assert tripped == expected


@pytest.mark.parametrize(("name", "drop"), [("entropy", 0.05), ("coherence", 0.2)])
def test_only_a_fall_is_an_alarm(name: str, drop: float) -> None:
    """A rise, a small fall and no change pass; a greater fall does not."""
    assert passes(name, 0.5, 0.9)
    assert passes(name, 0.9, 0.9)
    assert passes(name, 0.9, 0.9 - drop)
    assert not passes(name, 0.9, 0.9 - drop - 0.01)


def test_an_event_says_what_was_stopped() -> None:
    """An event is enforced where its ceiling is and there was still something to stop."""
    change = Change(subject="m", before=0.9, after=0.97)
    event = CEILINGS["weight_cap"].fired(change, at=NOON)
    assert event is not None
    assert (event.ceiling, event.phase, event.subject, event.at) == ("weight_cap", Phase.A, "m", NOON)
    assert (event.before, event.after, event.enforced) == (0.9, 0.97, True)
    assert "0.9700" in event.reason
    late = CEILINGS["weight_cap"].fired(change, at=NOON, stopped=False)
    assert late is not None
    assert not late.enforced
    fast = CEILINGS["rate_limit"].fired(Change(subject="m", before=0.2, after=0.3), at=NOON)
    assert fast is not None
    assert not fast.enforced
    assert CEILINGS["weight_cap"].fired(Change(subject="m", before=0.2, after=0.3), at=NOON) is None


@pytest.mark.parametrize("phase", range(3))
def test_steps_of_a_recall_become_events(phase: int) -> None:
    """What the statement found is an event of that ceiling, enforced as the space has it."""
    over = [{"ceiling": "weight_cap", "phase": 1, "alpha": 76.0, "id": "m", "before": 0.95, "after": 0.951}]
    (event,) = steps_over(over, Tuning({"safety.enforced_phase": phase}), at=NOON)
    assert (event.ceiling, event.subject, event.before, event.after) == ("weight_cap", "m", 0.95, 0.951)
    assert event.enforced is (phase >= 1)
    assert event.reason.startswith("a recall would")
    (event,) = steps_over(over, Tuning(), at=NOON, by="a verdict")
    assert event.reason.startswith("a verdict would")


def test_a_fall_of_entropy_lowers_the_bar() -> None:
    """While memories are to be sampled more widely the bar is lower by a stated share; otherwise it is the number."""
    tuning = Tuning({"identity.threshold": 0.8, "safety.broaden": 0.5})
    assert told_above(tuning, broaden=False) == 0.8
    assert told_above(tuning, broaden=True) == pytest.approx(0.4)
    assert told_above(Tuning(), broaden=True) == pytest.approx(0.75 * 0.6)


def test_twenty_reinforcements_bring_less_and_less() -> None:
    """Twenty steps of 1: each is 1 / log2(n + 1) for its n, each less than the one before, 8.3 in all and not 20."""
    weight, gains = StochasticWeight(), []
    for _ in range(20):
        n = weight.total_evidence - PRIOR_EVIDENCE + 1.0
        gain = damped(1.0, weight.total_evidence)
        assert gain == pytest.approx(1.0 / math.log2(n + 1.0), abs=1e-12)
        gains.append(gain)
        weight = weight.reinforce(gain)
    assert gains[0] == 1.0
    assert (np.diff(gains) < 0).all()
    assert weight.alpha - 1.0 == pytest.approx(8.3, abs=0.05)


# ----- Measures


@given(st.lists(CENTERS, min_size=2, max_size=50))
def test_entropy_is_that_of_the_shares(centers: list[float]) -> None:
    """The sums give -Σ p ln p / ln n over the shares p of the weight, which is 1 where all are alike."""
    shares = np.array(centers) / sum(centers)
    expected = -(shares * np.log(shares)).sum() / math.log(len(centers))
    assert weight_sums(np.array(centers)).entropy == pytest.approx(expected, abs=1e-9)
    assert weight_sums(np.full(len(centers), centers[0])).entropy == pytest.approx(1.0)


@given(st.lists(CENTERS, min_size=2, max_size=20), st.integers(0, 20))
def test_sums_do_not_mind_how_a_space_is_cut(centers: list[float], cut: int) -> None:
    """Batches add up to the whole."""
    both = weight_sums(np.array(centers[:cut])) + weight_sums(np.array(centers[cut:]))
    assert both.entropy == pytest.approx(weight_sums(np.array(centers)).entropy, abs=1e-9)


def test_a_few_that_take_over_lower_the_entropy() -> None:
    """With most of the weight on one of a hundred, entropy is far below that of equals; of one there is none."""
    few = np.array([0.95] + [0.001] * 99)
    entropy = weight_sums(few).entropy
    assert entropy is not None
    assert entropy < 0.3
    assert WeightSums().entropy is None
    assert weight_sums(np.array([0.5])).entropy is None


@given(epistemic=SHARES, action=SHARES, value=SHARES)
def test_coherence_is_the_mean_of_what_is_known(
    epistemic: float | None, action: float | None, value: float | None
) -> None:
    """It lies between 0 and 1, leaves axes out that say nothing, and is 1 where none says anything."""
    overall = Coherence(epistemic=epistemic, action=action, value=value).overall
    known = [axis for axis in (epistemic, action, value) if axis is not None]
    assert 0.0 <= overall <= 1.0
    assert overall == pytest.approx(sum(known) / len(known) if known else 1.0)


def test_shares_of_nothing_say_nothing() -> None:
    """A share of no whole is None; otherwise what of before is still there counts, in any order."""
    assert share(0, 0) is None
    assert share(1, 4) == 0.25
    assert kept_share([], ["a"]) is None
    assert kept_share(["a", "b", "c", "d"], ["d", "x", "a"]) == 0.5


@given(st.integers(0, 4), st.floats(0.05, 0.5))
def test_a_blend_gains_where_it_lifts_what_was_good(component: int, shift: float) -> None:
    """More weight for what lifted good hits gains as much as it loses where those were bad; few hits say nothing."""
    before = np.full(5, 0.2)
    after = before * (1.0 - shift)
    after[component] += shift
    lifts = np.zeros((FEWEST, 5))
    lifts[:, component] = 0.1
    good = np.ones(FEWEST, dtype=np.bool_)
    gain = blend_gain(before, after, lifts, good)
    assert gain is not None
    assert gain == pytest.approx(0.1 * (after[component] / 0.2 - 1.0))
    assert gain > 0
    assert blend_gain(before, after, lifts, ~good) == pytest.approx(-gain)
    assert blend_gain(before, after, lifts[1:], good[1:]) is None


# ----- Goals


@given(st.lists(st.floats(0.01, 100.0), max_size=12))
def test_no_goal_outweighs_its_share(weights: list[float]) -> None:
    """Cut to the budget, no goal of three or more has over 40 % of all; what is not cut stays, what is has one level."""
    given_weights = np.array(weights)
    kept = within_budget(given_weights)
    if len(weights) < FEWEST_GOALS:
        assert kept.tolist() == weights
        return
    assert kept.max() <= GOAL_SHARE * kept.sum() * (1 + 1e-9)
    cut = kept < given_weights
    assert (kept[~cut] == given_weights[~cut]).all()
    assert len({*kept[cut].tolist()}) <= 1
    if given_weights.max() <= GOAL_SHARE * given_weights.sum():
        assert not cut.any()
    elif cut.any():  # no more than needed: what was cut has all that it may have
        assert kept[cut][0] == pytest.approx(GOAL_SHARE * kept.sum())


@pytest.mark.parametrize("weight", [0.0, -1.0, math.nan, math.inf])
def test_a_goal_weighs_something(weight: float) -> None:
    """A weight that is not above 0 and finite is refused before anything is asked."""
    with pytest.raises(InvalidInputError, match="above 0"):
        Goals.weigh(object.__new__(Goals), "abcdef", weight)
