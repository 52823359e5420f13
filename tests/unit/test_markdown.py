"""Replies in markdown at a terminal: what a person sees, however the words arrive and however small the screen."""

import os
from collections.abc import Sequence
from pkgutil import resolve_name

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from tests.terminal import Emulator

# By name: the checkout's `cli` folder is the package `engram.cli` only once installed.
markdown = resolve_name("engram.cli.markdown")
region = resolve_name("engram.cli.region")

REPLY = """# Lisbon

A city of *seven* hills with **bold** views and `code`,
a line break, and words enough to be wrapped on most terminals.

- trams
- tiles
  - blue ones

3. three
4. four

```python
def steps(hills: int) -> int:
    return hills * 100
```
> All this city is
> a hill

| tram | goes to |
|------|--------:|
| 28   | Graça   |
| 15   | Belém   |

---

[1]: https://example.org not a definition

<b>Not</b> HTML, ![nor an image](https://example.org/i.png), but [a link](https://example.org).
"""


class Ended(Emulator):
    """A terminal to which a line feed alone begins a new row, as one behind a tty does."""

    def write(self, text: str) -> int:
        """Show what a program wrote."""
        return super().write(text.replace("\n", "\r\n"))


def shown(chunks: Sequence[str], columns: int = 60, lines: int = 30, *, close: bool = True) -> Ended:
    """Return the terminal after a reply has arrived in these pieces."""
    emulator = Ended(columns, lines)
    reply = markdown.MarkdownReply(console(emulator), size=lambda: emulator.size)
    for chunk in chunks:
        reply.feed(chunk)
    if close:
        reply.close()
    return emulator


def console(emulator: Emulator) -> Console:
    """Return a console that writes to the terminal."""
    return Console(file=emulator, force_terminal=True, color_system="standard")  # type: ignore[arg-type]


def pieces(text: str, sizes: Sequence[int]) -> list[str]:
    """Cut `text` into pieces of these sizes, over and over."""
    cut: list[str] = []
    place = 0
    while place < len(text):
        size = sizes[len(cut) % len(sizes)]
        cut.append(text[place : place + size])
        place += size
    return cut


def test_finished_blocks_are_rendered() -> None:
    """Headings, emphasis, lists, code, quotes and tables look as they are meant, and nothing is left out."""
    emulator = shown([REPLY])
    assert emulator.scrollback == [
        "Lisbon",
        "",
        "A city of seven hills with bold views and code,",
        "a line break, and words enough to be wrapped on most",
        "terminals.",
        "",
        " • trams",
        " • tiles",
        "    • blue ones",
        "",
        " 3 three",
        " 4 four",
        "",
        "python ─────────────────────────────────────────────────────",
        "def steps(hills: int) -> int:",
        "    return hills * 100",
        "────────────────────────────────────────────────────────────",
        "",
        "▌ All this city is",
        "▌ a hill",
        "",
        " tram  goes to",
        " ─────────────",
        " 28      Graça",
        " 15      Belém",
        "",
        "------------------------------------------------------------",
        "",
        "[1]: https://example.org not a definition",
        "",
        "<b>Not</b> HTML, !nor an image (https://example.org/i.png),",
        "but a link (https://example.org).",
    ]


def test_emphasis_and_code_are_styled() -> None:
    """Bold is bold, and a keyword of code has another colour than a name."""
    emulator = shown(["Some **bold** word.\n\n```python\nreturn hills\n```\n"])
    assert emulator.is_bold("bold")
    assert not emulator.is_bold("word")
    code = emulator.rows.index("return hills")
    keyword, name = (emulator.screen.buffer[code][place].fg for place in (0, 8))
    assert keyword != name


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=8),
    st.sampled_from([(60, 30), (60, 6), (24, 10), (9, 4), (200, 60)]),
)
def test_how_words_arrive_does_not_matter(sizes: list[int], size: tuple[int, int]) -> None:
    """Any pieces leave the same rows on any screen, whatever has scrolled off it meanwhile."""
    assert shown(pieces(REPLY, sizes), *size).scrollback == shown([REPLY], *size).scrollback


LINES = [
    "a",
    "# b",
    "- c",
    "  - d",
    "1. e",
    "```",
    "```py",
    "> f",
    "| g | h |",
    "|---|---|",
    "---",
    "===",
    "",
    "    i",
]


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.sampled_from([*LINES, "**", "~~~~", "<p>", "[x]: y", "\\", "\t- j", "&amp;"]), max_size=14),
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
)
def test_any_markdown_ends_the_same_however_it_arrives(lines: list[str], sizes: list[int]) -> None:
    """Blocks that end, do not end or turn into others are rendered once, and as if they had come in one piece."""
    text = "\n".join(lines)
    assert shown(pieces(text, sizes), 30, 8).scrollback == shown([text] if text else [], 30, 8).scrollback


@given(st.lists(st.sampled_from(LINES), max_size=14))
def test_blocks_hold_every_line(lines: list[str]) -> None:
    """Splitting loses nothing but blank lines between blocks."""
    text = "\n".join(lines)
    blocks, rest = markdown.split(text)
    kept = [line for part in [*blocks, rest] for line in part.split("\n") if line.strip()]
    assert kept == [line for line in lines if line.strip()]


