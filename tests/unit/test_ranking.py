"""Scores and the terms that they are the sum of."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engram.candidates import Candidates, Edges
from engram.ranking import (
    EVIDENCE,
    LEXICAL_HALF,
    MIND_SHARES,
    SEARCH_SHARES,
    TERMS,
    Dated,
    Ranking,
    rank,
)
from engram.scoring.relevance import COMPONENTS, Learned

NOW = 1_767_268_800.0
DAY = 86_400.0
STRONG = 1e15
"""The weight of an edge of full strength."""
_, ACTIVATION_SHARE, WEIGHT_SHARE = SEARCH_SHARES

Edge = tuple[int, int, float, int, float]
"""Source, target, weight, hop, fan."""


def edges_from(edges: Sequence[Edge]) -> Edges:
    """Return edges as arrays."""
    sources, targets, weights, hops, fans = np.array(edges, dtype=np.float64).reshape(-1, 5).T
    return Edges(
        sources=sources.astype(np.intp),
        targets=targets.astype(np.intp),
        weights=weights,
        hops=hops.astype(np.int64),
        fans=fans,
    )


def pool(n: int, *, edges: Sequence[Edge] = (), **more: Any) -> Candidates:
    """Return n memories of yesterday for which nothing speaks, alike but for what `more` says."""
    columns: dict[str, Any] = {
        "similarity": np.zeros(n),
        "lexical": np.zeros(n),
        "speaks": np.zeros(n, dtype=np.bool_),
        "named": np.zeros(n, dtype=np.bool_),
        "echoes": np.zeros(n, dtype=np.bool_),
        "importance": np.zeros(n),
        "event_at": np.full(n, NOW - DAY),
        "valid_from": np.full(n, NOW - DAY),
        "created_at": np.full(n, NOW - DAY),
        "last_accessed_at": np.full(n, NOW - DAY),
        "accessed_at": np.empty((n, 0)),
        "access_count": np.zeros(n, dtype=np.int64),
        "weight_alpha": np.ones(n),
        "weight_beta": np.full(n, 4.0),
        "names": False,
        "learned": Learned(),
        **{name: np.array(value) if isinstance(value, list) else value for name, value in more.items()},
    }
    return Candidates(rows=[()] * n, edges=edges_from(edges), **columns)


def ranked(
    candidates: Candidates, *, dated: Dated = None, seed: int | None = None, without: Sequence[str] = ()
) -> Ranking:
    """Return the ranking of some candidates now."""
    generator = None if seed is None else np.random.default_rng(seed)
    return rank(candidates, dated=dated, now=NOW, generator=generator, without=frozenset(without))


def evidence(ranking: Ranking) -> NDArray[np.float64]:
    """Return what the evidence terms add to each score, shape (n,)."""
    total: NDArray[np.float64] = np.sum([ranking.terms[name] for name in EVIDENCE], axis=0)
    return total


def whole_evidence() -> float:
    """Return what evidence adds to the best memory's score."""
    return float(evidence(ranked(pool(1, importance=[1.0])))[0])


def whole_company(learned: Learned) -> float:
    """Return what full association with a memory at hand adds to a score."""
    return float(ranked(pool(1, edges=[(1, 0, STRONG, 0, 1.0)], learned=learned)).terms["coaccess"][0])


COSINES = st.one_of(st.floats(0.0, 1.0).map(lambda score: 2.0 * score - 1.0), st.just(float("nan")))
LEXICAL = st.one_of(st.just(0.0), st.floats(0.01, 60.0))
FRACTIONS = st.one_of(st.just(0.0), st.floats(0.01, 1.0))
TIMES = st.floats(-6e10, 2.5e11)
"""From the year 68 to the year 9892: memories of what was long ago and of what is yet to come."""
PARAMETERS = st.floats(1e-300, 1e6)
SEEDS = st.one_of(st.none(), st.integers(0, 2**32))


