"""Rank fusion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.fusion import RRF_K, ranks, reciprocal_ranks

SCORES = st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), max_size=50)


@given(SCORES)
def test_present_scores_get_each_rank_once(scores: list[float]) -> None:
    """The ranks of n present scores are 1 to n; absent ones are at infinity."""
    array = np.array(scores, dtype=np.float64)
    found = ranks(array)
    present = ~np.isnan(array)
    assert sorted(found[present]) == list(range(1, int(present.sum()) + 1))
    assert np.isinf(found[~present]).all()


@given(SCORES)
def test_higher_scores_never_rank_worse(scores: list[float]) -> None:
    """Order by fused value is order by score."""
    array = np.array(scores, dtype=np.float64)
    values = reciprocal_ranks(array)
    for i, one in enumerate(array):
        for j, two in enumerate(array):
            if one > two:
                assert values[i] > values[j]


def test_values_are_those_of_the_paper() -> None:
    """1 / (60 + rank), and nothing for what a list does not hold."""
    values = reciprocal_ranks(np.array([0.2, np.nan, 0.9]))
    assert values == pytest.approx([1 / (RRF_K + 2), 0.0, 1 / (RRF_K + 1)])
