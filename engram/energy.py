"""Energy: how present a memory is, as a function of elapsed time and never of ticks.

Source of the constants: the three-tier model of the project's design (half-life of a working memory
about 83 minutes, of a short-term one 14 hours, of a long-term one 29 days).
"""

import math
from datetime import UTC, datetime, timedelta

DECAY_PER_HOUR = {"working": 0.5, "shortTerm": 0.05, "longTerm": 0.001}
"""λ per hour by tier."""
CREATION_ENERGY = 1.0
EXPIRY_ENERGY = 0.1
"""A working memory below this has left the working set; recall still finds it."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def hours_between(start: datetime, end: datetime) -> float:
    """Return the hours from `start` to `end`, from whole microseconds (never from date components)."""
    return ((end - _EPOCH) // _MICROSECOND - (start - _EPOCH) // _MICROSECOND) / 3.6e9


def energy_now(energy: float, energy_at: datetime, now: datetime, *, tier: str) -> float:
    """Return `energy · exp(-λ(tier) · hours(now - energy_at))`; a `now` before `energy_at` changes nothing."""
    return energy * math.exp(-DECAY_PER_HOUR[tier] * max(0.0, hours_between(energy_at, now)))


def expires_at(energy: float, energy_at: datetime, *, tier: str) -> datetime:
    """Return when an untouched memory of this energy falls to `EXPIRY_ENERGY`: `energy_at + ln(e / 0.1) / λ`.

    An energy at or below `EXPIRY_ENERGY` has expired at `energy_at`.
    """
    hours = math.log(max(energy, EXPIRY_ENERGY) / EXPIRY_ENERGY) / DECAY_PER_HOUR[tier]
    return energy_at + timedelta(hours=hours)