@st.composite
def pools(draw: st.DrawFn, min_size: int = 0) -> Candidates:
    """Draw candidates with any history, evidence and company."""
    n = draw(st.integers(min_size, 6))

    def column(elements: st.SearchStrategy[Any], kind: type = np.float64) -> NDArray[Any]:
        return np.array(draw(st.lists(elements, min_size=n, max_size=n)), dtype=kind)

    width = draw(st.integers(0, 4))
    accesses = st.lists(st.one_of(TIMES, st.just(float("nan"))), min_size=width, max_size=width)
    fans = draw(st.lists(st.floats(0.0, 100.0), min_size=n + 2, max_size=n + 2))
    ends = st.tuples(
        st.integers(0, n + 1), st.integers(0, max(0, n - 1)), st.floats(0.0, 1e6), st.integers(0, 2)
    )
    edges = [(*edge, fans[edge[0]]) for edge in draw(st.lists(ends, max_size=10 if n else 0))]
    return pool(
        n,
        edges=edges,
        similarity=column(COSINES),
        lexical=column(LEXICAL),
        speaks=column(st.booleans(), np.bool_),
        named=column(st.booleans(), np.bool_),
        importance=column(FRACTIONS),
        event_at=column(TIMES),
        created_at=column(TIMES),
        last_accessed_at=column(TIMES),
        accessed_at=column(accesses).reshape(n, width),
        access_count=column(st.integers(0, 10**6), np.int64),
        weight_alpha=column(PARAMETERS),
        weight_beta=column(PARAMETERS),
        names=draw(st.booleans()),
        learned=Learned(draw(st.floats(0.0, 1e6)), (0.0, draw(st.floats(-50.0, 50.0)), 0.0, 0.0, 0.0)),
    )


@st.composite
def questions(draw: st.DrawFn, min_size: int = 1) -> tuple[Candidates, Dated]:
    """Draw candidates, and which of them are of the question's time if it speaks of one."""
    candidates = draw(pools(min_size))
    n = len(candidates)
    dated = draw(st.one_of(st.none(), st.lists(st.booleans(), min_size=n, max_size=n)))
    return candidates, None if dated is None else np.array(dated, dtype=np.bool_)


# The sum


def test_the_proportions_are_whole() -> None:
    """Evidence adds up to 1, and so do the shares of relevance, activation and weight in either mode."""
    assert sum(EVIDENCE.values()) == pytest.approx(1.0)
    assert [sum(SEARCH_SHARES), sum(MIND_SHARES)] == pytest.approx([1.0, 1.0])


@given(question=questions(min_size=0), seed=SEEDS, without=st.sets(st.sampled_from(sorted(EVIDENCE))))
def test_the_terms_add_up_to_the_score(
    question: tuple[Candidates, Dated], seed: int | None, without: set[str]
) -> None:
    """Every term of `TERMS` is there for every candidate, and their sum is the score, to 1e-9."""
    candidates, dated = question
    ranking = ranked(candidates, dated=dated, seed=seed, without=sorted(without))
    assert sorted(ranking.terms) == sorted(TERMS)
    assert all(values.shape == (len(candidates),) for values in ranking.terms.values())
    assert np.isfinite(ranking.scores).all()
    total = np.sum(list(ranking.terms.values()), axis=0)
    assert np.abs(total - ranking.scores).max(initial=0.0) <= 1e-9


@given(question=questions(), seed=SEEDS)
def test_a_score_is_a_fraction_and_the_order_is_by_it(
    question: tuple[Candidates, Dated], seed: int | None
) -> None:
    """Scores lie between 0 and 1; the order names each candidate once, the best first."""
    candidates, dated = question
    ranking = ranked(candidates, dated=dated, seed=seed)
    assert ((ranking.scores >= 0.0) & (ranking.scores <= 1.0 + 1e-9)).all()
    assert sorted(ranking.order) == list(range(len(candidates)))
    assert (np.diff(ranking.scores[ranking.order]) <= 0.0).all()


@pytest.mark.parametrize("seed", [None, 7])
@pytest.mark.parametrize("dated", [None, np.zeros(0, dtype=np.bool_)], ids=["any time", "a time"])
def test_nothing_found_ranks_nothing(seed: int | None, dated: Dated) -> None:
    """Without candidates there is an empty order and an empty array for each term."""
    ranking = ranked(pool(0), dated=dated, seed=seed)
    assert ranking.order == []
    assert ranking.scores.shape == (0,)
    assert ranking.lift.shape == (0, len(COMPONENTS))
    assert {name: values.shape for name, values in ranking.terms.items()} == dict.fromkeys(TERMS, (0,))


