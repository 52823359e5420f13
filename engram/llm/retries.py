"""How long to wait before a model is asked again."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 30.0
"""Seconds between two tries at most; a provider that asks for more is not asked again."""

FIRST_WAIT = 0.5


def seconds_before(tried: int, *, asked: float | None, jitter: float) -> float | None:
    """Return how long to wait before the next try, or None where waiting is no use.

    Args:
        tried: How many tries have failed, from 1.
        asked: The seconds that the provider asked for, if it did; never cut short.
        jitter: In [0, 1); spreads callers that failed together.
    """
    if asked is not None:
        return None if asked > LONGEST_WAIT else min(LONGEST_WAIT, asked * (1 + jitter / 4))
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tried - 1) * (0.5 + jitter))


def read_retry_after(value: str | None, *, now: datetime | None = None) -> float | None:
    """Return the seconds that a `retry-after` header names, as a number or as a date; None if it names none."""
    if value is None:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", value.strip()):
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - (now or datetime.now(UTC))).total_seconds())
