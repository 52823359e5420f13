"""What the exit gate compares an entry with: memories, and what was said before it in the same flush.

A correction does not wait, so it stands in one flush with what it corrects. Whatever of a flush is kept is as good as
a memory for what was said after it, and goes by its entry's id until it is one.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engram.embedding.protocol import Embedder, Vectors, prefixed
from engram.graph import Graph
from engram.loop.contradiction import WORDED, Contradictions, Opposition, opposed_in_words
from engram.loop.inputs import Entry
from engram.loop.matrix import relevance_level
from engram.loop.negation import Vector
from engram.records import Kind
from engram.remembering import turn_key

NEAREST = 3
"""Memories that an entry is compared with, and as many of what was said before it."""
_WIDTH = 12
"""Rows taken from the vector index for that: approximate search loses some, and the entry's own turn is left out.
As many of what was said before are weighed: not all of it is kept."""
LONGEST_SEEN = 4_000
"""Characters of an entry that are embedded."""


@dataclass(frozen=True, slots=True)
class Near:
    """A memory near an entry, or what becomes one."""

    id: str
    """The memory's, or that of the entry that becomes one."""
    content: str
    vector: Vector
    similarity: float


@dataclass(slots=True)
class Look:
    """One entry under the gate's eyes, step by step."""

    entry: Entry
    text: str
    """What of it is its own."""
    vector: Vector
    relevance: float
    emotional: float
    memories: Sequence[Near] = ()
    """The nearest, best first."""
    earlier: Sequence[Near] = ()
    """What was said before it in the same flush, best first, kept or not."""
    oppositions: dict[str, Opposition] = field(default_factory=dict)
    """By id, of all those that are near enough."""

    def near(self, kept: Container[str]) -> list[Near]:
        """Return what it is near to, best first: memories, and of what was said before it what is `kept`."""
        said = [each for each in self.earlier if each.id in kept][:NEAREST]
        return sorted([*self.memories, *said], key=_best_first)


class Comparing:
    """Compares entries of one space."""

    def __init__(self, graph: Graph, *, space: str) -> None:
        self._graph = graph
        self._space = space
        self._contradictions = Contradictions()

    def compare(self, looks: Sequence[Look], embedder: Embedder, tuning: Mapping[str, float]) -> None:
        """Find what is near to each, and what of that says the opposite.

        Args:
            looks: In the order in which they were said.
            embedder: Of the space's memories.
            tuning: The space's numbers.
        """
        self._find_memories(looks, embedder)
        _find_earlier(looks, tuning)
        bar = tuning["gate.contradicting"]
        for look in looks:
            for near in (*look.memories, *look.earlier):
                if (found := self._oppose(look, near, embedder, bar)) is not None:
                    look.oppositions[near.id] = found

    def _oppose(self, look: Look, near: Near, embedder: Embedder, bar: float) -> Opposition | None:
        if near.similarity > bar:
            direction = self._contradictions.direction(embedder)
            return self._contradictions.weigh(
                (look.text, look.vector), (near.content, near.vector), direction
            )
        return opposed_in_words(look.text, near.content) if near.similarity > WORDED else None

    def _find_memories(self, looks: Sequence[Look], embedder: Embedder) -> None:
        rows = self._graph.read(
            "inspect/find_nearest",
            space=self._space,
            rows=[
                {"index": index, "vector": look.vector.tolist(), "turn": _turn(look.entry)}
                for index, look in enumerate(looks)
            ],
            width=_WIDTH,
            nearest=NEAREST,
        )
        found = {each["id"]: str(each["content"]) for row in rows for each in row["nearest"]}
        if not found:
            return
        # A memory's stored vector is of its context too: only the words tell whether the same was said.
        vectors = dict(zip(found, embed_words(embedder, list(found.values())), strict=True))
        for row in rows:
            look = looks[row["index"]]
            look.memories = sorted(
                (
                    Near(key, found[key], vectors[key], float(vectors[key] @ look.vector))
                    for key in (each["id"] for each in row["nearest"])
                ),
                key=_best_first,
            )


def embed_words(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return the vectors of texts, shape (n, d), each as the memory that it may become.

    All have one prefix, and that of a memory: then what becomes one is embedded once.
    """
    seen = [text[:LONGEST_SEEN] for text in texts]
    return embedder.embed(
        [prefixed(Kind.EPISODIC, text) for text in seen] if embedder.uses_prefixes else seen
    )


def _find_earlier(looks: Sequence[Look], tuning: Mapping[str, float]) -> None:
    vectors = np.array([look.vector for look in looks])
    before: list[int] = []
    for place, look in enumerate(looks):
        similarities = vectors[before] @ look.vector
        look.earlier = sorted(
            (
                _said(looks[other], float(similarity))
                for other, similarity in zip(before, similarities, strict=True)
            ),
            key=_best_first,
        )[:_WIDTH]
        if relevance_level(look.relevance, tuning) != "irrelevant":
            before.append(place)


def _said(look: Look, similarity: float) -> Near:
    return Near(look.entry.id, look.text, look.vector, similarity)


def _best_first(near: Near) -> tuple[float, str]:
    return -near.similarity, near.id


def _turn(entry: Entry) -> str:
    return turn_key(entry.session, entry.turn, entry.speaker, entry.text)
