"""How much a memory matters."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import InvalidInputError
from engram.scoring.weight import (
    CAP_ODDS,
    PRIOR_EVIDENCE,
    WEIGHT_CAP,
    StochasticWeight,
    centers,
    damped,
    samples,
)

PARAMETERS = st.floats(1e-3, 1e6)
WEIGHTS = st.builds(StochasticWeight, PARAMETERS, PARAMETERS)
AMOUNTS = st.floats(0.0, 1e3)


def observations(weight: StochasticWeight, n: int = 100, seed: int = 0) -> list[float]:
    """Return `n` observations of one weight."""
    generator = np.random.default_rng(seed)
    return [weight.observe(generator) for _ in range(n)]


@pytest.mark.parametrize(
    ("alpha", "beta", "center", "contested", "uninformed"),
    [
        (1, 4, 0.2, False, False),
        (10, 2, 10 / 12, False, False),
        (50, 2, 50 / 52, False, False),
        (30, 25, 30 / 55, True, False),
        (1, 1, 0.5, False, True),
    ],
    ids=["new", "reinforced", "conviction", "contested", "reset"],
)
def test_shape_tells_the_quality_of_the_evidence(
    alpha: float, beta: float, center: float, *, contested: bool, uninformed: bool
) -> None:
    """The five shapes of the design have their centre and their flags."""
    weight = StochasticWeight(alpha, beta)
    assert weight.center == pytest.approx(center)
    assert weight.is_contested is contested
    assert weight.is_uninformed is uninformed


def test_a_new_memory_is_beta_1_4() -> None:
    """Without evidence the centre is 0.2 and the evidence is the prior's."""
    weight = StochasticWeight()
    assert (weight.alpha, weight.beta, weight.total_evidence) == (1.0, 4.0, PRIOR_EVIDENCE)


@pytest.mark.parametrize("seed", range(5))
def test_a_new_memory_is_observed_all_over_the_lower_range(seed: int) -> None:
    """A hundred observations of Beta(1, 4) reach from about 0.01 to about 0.6 around 0.2."""
    seen = observations(StochasticWeight(1, 4), seed=seed)
    assert min(seen) < 0.03
    assert 0.45 < max(seen) < 0.95
    assert np.mean(seen) == pytest.approx(0.2, abs=0.06)


@pytest.mark.parametrize("seed", range(5))
def test_a_conviction_is_observed_near_one(seed: int) -> None:
    """At least nine in ten observations of Beta(50, 2) are above 0.9, and none is far below."""
    seen = observations(StochasticWeight(50, 2), seed=seed)
    assert np.quantile(seen, 0.1) > 0.9
    assert min(seen) > 0.75


@pytest.mark.parametrize("seed", range(5))
def test_a_contested_belief_is_observed_wider_than_a_conviction(seed: int) -> None:
    """Beta(30, 25) spreads around 0.55, more than twice as wide as Beta(50, 2) for as much evidence."""
    contested = observations(StochasticWeight(30, 25), seed=seed)
    conviction = observations(StochasticWeight(50, 2), seed=seed)
    assert np.mean(contested) == pytest.approx(0.55, abs=0.03)
    assert np.ptp(contested) > 0.2
    assert np.std(contested) > 2 * np.std(conviction)


@pytest.mark.parametrize(("alpha", "beta"), [(5, 5), (5, 9), (9, 5)])
def test_five_on_either_side_is_not_yet_contested(alpha: float, beta: float) -> None:
    """Contested takes more than 5 on both sides."""
    assert not StochasticWeight(alpha, beta).is_contested


@pytest.mark.parametrize(("alpha", "beta"), [(2, 1), (1, 2), (2, 2)])
def test_two_on_either_side_is_not_uninformed(alpha: float, beta: float) -> None:
    """Uninformed takes less than 2 on both sides."""
    assert not StochasticWeight(alpha, beta).is_uninformed


@given(weight=WEIGHTS, amount=AMOUNTS)
def test_evidence_moves_the_center_its_way(weight: StochasticWeight, amount: float) -> None:
    """Reinforcing never lowers the centre, contradicting never raises it; each adds just its amount."""
    stronger, weaker = weight.reinforce(amount), weight.contradict(amount)
    assert weaker.center <= weight.center <= stronger.center
    assert (stronger.alpha, stronger.beta) == (weight.alpha + amount, weight.beta)
    assert (weaker.alpha, weaker.beta) == (weight.alpha, weight.beta + amount)