@given(question=questions(), data=st.data())
def test_a_score_does_not_depend_on_the_candidates_order(
    question: tuple[Candidates, Dated], data: st.DataObject
) -> None:
    """Given in another order, each candidate keeps its score."""
    candidates, dated = question
    n = len(candidates)
    order = np.array(data.draw(st.permutations(range(n))), dtype=np.intp)
    place = np.concatenate([np.argsort(order), np.arange(n, n + 2)])
    columns = ("similarity", "lexical", "speaks", "named", "importance", "event_at", "created_at")
    histories = ("last_accessed_at", "accessed_at", "access_count", "weight_alpha", "weight_beta")
    edges = candidates.edges
    moved = replace(
        candidates,
        edges=replace(edges, sources=place[edges.sources], targets=place[edges.targets]),
        **{name: getattr(candidates, name)[order] for name in (*columns, *histories)},
    )
    scores = ranked(candidates, dated=dated).scores
    assert ranked(moved, dated=None if dated is None else dated[order]).scores == pytest.approx(
        scores[order], abs=1e-12
    )


@given(question=questions(), data=st.data())
def test_the_edges_order_does_not_matter(question: tuple[Candidates, Dated], data: st.DataObject) -> None:
    """The same edges in another order give the same scores."""
    candidates, dated = question
    edges = candidates.edges
    order = np.array(data.draw(st.permutations(range(len(edges.weights)))), dtype=np.intp)
    columns = ("sources", "targets", "weights", "hops", "fans")
    moved = replace(edges, **{name: getattr(edges, name)[order] for name in columns})
    again = ranked(replace(candidates, edges=moved), dated=dated).scores
    assert again.tolist() == ranked(candidates, dated=dated).scores.tolist()


@given(question=questions(), seed=SEEDS)
def test_lift_is_what_a_component_did_beyond_the_average(
    question: tuple[Candidates, Dated], seed: int | None
) -> None:
    """It has a row for each candidate, and each component's adds up to nothing."""
    candidates, dated = question
    lift = ranked(candidates, dated=dated, seed=seed).lift
    assert lift.shape == (len(candidates), len(COMPONENTS))
    assert lift.sum(axis=0) == pytest.approx(np.zeros(len(COMPONENTS)), abs=1e-9)


# Chance


@given(question=questions(min_size=0))
def test_without_a_generator_nothing_is_left_to_chance(question: tuple[Candidates, Dated]) -> None:
    """The same candidates have the same scores and the same order, to the last bit."""
    candidates, dated = question
    one, other = ranked(candidates, dated=dated), ranked(candidates, dated=dated)
    assert one.scores.tobytes() == other.scores.tobytes()
    assert one.order == other.order
    assert not one.terms["noise"].any()


def test_the_seed_decides_what_comes_to_mind() -> None:
    """The same seed gives the same scores, another one others."""
    candidates = pool(5, lexical=[9.0, 5.0, 3.0, 1.0, 0.0])
    assert ranked(candidates, seed=1).scores.tolist() == ranked(candidates, seed=1).scores.tolist()
    assert ranked(candidates, seed=1).scores.tolist() != ranked(candidates, seed=2).scores.tolist()


def test_on_average_chance_changes_no_order() -> None:
    """The mean scores of 500 draws rank as the deterministic ones do, though single draws do not."""
    candidates = pool(5, lexical=[2.0, 40.0, 0.0, 5.0, 12.0], similarity=[0.3, 0.8, 0.0, 0.4, 0.6])
    expected = ranked(candidates).order
    generator = np.random.default_rng(11)
    draws = [rank(candidates, dated=None, now=NOW, generator=generator) for _ in range(500)]
    mean = np.mean([draw.scores for draw in draws], axis=0)
    assert np.argsort(-mean).tolist() == expected == [1, 4, 3, 0, 2]
    assert any(draw.order != expected for draw in draws)


# Evidence


@given(name=st.sampled_from(sorted(EVIDENCE)), question=questions(), seed=SEEDS)
def test_evidence_that_is_left_out_adds_nothing(
    name: str, question: tuple[Candidates, Dated], seed: int | None
) -> None:
    """Its term is 0 for every candidate."""
    candidates, dated = question
    assert not ranked(candidates, dated=dated, seed=seed, without=[name]).terms[name].any()


