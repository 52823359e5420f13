"""How ready a memory is to be retrieved: ACT-R's activation, `A = B + S + P + ε`.

Base level B from when it was used, spreading S from what is attended to, partial matching P from what does
not fit, and logistic noise ε. Equations: Anderson et al. (2004), An integrated theory of the mind; the base
level of memories with a long history: Petrov (2006), Computationally efficient approximation of the
base-level learning equation in ACT-R.

`base_level` knows no unit, but a unit sets the zero: the threshold τ = 0 is where one use, one unit of time
ago, stands. Engram counts in days, so a memory used once is at the threshold after a day.
"""

import numpy as np
from numpy.typing import NDArray

from engram.errors import InvalidInputError

DECAY = 0.5
"""d, ACT-R's constant of forgetting."""
THRESHOLD = 0.0
"""τ: an activation here is retrieved every other time."""
NOISE_SCALE = 0.4
"""s of the logistic distribution; its standard deviation is π·s/√3, about 0.73."""
MISMATCH_PENALTY = -1.0
"""P: what one complete mismatch costs."""
ATTENTION = 1.0
"""W: the source activation that all sources share, however many they are."""
MAXIMUM_STRENGTH = 3.0
"""S: the strength of a source's only association; one with e³ of them, about 20, tells nothing apart."""
MINIMUM_AGE = 1.0 / 86_400.0
"""One second in days. The power law has no value at age 0, and clocks of two machines may disagree."""


def base_level(
    ages: NDArray[np.float64],
    *,
    forgotten: NDArray[np.int64],
    lifetime: NDArray[np.float64],
    decay: float = DECAY,
    minimum_age: float = MINIMUM_AGE,
) -> NDArray[np.float64]:
    """Return the base level `ln Σ t^-d` of each memory, shape (n,), always finite.

    The event itself is the first presentation and enters exactly, as `lifetime^-d`; so does each remembered
    access. Of the accesses that fell off the list only the count is known: Petrov spreads them evenly between
    the oldest remembered access t_k and the first presentation t_n, where each contributes the mean of t^-d,
    `(t_n^(1-d) - t_k^(1-d)) / ((1-d)(t_n - t_k))`. His formula counts the first presentation among those; it
    is exact here because its time is known, which is never worse for evenly spaced accesses.

    Args:
        ages: Shape (n, m): time since each remembered access, the most recent ones; NaN where there is none.
        forgotten: Shape (n,): how many older accesses there were; negative counts as none.
        lifetime: Shape (n,): time since the event, or since the memory was made where the event has no time.
        decay: d, between 0 and 1, both excluded.
        minimum_age: Younger ages, negative ones too, count as this: one second, in the unit of the ages.

    Raises:
        InvalidInputError: An age is infinite, a lifetime is not finite, or `decay` or `minimum_age` is out of
            range.
    """
    if not (0.0 < decay < 1.0 and 0.0 < minimum_age < np.inf):
        raise InvalidInputError(f"No base level with decay {decay!r} and minimum age {minimum_age!r}.")
    if np.isinf(ages).any() or not np.isfinite(lifetime).all():
        raise InvalidInputError("An age is not finite.", remedy="NaN stands for no access, in `ages` only.")
    kept = np.maximum(ages, minimum_age)
    first = np.maximum(lifetime, minimum_age)
    oldest_kept = np.max(kept, axis=1, initial=0.0, where=~np.isnan(kept))
    # An access before the event it remembers: there is no gap for the forgotten ones to lie in.
    between = _mean_power(oldest_kept, np.maximum(first, oldest_kept), decay)
    total: NDArray[np.float64] = first**-decay + np.nansum(kept**-decay, axis=1)
    return np.log(total + np.maximum(forgotten, 0) * between)


def spreading(
    strengths: NDArray[np.float64] | NDArray[np.bool_],
    fans: NDArray[np.float64],
    *,
    attention: float = ATTENTION,
    shares: NDArray[np.float64] | None = None,
    maximum: float = MAXIMUM_STRENGTH,
) -> NDArray[np.float64]:
    """Return the spreading activation `Σ_j W_j · strength_ij · (S - ln fan_j)`, shape (n,), never negative.

    With strengths of 0 and 1 this is ACT-R's fan effect: a source associated with everything tells nothing
    apart. Graded strengths, such as a cosine, scale what a source gives. ACT-R lets a source with a fan
    above e^S inhibit; here it gives nothing, because a link to what is attended to is no reason to be left
    out.

    Args:
        strengths: Shape (n, sources): association of each memory with each source, 0 to 1 or a mask; 0,
            negative and NaN are no association.
        fans: Shape (sources,): how many memories each source is associated with; below 1 counts as 1.
        attention: W, the source activation that is divided among the sources.
        shares: Shape (sources,): each source's relative part of `attention`, none negative. None: equal
            parts.
        maximum: S, the strength of a source that has one association.
    """
    associated = np.clip(np.nan_to_num(strengths.astype(np.float64), nan=0.0), 0.0, 1.0)
    sources = fans.shape[0]
    parts = np.ones(sources) if shares is None else shares
    weights = attention * parts / max(parts.sum(), np.finfo(np.float64).tiny)
    gains = np.maximum(0.0, maximum - np.log(np.maximum(fans, 1.0)))
    total: NDArray[np.float64] = associated @ (weights * gains)
    return total


def partial_match(mismatches: NDArray[np.float64], penalty: float = MISMATCH_PENALTY) -> NDArray[np.float64]:
    """Return `penalty · Σ mismatch`, shape (n,).

    Args:
        mismatches: Shape (n, features): how badly each feature fits, 0 (fits) to 1 (does not), clipped to
            that; NaN, nothing known, costs nothing.
        penalty: What one complete mismatch adds; negative.
    """
    degrees: NDArray[np.float64] = np.clip(np.nan_to_num(mismatches, nan=0.0), 0.0, 1.0)
    total: NDArray[np.float64] = degrees.sum(axis=1)
    return penalty * total


def logistic_noise(n: int, generator: np.random.Generator, s: float = NOISE_SCALE) -> NDArray[np.float64]:
    """Return `n` draws from the logistic distribution with mean 0 and scale `s`."""
    return generator.logistic(0.0, s, n)


def activation(
    base: NDArray[np.float64],
    *,
    spread: NDArray[np.float64] | float = 0.0,
    match: NDArray[np.float64] | float = 0.0,
    noise: NDArray[np.float64] | float = 0.0,
) -> NDArray[np.float64]:
    """Return ACT-R's total, `B + S + P + ε`, shape (n,); without noise it is the expected activation."""
    return base + spread + match + noise


def retrieval_probability(
    activation: NDArray[np.float64], tau: float = THRESHOLD, s: float = NOISE_SCALE
) -> NDArray[np.float64]:
    """Return the chance that noise lifts A above τ, `1 / (1 + exp((τ - A) / s))`, shape (n,)."""
    # The same as exp(-ln(1 + e^x)), which does not overflow far below the threshold.
    return np.exp(-np.logaddexp(0.0, (tau - activation) / s))


def _mean_power(low: NDArray[np.float64], high: NDArray[np.float64], decay: float) -> NDArray[np.float64]:
    # The mean of t^-d between low and high, 0 <= low <= high. Written with the relative gap, since the
    # difference of two nearly equal powers has no digits left; without a gap it is high^-d.
    gap = (high - low) / high
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = -np.expm1((1.0 - decay) * np.log1p(-gap)) / ((1.0 - decay) * gap)
    mean: NDArray[np.float64] = high**-decay * np.where(gap > 0.0, ratio, 1.0)
    return mean
