"""Fusing ranked lists: pure functions over arrays."""

import numpy as np
from numpy.typing import NDArray

RRF_K = 60
"""Cormack, Clarke and Büttcher (2009), Reciprocal rank fusion, section 3."""


def ranks(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each score, 1 for the highest, infinity for NaN (not in this list).

    Equal scores keep the order they came in.
    """
    result = np.full(scores.shape, np.inf)
    present = np.flatnonzero(~np.isnan(scores))
    order = present[np.argsort(-scores[present], kind="stable")]
    result[order] = np.arange(1, len(order) + 1)
    return result


def reciprocal_ranks(scores: NDArray[np.float64], k: int = RRF_K) -> NDArray[np.float64]:
    """Return `1 / (k + rank)` for each score, and 0 for NaN; the sum over lists is the fused score."""
    return 1.0 / (k + ranks(scores))
