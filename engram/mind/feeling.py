"""The gut feeling in a conversation: how far attention is from what the memory as a whole is about."""

from engram.mind.part import MindPart


class Feeling(MindPart):
    """What is felt in a conversation."""

    charge = 0.0
    """|gut delta| of what was said last, 0 to 1; 0 where nothing is felt."""
