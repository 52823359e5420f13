"""Vectors of what was said lately: each text is embedded once, behind the conversation's back where there is time."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from engram.embedding.protocol import Embedder, Task, Vectors

KEPT = 32
"""Texts whose vectors are kept; the oldest go."""


class Lately:
    """Vectors to compare what is said with; asked from one thread."""

    def __init__(self, embedder: Callable[[], Embedder]) -> None:
        """Begin with no thread; the first text that is expected starts it.

        Args:
            embedder: Gives the embedder.
        """
        self._embedder = embedder
        self._worker = ThreadPoolExecutor(1, "engram-lately")
        self._under_way: dict[str, Future[Vectors]] = {}
        self._known: dict[str, NDArray[np.float32]] = {}

    def expect(self, text: str) -> None:
        """Embed a text whose vector will be asked for; return at once."""
        if text.strip() and text not in self._known and text not in self._under_way:
            with suppress(RuntimeError):  # closed: then it is embedded when it is asked for
                self._under_way[text] = self._worker.submit(self._embed, [text])

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, shape (n, d); no texts give shape (0, 0).

        Raises:
            InvalidInputError: A text cannot be embedded.
            EmbeddingError: The model gave no usable vector.
        """
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        for text in texts:
            if (expected := self._under_way.pop(text, None)) is not None:
                self._known[text] = expected.result()[0]
        if missing := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known |= dict(zip(missing, self._embed(missing), strict=True))
        vectors = np.stack([self._known[text] for text in texts])
        for text in list(self._known)[:-KEPT]:
            del self._known[text]
        return vectors

    def wait(self) -> None:
        """Wait until what is expected is embedded, or cannot be."""
        wait(self._under_way.values())

    def close(self) -> None:
        """Let the thread end; what is asked for afterwards is embedded then."""
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._under_way.clear()

    def _embed(self, texts: Sequence[str]) -> Vectors:
        return self._embedder().embed(texts, Task.SIMILARITY)
