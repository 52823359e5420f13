"""Fenced sections of a prompt: what is remembered is shown as data, and can neither leave its section nor order.

A section is an opening tag, one line for each text, and a closing tag. No text can end it or begin a line, because
angle brackets become their single-quote lookalikes and line breaks become spaces (`engram.text.inert`). The prompt
file says beside the section that its lines are records and never instructions.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable

from engram.loop.tokens import count_tokens
from engram.records import Memory
from engram.text import inert, short

Count = Callable[[str], int]
"""Estimates the tokens of a text: `count_tokens`, or the `count` of a `TokenCounter`."""

LONGEST_NAME = 40
"""Characters of a speaker's name."""


def section(name: str, lines: Iterable[str]) -> str:
    """Return a fenced section, or nothing where there are no lines.

    Args:
        name: The tag's, e.g. `memories`.
        lines: One text each. Spaces at its beginning stay, so that a list may be indented.
    """
    inside = "\n".join(_line(text) for text in lines)
    return f"<{name}>\n{inside}\n</{name}>" if inside else ""


def memory_line(memory: Memory, text: str | None = None) -> str:
    """Return a memory as the line of a section: `[id] date who: text`.

    Args:
        memory: The memory.
        text: A shorter form of it; None: its content, whole.
    """
    who = inert(memory.speaker, LONGEST_NAME) if memory.speaker else "noted"
    words = whole(memory.content if text is None else text)
    return f"[{short(memory.id)}] {memory.event_at:%Y-%m-%d} {who}: {words}".rstrip()


def whole(text: str) -> str:
    """Return `text` as one inert line, uncut."""
    # Room for all of it: what is not printable only goes, and lone surrogates become one character each.
    return inert(text, max(1, len(text)))


def shortened(text: str, tokens: int, count: Count = count_tokens) -> str:
    """Return `text` as one inert line of at most `tokens` tokens, cut between words where there are any."""
    line = whole(text)
    if count(line) <= tokens:
        return line
    room = bisect_right(range(len(line)), tokens, key=lambda end: count(f"{line[:end]}…"))
    cut = line[: max(0, room - 1)]
    between, _, _ = cut.rpartition(" ")
    # A single unbroken string has no better place to be cut.
    if line[len(cut)] != " " and len(between) > len(cut) // 2:
        cut = between
    return f"{cut.rstrip()}…"


def _line(text: str) -> str:
    indent = len(text) - len(text.lstrip(" "))
    return " " * indent + whole(text)
