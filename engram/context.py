"""Text in context: what is embedded and indexed for a memory, built without a language model.

A turn such as "Yes, next Friday" means little alone. Its context is the two turns before it and the
one after, each with its speaker, and the day it was said; on conversation retrieval this is worth more
than any later ranking step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

BEFORE = 2
"""Turns of context before the one that is stored."""
AFTER = 1
"""Turns of context after it."""
_PICTURE = "[picture:"
_NEIGHBOUR_CHARACTERS = 300
"""A neighbour gives context; a long one must not drown what was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What was said, by whom and when: all that a context is made of."""

    text: str
    speaker: str | None
    at: datetime
    picture: str | None = None
    """What a picture sent along shows, in words."""


def contextualize(said: Sequence[Said], index: int) -> str:
    """Return `said[index]` in its context; all of `said` is one conversation in order."""
    this = said[index]
    before = said[max(0, index - BEFORE) : index]
    after = said[index + 1 : index + 1 + AFTER]
    lines = [*map(_neighbour, before), _spoken(this), *map(_neighbour, after)]
    return f"{this.at.day} {this.at:%B %Y}\n" + "\n".join(lines)


def quotation(text: str, speaker: str | None) -> str:
    """Return the line with which the contexts of its neighbours quote what was said."""
    return " ".join(_attributed(text, speaker).split())[:_NEIGHBOUR_CHARACTERS]


def without_lines(
    contextualized: str, *, content: str, speaker: str | None, unwanted: Callable[[str], bool]
) -> str:
    """Return a context without the lines of others that are not wanted; what was said itself stays."""
    head, said, tail = contextualized.partition(_attributed(content, speaker))
    rest, *after = tail.split("\n")

    def kept(lines: list[str]) -> list[str]:
        return [line for line in lines if not unwanted(line)]

    before = head.split("\n")
    return "\n".join([*kept(before[:-1]), before[-1] + said + rest, *kept(after)])


def quotes(line: str, quotation: str) -> bool:
    """Say whether a line of a context is a quotation, with or without a picture that was sent along."""
    return line == quotation or line.startswith(f"{quotation} {_PICTURE}")


def _spoken(said: Said) -> str:
    return _attributed(_with_picture(said), said.speaker)


def _attributed(text: str, speaker: str | None) -> str:
    return f"{speaker}: {text}" if speaker else text


def _neighbour(said: Said) -> str:
    return quotation(_with_picture(said), said.speaker)


def _with_picture(said: Said) -> str:
    return f"{said.text} {_PICTURE} {said.picture.strip()}]" if said.picture else said.text
