"""Erasing for good: the one thing that deletes, and what it would delete."""

from engram.erasing.eraser import Eraser
from engram.erasing.preview import Preview
from engram.erasing.wanted import About, One, Wanted, Whole

__all__ = ["About", "Eraser", "One", "Preview", "Wanted", "Whole"]
