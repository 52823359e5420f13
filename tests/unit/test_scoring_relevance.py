"""The blend of five components, and how it learns."""

import math
from dataclasses import astuple, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from engram.errors import InvalidInputError
from engram.scoring.relevance import (
    BOUNDS,
    COLD_START,
    COMPONENTS,
    MATURE,
    RATE,
    Alphas,
    Learned,
    alphas_after,
    edge_strength,
    lift,
    moved,
    recency,
    relevance_terms,
    spread,
)

POSITIVE = st.floats(0.05, 50.0)
ALPHAS = st.builds(Alphas, POSITIVE, POSITIVE, POSITIVE, POSITIVE, POSITIVE)
EXPERIENCE = st.floats(0.0, 1e6)
OFFSETS = st.tuples(*[st.floats(-100.0, 100.0)] * 5)
LEARNED = st.builds(Learned, EXPERIENCE, OFFSETS)
CONTRIBUTIONS = arrays(np.float64, 5, elements=st.floats(0.0, 1.0))
SCORES = arrays(np.float64, st.tuples(st.integers(1, 20), st.just(5)), elements=st.floats(0.0, 1.0))


def array(*values: float) -> NDArray[np.float64]:
    """Return the values as an array."""
    return np.array(values, dtype=np.float64)


def only(component: str) -> NDArray[np.float64]:
    """Return contributions that are all `component`'s."""
    return array(*(float(name == component) for name in COMPONENTS))


# The Dirichlet blend


def test_components_stand_in_one_order() -> None:
    """The fields of `Alphas` are `COMPONENTS`, so an array's columns are theirs."""
    assert Alphas(1, 2, 3, 4, 5).as_array().tolist() == [1, 2, 3, 4, 5]
    assert tuple(Alphas.__dataclass_fields__) == COMPONENTS


@given(alphas=ALPHAS, seed=st.integers(0, 2**32))
def test_weights_are_fractions_of_one(alphas: Alphas, seed: int) -> None:
    """Expected and drawn weights add up to 1, none is negative, and a seed decides the draw."""
    drawn = alphas.sample(np.random.default_rng(seed))
    for weights in (alphas.mean(), drawn):
        assert weights.shape == (5,)
        assert weights.sum() == pytest.approx(1.0)
        assert (weights >= 0).all()
    assert (drawn == alphas.sample(np.random.default_rng(seed))).all()


@pytest.mark.parametrize("alphas", [COLD_START, MATURE], ids=["cold", "mature"])
def test_draws_vary_but_converge_on_the_mean(alphas: Alphas) -> None:
    """No two of many draws are the same, and their average is the expected blend."""
    generator = np.random.default_rng(3)
    draws = np.array([alphas.sample(generator) for _ in range(5_000)])
    assert len(np.unique(draws, axis=0)) == len(draws)
    assert draws.mean(axis=0) == pytest.approx(alphas.mean(), abs=0.01)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_alphas_must_be_positive_and_finite(bad: float) -> None:
    """No other parameter makes a Dirichlet distribution."""
    with pytest.raises(InvalidInputError, match="positive and finite"):
        replace(MATURE, noise=bad)


# Experience


def test_experience_leads_from_the_cold_start_to_maturity() -> None:
    """Nothing learned is exactly the cold start, a hundred recalls are half way, many are mature."""
    assert alphas_after(0) == COLD_START
    half = (COLD_START.as_array() + MATURE.as_array()) / 2
    assert alphas_after(100).as_array() == pytest.approx(half)
    assert alphas_after(1e9).as_array() == pytest.approx(MATURE.as_array(), abs=1e-5)


@given(st.lists(EXPERIENCE, min_size=2, max_size=10))
def test_the_shift_never_turns_back(experiences: list[float]) -> None:
    """Each alpha goes one way only, and stays between the two blends."""
    shifted = np.array([alphas_after(n).as_array() for n in sorted(experiences)])
    direction = np.sign(MATURE.as_array() - COLD_START.as_array())
    assert (np.diff(shifted, axis=0) * direction >= -1e-9).all()
    low, high = np.sort([COLD_START.as_array(), MATURE.as_array()], axis=0)
    assert ((shifted >= low - 1e-9) & (shifted <= high + 1e-9)).all()


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf])
def test_experience_is_a_count(bad: float) -> None:
    """It is 0 or more and finite, wherever it comes in."""
    with pytest.raises(InvalidInputError, match="Experience"):
        alphas_after(bad)
    with pytest.raises(InvalidInputError, match="Experience"):
        Learned(experience=bad)


