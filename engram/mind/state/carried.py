"""The working memory in a conversation: what was carried over, and notes for the next version."""

from engram.mind.part import MindPart


class Carried(MindPart):
    """The working memory in a conversation."""
