"""ACT-R's activation, against pyactr and against the exact sum."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from pyactr.utilities import baselevel_learning  # type: ignore[import-untyped]

from engram.errors import InvalidInputError
from engram.scoring.activation import (
    MAXIMUM_STRENGTH,
    MINIMUM_AGE,
    activation,
    base_level,
    logistic_noise,
    partial_match,
    retrieval_probability,
    spreading,
)

DECAYS = st.floats(0.1, 0.9)
SECONDS = st.integers(0, 10**8)
AGES = st.floats(MINIMUM_AGE, 1e4)
DEGREES = st.one_of(st.floats(0.0, 1.0), st.just(math.nan))


def level(ages: list[float], lifetime: float, *, forgotten: int = 0, decay: float = 0.5) -> float:
    """Return the base level of one memory."""
    found = base_level(
        np.array([ages], dtype=np.float64),
        forgotten=np.array([forgotten]),
        lifetime=np.array([lifetime]),
        decay=decay,
    )
    return float(found[0])


def exact(ages: NDArray[np.float64], decay: float = 0.5) -> float:
    """Return the base level of the presentations at these ages, by the defining sum."""
    return math.log(math.fsum(ages**-decay))


@given(first=SECONDS, accesses=st.lists(SECONDS, max_size=64), since=st.integers(1, 10**8), decay=DECAYS)
def test_base_level_is_that_of_pyactr(first: int, accesses: list[int], since: int, decay: float) -> None:
    """Nothing forgotten, any history has the base level that pyactr computes from its times, to 1e-9."""
    times = np.array([first, *accesses], dtype=np.float64)
    now = times.max() + since
    found = base_level(
        np.array([now - times[1:]]),
        forgotten=np.array([0]),
        lifetime=np.array([now - first]),
        decay=decay,
        minimum_age=1.0,
    )
    expected = baselevel_learning(now, times, bll=True, decay=decay, optimized_learning=False)
    assert found[0] == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.tuples(st.lists(AGES, max_size=8), AGES), min_size=1, max_size=8))
def test_padding_and_company_change_nothing(histories: list[tuple[list[float], float]]) -> None:
    """Memories scored together, their lists filled up with NaN, score as they do alone."""
    width = max(len(ages) for ages, _ in histories)
    padded = np.array([ages + [math.nan] * (width - len(ages)) for ages, _ in histories])
    together = base_level(
        padded.reshape(len(histories), width),
        forgotten=np.zeros(len(histories), dtype=np.int64),
        lifetime=np.array([lifetime for _, lifetime in histories]),
    )
    assert together == pytest.approx([level(*history) for history in histories], abs=1e-12)


def test_one_use_a_day_ago_is_at_the_threshold() -> None:
    """Ages in days put τ = 0 at one day; four days halve the odds once more."""
    assert level([], 1.0) == pytest.approx(0.0)
    assert level([], 4.0) == pytest.approx(math.log(0.5))


@given(ages=st.lists(AGES, max_size=10), lifetime=AGES, later=st.floats(0.0, 1e3))
def test_base_level_never_rises_with_time_alone(ages: list[float], lifetime: float, later: float) -> None:
    """Without a new access a memory only fades."""
    faded = level([age + later for age in ages], lifetime + later)
    assert faded <= level(ages, lifetime) + 1e-12


@given(ages=st.lists(AGES, max_size=10), lifetime=AGES, access=AGES, forgotten=st.integers(0, 1000))
def test_every_access_raises_the_base_level(
    ages: list[float], lifetime: float, access: float, forgotten: int
) -> None:
    """One access more is never worse, remembered or forgotten."""
    before = level(ages, lifetime)
    assert level([*ages, access], lifetime) >= before
    assert level(ages, lifetime, forgotten=forgotten) >= before


@pytest.mark.parametrize(("kept", "tolerance"), [(64, 0.001), (10, 0.005), (1, 0.03)], ids=str)
@pytest.mark.parametrize("accesses", [65, 100, 1_000, 20_000])
def test_closed_form_of_evenly_spaced_accesses_is_near_the_exact_sum(
    kept: int, accesses: int, tolerance: float
) -> None:
    """With 64 accesses remembered it is off by less than 0.001, with one by less than 0.03."""
    ages = np.arange(1.0, accesses + 1) / 7
    found = level(ages[:kept].tolist(), float(ages[-1]), forgotten=accesses - kept - 1)
    assert found == pytest.approx(exact(ages), abs=tolerance)


@given(kept=st.integers(1, 64), more=st.integers(1, 500), spacing=st.floats(0.01, 30), decay=DECAYS)
def test_an_exact_first_presentation_is_never_worse_than_the_textbook_form(
    kept: int, more: int, spacing: float, decay: float
) -> None:
    """For even spacing Petrov's own formula, the first among the forgotten, errs at least as much."""
    ages = np.arange(1.0, kept + more + 1) * spacing
    t_k, t_n, n = ages[kept - 1], ages[-1], len(ages)
    mean = (t_n ** (1 - decay) - t_k ** (1 - decay)) / ((1 - decay) * (t_n - t_k))
    textbook = math.log(math.fsum(ages[:kept] ** -decay) + (n - kept) * mean)
    found = level(ages[:kept].tolist(), float(t_n), forgotten=more - 1, decay=decay)
    assert abs(found - exact(ages, decay)) <= abs(textbook - exact(ages, decay)) + 1e-9