# Outcomes


@given(learned=LEARNED)
def test_a_learned_blend_stays_near_the_one_it_started_from(learned: Learned) -> None:
    """Whatever was stored, each alpha is a quarter to four times what experience alone gives."""
    ratio = learned.alphas().as_array() / alphas_after(learned.experience).as_array()
    assert ((ratio >= BOUNDS[0] - 1e-9) & (ratio <= BOUNDS[1] + 1e-9)).all()


@given(learned=LEARNED, contributions=CONTRIBUTIONS, useful=st.booleans())
def test_an_outcome_moves_one_alpha_by_at_most_the_rate(
    learned: Learned, contributions: NDArray[np.float64], *, useful: bool
) -> None:
    """Good raises and bad lowers, the named component only, and the recall is counted."""
    before = learned.alphas().as_array()
    after, component, amount = moved(learned, contributions, useful=useful)
    assert after.experience == learned.experience + 1
    assert 0 <= (amount if useful else -amount) <= RATE + 1e-9
    now = replace(after, experience=learned.experience).alphas().as_array()
    expected = np.zeros(5)
    if component is not None:
        expected[COMPONENTS.index(component)] = amount
    assert now - before == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("component", COMPONENTS)
@pytest.mark.parametrize(("useful", "bound"), [(True, BOUNDS[1]), (False, BOUNDS[0])], ids=["good", "bad"])
def test_endless_outcomes_end_at_the_bound(component: str, *, useful: bool, bound: float) -> None:
    """A component, noise included, is never rewarded or punished beyond its bound; there it stands still."""
    learned = Learned(experience=1e6)
    amount = 1.0
    for _ in range(200):
        learned, named, amount = moved(learned, only(component), useful=useful)
        assert named == component
    assert amount == pytest.approx(0.0, abs=1e-4)
    base = alphas_after(learned.experience)
    assert getattr(learned.alphas(), component) == pytest.approx(bound * getattr(base, component), rel=1e-4)


@pytest.mark.parametrize(("useful", "offset"), [(True, 500.0), (False, -500.0)], ids=["good", "bad"])
def test_at_the_bound_the_amount_is_nothing(*, useful: bool, offset: float) -> None:
    """What cannot move says so with exactly 0."""
    learned = Learned(offsets=(offset,) * 5)
    assert [moved(learned, only(name), useful=useful).amount for name in COMPONENTS] == [0.0] * 5


def test_an_offset_beyond_the_bound_is_not_wound_up() -> None:
    """The first outcome the other way counts in full."""
    learned = Learned(offsets=(500.0, 0, 0, 0, 0))
    assert moved(learned, only("semantic"), useful=False).amount == pytest.approx(-RATE)


@given(scores=arrays(np.float64, 5, elements=st.floats(0.0, 1.0)), seed=st.integers(0, 2**32))
def test_credit_is_relative_to_the_expected_weight(scores: NDArray[np.float64], seed: int) -> None:
    """The credited component has the largest score times drawn over expected weight."""
    weights = MATURE.sample(np.random.default_rng(seed))
    terms = relevance_terms(scores[np.newaxis], weights)[0]
    learned = Learned(experience=1e9)
    excursion = scores * weights / learned.alphas().mean()
    component = moved(learned, terms, useful=True).component
    if component is None:
        assert excursion.max() <= 1e-9
    else:
        assert excursion[COMPONENTS.index(component)] == pytest.approx(excursion.max())


def test_a_small_weight_can_earn_credit() -> None:
    """A memory found by co-access is put down to co-access, although the semantic term is larger."""
    terms = relevance_terms(array(0.3, 0.9, 0.0, 0.0, 0.2)[np.newaxis], COLD_START.mean())[0]
    assert COMPONENTS[int(terms.argmax())] == "semantic"
    assert moved(Learned(), terms, useful=True).component == "coaccess"


