"""Markdown at a terminal: each block is rendered once it is complete, the one being written streams as it is.

A block is complete when nothing that may follow can change it; which lines those are is for the markdown parser to say.
"""

import os
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import markdown as elements
from rich.console import Console, ConsoleOptions, RenderResult
from rich.rule import Rule
from rich.segment import Segment, Segments
from rich.syntax import Syntax
from rich.text import Text

from .region import Region, terminal_size

# What these rules understand, rich leaves out or moves: as text, no word of a reply is lost.
_AS_TEXT = ["image", "reference", "html_block", "html_inline"]
_PARSER = MarkdownIt("commonmark").enable(["strikethrough", "table"]).disable(_AS_TEXT)
_OUTLINE = MarkdownIt("commonmark").enable("table").disable([*_AS_TEXT, "inline"])
"""Finds the blocks without looking into them."""

_ENDED_BY_BLANK_LINE = {"paragraph_open", "blockquote_open", "table_open"}
_TAB = 4


def split(text: str) -> tuple[list[str], str]:
    """Return the blocks of `text` that nothing after them can change, and the rest."""
    whole = text[: text.rfind("\n") + 1]  # the last line may yet become anything
    lines = whole.split("\n")
    outline = [token for token in _OUTLINE.parse(whole) if token.level == 0 and token.map]
    if not outline:
        return [], text
    bounds = [_lines(token)[0] for token in outline]
    if _is_closed(outline[-1], lines):
        bounds.append(_lines(outline[-1])[1])
    blocks = ["\n".join(lines[start:end]).rstrip("\n") for start, end in pairwise(bounds)]
    return blocks, "\n".join([*lines[bounds[-1] : -1], text[len(whole) :]])


def split_all(text: str) -> list[str]:
    """Return the blocks of a text after which nothing comes."""
    blocks, rest = split(f"{text}\n")
    return [*blocks, rest] if rest.strip() else blocks


def _lines(token: Token) -> tuple[int, int]:
    start, end = token.map or (0, 0)
    return start, end


def _is_closed(token: Token, lines: list[str]) -> bool:
    start, end = _lines(token)
    if token.type in {"heading_open", "hr"}:
        return True
    if token.type in _ENDED_BY_BLANK_LINE:
        return end < len(lines) - 1
    if token.type == "fence" and end - start > 1:
        last = lines[end - 1]
        fence = last.strip()
        indent = len(last) - len(last.lstrip())
        return indent < _TAB and len(fence) >= len(token.markup) and set(fence) == {token.markup[0]}
    return False


class _Code(elements.CodeBlock):
    """Code between two rules, without a frame, a background or an indent: it can be copied as it stands."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        language = "" if self.lexer_name == "text" else self.lexer_name
        yield Rule(Text(language), align="left", style="dim", characters="─")
        yield Syntax(
            str(self.text).rstrip(),
            self.lexer_name,
            theme="ansi_dark",
            background_color="default",
            word_wrap=True,
            tab_size=_TAB,
        )
        yield Rule(style="dim", characters="─")


class _Heading(elements.Heading):
    LEVEL_ALIGN: ClassVar = {}  # all of them begin at the left, as the text does


class Block(elements.Markdown):
    """One block of markdown, with the line breaks that its writer set."""

    elements: ClassVar = elements.Markdown.elements | {
        "fence": _Code,
        "code_block": _Code,
        "heading_open": _Heading,
    }

    def __init__(self, text: str) -> None:
        # A link's address is shown: the text may say another.
        super().__init__("", hyperlinks=False)
        self.parsed = list(_keep_breaks(_PARSER.parse(text)))


def _keep_breaks(tokens: Iterable[Token]) -> Iterable[Token]:
    for token in tokens:
        for child in token.children or []:
            if child.type == "softbreak":
                child.type = "hardbreak"
        yield token


class MarkdownReply:
    """A reply as it arrives, on a terminal."""

    def __init__(self, console: Console, *, size: Callable[[], os.terminal_size] | None = None) -> None:
        """Prepare for a reply.

        Args:
            console: Where it goes; must be a terminal that understands cursor movements.
            size: Columns and lines of the terminal, asked before each change; None: of the console's stream.
        """
        self._console = console
        self._size = size or (lambda: terminal_size(console.file))
        self._region = Region()
        self._open = ""
        """What came of the block that is not complete."""
        self._begun = False
        """Whether a block stands above."""
        self._spaced = False
        """Whether the blank line before the open block is written."""

    def feed(self, text: str) -> None:
        """Show some more of it."""
        self._open += text
        written = ""
        if "\n" in text:
            blocks, self._open = split(self._open)
            written = self._render(blocks)
        if not self._open.strip():
            self._write(written)
            return
        size = self._size()
        self._open = self._open.lstrip("\n")
        self._write(written + self._space() + self._region.show(self._rows(size), size))

    def close(self) -> None:
        """Show the rest; what comes next begins on a line of its own."""
        blocks = split_all(self._open)
        self._open = ""
        self._write(self._render(blocks))
        self._begun = False

    def _render(self, blocks: list[str]) -> str:
        """Return what replaces the open block by rendered ones."""
        if not blocks:
            return ""
        written = self._region.erase(self._size())
        for block in blocks:
            written += self._space() + self._rendered(block)
            self._begun, self._spaced = True, False
        return written

    def _space(self) -> str:
        if not self._begun or self._spaced:
            return ""
        self._spaced = True
        return "\n"

    def _rendered(self, text: str) -> str:
        options = self._console.options.update(width=self._size().columns, height=None)
        rows = [_stripped(row) for row in self._console.render_lines(Block(text), options, pad=False)]
        while rows and not rows[-1]:
            del rows[-1]
        while rows and not rows[0]:
            del rows[0]
        segments = [segment for row in rows for segment in [*row, Segment.line()]]
        with self._console.capture() as capture:
            self._console.print(Segments(segments), end="", crop=False)
        return capture.get()

    def _rows(self, size: os.terminal_size) -> list[str]:
        """Return the open block's last rows, as many as the screen can draw again."""
        height = max(size.lines - 1, 1)
        # Narrower than the screen: a row that fills it leaves the cursor in a place of the terminal's choice.
        width = max(size.columns - 1, 1)
        rows = [
            row.plain
            for line in self._open.split("\n")[-height:]
            for row in Text(line).wrap(self._console, width, tab_size=_TAB) or [Text()]
        ]
        return rows[-height:]

    def _write(self, text: str) -> None:
        self._console.file.write(text)
        self._console.file.flush()


def _stripped(row: list[Segment]) -> list[Segment]:
    """Return a row without the spaces at its end: a screen that becomes narrower would wrap them."""
    kept = [*row]
    while kept and not kept[-1].text.strip():
        kept.pop()
    return [*kept[:-1], Segment(kept[-1].text.rstrip(), kept[-1].style)] if kept else []
