"""When what was noted has to be consolidated (DMN algorithms, 4)."""

from dataclasses import dataclass
from typing import Literal

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
"""Pressure from which a consolidation is due."""

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
    def value(self) -> float:
        """0 and more: the lines' share, and a quarter for each secondary signal."""
        signals = (self.sessions >= SESSIONS, self.turns_per_hour >= DENSE, self.compacted)
        return self.lines / LINES + NUDGE * sum(signals)

    @property
    def level(self) -> Level:
        """What is due."""
        if self.value < NOTED:
            return "none"
        return "noted" if self.value <= DUE else "due"

    def note(self) -> str:
        """Return a line for the status, '' where nothing is due."""
        match self.level:
            case "none":
                return ""
            case "noted":
                return f"{self.lines} lines wait: consolidate between two tasks"
            case "due":
                return f"{self.lines} lines wait: consolidate before they grow further"
