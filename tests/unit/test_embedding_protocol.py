"""What holds for every embedder: checking texts, scaling vectors, prefixes, the fakes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.embedding import MEMORY_TYPE_PREFIXES, Task, prefixed
from engram.embedding.protocol import UnusableVectorError, batches, checked_texts, unit_rows
from engram.errors import InvalidInputError
from engram.records import Kind
from engram.testing import FixedClock, HashEmbedder


def test_every_kind_of_memory_has_its_own_prefix() -> None:
    """Each of the eight kinds has a prefix, and no two share one."""
    assert set(MEMORY_TYPE_PREFIXES) == set(Kind)
    assert len(set(MEMORY_TYPE_PREFIXES.values())) == 8
    assert prefixed(Kind.PREFERENCE, "tea") == "User preference: tea"


def test_tasks_have_the_names_that_gemini_gives_them() -> None:
    """The four tasks are sent as Gemini spells them."""
    assert [task.value for task in Task] == [
        "RETRIEVAL_DOCUMENT",
        "RETRIEVAL_QUERY",
        "SEMANTIC_SIMILARITY",
        "CLUSTERING",
    ]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["fine", "\ud800"], "Text 1 holds a lone surrogate at character 0"),
        (["fine", "ok", "a\udfffb"], "Text 2 holds a lone surrogate at character 1"),
        ([None], "Text 0 is of type NoneType"),
        (["fine", b"bytes"], "Text 1 is of type bytes"),
        ("one text", "A list of texts is needed"),
    ],
)
def test_a_text_that_cannot_be_encoded_is_refused_by_its_index(texts: Any, said: str) -> None:
    """A text that is no string, or no valid Unicode, is named by its place."""
    with pytest.raises(InvalidInputError, match=said):
        checked_texts(texts)


@pytest.mark.parametrize("bad", [[np.nan, 1], [np.inf, 1], [0, 0]])
def test_a_vector_without_direction_is_refused_by_its_index(bad: list[float]) -> None:
    """NaN, infinity and all zeros never leave an embedder."""
    with pytest.raises(UnusableVectorError, match=r"for text 1") as caught:
        unit_rows(np.array([[3, 4], bad]))
    assert caught.value.index == 1


def test_vectors_are_scaled_even_when_their_squares_overflow() -> None:
    """Very large and very small rows get length 1 too."""
    rows = unit_rows([[1e30, 0], [3e-30, 4e-30]])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


@given(st.lists(st.text(max_size=3), max_size=350))
def test_batches_hold_at_most_a_hundred_and_lose_nothing(texts: list[str]) -> None:
    """Batches put together are the texts, in order."""
    parts = list(batches(texts))
    assert [text for part in parts for text in part] == texts
    assert all(0 < len(part) <= 100 for part in parts)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), max_size=6))
def test_the_hash_embedder_gives_unit_vectors_for_any_text(texts: list[str]) -> None:
    """Any Unicode text has a unit vector, the same every time."""
    rows = HashEmbedder(32).embed(texts)
    assert rows.shape == (len(texts), 32)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(rows, HashEmbedder(32).embed(texts))


def test_the_hash_embedder_puts_similar_texts_near_each_other() -> None:
    """Texts that share words are nearer than texts that share none."""
    moved, moving, tea = HashEmbedder(256).embed(
        ["Maya moved to Berlin", "Maya is moving to Berlin", "green tea with lemon"]
    )
    assert moved @ moving > 0.6
    assert moved @ tea < 0.3


def test_the_fixed_clock_stands_still_until_it_is_set() -> None:
    """The clock shows what it was told, and moves by what it is told."""
    clock = FixedClock(datetime(2026, 3, 1, tzinfo=UTC))
    assert clock() == clock() == datetime(2026, 3, 1, tzinfo=UTC)
    clock.advance(timedelta(days=2))
    assert clock() == datetime(2026, 3, 3, tzinfo=UTC)
    clock.now = datetime(2020, 1, 1, tzinfo=UTC)
    assert clock().year == 2020
