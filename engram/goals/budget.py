"""The weight that one goal may have beside the others (v4 plan, 3.9)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from engram.goals.records import Goal
from engram.safety import Ceiling, Change, SafetyEvent
from engram.safety.ceilings import GOAL_SHARE

FEWEST = 3
"""Goals from which a share of 40 % can be kept to: of two, one always has half."""


def within_budget(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights, shape (n,), cut so that none is more than 40 % of their sum (v4 plan, 3.9).

    What is cut is cut to one level c, and nothing else changes. Where the k heaviest are cut and the others add up to
    R, `c = 0.4 (k c + R)`, so `c = 0.4 R / (1 - 0.4 k)`. No three can have more than 40 % each, so k is 1 or 2. Fewer
    than three weights are returned as they are.
    """
    if weights.size < FEWEST:
        return weights
    ordered = np.sort(weights)[::-1]
    for cut in range(FEWEST):
        rest = float(ordered[cut:].sum())
        level = GOAL_SHARE * rest / (1.0 - GOAL_SHARE * cut)
        if ordered[cut] <= level:
            break
    return np.minimum(weights, level) if cut else weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What keeping to the budget comes to."""

    fired: tuple[SafetyEvent, ...]
    cut: tuple[Goal, ...]
    """Goals that weigh less from now on; none where the budget is only watched."""


def settled(before: Sequence[Goal], after: Sequence[Goal], budget: Ceiling, *, at: datetime) -> Settled:
    """Return what a change of goals is against the budget; only the active ones have a share in it.

    Args:
        before: The goals as they were.
        after: The goals as they are to be.
        budget: The ceiling on one goal's share.
        at: When.
    """
    active = [each for each in after if each.state == "active"]
    was, would = _shares([each for each in before if each.state == "active"]), _shares(active)
    changes = (
        Change(
            subject=each.id, before=was.get(each.id, 0.0), after=would[each.id], exempt=len(active) < FEWEST
        )
        for each in active
    )
    fired = tuple(event for change in changes if (event := budget.fired(change, at=at)))
    if not (fired and budget.enforced):
        return Settled(fired=fired, cut=())
    weights = within_budget(np.array([each.weight for each in active])).tolist()
    pairs = zip(active, weights, strict=True)
    return Settled(
        fired=fired,
        cut=tuple(replace(each, weight=weight) for each, weight in pairs if weight < each.weight),
    )


def _shares(goals: Sequence[Goal]) -> dict[str, float]:
    total = math.fsum(each.weight for each in goals)
    return {each.id: each.weight / total for each in goals}
