"""How well a memory fits the moment: five components, blended by weights from a Dirichlet distribution.

The weights are drawn anew for each recall, so that now and then a memory comes back for another reason than
the usual one; how often is in the size of the alphas. They move in two ways that add up:

- experience: `alphas_after` shifts them from a cold start, where co-access and mood know nothing yet, to a
  mature blend;
- outcomes: `moved` adds to or takes from the component that a good or bad recall was owed to. What was
  learned is kept as an offset to that shift (`Learned`), so neither undoes the other.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engram.errors import InvalidInputError

COMPONENTS = ("semantic", "coaccess", "noise", "emotional", "recency")
"""The order of every array with five columns; each component is between 0 and 1."""
HALF_SHIFTED = 100.0
"""Recalls learned from, after which the blend is half way from the cold start to maturity."""
RATE = 0.25
"""What one outcome adds to or takes from an alpha."""
BOUNDS = (0.25, 4.0)
"""How far outcomes may take an alpha, as multiples of what experience alone gives it."""
RECENCY_HALF_LIFE = 168.0
"""Seven days, in hours."""
COACCESS_HALF = 5.0
"""The co-access weight that is half of full strength: one coincidence is not yet an association."""
_ROUNDING = 1e-9
EDGE_CONFIDENCE = {"grace_days": 30.0, "doubt": 0.1 / 30.0, "floor": 0.1, "step": 0.1, "least": 0.2}
"""How sure an association is, 0 to 1: after so many idle days it loses `doubt` a day, down to `floor`; a joint use gives
`step` back; below `least` recall does not follow it."""
HOP_DECAY = (1.0, 0.3, 0.1)
"""What reaches a memory from one at hand, from one that the question found, and from that one's partner;
beyond there is more noise than signal."""


@dataclass(frozen=True, slots=True)
class Alphas:
    """Parameters of the Dirichlet distribution over the components' weights.

    Raises:
        InvalidInputError: One is not positive and finite.
    """

    semantic: float
    coaccess: float
    noise: float
    emotional: float
    recency: float

    def __post_init__(self) -> None:
        if not all(value > 0 and math.isfinite(value) for value in self._values):
            raise InvalidInputError(f"Alphas must be positive and finite, not {self._values}.")

    def as_array(self) -> NDArray[np.float64]:
        """Return them in the order of `COMPONENTS`, shape (5,)."""
        return np.array(self._values, dtype=np.float64)

    @property
    def _values(self) -> tuple[float, ...]:
        # Not astuple, which copies deeply: this is read several times in every recall.
        return (self.semantic, self.coaccess, self.noise, self.emotional, self.recency)

    def mean(self) -> NDArray[np.float64]:
        """Return the expected weights, shape (5,); they add up to 1."""
        alphas = self.as_array()
        return alphas / float(alphas.sum())

    def sample(self, generator: np.random.Generator) -> NDArray[np.float64]:
        """Return one draw of the weights, shape (5,); they add up to 1."""
        return generator.dirichlet(self.as_array())


COLD_START = Alphas(semantic=12.0, coaccess=1.0, noise=0.5, emotional=0.5, recency=3.0)
MATURE = Alphas(semantic=8.0, coaccess=5.0, noise=0.5, emotional=3.0, recency=2.0)


@dataclass(frozen=True, slots=True)
class Learned:
    """What a space has learned about its blend: six numbers to store.

    Raises:
        InvalidInputError: The experience is negative, there are not five offsets, or a number is not finite.
    """

    experience: float = 0.0
    """Recalls learned from."""
    offsets: tuple[float, ...] = (0.0,) * len(COMPONENTS)
    """What outcomes added to each of `alphas_after(experience)`, in the order of `COMPONENTS`."""

    def __post_init__(self) -> None:
        if len(self.offsets) != len(COMPONENTS) or not all(map(math.isfinite, self.offsets)):
            raise InvalidInputError(f"There must be {len(COMPONENTS)} finite offsets, not {self.offsets}.")
        alphas_after(self.experience)

    def alphas(self) -> Alphas:
        """Return the blend: experience's alphas plus the offsets, within `BOUNDS` of the former."""
        base = alphas_after(self.experience).as_array()
        return _alphas(np.clip(base + self.offsets, BOUNDS[0] * base, BOUNDS[1] * base))


class Move(NamedTuple):
    """What one outcome changed."""

    learned: Learned
    component: str | None
    """The component that the outcome was put down to; None where none contributed."""
    amount: float
    """What its alpha gained; negative where it lost, 0 at the bound."""


def alphas_after(experience: float) -> Alphas:
    """Return the blend that experience alone gives: `COLD_START` at 0, towards `MATURE` by `n / (n + 100)`.

    The share is how far data outweighs a prior worth a hundred recalls, so there is no day on which the cold
    start ends: the first recalls shift the blend most and each one shifts it less than the one before.

    Args:
        experience: n, the number of recalls learned from.

    Raises:
        InvalidInputError: It is negative or not finite.
    """
    if not (experience >= 0 and math.isfinite(experience)):
        raise InvalidInputError(f"Experience must be 0 or more and finite, not {experience!r}.")
    share = experience / (experience + HALF_SHIFTED)
    return _alphas((1.0 - share) * COLD_START.as_array() + share * MATURE.as_array())


