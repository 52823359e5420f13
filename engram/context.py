"""Text in context: what is embedded and indexed for a memory, built without a language model.

A turn such as "Yes, next Friday" means little alone. Its context is the two turns before it and the
one after, each with its speaker, and the day it was said; on conversation retrieval this is worth more
than any later ranking step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

BEFORE = 2
"""Turns of context before the one that is stored."""
AFTER = 1
"""Turns of context after it."""
_NEIGHBOUR_CHARACTERS = 300
"""A neighbour gives context; a long one must not drown what was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What was said, by whom and when: all that a context is made of."""

    text: str
    speaker: str | None
    at: datetime


def contextualize(said: Sequence[Said], index: int) -> str:
    """Return `said[index]` in its context; all of `said` is one conversation in order."""
    this = said[index]
    before = said[max(0, index - BEFORE) : index]
    after = said[index + 1 : index + 1 + AFTER]
    lines = [*map(_neighbour, before), _spoken(this), *map(_neighbour, after)]
    return f"{this.at.day} {this.at:%B %Y}\n" + "\n".join(lines)


def _spoken(said: Said) -> str:
    return f"{said.speaker}: {said.text}" if said.speaker else said.text


def _neighbour(said: Said) -> str:
    return " ".join(_spoken(said).split())[:_NEIGHBOUR_CHARACTERS]