@pytest.mark.parametrize("name", sorted(EVIDENCE))
@given(question=questions(), more=st.floats(0.0, 1.0))
def test_more_evidence_never_takes_away(name: str, question: tuple[Candidates, Dated], more: float) -> None:
    """With more of one piece of it, all else equal, a memory's evidence adds at least as much as before."""
    candidates, dated = question
    n = len(candidates)
    dated = np.zeros(n, dtype=np.bool_) if dated is None else dated
    candidates = replace(candidates, similarity=np.nan_to_num(candidates.similarity, nan=0.0))
    first = np.arange(n) == 0
    gained = {
        "semantic": {"similarity": np.minimum(1.0, candidates.similarity + more * first)},
        "lexical": {"lexical": candidates.lexical + 30.0 * more * first},
        "entity": {"speaks": candidates.speaks | first},
        "importance": {"importance": np.minimum(1.0, candidates.importance + more * first)},
        "date": {},
    }[name]
    before = evidence(ranked(candidates, dated=dated))
    after = evidence(ranked(replace(candidates, **gained), dated=dated | first if name == "date" else dated))
    assert after[0] >= before[0] - 1e-12
    # The others are judged by the best one, so they may lose and never gain.
    assert (after[1:] <= before[1:] + 1e-12).all()


@pytest.mark.parametrize(
    ("name", "columns", "dated"),
    [
        ("semantic", {"similarity": [0.1, 0.6]}, None),
        ("lexical", {"lexical": [0.0, 2.0]}, None),
        ("entity", {"speaks": [False, True]}, None),
        ("date", {}, np.array([False, True])),
        ("importance", {"importance": [0.2, 0.9]}, None),
    ],
)
def test_each_piece_of_evidence_alone_decides(name: str, columns: dict[str, Any], dated: Dated) -> None:
    """All else equal the memory that has more of it is first, and its whole evidence is that term."""
    ranking = ranked(pool(2, **columns), dated=dated)
    assert ranking.order == [1, 0]
    assert ranking.terms[name][1] == evidence(ranking)[1] > 0.0
    assert ranking.terms[name][1] == pytest.approx(whole_evidence())


def test_evidence_is_relative_to_the_best() -> None:
    """The best has the whole share of the semantic component, the others their proportion of its evidence."""
    ranking = ranked(pool(2, importance=[0.3, 0.0], lexical=[0.0, LEXICAL_HALF]))
    parts = np.array([EVIDENCE["importance"] * 0.3, EVIDENCE["lexical"] / 2])
    assert evidence(ranking) == pytest.approx(whole_evidence() * parts / parts.max())


def test_an_unknown_similarity_is_none() -> None:
    """A memory without a vector has the scores of one whose cosine is 0."""
    lexical = [3.0, 1.0, 0.0]
    unknown = ranked(pool(3, lexical=lexical, similarity=[np.nan, 0.5, np.nan]))
    assert (
        unknown.scores.tolist()
        == ranked(pool(3, lexical=lexical, similarity=[0.0, 0.5, 0.0])).scores.tolist()
    )
    assert unknown.terms["semantic"][0] == 0.0


def test_what_points_away_from_the_question_adds_nothing() -> None:
    """A cosine below zero is no evidence, and takes nothing from what else there is."""
    ranking = ranked(pool(3, similarity=[-1.0, -0.2, 0.5], lexical=[0.0, 10.0, 0.0]))
    assert evidence(ranking)[0] == 0.0
    assert ranking.terms["semantic"][1] == 0.0 < evidence(ranking)[1]


def test_nothing_that_speaks_for_any_leaves_the_evidence_empty() -> None:
    """Where every cosine points away there is no best to be relative to, and other terms rank."""
    ranking = ranked(pool(2, similarity=[-0.5, -0.1], weight_alpha=[1.0, 5.0]))
    assert evidence(ranking).tolist() == [0.0, 0.0]
    assert ranking.order == [1, 0]


# Company