def moved(learned: Learned, contributions: NDArray[np.float64], *, useful: bool, rate: float = RATE) -> Move:
    """Return what one recall's outcome teaches: the component it was owed to gains or loses `rate`.

    It was owed to the component whose contribution is largest relative to its expected weight. By the bare
    contribution it would nearly always be the semantic one, whose weight is largest, and being credited would
    make it larger still. Relative to its mean, a component is credited when it scored high or when the draw
    gave it more than usual: that excursion is what the outcome is a verdict on. (The gradient of a Dirichlet
    draw's log-likelihood has the same shape: `ln w` less its expectation.)

    Noise may gain like any other: that raises exploration in a space where exploring pays, up to its bound.

    Args:
        learned: What was learned so far; the outcome is counted as one more recall.
        contributions: Shape (5,): what each component contributed to the recalled memory, a row of
            `relevance_terms` or, better, of its `lift`; the sum of the rows where several memories are judged
            together.
        useful: Whether the recall turned out to be good.
        rate: What the alpha gains or loses, before its bounds.

    Raises:
        InvalidInputError: There are not five finite contributions.
    """
    if contributions.shape != (len(COMPONENTS),) or not np.isfinite(contributions).all():
        raise InvalidInputError(f"There must be {len(COMPONENTS)} finite contributions, not {contributions}.")
    alphas = learned.alphas()
    experience = learned.experience + 1.0
    credit = contributions / alphas.mean()
    index = int(np.argmax(credit))
    if credit[index] <= _ROUNDING:
        return Move(Learned(experience, learned.offsets), None, 0.0)

    base = float(alphas_after(learned.experience).as_array()[index])
    before = float(alphas.as_array()[index])
    after = min(max(before + (rate if useful else -rate), BOUNDS[0] * base), BOUNDS[1] * base)
    offsets = list(learned.offsets)
    # From where the alpha stands and not from the old offset, which may lie beyond a bound that has moved.
    offsets[index] = after - base
    return Move(Learned(experience, tuple(offsets)), COMPONENTS[index], after - before)


def recency(ages_hours: NDArray[np.float64], half_life: float = RECENCY_HALF_LIFE) -> NDArray[np.float64]:
    """Return `2^(-age / half_life)`, shape (n,): 1 now and in the future, halved with each half-life."""
    return np.exp2(-np.maximum(ages_hours, 0.0) / half_life)


def relevance_terms(components: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each component contributes, shape (n, 5); a row's sum is the memory's relevance, 0 to 1.

    Args:
        components: Shape (n, 5), in the order of `COMPONENTS`, clipped to 0 to 1 (a cosine may be negative);
            NaN, nothing known, counts as 0.
        weights: Shape (5,), adding up to 1: `Alphas.mean` or `Alphas.sample`.
    """
    return np.clip(np.nan_to_num(components, nan=0.0), 0.0, 1.0) * weights


def lift(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each component did for a memory beyond what it did for the average one, shape (n, 5).

    A component that says the same of every candidate, as mood does while it is neutral, preferred none of
    them and gets no credit. For a sum of terms this is each term's Shapley value.
    """
    average: NDArray[np.float64] = terms.mean(axis=0)
    lifted = terms - average
    # What rounding leaves of equal terms is not a preference.
    return np.where(np.abs(lifted) < _ROUNDING, 0.0, lifted)


def edge_strength(weights: NDArray[np.float64], half: float = COACCESS_HALF) -> NDArray[np.float64]:
    """Return co-access weights (counts, 0 or more) as strengths from 0 to 1: `w / (w + half)`.

    It saturates: the difference between 1 and 4 joint recalls tells more than that between 101 and 104.
    """
    counts = np.maximum(weights, 0.0)
    return counts / (counts + half)


def edge_confidence(confidence: float | None, idle_days: float) -> float:
    """Return how sure an association is by now, 0 to 1: linear in the idle days beyond a time of grace.

    What is stored is as of the last joint use, so however often it is looked at, it comes to the same.

    Args:
        confidence: As stored; None, as on every edge of which there was never a doubt, is 1.
        idle_days: Days since the last joint use.
    """
    doubt = EDGE_CONFIDENCE["doubt"] * max(0.0, idle_days - EDGE_CONFIDENCE["grace_days"])
    return max(EDGE_CONFIDENCE["floor"], (1.0 if confidence is None else confidence) - doubt)


def edge_confidence_after(confidence: float | None, idle_days: float) -> float:
    """Return how sure an association is after one more joint use."""
    return min(1.0, edge_confidence(confidence, idle_days) + EDGE_CONFIDENCE["step"])


def spread(
    active: NDArray[np.float64],
    *,
    sources: NDArray[np.intp],
    targets: NDArray[np.intp],
    weights: NDArray[np.float64],
    hops: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the co-access component, shape (n,): the best of what reaches each memory over any path.

    A path is worth the activation that it starts from, times the strength of each edge on it, times 1 for an
    edge from a memory at hand, 0.3 for one from a memory that the question found, or 0.1 for one hop more. The
    best path counts and not the sum, so many weak associations do not add up to a strong one, and no order of
    the edges matters. What is active itself gets nothing for that: being found is no association.

    Args:
        active: Shape (n,): activation of the memories that edges of hop 0 and 1 start from, 0 to 1.
        sources: Shape (edges,): the memory each edge is followed from, as its index in `active`.
        targets: Shape (edges,): the memory it leads to. An undirected edge is listed in the direction, or the
            two, in which it may be followed.
        weights: Shape (edges,): its co-access weight, see `edge_strength`.
        hops: Shape (edges,): 0, 1, or 2 for edges from those that hop 1 reached; others are not followed.
    """
    strengths = edge_strength(weights)
    best = np.zeros(active.shape)
    reached = active
    for hop, decay in enumerate(HOP_DECAY):
        on = hops == hop
        arrived = np.zeros_like(best)
        np.maximum.at(arrived, targets[on], (active if hop < 2 else reached)[sources[on]] * strengths[on])
        best = np.maximum(best, decay * arrived)
        reached = arrived
    return best


def _alphas(values: NDArray[np.float64]) -> Alphas:
    return Alphas(*values.tolist())
