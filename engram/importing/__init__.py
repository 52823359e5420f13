"""Conversations and notes from files: what formats there are, and how their turns get into a memory.

`read_turns` is the whole reading side; one module per format, `source` for what all of them share.
"""

from .reading import FORMATS, Reading, Refused, read_turns
from .store import Store, Tally, find_refusals, store_turns

__all__ = ["FORMATS", "Reading", "Refused", "Store", "Tally", "find_refusals", "read_turns", "store_turns"]
