"""Identity: who the agent is, as its own memories tell it anew each time (v4 plan, 3.2, track 2).

The memories that weigh most are drawn one by one: each is told whole or not at all. One never cuts short who one is;
one is sometimes not thinking about all of it.
"""

from dataclasses import dataclass

import numpy as np

from engram.graph import Graph
from engram.records import Memory, memory_from
from engram.scoring.weight import StochasticWeight

WEIGHTIEST = 20
"""Memories that may be told as identity (v4 plan, 3.2)."""
THRESHOLD = 0.6
"""A draw above this tells the memory (v4 plan, 3.2)."""
SETTLED = 0.7
"""Weight centre above which a memory counts for how settled the identity is (v4 plan, 3.5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who the agent is, as it stood when it was read. Only active memories count."""

    immutable: tuple[Memory, ...] = ()
    """What is always told."""
    weightiest: tuple[Memory, ...] = ()
    """Those with the highest weight centre, the highest first; immutable ones are apart."""
    memories: int = 0
    """How many there are in all."""
    density: float = 0.0
    """Average weight centre of those above 0.7; 0 where there are none."""


def read_identity(graph: Graph, space: str, *, weightiest: int = WEIGHTIEST) -> Identity:
    """Return the identity of a space.

    It walks all active memories: about 0.15 s for 20,000 of them, so it is for now and then, not for every turn.

    Args:
        graph: The database.
        space: Whose.
        weightiest: How many that weigh most.
    """
    row = graph.read("inspect/read_identity", space=space, limit=weightiest, settled=SETTLED)[0]
    return Identity(
        immutable=tuple(map(memory_from, row["immutable"])),
        weightiest=tuple(map(memory_from, row["weightiest"])),
        memories=row["memories"],
        density=row["density"],
    )


def draw(
    identity: Identity, generator: np.random.Generator, threshold: float = THRESHOLD
) -> tuple[Memory, ...]:
    """Return the memories that come to mind this time, whole, the weightiest first.

    Each is observed once; it comes where its draw from Beta(alpha, beta) is above `threshold` (v4 plan, 3.2). So
    Beta(50, 2) comes nearly always, Beta(30, 20) about half the time, and a new memory, Beta(1, 4), one time in 39.
    """
    return tuple(
        memory
        for memory in identity.weightiest
        if StochasticWeight(memory.weight_alpha, memory.weight_beta).observe(generator) > threshold
    )
