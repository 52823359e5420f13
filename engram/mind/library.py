"""The library: the documentation that travels with Engram, to be read and never left.

Pages are listed from disk and looked up in that list, so a name that points anywhere else is just no page.
"""

import importlib.metadata
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from engram.errors import NotFoundError

PART = 6_000
"""Characters of a page that are read at once."""
SUMMARY = 500
"""Characters of a page's first paragraph that are kept."""
DISTRIBUTION = "engram-neo4j"
_SUFFIX = ".md"
_NO_PROSE = re.compile(r"[#<!|>\-*`\[]|\d+\.|    ")
"""How a paragraph begins that is none: a heading, a picture, a table, a list, code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Part of a page."""

    page: str
    text: str
    part: int
    """From 1."""
    parts: int


class Library:
    """The pages of a folder: its `README.md`, and what lies below its `docs`."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    @cached_property
    def pages(self) -> Mapping[str, Path]:
        """The files by name, e.g. `docs/recall.md`; a link that leads out of the folder is none."""
        found = [self._root / f"README{_SUFFIX}", *sorted((self._root / "docs").rglob(f"*{_SUFFIX}"))]
        return {
            path.relative_to(self._root).as_posix(): path
            for path in found
            if path.is_file() and path.resolve() == path
        }

    def read(self, page: str, part: int = 1) -> Excerpt:
        """Return part of a page.

        Args:
            page: Its name; `docs/` and `.md` may be left out.
            part: Which part, from 1.

        Raises:
            NotFoundError: There is no such page or part.
        """
        name = self._found(page)
        parts = _parts(self._text(name))
        if not 1 <= part <= len(parts):
            raise NotFoundError(
                f"The page {name} has no part {part}.", remedy=f"It has the parts 1 to {len(parts)}."
            )
        return Excerpt(page=name, text=parts[part - 1], part=part, parts=len(parts))

    def title(self, page: str) -> str:
        """Return a page's heading."""
        name = self._found(page)
        heading = next((line for line in self._text(name).splitlines() if line.startswith("# ")), name)
        return heading.removeprefix("# ").strip()

    def summary(self, page: str) -> str:
        """Return the beginning of a page's first paragraph, on one line; empty where it has none."""
        blocks = re.split(r"\n\s*\n", self._text(self._found(page)))
        prose = next((block for block in blocks if block.strip() and not _NO_PROSE.match(block)), "")
        return " ".join(prose.split())[:SUMMARY]

    def _found(self, page: str) -> str:
        for name in (page, f"docs/{page}", f"{page}{_SUFFIX}", f"docs/{page}{_SUFFIX}"):
            if name in self.pages:
                return name
        raise NotFoundError(
            f"There is no page {page[:80]!r} in the documentation.",
            remedy="Leave the page out for a list of all; nothing else can be read.",
        )

    def _text(self, name: str) -> str:
        return self.pages[name].read_text(encoding="utf-8")


def shipped() -> Library:
    """Return the documentation of the Engram that runs: the checkout's, or what was installed with it.

    Raises:
        NotFoundError: It has none.
    """
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file():
        return Library(checkout)
    with suppress(importlib.metadata.PackageNotFoundError):
        for entry in importlib.metadata.files(DISTRIBUTION) or []:
            if entry.parts[-4:] == ("share", "engram", "docs", f"README{_SUFFIX}"):
                return Library(Path(str(entry.locate())).resolve().parents[1])
    raise NotFoundError(
        "The documentation, which comes with Engram, is missing.", remedy=f"Install {DISTRIBUTION} again."
    )


def _parts(text: str) -> list[str]:
    """Cut a text into parts of `PART` characters at most, between lines where that can be."""
    parts = [""]
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), PART):
            piece = line[start : start + PART]
            if parts[-1] and len(parts[-1]) + len(piece) > PART:
                parts.append("")
            parts[-1] += piece
    return parts
