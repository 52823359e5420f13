"""Energy: how present a memory is, as a function of elapsed time and never of ticks.

Source of the constants: the three-tier model of the project's design (half-life of a working memory
about 83 minutes, of a short-term one 14 hours, of a long-term one 29 days).
"""

import math
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Self

DECAY_PER_HOUR = {"working": 0.5, "shortTerm": 0.05, "longTerm": 0.001}
"""λ per hour by tier."""
TIERS = tuple(DECAY_PER_HOUR)
"""From the one that fades fastest to the one that lasts."""
PROMOTION_BARS = {"working": 2.0, "shortTerm": 5.0}
"""Energy above which a memory leaves a tier."""
SESSION_END_BAR = 1.5
"""The bar of working memories at the end of a session in which they were used."""
HABIT_DAYS, HABIT_SPAN = 5, timedelta(days=14)
"""Used on so many days, the first and the last so far apart, a memory becomes long-term by habit."""
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


def expires_at(energy: float, energy_at: datetime, *, rate: float, expiry: float = EXPIRY_ENERGY) -> datetime:
    """Return when an untouched memory of this energy falls to `expiry`: `energy_at + ln(e / expiry) / λ`.

    An energy at or below it has expired at `energy_at`.
    """
    return energy_at + timedelta(hours=math.log(max(energy, expiry) / expiry) / rate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """One memory's way through the tiers, with the default numbers: the reference that the statements are held to.

    A bar is judged when energy rises, by the write that raises it, and the new tier's rate holds from then on. So
    the course does not depend on when a job looks.
    """

    at: datetime
    """When `energy` was what it says."""
    energy: float = CREATION_ENERGY
    tier: str = "working"
    promotions: tuple[tuple[str, datetime, float], ...] = ()
    """Each tier that it left, when, and with what energy."""
    used_on: tuple[date, ...] = ()
    """The days of use, in UTC, ascending."""

    def settled(self, now: datetime) -> Self:
        """Return the course with energy as of `now`; a time before the last one changes nothing."""
        energy = energy_now(self.energy, self.at, now, tier=self.tier)
        return replace(self, energy=energy, at=max(self.at, now))

    def boosted(self, now: datetime, boost: float) -> Self:
        """Return the course after a gain of energy."""
        return self._judged(now, boost, PROMOTION_BARS)

    def used(self, now: datetime, boost: float = 1.0) -> Self:
        """Return the course after a use, which gains energy and makes habits."""
        days = tuple(sorted({*self.used_on, now.astimezone(UTC).date()}))
        return replace(self, used_on=days).boosted(now, boost)

    def session_ended(self, now: datetime) -> Self:
        """Return the course after the end of a session in which it was used."""
        if self.tier != "working":
            return self
        judged = self._judged(now, 0.0, PROMOTION_BARS | {"working": SESSION_END_BAR})
        return judged if judged.tier != self.tier else self

    def _judged(self, now: datetime, boost: float, bars: dict[str, float]) -> Self:
        judged = self.settled(now)
        judged = replace(judged, energy=judged.energy + boost)
        habit = len(self.used_on) >= HABIT_DAYS and self.used_on[-1] - self.used_on[0] >= HABIT_SPAN
        while judged.tier in bars and (judged.energy > bars[judged.tier] or habit):
            judged = replace(
                judged,
                tier=TIERS[TIERS.index(judged.tier) + 1],
                promotions=(*judged.promotions, (judged.tier, judged.at, judged.energy)),
            )
        return judged
