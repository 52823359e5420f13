"""Consolidation pressure in a conversation: how much waits, and why."""

from engram.mind.part import MindPart
from engram.mind.pressure import LINES


class Pressing(MindPart):
    """How much waits to be consolidated."""

    def pressure(self, lines: int) -> float:
        """Return the pressure of so many lines in the scratch buffer, 0 and more."""
        return lines / LINES