def test_company_counts_by_its_distance() -> None:
    """Over edges of full strength: all from what is at hand, 0.3 over one hop, 0.1 over two."""
    edges = [(4, 0, STRONG, 0, 1.0), (1, 2, STRONG, 1, 1.0), (2, 3, STRONG, 2, 1.0)]
    coaccess = ranked(pool(4, edges=edges)).terms["coaccess"]
    assert coaccess == pytest.approx(whole_company(Learned()) * np.array([1.0, 0.0, 0.3, 0.1]))


@given(candidates=pools(min_size=1))
def test_company_of_what_was_found_is_never_more_than_three_tenths(candidates: Candidates) -> None:
    """However many edges and however strong; where no edge begins at a find, the second hop reaches nothing."""
    whole = whole_company(candidates.learned)
    near = replace(candidates.edges, hops=np.maximum(candidates.edges.hops, 1))
    far = replace(near, hops=np.full_like(near.hops, 2))
    assert (ranked(replace(candidates, edges=near)).terms["coaccess"] <= 0.3 * whole * (1 + 1e-9)).all()
    assert not ranked(replace(candidates, edges=far)).terms["coaccess"].any()


def test_a_memory_at_hand_need_not_be_a_candidate() -> None:
    """Its partner gains by association and by spreading activation; it has no place of its own."""
    alone, together = ranked(pool(2)), ranked(pool(2, edges=[(7, 1, 3.0, 0, 1.0)]))
    assert together.order == [1, 0]
    assert together.terms["coaccess"][1] > alone.terms["coaccess"][1]
    assert together.terms["spreading"][1] > alone.terms["spreading"][1]
    assert together.scores.shape == (2,)


def test_a_partner_of_many_spreads_less() -> None:
    """What is associated with everything tells nothing apart."""
    few, many = (ranked(pool(2, edges=[(0, 1, 3.0, 1, fan)])).terms["spreading"][1] for fan in (2.0, 15.0))
    assert few > many > 0.0


# Activation


@given(
    days=st.lists(st.floats(1e-3, 1e4), min_size=1, max_size=5),
    lived=st.floats(0.0, 1e5),
    lost=st.integers(0, 99),
)
def test_a_history_of_use_raises_the_base_level(days: list[float], lived: float, lost: int) -> None:
    """One more access, remembered or only counted, never lowers it; the first raises it."""
    m = len(days)
    history = NOW - DAY * np.array([days] * 3)
    history[0] = np.nan
    history[1, -1] = np.nan
    counts = [0, m - 1 + lost, m + lost]
    candidates = pool(3, accessed_at=history, access_count=counts, event_at=np.full(3, NOW - DAY * lived))
    none, fewer, more = ranked(candidates).terms["base_level"]
    assert none <= fewer
    assert more > none or more == pytest.approx(ACTIVATION_SHARE)
    if lost == 0:
        assert fewer <= more
    forgotten = ranked(replace(candidates, access_count=np.array(counts) + 1)).terms["base_level"]
    assert (forgotten >= [none, fewer, more]).all()


def test_a_list_longer_than_its_count_is_believed() -> None:
    """Accesses that are remembered took place, whatever the count says."""
    history = NOW - DAY * np.array([[1.0, 2.0, 3.0]] * 2)
    base = ranked(pool(2, accessed_at=history, access_count=[0, 3])).terms["base_level"]
    assert base[0] == base[1]


def test_what_is_yet_to_come_is_as_old_as_its_memory() -> None:
    """An appointment next month, noted a week ago, has the base level of a week."""
    week, month = NOW - 7 * DAY, NOW + 30 * DAY
    base = ranked(pool(2, event_at=[month, week], created_at=[week, NOW])).terms["base_level"]
    assert base[0] == base[1]


def test_a_clock_behind_is_no_harm() -> None:
    """Everything that was made, used and said in the future counts as now."""
    ahead: dict[str, Any] = {
        "event_at": [NOW + 9 * DAY, NOW],
        "created_at": [NOW + 8 * DAY, NOW],
        "last_accessed_at": [NOW + 7 * DAY, NOW],
        "accessed_at": np.array([[NOW + 7 * DAY], [NOW]]),
        "access_count": [1, 1],
    }
    one, other = ranked(pool(2, **ahead)).scores
    assert one == other


