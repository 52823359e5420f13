"""Standing: what of a memory its policy depends on, and what it is worth by that. Pure functions.

Source of the formulas: the lifecycle value of the project's second seed, with its weights.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self

RECENCY_DAYS, ACCESS_FULL = 90.0, 20
"""Unused for so many days, nothing is left of recency; used so often, a memory is as used as can be."""
DISPUTED_PENALTY = 0.2
_AGE_DAYS, _IDLE_DAYS = 180.0, 120.0
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What of a memory its policy depends on."""

    kind: str
    category: str | None
    status: str
    importance: float
    source_confidence: float
    source_tag: str
    immutable: bool
    raw: bool
    """A turn of a conversation as it was said, and nothing drawn from one."""
    access_count: int
    seen_count: int
    sources: int
    """What it is derived from."""
    useful: int
    useless: int
    """Verdicts on its recalls."""
    disputed: bool
    """Another memory contradicts it and nothing has settled that."""
    created_at: datetime
    last_accessed_at: datetime
    restored_at: datetime | None
    """When it was last brought back from the archive."""
    valid_to: datetime
    resolved_at: datetime | None
    """When a commitment was fulfilled."""
    archive_reason: str | None
    """Why a job archived it; None on what a person has put away."""
    held: Mapping[str, str]
    """States that somebody has set by hand, by property."""

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the standing in a row of `consolidate/archive_list_facts`."""
        held = {name: row[name] for name in row["policy_held"] or () if row[name] is not None}
        return cls(**{name: row[name] for name in cls.__slots__ if name != "held"}, held=held)

    @property
    def confirmations(self) -> int:
        """How often it was said: a job that draws it anew counts, and so does each source."""
        return max(self.seen_count, self.sources)

    @property
    def touched_at(self) -> datetime:
        """Since when nothing has happened to it.

        Never before it was stored: what happened years ago and was imported today is a day old tomorrow.
        """
        times = (self.created_at, self.last_accessed_at, self.restored_at)
        return max(each for each in times if each is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueInputs:
    """What the value of a memory is made of, each 0 to 1."""

    confidence: float
    access: float
    recency: float
    importance: float
    feedback: float
    """0.5 is no verdict, or as many for it as against."""
    disputed_penalty: float


def value_inputs(standing: Standing, now: datetime) -> ValueInputs:
    """Return what a memory's value is made of: access as `ln(1 + n) / ln(21)`, recency falling over 90 days."""
    judged = standing.useful + standing.useless
    feedback = (standing.useful - standing.useless) / judged if judged else 0.0
    return ValueInputs(
        confidence=_fraction(standing.source_confidence),
        access=_fraction(math.log1p(max(0, standing.access_count)) / math.log1p(ACCESS_FULL)),
        recency=_fraction(1.0 - days_between(standing.touched_at, now) / RECENCY_DAYS),
        importance=_fraction(standing.importance),
        feedback=(feedback + 1.0) / 2.0,
        disputed_penalty=DISPUTED_PENALTY if standing.disputed else 0.0,
    )


def heat(inputs: ValueInputs) -> float:
    """Return how much a memory is in use, 0 to 1."""
    return _fraction(
        0.25 * inputs.confidence
        + 0.30 * inputs.access
        + 0.20 * inputs.recency
        + 0.15 * inputs.importance
        + 0.10 * inputs.feedback
        - inputs.disputed_penalty
    )


def decay(standing: Standing, inputs: ValueInputs, now: datetime) -> float:
    """Return how far a memory has gone out of use, 0 to 1."""
    return _fraction(
        0.30 * _fraction(days_between(standing.created_at, now) / _AGE_DAYS)
        + 0.25 * _fraction(days_between(standing.touched_at, now) / _IDLE_DAYS)
        + 0.20 * (1.0 - inputs.confidence)
        + 0.10 * (1.0 - inputs.feedback)
        + 0.15 * (1.0 - heat(inputs))
    )


def tier_value(inputs: ValueInputs, *, correction: bool = False, confirmed: bool = False) -> float:
    """Return the value by which a memory goes from hot to cold and back, 0 to 1.

    Args:
        inputs: What it is made of.
        correction: Whether the memory corrects another one.
        confirmed: Whether its user has confirmed it.
    """
    return _fraction(
        0.24 * inputs.confidence
        + 0.26 * inputs.access
        + 0.20 * inputs.recency
        + 0.20 * inputs.importance
        + 0.10 * inputs.feedback
        + 0.08 * correction
        + 0.05 * confirmed
        - 0.5 * inputs.disputed_penalty
    )


def days_between(since: datetime, now: datetime) -> float:
    """Return the days from `since` to `now`; 0 where that is ahead."""
    return max(0.0, (now - since) / _DAY)


def _fraction(value: float) -> float:
    return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0
