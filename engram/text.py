"""Text for comparing, for a terminal and for a prompt: what others wrote may not act on any of them."""

import unicodedata

_NO_BRACKETS = str.maketrans(
    {
        "<": "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}",
        ">": "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
    }
)


def normal(text: str) -> str:
    """Return `text` for comparing: one form per character, one space per gap, no case."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def printable(text: str) -> str:
    """Return `text` without control characters (line breaks and tabs stay) and without lone surrogates."""
    whole = text.encode("utf-8", "replace").decode()
    return "".join(c for c in whole if c in "\n\t" or unicodedata.category(c) != "Cc")


def single_line(text: str) -> str:
    """Return `text` as one line that cannot act on a terminal, uncut."""
    return " ".join(printable(text).split())


def inert(text: str, longest: int = 200) -> str:
    """Return `text` as one line of a prompt's fenced section, cut at `longest` characters.

    No content can end the section or begin a line: line breaks become spaces and angle brackets their
    single-quote lookalikes.
    """
    line = single_line(text).translate(_NO_BRACKETS)
    return line if len(line) <= longest else line[: longest - 1] + "…"


MIN_PREFIX = 6
"""Shortest beginning of an id that stands for it: with less, a slip of the finger would name something."""


def short(memory_id: str) -> str:
    """Return the beginning of an id: enough to find the memory by."""
    return inert(memory_id[:8])