def test_two_thousand_years_are_only_old() -> None:
    """A memory of antiquity is hardly active and no longer recent; it is found by what it says."""
    ancient = np.array([NOW - 2_000 * 365 * DAY, NOW])
    times: dict[str, Any] = {"event_at": ancient, "created_at": ancient, "last_accessed_at": ancient}
    ranking = ranked(pool(2, lexical=[20.0, 0.0], **times))
    assert 0.0 <= ranking.terms["base_level"][0] < 1e-3 * ACTIVATION_SHARE
    assert ranking.terms["recency"][0] == 0.0
    assert ranking.order == [0, 1]


@given(question=questions())
def test_a_mismatch_is_never_a_gain(question: tuple[Candidates, Dated]) -> None:
    """Partial matching only takes away, and nothing from what fits in every way."""
    candidates, dated = question
    match = ranked(candidates, dated=dated).terms["partial_match"]
    assert (match <= 0.0).all()
    stranger = ~(candidates.speaks | candidates.named) & candidates.names
    elsewhen = np.zeros(len(candidates), dtype=np.bool_) if dated is None else ~dated
    assert not match[~(stranger | elsewhen)].any()


def test_each_mismatch_takes_something_away() -> None:
    """A stranger's memory of another time has a lower partial match than one of a stranger, or of another time."""
    candidates = pool(4, names=True, named=[True, False, True, False])
    neither, who, when, both = ranked(candidates, dated=np.array([True, True, False, False])).terms[
        "partial_match"
    ]
    assert neither == 0.0 > who == when > both


def test_being_spoken_of_fits_like_speaking() -> None:
    """Whoever the question names, as speaker or as spoken of, is no mismatch; nobody named, nobody is one."""
    candidates = pool(3, names=True, speaks=[True, False, False], named=[False, True, False])
    match = ranked(candidates).terms["partial_match"]
    assert match[0] == match[1] == 0.0 > match[2]
    assert not ranked(replace(candidates, names=False)).terms["partial_match"].any()


# Weight and recency


@pytest.mark.parametrize("tiny", [1e-3, 1e-100, 1e-300])
@pytest.mark.parametrize("seed", [None, 3])
def test_a_weight_of_nearly_no_evidence_is_a_weight(tiny: float, seed: int | None) -> None:
    """Parameters next to 0 give a term within its share, by mean and by draw."""
    weight = ranked(pool(3, weight_alpha=[tiny, tiny, 1.0], weight_beta=[tiny, 4.0, tiny]), seed=seed).terms[
        "weight"
    ]
    share = WEIGHT_SHARE if seed is None else MIND_SHARES[2]
    assert ((weight >= 0.0) & (weight <= share)).all()


def test_what_mattered_more_and_what_was_used_later_comes_first() -> None:
    """All else equal."""
    assert ranked(pool(2, weight_alpha=[1.0, 2.0])).order == [1, 0]
    assert ranked(pool(2, last_accessed_at=[NOW - 9 * DAY, NOW - DAY])).order == [1, 0]


def test_equal_memories_keep_their_order() -> None:
    """Candidates come newest first and then by id, and equal scores leave it so."""
    assert ranked(pool(6)).order == list(range(6))
    assert ranked(pool(4, lexical=[0.0, 5.0, 0.0, 5.0])).order == [1, 3, 0, 2]


def test_what_a_space_has_learned_moves_its_blend() -> None:
    """A space where association paid gives it more of the score."""
    edges = [(0, 1, 3.0, 1, 1.0)]
    cold = ranked(pool(2, edges=edges)).terms["coaccess"][1]
    taught = Learned(0.0, (0.0, 3.0, 0.0, 0.0, 0.0))
    assert ranked(pool(2, edges=edges, learned=taught)).terms["coaccess"][1] > cold


def test_evidence_never_explodes() -> None:
    """Opposite evidence does not cancel to nothing that the score is then measured by."""
    ranking = ranked(pool(2, similarity=[-1.0, 0.0], lexical=[26.0, 0.0]))
    assert all(np.abs(values).max() <= 1.0 for values in ranking.terms.values())


def test_the_question_itself_answers_nothing() -> None:
    """An echo of the question keeps a fifth of its evidence, so whatever answers ranks before it."""
    ranking = ranked(pool(2, similarity=[1.0, 0.4], lexical=[30.0, 10.0], echoes=[True, False]))
    assert ranking.order == [1, 0]
