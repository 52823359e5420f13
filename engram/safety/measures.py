"""What the ceilings measure: pure functions of sums that a walk over a space can gather batch by batch."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEWEST = 5
"""Verdicts below which a parameter cannot be validated."""
TOP = 10
"""Memories that stand for what matters most to a space."""


@dataclass(frozen=True, slots=True)
class WeightSums:
    """Sums over the weight centres c of a space: enough for the entropy of their distribution."""

    count: int = 0
    total: float = 0.0
    """Σ c."""
    product: float = 0.0
    """Σ c ln c."""

    def __add__(self, other: "WeightSums") -> "WeightSums":
        return WeightSums(self.count + other.count, self.total + other.total, self.product + other.product)

    @property
    def entropy(self) -> float | None:
        """Shannon entropy of the shares `p = c / Σ c`, by its maximum `ln n`: 1 where all matter alike.

        `H = -Σ p ln p = ln Σ c - Σ c ln c / Σ c`. None for fewer than two memories, whose distribution says nothing.
        """
        if self.count < 2:
            return None
        entropy = math.log(self.total) - self.product / self.total
        return min(max(entropy / math.log(self.count), 0.0), 1.0)


def weight_sums(centers: NDArray[np.float64]) -> WeightSums:
    """Return the sums over weight centres, shape (n,), each in (0, 1)."""
    return WeightSums(centers.size, float(centers.sum()), float((centers * np.log(centers)).sum()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Coherence:
    """How well a space holds together, on three axes from 0 to 1; None where there is nothing to say of one.

    The plan names the axes (epistemic, action, value) and asks for C in [0, 1]; what stands for each is our choice.
    """

    epistemic: float | None
    """Share of memories that are neither in open tension with another nor have more evidence against than for."""
    action: float | None
    """Share of goals, dropped ones aside, that are done or were changed since they were set."""
    value: float | None
    """Share of what mattered most at the last cycle that still is among it."""

    @property
    def overall(self) -> float:
        """The mean of the axes that there is something to say of; 1 where there are none: nothing disagrees."""
        axes = [axis for axis in (self.epistemic, self.action, self.value) if axis is not None]
        return math.fsum(axes) / len(axes) if axes else 1.0


def share(part: int, whole: int) -> float | None:
    """Return a part as a share, None of nothing."""
    return part / whole if whole else None


def kept_share(before: Sequence[str], after: Iterable[str]) -> float | None:
    """Return the share of `before` that is in `after`, None where there was nothing before."""
    return share(len({*before} & {*after}), len({*before}))


def blend_gain(
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    lifts: NDArray[np.float64],
    useful: NDArray[np.bool_],
) -> float | None:
    """Return what another blend gains on judged hits: how much more it lifts good ones and less bad ones.

    A component's lift is in proportion to its weight, so under the other blend it is `lift · after / before`. A hit
    counts by the change of its lift, against it where it was of no use; the gain is the mean.

    Args:
        before: Expected weights that the hits are taken to have been scored with, shape (5,).
        after: Those of the other blend, shape (5,).
        lifts: Shape (n, 5): what each component did for each hit.
        useful: Shape (n,): the verdicts.

    Returns:
        The gain; None for fewer than `FEWEST` hits.
    """
    if len(useful) < FEWEST:
        return None
    change = lifts @ (after / before - 1.0)
    return float(np.where(useful, change, -change).mean())
