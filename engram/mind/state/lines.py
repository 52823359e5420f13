"""Lines of a working memory: what each says, what it rests on, and how much it counts for a place."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engram.mind.state.sections import Section, divided, lines_of, sections
from engram.text import single_line

LONGEST = 200
"""Characters of a line."""
KEPT = -1
"""Number of the line under which a person's own text cites its memories."""
KEPT_KEY = "kept"
"""Key of the same."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a section."""

    text: str
    cites: tuple[str, ...] = ()
    """Ids of the memories that it rests on."""
    weight: float = 0.0
    """What it counts beside the others of its section."""

    @property
    def size(self) -> int:
        """Characters that it takes in the text, with its mark and its line break."""
        return len(self.text) + 3


Lines = Mapping[Section, Sequence[Line]]
"""Of each section its lines, the weightiest first."""


def line(text: str, cites: Iterable[str] = (), weight: float = 0.0, *, longest: int = LONGEST) -> Line:
    """Return a line, cut between words where it is too long."""
    return Line(cut(text, longest), tuple(dict.fromkeys(cites)), weight)


def cut(text: str, longest: int) -> str:
    """Return `text` as one line of at most so many characters, cut between words where there are any."""
    one = single_line(text)
    if len(one) <= longest:
        return one
    head = one[: longest - 1]
    return f"{head.rpartition(' ')[0] or head}…"


def key(text: str) -> str:
    """Return what a line is found by once others of its version have been erased: 8 digits of its hash."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


def parsed(text: str, cites: Mapping[str, Sequence[str]]) -> dict[Section, tuple[Line, ...]]:
    """Return the lines of a version's text.

    Args:
        text: The text; of what stands above the last title nothing is a line.
        cites: By a line's key, the ids of the memories that it rests on.
    """
    own = sections(divided(text)[1])
    return {
        section: tuple(Line(each, tuple(cites.get(key(each), ()))) for each in lines_of(own[section.value]))
        for section in Section
        if section.value in own
    }


def kept(text: str) -> str:
    """Return a person's own text above a version; '' where there is none."""
    above = divided(text)[0].rstrip()
    return above.removesuffix("---").rstrip()


def cited(lines: Lines) -> set[str]:
    """Return the ids of all memories that lines rest on."""
    return {memory for own in lines.values() for each in own for memory in each.cites}


def citations(lines: Lines) -> list[dict[str, object]]:
    """Return what each line rests on, as a version stores it; lines are numbered through, in the order of the text."""
    told = [each for section in Section for each in lines.get(section, ())]
    return [
        {"memory": memory, "line": number, "key": key(each.text)}
        for number, each in enumerate(told)
        for memory in each.cites
    ]
