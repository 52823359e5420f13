"""When what was noted has to be consolidated (DMN algorithms, 4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

LINES = 50
"""Lines of the scratch buffer that are a pressure of 1."""
SESSIONS = 3
"""Sessions since the last consolidation after which the pressure rises by `NUDGE`."""
DENSE = 12
"""Turns of one session within an hour that make a talk dense."""
NUDGE = 0.25
"""What each of the secondary signals adds."""
NOTED = 0.5
"""Pressure from which a gentle note is due."""
DUE = 1.0
"""Pressure above which a consolidation is due."""
_HOUR = 3_600_000
"""Milliseconds."""

Level = Literal["none", "noted", "due"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressure:
    """How much waits to be consolidated, and why."""

    lines: int
    """Of the scratch buffer."""
    sessions: int
    """Since the last consolidation."""
    turns_per_hour: float
    """Of the densest talk since."""
    compacted: bool
    """Whether a context window was compacted since: that may have lost what nobody noted."""

    @property
    def signals(self) -> int:
        """How many of the secondary signals there are, which only a consolidation ends."""
        return sum((self.sessions >= SESSIONS, self.turns_per_hour >= DENSE, self.compacted))

    @property
    def value(self) -> float:
        """0 and more: the lines' share, and a quarter for each secondary signal."""
        return self.lines / LINES + NUDGE * self.signals

    @property
    def level(self) -> Level:
        """What is due."""
        return level(self.value)

    def note(self) -> str:
        """Return a line for the status, '' where nothing is due."""
        match self.level:
            case "none":
                return ""
            case "noted":
                return f"{self._waiting()}: consolidate between two tasks"
            case "due":
                return f"{self._waiting()}: consolidate before they grow further"

    def _waiting(self) -> str:
        why = [
            *([f"{self.sessions} conversations since the last consolidation"] * (self.sessions >= SESSIONS)),
            *(["a dense one among them"] * (self.turns_per_hour >= DENSE)),
            *(["a window was compacted"] * self.compacted),
        ]
        lines = "1 line waits" if self.lines == 1 else f"{self.lines} lines wait"
        return f"{lines} ({', '.join(why)})" if why else lines


def level(value: float) -> Level:
    """Return what is due at a pressure: nothing below 0.5, a note up to 1, and above it a consolidation."""
    if value < NOTED:
        return "none"
    return "noted" if value <= DUE else "due"


def densest(times: Sequence[int]) -> int:
    """Return the most turns of one talk that lie within an hour, shorter than an hour apart.

    Args:
        times: When each was said, ascending, in milliseconds since 1970.
    """
    moments = np.asarray(times, dtype=np.int64)
    if not moments.size:
        return 0
    ends = np.searchsorted(moments, moments + _HOUR, side="left")
    return int((ends - np.arange(moments.size)).max())
