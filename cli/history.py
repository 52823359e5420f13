"""The file of lines typed in chat: what is erased from the memory goes from here too."""

from engram.erasing.files import history_file, scrub_history

__all__ = ["history_file", "scrub_history"]
