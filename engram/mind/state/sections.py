"""The seven sections of a working memory, as markdown and back."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engram.text import single_line

TITLE = "# Working Memory State"
_TITLE_LINE = re.compile(rf"^{TITLE}$", re.MULTILINE)
_HEADING = re.compile(r"^## (?P<name>.+?)\s*$", re.MULTILINE)
_DREAMED = "_Last dream: {at} | Mood: {mood}_"


class Section(StrEnum):
    """A section; the value is its heading."""

    PHENOTYPE = "The Phenotype"
    """Who the agent is becoming, as its memories tell it: a view, and no stored self."""
    BOND = "The Bond"
    """Who the person is, and how the two get on."""
    NICHE = "The Niche"
    """What the agent does, by its own work in the graph."""
    ACTIVE = "Active Context"
    """The last sessions, goals, frictions, breakthroughs."""
    POINTERS = "Pointers"
    """What has left, as searches."""
    GAPS = "Curiosity Gaps"
    """What is not known and would be worth knowing."""
    SKILLS = "Emerging Skills"
    """What was done again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a version of the working memory says."""

    at: datetime
    mood: str
    """In a few words; '' where nothing stands out."""
    lines: Mapping[Section, tuple[str, ...]]
    """Of every section its lines, the weightiest first."""
    kept: str = ""
    """Somebody's own MEMORY.md, which the first versions stand below."""

    def text(self) -> str:
        """Return it as markdown: always the seven sections, in order."""
        parts = [self.kept.rstrip() + "\n\n---\n"] if self.kept.strip() else []
        parts += [TITLE, _DREAMED.format(at=self.at.isoformat(), mood=self.mood or "even")]
        for section in Section:
            own = self.lines.get(section, ())
            parts.append(
                f"## {section.value}\n\n"
                + ("\n".join(f"- {single_line(line)}" for line in own) or "_nothing yet_")
            )
        return "\n\n".join(parts) + "\n"


def divided(text: str) -> tuple[str, str]:
    """Return what stands above the last line that is the title, and what stands below it; of a text without one all is below."""
    titles = [*_TITLE_LINE.finditer(text)]
    return (text[: titles[-1].start()], text[titles[-1].end() :]) if titles else ("", text)


def sections(text: str) -> dict[str, str]:
    """Return the body of each `##` section of a markdown text by its heading; a heading that comes twice has both."""
    found: dict[str, str] = {}
    marks = [*_HEADING.finditer(text)]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):
        body = text[mark.end() : end].strip()
        name = mark["name"]
        found[name] = f"{found[name]}\n{body}" if name in found else body
    return found


def without_section(text: str, section: Section) -> str:
    """Return a version's text without one of its sections; what stands above the title keeps all of its own."""
    own = divided(text)[1]
    above = text.removesuffix(own)
    return above + re.sub(rf"^## {section.value}\s*?$.*?(?=^## |\Z)", "", own, flags=re.MULTILINE | re.DOTALL)


def substance(text: str) -> str:
    """Return what a text says beside headings, rules, emphasis and the words for nothing."""
    told = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in told if line and not _frames(line))


def missing(text: str) -> list[Section]:
    """Return the sections that a text lacks."""
    there = sections(text)
    return [section for section in Section if section.value not in there]


def lines_of(body: str) -> Iterable[str]:
    """Yield the items of a section's list."""
    for line in body.splitlines():
        if line.startswith("- ") and line[2:].strip():
            yield line[2:].strip()


def _frames(line: str) -> bool:
    return line.startswith(("#", "---", "<!--")) or (line[0] == line[-1] == "_")