@given(
    age=AGES, forgotten=st.integers(0, 10_000), decay=DECAYS, gap=st.sampled_from([0.0, 1e-15, 1e-12, 1e-9])
)
def test_closed_form_keeps_its_digits_where_the_gap_closes(
    age: float, forgotten: int, decay: float, gap: float
) -> None:
    """Forgotten accesses between two nearly equal times count as accesses at that time."""
    found = level([age], age * (1 + gap), forgotten=forgotten, decay=decay)
    assert found == pytest.approx(exact(np.full(forgotten + 2, age), decay), abs=1e-8)


def test_without_any_remembered_access_the_forgotten_lie_between_now_and_the_event() -> None:
    """Then it is ACT-R's optimised form n·T^-d / (1 - d), and the event."""
    assert level([], 9.0, forgotten=12) == pytest.approx(math.log(12 / 3 / 0.5 + 1 / 3))


def test_accesses_before_the_event_are_not_spread_over_a_gap_that_is_not_there() -> None:
    """Where the oldest remembered access is older than the event, the forgotten ones count as that old."""
    expected = math.log(2**-0.5 + 4 * 5**-0.5)
    assert level([5.0], 2.0, forgotten=3) == pytest.approx(expected)


@pytest.mark.parametrize("age", [0.0, -5.0, -1e9, MINIMUM_AGE / 2])
def test_ages_below_a_second_count_as_a_second(age: float) -> None:
    """Clocks that disagree make neither a NaN nor more than a use a second ago."""
    assert level([age], 1.0) == level([MINIMUM_AGE], 1.0)


@given(
    ages=st.lists(st.floats(-1e9, 1e9), max_size=5),
    lifetime=st.floats(-1e9, 1e9),
    forgotten=st.integers(-5, 10**9),
)
def test_base_level_is_always_finite(ages: list[float], lifetime: float, forgotten: int) -> None:
    """No history, however old or odd, is worth minus infinity."""
    assert math.isfinite(level(ages, lifetime, forgotten=forgotten))


def test_no_memories_have_no_base_levels() -> None:
    """Nothing in, nothing out."""
    none = base_level(np.empty((0, 3)), forgotten=np.empty(0, dtype=np.int64), lifetime=np.empty(0))
    assert none.shape == (0,)


@pytest.mark.parametrize(
    ("ages", "lifetime"), [([math.inf], 1.0), ([-math.inf], 1.0), ([1.0], math.nan), ([1.0], math.inf)]
)
def test_ages_that_are_no_numbers_are_refused(ages: list[float], lifetime: float) -> None:
    """NaN means no access in the list and nothing anywhere else."""
    with pytest.raises(InvalidInputError, match="not finite"):
        level(ages, lifetime)


@pytest.mark.parametrize("decay", [0.0, 1.0, -0.5, math.nan])
def test_decay_out_of_range_is_refused(decay: float) -> None:
    """The closed form holds for a decay between 0 and 1."""
    with pytest.raises(InvalidInputError, match="decay"):
        level([1.0], 1.0, decay=decay)


def test_spreading_is_the_fan_effect() -> None:
    """Each of two sources gives half of S - ln fan to what it is associated with."""
    mask = np.array([[True, True], [True, False], [False, False]])
    found = spreading(mask, np.array([1.0, 4.0]), maximum=2.0)
    assert found == pytest.approx([(2 + 2 - math.log(4)) / 2, 1.0, 0.0])


@given(
    strengths=st.lists(st.lists(DEGREES, min_size=3, max_size=3), min_size=1, max_size=8),
    fans=st.lists(st.floats(0.0, 1e6), min_size=3, max_size=3),
    attention=st.floats(0.0, 5.0),
)
def test_spreading_stays_between_nothing_and_all_attention(
    strengths: list[list[float]], fans: list[float], attention: float
) -> None:
    """It is never negative and never above W·S, whatever the fans and the shares."""
    for shares in (None, np.array([5.0, 1.0, 0.0]), np.zeros(3)):
        found = spreading(np.array(strengths), np.array(fans), attention=attention, shares=shares)
        assert (found >= 0).all()
        assert (found <= attention * MAXIMUM_STRENGTH + 1e-9).all()


