"""What the loop knows of its space without asking at every turn: who it is, what it is after, how much it holds.

All of it changes slowly and some of it costs a walk over the space, so it is read now and then, behind the
conversation's back.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engram.embedding.protocol import Embedder, Vectors
from engram.errors import EngramError
from engram.goals import Goals
from engram.graph import Graph
from engram.loop.identity import Identity, read_identity
from engram.tuning import Tuning


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What was known at the last look."""

    identity: Identity
    identity_vectors: Vectors
    """Of what weighs most and of what always holds, shape (n, d)."""
    goals: tuple[str, ...]
    goal_vectors: Vectors
    """Shape (g, d)."""
    tiers: dict[str, int]
    """Memories by tier."""


_NO_VECTORS: Vectors = np.empty((0, 0), dtype=np.float32)
NOTHING = Known(
    identity=Identity(), identity_vectors=_NO_VECTORS, goals=(), goal_vectors=_NO_VECTORS, tiers={}
)


class Knowing:
    """Looks at one space; safe to share between threads."""

    def __init__(
        self,
        graph: Graph,
        *,
        space: str,
        goals: Callable[[], Goals],
        embedder: Callable[[], Embedder],
        tuned: Callable[[], Tuning],
    ) -> None:
        self._graph = graph
        self._space = space
        self._goals = goals
        self._embedder = embedder
        self._tuned = tuned
        self._known: Known | None = None
        self._looking = threading.Lock()

    def __call__(self) -> Known:
        """Return what is known, looking where nobody has yet; nothing is, where that fails."""
        with self._looking:
            if self._known is None:
                try:
                    self._known = self._look()
                except EngramError:
                    return NOTHING
            return self._known

    @property
    def seen(self) -> Known | None:
        """What was known at the last look; None where nobody has looked."""
        return self._known

    def look(self) -> None:
        """Look again.

        Raises:
            EngramError: It cannot; what was known goes on.
        """
        known = self._look()
        with self._looking:
            self._known = known

    def _look(self) -> Known:
        active = self._goals().list(state="active")
        counted = self._graph.read("inspect/count_tiers", space=self._space)
        vectors = np.array([goal.embedding for goal in active], dtype=np.float32)
        identity = read_identity(
            self._graph, self._space, weightiest=self._tuned().whole("identity.memories")
        )
        told = [memory.content for memory in (*identity.immutable, *identity.weightiest)]
        return Known(
            identity=identity,
            identity_vectors=self._embedder().embed(told) if told else _NO_VECTORS,
            goals=tuple(goal.text for goal in active),
            goal_vectors=vectors.reshape(len(active), -1) if active else _NO_VECTORS,
            tiers={row["tier"]: row["memories"] for row in counted},
        )
