"""What one caller may ask of the MCP server, and how an answer is kept within bounds."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

MAX_CONTENT = 32_768
"""Characters of what is remembered; `ENGRAM_MAX_CONTENT_BYTES` bounds the bytes."""
MAX_NOTE = 2_000
"""Characters of a note for the working memory."""
MAX_QUERY = 4_000
"""Characters of a question."""
MAX_REASON = 1_000
"""Characters of a reason."""
MAX_HITS = 50
"""Memories that one recall returns."""
MAX_ROWS = 200
"""Steps of a chain, tensions, turns or changes that one answer holds."""
MAX_TEXT = 4_000
"""Characters of one memory that an answer quotes; the resource has all of it."""
MAX_ANSWER = 40_000
"""Characters of everything that an answer quotes."""
MAX_MESSAGE = 1_048_576
"""Bytes of one message from a client."""
AT_ONCE = 4
"""Calls that are carried out at once; the others wait."""
MAX_WAITING = 64
"""Calls that wait; further ones are refused."""
ROW_COST = 200
"""Characters that a row counts beside its text."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A text as an answer quotes it."""

    text: str
    cut: bool
    """Whether there is more of it."""


def quoted(text: str) -> Quote:
    """Return a text, its end left out where it is too long for an answer."""
    return Quote(text, cut=False) if len(text) <= MAX_TEXT else Quote(text[: MAX_TEXT - 1] + "…", cut=True)


def within(rows: Iterable[tuple[T, int]], *, most: int = MAX_ROWS) -> tuple[list[T], int]:
    """Return the first rows that fit into an answer, and how many are left out.

    Args:
        rows: Each with the number of characters that it quotes.
        most: How many rows at most.
    """
    kept: list[T] = []
    room, left_out = MAX_ANSWER, 0
    for row, size in rows:
        room -= size + ROW_COST
        # The first is never left out, so that an answer says something.
        if left_out or len(kept) >= most or (room < 0 and kept):
            left_out += 1
        else:
            kept.append(row)
    return kept, left_out