def test_what_all_candidates_share_earns_no_credit() -> None:
    """With `lift`, a neutral mood is not what a memory was preferred for."""
    components = np.array([[0.45, 0, 0, 0.5, 0.1], [0.1, 0, 0, 0.5, 0.1]])
    terms = relevance_terms(components, MATURE.mean())
    learned = Learned(experience=1e9)
    assert moved(learned, terms[0], useful=True).component == "emotional"
    assert moved(learned, lift(terms)[0], useful=True).component == "semantic"


@pytest.mark.parametrize("useful", [True, False])
def test_where_nothing_contributed_nothing_moves(*, useful: bool) -> None:
    """No component is named, and the recall is still counted."""
    assert moved(Learned(), np.zeros(5), useful=useful) == (Learned(experience=1.0), None, 0.0)


def test_experience_and_outcomes_compose() -> None:
    """What was learned in the cold start is still there, on top of the mature blend."""
    learned = Learned()
    for _ in range(4):
        learned = moved(learned, only("coaccess"), useful=True).learned
    later = replace(learned, experience=1e9).alphas()
    assert later.coaccess == pytest.approx(MATURE.coaccess + 4 * RATE, abs=1e-5)
    assert astuple(replace(later, coaccess=MATURE.coaccess)) == pytest.approx(astuple(MATURE), abs=1e-5)


@pytest.mark.parametrize("bad", [array(1, 2, 3), array(math.nan, 0, 0, 0, 0), array(0, 0, math.inf, 0, 0)])
def test_contributions_are_five_numbers(bad: NDArray[np.float64]) -> None:
    """Anything else is refused and teaches nothing."""
    with pytest.raises(InvalidInputError, match="contributions"):
        moved(Learned(), bad, useful=True)


@pytest.mark.parametrize("bad", [(), (1.0,) * 4, (0.0, 0.0, math.nan, 0.0, 0.0)])
def test_stored_offsets_are_five_numbers(bad: tuple[float, ...]) -> None:
    """What comes from the store is checked."""
    with pytest.raises(InvalidInputError, match="offsets"):
        Learned(offsets=bad)


# Components


@given(st.lists(st.floats(-1e4, 1e6), min_size=1, max_size=20))
def test_recency_halves_in_seven_days(ages: list[float]) -> None:
    """It lies between 0 and 1, never rises with age, and halves with each 168 hours."""
    sorted_ages = np.sort(ages)
    found = recency(sorted_ages)
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) <= 0).all()
    week_later = recency(np.maximum(sorted_ages, 0) + 168.0)
    assert week_later == pytest.approx(found / 2)


def test_recency_is_whole_now_and_in_the_future() -> None:
    """A clock that runs ahead makes nothing more recent than now."""
    assert recency(array(0.0, -50.0, 336.0)) == pytest.approx([1.0, 1.0, 0.25])


@given(components=SCORES, alphas=ALPHAS, seed=st.integers(0, 2**32))
def test_a_relevance_is_a_fraction(components: NDArray[np.float64], alphas: Alphas, seed: int) -> None:
    """The terms are component times weight, and each row adds up to something from 0 to 1."""
    weights = alphas.sample(np.random.default_rng(seed))
    terms = relevance_terms(components, weights)
    assert terms == pytest.approx(components * weights)
    assert ((terms.sum(axis=1) >= 0) & (terms.sum(axis=1) <= 1 + 1e-9)).all()


def test_components_out_of_range_are_clipped() -> None:
    """A negative cosine and an unknown component count nothing, and nothing counts more than 1."""
    terms = relevance_terms(np.array([[-0.3, math.nan, 0.5, 1.0, 1.7]]), np.full(5, 0.2))
    assert terms[0] == pytest.approx([0.0, 0.0, 0.1, 0.2, 0.2])