def test_a_contradiction_counts_half_a_reinforcement() -> None:
    """Unless told otherwise, evidence for is 1 and evidence against 0.5."""
    assert StochasticWeight(1, 4).reinforce().contradict() == StochasticWeight(2, 4.5)


@given(weight=WEIGHTS)
def test_variance_is_that_of_a_beta_distribution(weight: StochasticWeight) -> None:
    """It is μ(1 - μ) / (alpha + beta + 1), and so never above a quarter."""
    mean = weight.center
    assert weight.variance == pytest.approx(mean * (1 - mean) / (weight.total_evidence + 1), abs=1e-12)
    assert 0 <= weight.variance < 0.25


def test_moments_are_those_that_are_observed() -> None:
    """Many observations have the centre and the variance that the weight states."""
    weight = StochasticWeight(3, 7)
    seen = observations(weight, 20_000)
    assert np.mean(seen) == pytest.approx(weight.center, abs=0.005)
    assert np.var(seen) == pytest.approx(weight.variance, rel=0.05)


@given(weight=WEIGHTS, seed=st.integers(0, 2**32))
def test_an_observation_is_a_fraction_and_the_generator_decides_it(
    weight: StochasticWeight, seed: int
) -> None:
    """Each lies between 0 and 1, and the same seed gives the same."""
    seen = observations(weight, 5, seed)
    assert all(0 <= value <= 1 for value in seen)
    assert seen == observations(weight, 5, seed)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_parameters_must_be_positive_and_finite(bad: float) -> None:
    """No other parameter makes a Beta distribution."""
    with pytest.raises(InvalidInputError, match="positive and finite"):
        StochasticWeight(alpha=bad)
    with pytest.raises(InvalidInputError, match="positive and finite"):
        StochasticWeight(beta=bad)


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_evidence_is_never_taken_back(bad: float) -> None:
    """An amount is 0 or more and finite."""
    with pytest.raises(InvalidInputError, match="0 or more"):
        StochasticWeight().reinforce(bad)
    with pytest.raises(InvalidInputError, match="0 or more"):
        StochasticWeight().contradict(bad)


@given(st.lists(st.tuples(PARAMETERS, PARAMETERS), min_size=1, max_size=20), st.integers(0, 2**32))
def test_arrays_give_what_single_weights_give(pairs: list[tuple[float, float]], seed: int) -> None:
    """Centres and draws over arrays are those of the weights one by one."""
    alpha, beta = np.array(pairs).T
    one_by_one = np.random.default_rng(seed)
    weights = [StochasticWeight(*pair) for pair in pairs]
    assert centers(alpha, beta) == pytest.approx([weight.center for weight in weights])
    drawn = samples(alpha, beta, np.random.default_rng(seed))
    assert drawn == pytest.approx([weight.observe(one_by_one) for weight in weights])


@given(amount=AMOUNTS, evidence=st.floats(0.0, PRIOR_EVIDENCE))
def test_the_first_step_counts_in_full(amount: float, evidence: float) -> None:
    """Up to the evidence of the prior the whole amount counts."""
    assert damped(amount, evidence) == amount


@given(amount=AMOUNTS, beyond=st.floats(0.0, 1e6))
def test_a_step_is_divided_by_the_logarithm_of_the_evidence(amount: float, beyond: float) -> None:
    """With n of evidence beyond the prior, this step included, it counts 1 / log2(n + 1)."""
    n = beyond + 1.0
    assert damped(amount, PRIOR_EVIDENCE + beyond) == pytest.approx(amount / math.log2(n + 1.0))


@given(amount=st.floats(1e-3, 10), evidence=st.lists(st.floats(0.0, 1e6), min_size=2, max_size=20))
def test_damping_falls_with_the_evidence(amount: float, evidence: list[float]) -> None:
    """More evidence never leaves more of the amount, and some is always left."""
    left = damped(amount, np.sort(evidence))
    assert (np.diff(left) <= 0).all()
    assert ((left > 0) & (left <= amount)).all()


def test_powers_of_two_are_whole_parts() -> None:
    """Two beyond the prior leave half, six a third, fourteen a quarter."""
    assert damped(0.1, PRIOR_EVIDENCE + 2) == pytest.approx(0.05)
    assert damped(0.1, PRIOR_EVIDENCE + np.array([2.0, 6, 14])) == pytest.approx([0.05, 0.1 / 3, 0.025])


def test_the_cap_is_its_odds() -> None:
    """0.95 is 19 in 20."""
    assert StochasticWeight(CAP_ODDS, 1.0).center == WEIGHT_CAP
