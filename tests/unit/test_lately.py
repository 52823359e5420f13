"""Vectors of what was said lately: each text is embedded once, ahead of time where that is known."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.embedding.protocol import Task, Vectors
from engram.errors import EmbeddingError
from engram.loop.lately import KEPT, Lately
from engram.testing import HashEmbedder


class Counting(HashEmbedder):
    """Takes down what it embeds, and fails as often as it is told to."""

    def __init__(self, failures: int = 0) -> None:
        super().__init__()
        self.embedded: list[str] = []
        self._failures = failures

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text."""
        self.embedded += texts
        if self._failures:
            self._failures -= 1
            raise EmbeddingError("Not now.")
        return super().embed(texts, task)


@pytest.fixture
def embedder() -> Counting:
    """Return an embedder that takes down what it embeds."""
    return Counting()


@pytest.fixture
def lately(embedder: Counting) -> Iterator[Lately]:
    """Give the vectors of that embedder."""
    opened = Lately(lambda: embedder)
    yield opened
    opened.close()


@given(st.lists(st.lists(st.sampled_from(["a", "b c", "d e f", " "]), max_size=4), max_size=4))
def test_the_vectors_are_the_embedders(rounds: list[list[str]]) -> None:
    """Whatever is expected and asked for in whatever order, each text has the vector that the embedder gives it."""
    lately = Lately(HashEmbedder)
    for texts in rounds:
        for text in texts[::2]:
            lately.expect(text)
        vectors = lately(texts)
        assert np.array_equal(vectors, HashEmbedder().embed(texts) if texts else np.empty((0, 0)))
    lately.close()


def test_a_text_is_embedded_once(lately: Lately, embedder: Counting) -> None:
    """Asked for again, expected again and named twice, a text is not embedded again."""
    lately.expect("one")
    lately(["one", "two", "two"])
    lately.expect("two")
    lately(["two", "one"])
    assert sorted(embedder.embedded) == ["one", "two"]


def test_what_is_expected_is_embedded_unasked(lately: Lately, embedder: Counting) -> None:
    """A text that will be asked for is embedded before anybody asks."""
    lately.expect("one")
    lately.wait()
    assert embedder.embedded == ["one"]


def test_a_failure_is_told_once_and_tried_again() -> None:
    """What could not be embedded ahead of time is an error for whoever asks, and works the next time."""
    embedder = Counting(failures=1)
    lately = Lately(lambda: embedder)
    lately.expect("one")
    with pytest.raises(EmbeddingError):
        lately(["one"])
    assert lately(["one"]).shape == (1, embedder.dimensions)
    lately.close()


def test_no_more_than_the_latest_are_kept(lately: Lately, embedder: Counting) -> None:
    """The oldest texts go, so that a long conversation takes no more than a short one."""
    texts = [f"text {n}" for n in range(KEPT + 1)]
    for text in texts:
        lately([text])
    lately([texts[-1]])
    assert embedder.embedded == texts
    lately([texts[0]])
    assert embedder.embedded == [*texts, texts[0]]


def test_it_answers_when_it_is_closed(lately: Lately) -> None:
    """At the end of a conversation nothing is embedded ahead any more; what is asked for still is."""
    lately.close()
    lately.expect("one")
    assert len(lately(["one"])) == 1
