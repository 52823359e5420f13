"""What the loop knows of its space without asking at every turn: who it is, what it is after, how much it holds.

All of it changes slowly and some of it costs a walk over the space, so it is read now and then, behind the
conversation's back.
"""

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engram.embedding.protocol import Embedder, Vectors
from engram.errors import EngramError
from engram.goals import Goal, Goals
from engram.graph import Graph
from engram.loop.identity import Identity, read_identity
from engram.safety import read_state
from engram.scoring.weight import StochasticWeight
from engram.tuning import Tuning

WALK_SECONDS = 60.0
"""Between two walks over the space: at 100,000 memories one takes a second of the server's time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What was known at the last look."""

    identity: Identity
    identity_vectors: Vectors
    """Of what always holds and of what weighs most, shape (n, d)."""
    identity_weights: tuple[float, ...]
    """Of each: 1 where it always holds, else the centre of its weight."""
    goals: tuple[str, ...]
    """The active ones, the most pressing first."""
    goal_vectors: Vectors
    """Shape (g, d)."""
    goal_weights: tuple[float, ...]
    """Of each its priority; 0 where it has none yet."""
    tiers: dict[str, int]
    """Memories by tier."""
    broaden: bool = False
    """Whether memories are to be sampled more widely: a few have come to outweigh the rest."""


_NO_VECTORS: Vectors = np.empty((0, 0), dtype=np.float32)
NOTHING = Known(
    identity=Identity(),
    identity_vectors=_NO_VECTORS,
    identity_weights=(),
    goals=(),
    goal_vectors=_NO_VECTORS,
    goal_weights=(),
    tiers={},
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
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare to look; nothing is read yet.

        Args:
            graph: Where.
            space: Whose.
            goals: Gives the space's goals.
            embedder: Gives the embedder.
            tuned: Gives the space's numbers.
            monotonic: Seconds from any moment on.
        """
        self._graph = graph
        self._space = space
        self._goals = goals
        self._embedder = embedder
        self._tuned = tuned
        self._known: Known | None = None
        self._monotonic = monotonic
        self._walked_at = -math.inf
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
        self._take(self._look())

    def keep_up(self) -> None:
        """Look again, at who one is no more than once a minute.

        Raises:
            EngramError: It cannot; what was known goes on.
        """
        rests = self._monotonic() < self._walked_at + WALK_SECONDS
        self._take(self._look(self._known if rests else None))

    def pursue(self, active: Sequence[Goal]) -> None:
        """Take over which goals are active, the most pressing first, from who has just looked."""
        with self._looking:
            if self._known is not None:
                self._known = replace(
                    self._known,
                    goals=tuple(goal.text for goal in active),
                    goal_vectors=_goal_vectors(active),
                    goal_weights=_goal_weights(active),
                )

    def _take(self, known: Known) -> None:
        with self._looking:
            self._known = known

    def _look(self, before: Known | None = None) -> Known:
        """Return what is so now; with what was known `before`, who one is stays that."""
        active = self._goals().list(state="active")
        tiers = {
            row["tier"]: row["memories"] for row in self._graph.read("inspect/count_tiers", space=self._space)
        }
        if before is None:
            identity, identity_vectors = self._walk()
        else:
            identity = replace(before.identity, memories=sum(tiers.values()))
            identity_vectors = before.identity_vectors
        return Known(
            identity=identity,
            identity_vectors=identity_vectors,
            identity_weights=_identity_weights(identity),
            goals=tuple(goal.text for goal in active),
            goal_vectors=_goal_vectors(active),
            goal_weights=_goal_weights(active),
            tiers=tiers,
            broaden=read_state(self._graph, space=self._space).broaden,
        )

    def _walk(self) -> tuple[Identity, Vectors]:
        identity = read_identity(
            self._graph, self._space, weightiest=self._tuned().whole("identity.memories")
        )
        told = [memory.content for memory in (*identity.immutable, *identity.weightiest)]
        vectors = self._embedder().embed(told) if told else _NO_VECTORS
        self._walked_at = self._monotonic()
        return identity, vectors


def _goal_vectors(goals: Sequence[Goal]) -> Vectors:
    vectors = np.array([goal.embedding for goal in goals], dtype=np.float32)
    return vectors.reshape(len(goals), -1) if goals else _NO_VECTORS


def _goal_weights(goals: Sequence[Goal]) -> tuple[float, ...]:
    return tuple(goal.priority or 0.0 for goal in goals)


def _identity_weights(identity: Identity) -> tuple[float, ...]:
    centres = (StochasticWeight(each.weight_alpha, each.weight_beta).center for each in identity.weightiest)
    # What always holds is never weighed: its own weight says nothing.
    return (*(1.0 for _ in identity.immutable), *centres)
