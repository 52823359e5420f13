"""What every embedder keeps to: texts in, one unit vector each out."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engram.errors import EmbeddingError, InvalidInputError
from engram.records import Kind

Vectors = NDArray[np.float32]
"""Shape (n, d), one row per text, each row of length 1."""

BATCH = 100
"""Most texts in one request; the Gemini API refuses more."""

MEMORY_TYPE_PREFIXES: dict[Kind, str] = {
    Kind.EPISODIC: "Personal experience memory: ",
    Kind.SEMANTIC: "Factual knowledge: ",
    Kind.PROCEDURAL: "How-to instruction: ",
    Kind.PREFERENCE: "User preference: ",
    Kind.REFLECTION: "Self-reflection insight: ",
    Kind.CORRECTION: "Past error correction: ",
    Kind.NARRATIVE: "Identity narrative: ",
    Kind.TENSION: "Internal contradiction: ",
}
"""What stands before a memory's text when it is embedded with a model that understands it."""


class Task(StrEnum):
    """What a vector is for; the value is Gemini's name of it."""

    DOCUMENT = "RETRIEVAL_DOCUMENT"
    QUERY = "RETRIEVAL_QUERY"
    SIMILARITY = "SEMANTIC_SIMILARITY"
    CLUSTERING = "CLUSTERING"


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """The model's name, recorded in the graph; vectors of one name may be compared with each other."""

    @property
    def dimensions(self) -> int:
        """The length of every vector."""

    @property
    def uses_prefixes(self) -> bool:
        """Whether memories should be embedded with their kind's prefix (`prefixed`).

        True for large models. Small symmetric ones may take the prefix for content, which draws memories of
        one kind together and away from the question: False.
        """

    @property
    def uses_tasks(self) -> bool:
        """Whether the same text has different vectors for different tasks."""

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text, shape (n, d); no texts give shape (0, d).

        Raises:
            InvalidInputError: A text is not a string, or holds a lone surrogate; the message has its index.
            EmbeddingError: The model gave no usable vector.
        """

    def close(self) -> None:
        """Let go of the model; the embedder cannot be used afterwards."""


class UnusableVectorError(EmbeddingError):
    """The model gave a vector that cannot be used."""

    def __init__(self, index: int, fault: str) -> None:
        super().__init__(
            f"The embedding model gave {fault} for text {index}.",
            remedy="The model's files are damaged or it cannot handle this text; `engram doctor` checks them.",
        )
        self.index = index
        """Which of the texts, from 0."""
        self.fault = fault


def prefixed(kind: Kind, text: str) -> str:
    """Return `text` with the prefix of its kind of memory."""
    return MEMORY_TYPE_PREFIXES[kind] + text


def batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the texts in groups of at most 100."""
    for first in range(0, len(texts), BATCH):
        yield texts[first : first + BATCH]


def checked_texts(texts: Sequence[str]) -> list[str]:
    """Return the texts as a list after making sure that each can be encoded.

    Raises:
        InvalidInputError: A text is not a string, or holds a lone surrogate; the message has its index.
    """
    if isinstance(texts, str):
        raise InvalidInputError("A list of texts is needed, not one text.", remedy="Pass [text].")
    checked = list(texts)
    for index, text in enumerate(checked):
        if not isinstance(text, str):
            raise InvalidInputError(f"Text {index} is of type {type(text).__name__}, not str.")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidInputError(
                f"Text {index} holds a lone surrogate at character {error.start}, which is no valid Unicode.",
                remedy="Decode the text with errors='replace'.",
            ) from None
    return checked


def unit_rows(rows: ArrayLike) -> Vectors:
    """Return the rows, shape (n, d), scaled to length 1.

    Raises:
        UnusableVectorError: A row holds NaN or infinity, or is all zeros.
    """
    vectors = np.asarray(rows, dtype=np.float32)
    # In double precision: the squares of large finite floats overflow in single.
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    for index in np.flatnonzero(~np.isfinite(lengths) | (lengths == 0)):
        raise UnusableVectorError(int(index), "an empty vector" if lengths[index] == 0 else "NaN or infinity")
    unit: Vectors = (vectors / lengths).astype(np.float32)
    return unit
