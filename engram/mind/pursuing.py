"""Goals in a conversation: which press, which were mentioned, and what sounds like another one."""

from engram.mind.part import MindPart


class Pursuing(MindPart):
    """Goals in a conversation."""
