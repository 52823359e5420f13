"""How much a memory matters: a Beta distribution, whose shape says how good the evidence is.

`alpha` counts evidence for, `beta` evidence against. Beta(1, 4) is a new memory, Beta(50, 2) a conviction,
Beta(30, 25) is contested and Beta(1, 1) says nothing at all; a single number could not tell the last two
from each other.
"""

import math
from dataclasses import dataclass, replace
from typing import overload

import numpy as np
from numpy.typing import NDArray

from engram.errors import InvalidInputError

PRIOR_ALPHA = 1.0
PRIOR_BETA = 4.0
"""A new memory: mean 0.2, and wide."""
PRIOR_EVIDENCE = PRIOR_ALPHA + PRIOR_BETA
WEIGHT_CAP = 0.95
"""The centre above which retrieval lifts no memory (v4 plan, 3.9)."""
CAP_ODDS = 19.0
"""The same as odds, `alpha / beta` at the cap: 0.95 is 19 in 20."""
_CONTESTED_ABOVE = 5.0
_UNINFORMED_BELOW = 2.0


@dataclass(frozen=True, slots=True)
class StochasticWeight:
    """A Beta(alpha, beta) belief about how much a memory matters.

    Raises:
        InvalidInputError: A parameter is not positive and finite.
    """

    alpha: float = PRIOR_ALPHA
    """Evidence for."""
    beta: float = PRIOR_BETA
    """Evidence against."""

    def __post_init__(self) -> None:
        if not (self.alpha > 0 and self.beta > 0 and math.isfinite(self.alpha + self.beta)):
            raise InvalidInputError(
                f"A weight's alpha and beta must be positive and finite, not {self.alpha!r}, {self.beta!r}."
            )

    @property
    def center(self) -> float:
        """The mean, `alpha / (alpha + beta)`."""
        return self.alpha / self.total_evidence

    @property
    def variance(self) -> float:
        """`alpha·beta / ((alpha + beta)² (alpha + beta + 1))`."""
        # Factor by factor: the square of a large sum would overflow.
        total = self.total_evidence
        return (self.alpha / total) * (self.beta / total) / (total + 1)

    @property
    def total_evidence(self) -> float:
        """How much was ever said for or against, the prior included."""
        return self.alpha + self.beta

    @property
    def is_contested(self) -> bool:
        """Much evidence on both sides."""
        return self.alpha > _CONTESTED_ABOVE and self.beta > _CONTESTED_ABOVE

    @property
    def is_uninformed(self) -> bool:
        """Little evidence on either side."""
        return self.alpha < _UNINFORMED_BELOW and self.beta < _UNINFORMED_BELOW

    def observe(self, generator: np.random.Generator) -> float:
        """Return one draw from the distribution; every look at a memory is a new one."""
        return float(generator.beta(self.alpha, self.beta))

    def reinforce(self, amount: float = 1.0) -> "StochasticWeight":
        """Return the weight after `amount` of evidence for it.

        Raises:
            InvalidInputError: The amount is negative or not finite.
        """
        return replace(self, alpha=self.alpha + _checked(amount))

    def contradict(self, amount: float = 0.5) -> "StochasticWeight":
        """Return the weight after `amount` of evidence against it.

        Raises:
            InvalidInputError: The amount is negative or not finite.
        """
        return replace(self, beta=self.beta + _checked(amount))


def centers(alpha: NDArray[np.float64], beta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each Beta(alpha, beta), shape (n,)."""
    return alpha / (alpha + beta)


def samples(
    alpha: NDArray[np.float64], beta: NDArray[np.float64], generator: np.random.Generator
) -> NDArray[np.float64]:
    """Return one draw from each Beta(alpha, beta), shape (n,)."""
    return generator.beta(alpha, beta)


@overload
def damped(amount: float, evidence: float) -> float: ...


@overload
def damped(amount: float, evidence: NDArray[np.float64]) -> NDArray[np.float64]: ...


def damped(amount: float, evidence: float | NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return what counts of a step of a retrieval's own evidence: `amount / log2(n + 1)` (v4 plan, 3.9).

    n is the evidence beyond that of the prior, which is 5, and 1 for this step: `max(0, evidence - 5) + 1`. So the
    first step counts in full, and one on top of 7 counts a third. Retrieval strengthens what is then retrieved more
    easily; with diminishing returns, being popular does not become being important. Evidence from outside (a user,
    a source, a contradiction) counts in full however much there is.

    Args:
        amount: The undamped reinforcement or suppression.
        evidence: `alpha + beta` before the step, one number or shape (n,).
    """
    return amount / np.log2(np.maximum(0.0, evidence - PRIOR_EVIDENCE) + 2.0)


def _checked(amount: float) -> float:
    if not (amount >= 0 and math.isfinite(amount)):
        raise InvalidInputError(f"An amount of evidence must be 0 or more and finite, not {amount!r}.")
    return amount