@given(components=SCORES)
def test_lift_adds_up_to_nothing(components: NDArray[np.float64]) -> None:
    """What some candidates gained over the average, others lost, component by component."""
    assert lift(components).sum(axis=0) == pytest.approx(np.zeros(5), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_recall_a_hundred_times_varies_but_finds_the_relevant(seed: int) -> None:
    """The best match nearly always comes back, the list changes, now and then noise surfaces a far one."""
    generator = np.random.default_rng(seed)
    components = np.zeros((40, 5))
    components[:, 0] = np.linspace(0.65, 0.35, 40)
    components[:, 3] = 0.5
    lists = []
    for _ in range(100):
        components[:, 2] = generator.random(40)
        relevance = relevance_terms(components, MATURE.sample(generator)).sum(axis=1)
        lists.append(tuple(np.argsort(-relevance)[:5].tolist()))
    assert len(set(lists)) > 20
    assert sum(0 in found for found in lists) > 80
    assert 0 < sum(max(found) >= 10 for found in lists) < 25


# Co-access


@given(st.lists(st.floats(0.0, 1e6), min_size=2, max_size=20))
def test_an_edge_grows_stronger_and_never_whole(weights: list[float]) -> None:
    """Strength rises with the weight from 0 towards 1."""
    found = edge_strength(np.sort(weights))
    assert ((found >= 0) & (found < 1)).all()
    assert (np.diff(found) >= 0).all()


def test_five_joint_recalls_are_half_an_association() -> None:
    """None is 0, one is a sixth, five are a half; a weight below 0 is none."""
    assert edge_strength(array(0, 1, 5, -2)) == pytest.approx([0, 1 / 6, 0.5, 0])


def spread_over(
    active: list[float], edges: list[tuple[int, int, float, int]], order: NDArray[np.intp] | None = None
) -> NDArray[np.float64]:
    """Return the spread over edges given as (source, target, weight, hop)."""
    table = np.array(edges, dtype=np.float64).reshape(-1, 4)
    table = table if order is None else table[order]
    sources, targets, weights, hops = table.T
    return spread(
        np.array(active, dtype=np.float64),
        sources=sources.astype(np.intp),
        targets=targets.astype(np.intp),
        weights=weights,
        hops=hops.astype(np.int64),
    )


def test_spreading_takes_all_three_tenths_and_one_tenth() -> None:
    """Over edges of full strength: all from what is at hand, 0.3 from what was found, 0.1 one hop further."""
    found = spread_over([0.8, 0, 0, 0], [(0, 1, 1e12, 1), (1, 2, 1e12, 2), (0, 3, 1e12, 0)])
    assert found == pytest.approx([0, 0.24, 0.08, 0.8])


def test_spreading_weakens_with_each_weak_edge() -> None:
    """A path is worth the product of its edges' strengths."""
    found = spread_over([1.0, 0, 0], [(0, 1, 5.0, 1), (1, 2, 5 / 3, 2)])
    assert found == pytest.approx([0, 0.3 * 0.5, 0.1 * 0.5 * 0.25])


def test_the_best_path_counts_and_not_the_sum() -> None:
    """Two ways to a memory are worth the better one; what was found gets what other finds give it."""
    edges = [(0, 2, 5.0, 1), (1, 2, 1.0, 1), (0, 1, 1e12, 1)]
    assert spread_over([1.0, 0.5, 0], edges) == pytest.approx([0, 0.3, 0.15])


def test_edges_of_the_second_hop_start_where_the_first_arrived() -> None:
    """They carry nothing from a memory that hop 1 did not reach, and a third hop carries nothing at all."""
    assert spread_over([1.0, 0, 0], [(0, 1, 9.0, 2), (0, 2, 9.0, 3)]).tolist() == [0.0, 0.0, 0.0]


EDGES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.floats(0.0, 100.0), st.integers(1, 2)), max_size=30
)


@given(active=st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6), edges=EDGES, seed=st.integers(0, 2**32))
def test_spreading_is_bounded_and_has_no_order(
    active: list[float], edges: list[tuple[int, int, float, int]], seed: int
) -> None:
    """Nothing gets above 0.3 of the most active memory over hops 1 and 2, in any order of the edges."""
    found = spread_over(active, edges)
    assert (found >= 0).all()
    assert (found <= 0.3 * max(active)).all()
    shuffled = np.random.default_rng(seed).permutation(len(edges))
    assert (spread_over(active, edges, shuffled) == found).all()


@given(active=st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6), edges=EDGES)
def test_one_more_edge_never_takes_away(
    active: list[float], edges: list[tuple[int, int, float, int]]
) -> None:
    """Spreading over more edges is never less."""
    assert (spread_over(active, edges) >= spread_over(active, edges[:-1])).all()