@given(st.lists(st.floats(1.0, 1e4), min_size=2, max_size=20))
def test_a_source_gives_less_the_more_it_is_associated_with(fans: list[float]) -> None:
    """Spreading falls with the fan and reaches nothing at e^S."""
    gained = [spreading(np.ones((1, 1)), np.array([fan]))[0] for fan in sorted(fans)]
    assert (np.diff(gained) <= 0).all()
    assert spreading(np.ones((1, 1)), np.array([math.exp(MAXIMUM_STRENGTH) + 1e-9]))[0] == 0.0


def test_shares_divide_the_attention() -> None:
    """A source with three of four shares gives three quarters of what one alone would."""
    found = spreading(np.eye(2), np.ones(2), shares=np.array([3.0, 1.0]), maximum=2.0)
    assert found == pytest.approx([1.5, 0.5])


@pytest.mark.parametrize("nothing", [0.0, -0.4, math.nan])
def test_no_association_gives_nothing(nothing: float) -> None:
    """Zero, a negative cosine and NaN are no association; a strength scales what a source gives."""
    found = spreading(np.array([[nothing], [0.5]]), np.ones(1), maximum=2.0)
    assert found == pytest.approx([0.0, 1.0])


def test_no_sources_spread_nothing() -> None:
    """With nothing attended to, nothing is activated."""
    assert spreading(np.empty((2, 0)), np.empty(0)).tolist() == [0.0, 0.0]


@given(st.lists(st.lists(DEGREES, min_size=4, max_size=4), min_size=1, max_size=8))
def test_partial_matching_only_costs(rows: list[list[float]]) -> None:
    """Each memory loses the sum of its mismatches, at most one a feature, and nothing for the unknown."""
    found = partial_match(np.array(rows))
    expected = [-math.fsum(degree for degree in row if not math.isnan(degree)) for row in rows]
    assert found == pytest.approx(expected)
    assert ((found >= -4) & (found <= 0)).all()


def test_a_mismatch_is_at_most_complete() -> None:
    """Degrees are clipped to 0 to 1, and the penalty can be set."""
    assert partial_match(np.array([[7.0, -3.0, 0.5]]), penalty=-2.0) == pytest.approx([-3.0])


def test_noise_is_logistic_and_the_generator_decides_it() -> None:
    """Its mean is 0, its deviation π·s/√3, its quartiles ±s·ln 3; the same seed gives the same."""
    noise = logistic_noise(50_000, np.random.default_rng(7))
    assert np.mean(noise) == pytest.approx(0.0, abs=0.02)
    assert np.std(noise) == pytest.approx(math.pi * 0.4 / math.sqrt(3), rel=0.02)
    assert np.quantile(noise, [0.25, 0.75]) == pytest.approx(
        [-0.4 * math.log(3), 0.4 * math.log(3)], abs=0.02
    )
    assert (noise == logistic_noise(50_000, np.random.default_rng(7))).all()


def test_retrieval_probability_is_how_often_noise_lifts_it_over_the_threshold() -> None:
    """The share of noisy activations above τ is the stated probability."""
    generator = np.random.default_rng(11)
    expected = np.array([-1.0, -0.3, 0.0, 0.5, 1.2])
    noisy = expected + logistic_noise(20_000 * 5, generator).reshape(-1, 5)
    assert (noisy > 0.1).mean(axis=0) == pytest.approx(retrieval_probability(expected, tau=0.1), abs=0.015)


@given(st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=20))
def test_retrieval_probability_is_a_rising_fraction(values: list[float]) -> None:
    """It lies between 0 and 1 and never falls with the activation, however large."""
    found = retrieval_probability(np.sort(values))
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) >= 0).all()


@given(st.floats(-200, 200))
def test_retrieval_probability_is_the_logistic_function(value: float) -> None:
    """It is 1 / (1 + exp((τ - A) / s)), a half at the threshold, and keeps its digits far below it."""
    found = retrieval_probability(np.array([value, 0.0]))
    assert found == pytest.approx([1 / (1 + math.exp(-value / 0.4)), 0.5], rel=1e-9)


def test_activation_is_the_sum_of_its_four_parts() -> None:
    """A = B + S + P + ε, and what is left out counts nothing."""
    base = np.array([0.5, -1.0])
    total = activation(
        base, spread=np.array([0.2, 0.0]), match=np.array([0.0, -1.0]), noise=np.array([0.1, 0.3])
    )
    assert total == pytest.approx([0.8, -1.7])
    assert activation(base).tolist() == base.tolist()
