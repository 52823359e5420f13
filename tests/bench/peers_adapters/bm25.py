"""BM25 by bm25s, as its quick start shows it: stemmed, without stop words."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bm25s  # type: ignore[import-not-found]
import Stemmer  # type: ignore[import-not-found]

from tests.bench.peers_adapters.job import Job, Turn, main


class BM25:
    """One index for each conversation, in memory."""

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")
        self._indexes: dict[str, tuple[Any, list[str]]] = {}

    def add(self, conversation: str, turns: Sequence[Turn]) -> None:
        """Index the turns' text."""
        index = bm25s.BM25()
        index.index(self._tokens([turn.text for turn in turns]), show_progress=False)
        self._indexes[conversation] = index, [turn.id for turn in turns]

    def search(self, conversation: str, question: str, k: int) -> list[str]:
        """Return the best turns that have a word of the question."""
        index, ids = self._indexes[conversation]
        positions, scores = index.retrieve(self._tokens([question]), k=min(k, len(ids)), show_progress=False)
        return [ids[position] for position, score in zip(positions[0], scores[0], strict=True) if score > 0]

    def _tokens(self, texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)


@contextmanager
def open_peer(job: Job) -> Iterator[BM25]:
    """Open an empty one."""
    yield BM25()


if __name__ == "__main__":
    main(open_peer)