@given(st.lists(st.sampled_from(LINES), max_size=14), st.lists(st.sampled_from(LINES), max_size=6))
def test_a_complete_block_stays_as_it_is(lines: list[str], more: list[str]) -> None:
    """What was found to be complete is the same block whatever follows."""
    text = "".join(f"{line}\n" for line in lines)
    blocks, _ = markdown.split(text)
    longer, _ = markdown.split(text + "".join(f"{line}\n" for line in more))
    assert longer[: len(blocks)] == blocks


def test_the_open_block_streams_as_it_is() -> None:
    """What is not complete yet is shown in its own characters, below what is rendered."""
    emulator = shown(["**One.**\n\n", "- **tw", "o"], close=False)
    assert emulator.scrollback == ["One.", "", "- **two"]


def test_only_the_open_block_is_written_again() -> None:
    """While a block is open only its new words are written, and what is above it is never touched."""
    emulator = Ended(60, 30)
    written: list[str] = []

    class Spy(Ended):
        def write(self, text: str) -> int:
            written.extend([text] if text else [])
            return emulator.write(text)

    reply = markdown.MarkdownReply(console(Spy(60, 30)), size=lambda: emulator.size)
    for word in ["First.\n\n", "Some ", "more ", "words"]:
        reply.feed(word)
    assert written[1:] == ["\nSome ", "more ", "words"]
    reply.close()
    assert written[-1].startswith("\r\x1b[J")
    assert emulator.scrollback == ["First.", "", "Some more words"]


@pytest.mark.parametrize(
    "text", ["```python\nx = 1", "**never closed", "| a | b |\n|--", "[link](http", "- "]
)
def test_what_never_closes_is_shown(text: str) -> None:
    """An answer that is cut off anywhere keeps all its words."""
    joined = " ".join(shown(list(text)).scrollback)
    for word in ("x = 1", "never closed", "a", "link"):
        assert word not in text or word in joined


def test_a_block_longer_than_the_screen_is_rendered_whole() -> None:
    """Code that scrolls off the top while it streams stands there once, rendered, when it is complete."""
    code = [f"line_{number} = {number}" for number in range(50)]
    text = "```python\n" + "\n".join(code) + "\n```\n\nDone."
    emulator = shown(pieces(text, [7]), 40, 10)
    assert [row for row in emulator.scrollback if row.startswith("line_")] == code
    assert emulator.scrollback[-1] == "Done."


def test_a_paragraph_longer_than_the_screen_is_rendered_whole() -> None:
    """One line of thousands of characters is not repeated either."""
    words = [f"word{number}" for number in range(400)]
    emulator = shown(pieces(" ".join(words), [11]), 40, 10)
    assert " ".join(emulator.scrollback).split() == words


def test_without_colours_nothing_is_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR leaves the layout and the bold, and takes the colours."""
    monkeypatch.setenv("NO_COLOR", "1")
    emulator = shown(["# Head\n\nSome **bold** `code`.\n\n```python\nreturn 1\n```\n"])
    cells = [cell for row in emulator.screen.buffer.values() for cell in row.values()]
    assert {cell.fg for cell in cells} == {cell.bg for cell in cells} == {"default"}
    assert emulator.is_bold("bold")


def test_two_replies_stand_apart() -> None:
    """After a reply is closed, the next one begins on its own line without a gap that belongs to the first."""
    emulator = Ended(40, 20)
    reply = markdown.MarkdownReply(console(emulator), size=lambda: emulator.size)
    for text in ("One.", "Two.\n\nThree."):
        reply.feed(text)
        reply.close()
    reply.close()
    assert emulator.scrollback == ["One.", "Two.", "", "Three."]


def test_wide_characters_take_two_columns() -> None:
    """Rows are measured as the terminal does: nothing of the open block is left behind or eaten."""
    text = "漢字と仮名 " * 12
    emulator = shown(["Before.\n\n", *pieces(text, [5])], 20, 30)
    assert "".join("".join(emulator.scrollback[1:]).split()) == "".join(text.split())
    assert emulator.scrollback[0] == "Before."


def test_a_screen_that_becomes_narrower_is_made_up_for() -> None:
    """Rows that the terminal has wrapped since are counted as it shows them."""
    drawn = region.Region()
    drawn.show(["x" * 30, "y" * 50], os.terminal_size((80, 24)))
    assert drawn.erase(os.terminal_size((20, 24))) == "\r\x1b[4A\x1b[J"


@given(st.lists(st.lists(st.text("ab", max_size=5), max_size=6), max_size=6))
def test_a_region_shows_the_rows_it_was_given_last(steps: list[list[str]]) -> None:
    """Whatever it held before, the screen holds the new rows and nothing of the old."""
    emulator = Ended(10, 8)
    drawn = region.Region()
    emulator.write("above\n")
    for rows in steps:
        emulator.write(drawn.show(rows, emulator.size))
        assert emulator.rows == ["above", *rows, *[""] * (7 - len(rows))]
    emulator.write(drawn.erase(emulator.size))
    assert emulator.scrollback == ["above"]
