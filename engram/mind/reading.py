"""Reading its own documentation: a tool that is bounded to the docs folder."""

from engram.mind.part import MindPart


class Reading(MindPart):
    """Reading its own documentation."""
