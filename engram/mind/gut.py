"""The gut feeling: where attention is, less where the memory as a whole is (v4 plan, 5.1).

The subconscious centroid is what the memory is about, half of it what always holds, a quarter each what the agent is after
and everything else by importance. The attention centroid is what the conversation is about right now. What lies between
them is felt: how far it is says how much something moves, and where it points says what.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LAYERS = (0.5, 0.25, 0.25)
"""What the layers count: what always holds, what the agent is after, all memories."""
FADING = 0.7
"""What a turn counts beside the one after it."""
AXES = 10
"""Axes that are looked for; the plan asks for 10 to 20."""
INDIFFERENT = 0.5
"""What a feeling says of that which it neither points towards nor away from."""
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What is felt."""

    vector: Floats
    """Shape (d,): attention less subconscious."""
    magnitude: float
    """0 to 1: half its length, the centroids being of unit length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A direction along which feelings have moved."""

    direction: Floats
    """Shape (d,), of unit length."""
    middle: float
    """The mean of all feelings' places on it."""
    spread: float
    """Their standard deviation."""
    share: float
    """Of the variance of all feelings, 0 to 1."""
    correlation: float | None
    """Pearson's r of the feelings' place on it with what came of them (1 good, 0 bad); None where too few are known."""


def centroid(vectors: NDArray[np.floating], weights: Sequence[float] | Floats | None = None) -> Floats | None:
    """Return the weighted mean of vectors at unit length; None where there is no direction.

    Args:
        vectors: Shape (n, d).
        weights: Shape (n,), 0 and more; only their proportions matter. All count the same without, or where all are 0.
    """
    if not len(vectors):
        return None
    counts = np.ones(len(vectors)) if weights is None else np.asarray(weights, dtype=np.float64)
    most = counts.max()
    shares = counts / most if most > 0.0 else np.ones(len(vectors))
    return unit(shares @ np.asarray(vectors, dtype=np.float64))


def subconscious(layers: Sequence[Floats | None]) -> Floats | None:
    """Return the centroid of the layers' centroids; a layer that has nothing leaves its share to the others."""
    there = [(weight, layer) for weight, layer in zip(LAYERS, layers, strict=True) if layer is not None]
    if not there:
        return None
    return unit(np.sum([weight * layer for weight, layer in there], axis=0))


def attention(context: NDArray[np.floating]) -> Floats | None:
    """Return the centroid of what was said last, shape (n, d), the newest last, each less than the one after it."""
    counts: Floats = FADING ** np.arange(len(context), dtype=np.float64)[::-1]
    return centroid(context, counts)


def delta(focus: Floats | None, depth: Floats | None) -> Delta | None:
    """Return what is felt; None where one of them has no direction yet."""
    if focus is None or depth is None:
        return None
    vector = focus - depth
    return Delta(vector=vector, magnitude=min(1.0, float(np.linalg.norm(vector)) / 2.0))


def score(felt: Delta | None) -> float:
    """Return the feeling as one number, 0 to 1: 1 at the depths, 0.5 beside them and where nothing is felt, 0 opposite.

    It is `1 - magnitude²`. For centroids of unit length that is `0.5 + cosine / 2`, the gut of v4 plan, 2.8.
    """
    return INDIFFERENT if felt is None else 1.0 - felt.magnitude**2


def valence(felt: Delta | None, vectors: NDArray[np.floating]) -> Floats:
    """Return what the feeling says of vectors of unit length, shape (n,): 0.5 nothing, above it towards, below it away."""
    if felt is None or (way := unit(felt.vector)) is None:
        return np.full(len(vectors), INDIFFERENT)
    return leaning(felt.magnitude, np.asarray(vectors, dtype=np.float64) @ way)


def leaning(magnitude: float, cosines: Floats) -> Floats:
    """Return `valence` by the cosines of the vectors with the feeling, shape (n,); where one is NaN, nothing is said."""
    return np.clip(INDIFFERENT + 0.5 * magnitude * np.nan_to_num(cosines, nan=0.0), 0.0, 1.0)


def axes(
    deltas: Floats, outcomes: Sequence[float | None], *, most: int = AXES, fewest: int = 10
) -> tuple[Axis, ...]:
    """Return the principal components of feelings, the widest first, and how they go with what came of them.

    Args:
        deltas: Shape (n, d).
        outcomes: Of each, 1 good to 0 bad; None: not known yet.
        most: Axes at most.
        fewest: Known outcomes below which nothing is said of them.
    """
    if len(deltas) < 2:
        return ()
    middle = deltas - deltas.mean(axis=0)
    _, lengths, directions = np.linalg.svd(middle, full_matrices=False)
    whole = float((lengths**2).sum())
    if whole < _NOTHING:
        return ()
    known = np.array([each is not None for each in outcomes])
    told = np.array([each for each in outcomes if each is not None], dtype=np.float64)
    found = []
    for length, direction in zip(lengths[:most], directions[:most], strict=True):
        if length**2 < _NOTHING * whole:
            break
        # The sign of a component is left to chance; the largest entry makes it the same every time.
        turned = direction * np.sign(direction[np.argmax(np.abs(direction))])
        places = middle[known] @ turned
        sure = len(told) >= fewest and places.std() > _NOTHING and told.std() > _NOTHING
        found.append(
            Axis(
                direction=turned,
                middle=float(deltas.mean(axis=0) @ turned),
                spread=float(length) / len(deltas) ** 0.5,
                share=float(length**2) / whole,
                correlation=float(np.corrcoef(places, told)[0, 1]) if sure else None,
            )
        )
    return tuple(found)


def unit(vector: Floats) -> Floats | None:
    """Return a vector at unit length; None where it has none."""
    length = float(np.linalg.norm(vector))
    return None if length < _NOTHING else vector / length
