"""Achievement, friction and bonding: what a conversation did, as three levels that fade (seed: dopamine, cortisol, oxytocin).

They say what a cycle looks at most: the bond where there was closeness, the active context where something was reached or
went wrong. They are drawn from what the graph records, and feel nothing.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

HALF_LIFE = timedelta(hours=12)
"""After which half of a level is left."""
SPIKE = 0.7
"""Level above which a note is made by itself."""
NOTE_IMPORTANCE = 0.8


class Signal(StrEnum):
    """One of the three."""

    ACHIEVEMENT = "achievement"
    FRICTION = "friction"
    BONDING = "bonding"


EVENTS: Mapping[str, tuple[Signal, float]] = {
    "goal_done": (Signal.ACHIEVEMENT, 0.6),
    "verdict_useful": (Signal.ACHIEVEMENT, 0.15),
    "connection_strong": (Signal.ACHIEVEMENT, 0.2),
    "correction": (Signal.FRICTION, 0.3),
    "verdict_useless": (Signal.FRICTION, 0.2),
    "goal_stuck": (Signal.FRICTION, 0.4),
    "thanks": (Signal.BONDING, 0.3),
    "told_of_self": (Signal.BONDING, 0.15),
    "came_back": (Signal.BONDING, 0.1),
}
"""What raises which level, and by what share of what is left up to 1."""
_MOODS = {Signal.ACHIEVEMENT: "motivated", Signal.FRICTION: "wary", Signal.BONDING: "socially engaged"}
_STANDS_OUT = 0.35


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """The three levels as of a time, each 0 to 1."""

    at: datetime
    achievement: float = 0.0
    friction: float = 0.0
    bonding: float = 0.0

    def after(self, now: datetime) -> "Levels":
        """Return what is left of them; nothing fades before its time."""
        left = math.exp2(-max(0.0, (now - self.at) / HALF_LIFE))
        return replace(
            self,
            at=max(self.at, now),
            achievement=self.achievement * left,
            friction=self.friction * left,
            bonding=self.bonding * left,
        )

    def told(self, event: str, now: datetime) -> "Levels":
        """Return the levels once something has happened; an event that is none of `EVENTS` raises nothing."""
        levels = self.after(now)
        if event not in EVENTS:
            return levels
        signal, share = EVENTS[event]
        match signal:
            case Signal.ACHIEVEMENT:
                return replace(levels, achievement=_raised(levels.achievement, share))
            case Signal.FRICTION:
                return replace(levels, friction=_raised(levels.friction, share))
            case Signal.BONDING:
                return replace(levels, bonding=_raised(levels.bonding, share))

    def spikes(self, before: "Levels") -> list[Signal]:
        """Return the signals that rose above the level of a note since."""
        return [each for each in Signal if getattr(self, each.value) > SPIKE >= getattr(before, each.value)]

    def mood(self) -> str:
        """Return it in words, the strongest first; '' where nothing stands out."""
        ordered = sorted(Signal, key=lambda each: -getattr(self, each.value))
        return ", ".join(_MOODS[each] for each in ordered if getattr(self, each.value) > _STANDS_OUT)


def _raised(level: float, share: float) -> float:
    return level + share * (1.0 - level)
