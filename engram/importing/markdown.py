"""Markdown notes, alone or in folders, with YAML front matter."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import yaml

from engram.errors import ImportFileError
from engram.records import Kind, Turn

from .record import Names
from .source import Source
from .times import read_time

SUFFIXES = (".md", ".markdown")
_CONVERSATIONS = (".txt", ".json", ".jsonl")
SPEAKER = "note"
"""Who says what a note says, where the front matter names nobody."""

PART_CHARS = 900
"""Paragraphs are put together up to this size: about what the default embedder reads (256 tokens)."""

MAX_PART_CHARS = 2 * PART_CHARS
"""A single paragraph longer than this is cut at a sentence or a space."""

MAX_NOTES = 100_000
"""Files of a folder that are looked at; more are no notes but the wrong folder."""

_MAX_FRONT_LINES = 400
_MAX_FRONT_CHARS = 1 << 16
"""Reading YAML takes a minute for a few megabytes."""
_HEADING = re.compile(r" {0,3}(#{1,6})(?:\s+(?P<title>.*?))?(?:\s+#+)?\s*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SENTENCE_END = re.compile(r"[.!?\u2026]['\")\]]?\s|[\u3002\uff01\uff1f]")

# What PyYAML's safe loader raises beside its own errors, on text such as `!!int ""` or `2024-13-45`.
_YAML_ERRORS = (
    yaml.YAMLError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
    RecursionError,
)


class _PlainLoader(yaml.SafeLoader):
    """Reads YAML without aliases: with them, a few lines become more values than a machine holds."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose a node, unless it stands for another."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(problem="aliases are not read", problem_mark=self.get_mark())
        return super().compose_node(parent, index)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Turn):
    """A part of a note: a turn that may be of another kind than episodic."""

    kind: Kind = Kind.EPISODIC
    category: str | None = None
    """The first tag."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Front:
    at: datetime | None = None
    title: str | None = None
    speaker: str = SPEAKER
    kind: Kind = Kind.EPISODIC
    tags: tuple[str, ...] = ()


def walk_notes(folder: Path) -> Iterator[Path]:
    """Yield the markdown files under `folder` in a settled order; hidden ones and symbolic links are passed over."""
    return _walk(folder, SUFFIXES)


def _walk(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    seen = 0
    for where, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        seen += len(files)
        if seen > MAX_NOTES:
            raise ImportFileError(
                f"{folder} holds more than {MAX_NOTES:,} files.",
                remedy="Import the folders below it one by one.",
            )
        for name in sorted(files):
            path = Path(where) / name
            if path.suffix.lower() in suffixes and not name.startswith(".") and not path.is_symlink():
                yield path


def left_alone(folder: Path) -> list[str]:
    """Return the conversations under `folder` that are no notes, by their paths within it, in order."""
    return sorted(path.relative_to(folder).as_posix() for path in _walk(folder, _CONVERSATIONS))


def read_markdown(source: Source, *, session: str) -> Iterator[tuple[int, Note | str]]:
    """Yield the first line's number of each part and the part, or the reason why the file is not read.

    The front matter may have `date` (or `created`), `title`, `tags`, `speaker` (or `author`) and `kind`. The body is
    cut at headings written with `#`, and between paragraphs where a part grows beyond `PART_CHARS`; code blocks
    stay whole. Each part begins with its title and headings, so that it can be understood alone.

    Args:
        source: The text.
        session: The session of all parts.
    """
    lines = source.whole().split("\n")
    front, start = _front_matter(lines)
    if isinstance(front, str):
        yield 1, front
        return
    names = Names()
    for number, headings, paragraphs in _sections(lines, start):
        path = [front.title, *headings] if front.title and front.title not in headings[:1] else headings
        head = " > ".join(path) + (f" [{', '.join(front.tags)}]" if front.tags else "")
        for body in _parts(paragraphs):
            text = f"{head}\n{body}" if head else body
            yield (
                number,
                Note(
                    text=text,
                    speaker=front.speaker,
                    at=front.at,
                    session=session,
                    id=names.make(session, at=None, speaker=front.speaker, text=text),
                    kind=front.kind,
                    category=front.tags[0] if front.tags else None,
                ),
            )


def has_front_matter(lines: list[str]) -> bool:
    """Say whether the first lines of a file open and close a block of YAML."""
    return bool(lines) and lines[0].rstrip() == "---" and _front_end(lines) is not None


def _front_end(lines: list[str]) -> int | None:
    closing = (
        number for number, line in enumerate(lines[1:_MAX_FRONT_LINES], 1) if line.rstrip() in ("---", "...")
    )
    return next(closing, None)


def _front_matter(lines: list[str]) -> tuple[_Front | str, int]:
    """Return the front matter, or the reason why it is unreadable, and the index of the body's first line."""
    if not has_front_matter(lines):
        return _Front(), 0
    end = _front_end(lines) or 0
    text = "\n".join(lines[1:end])
    if len(text) > _MAX_FRONT_CHARS:
        return f"its front matter is longer than {_MAX_FRONT_CHARS:,} characters", 0
    try:
        block = yaml.load(text, Loader=_PlainLoader)  # noqa: S506  (a SafeLoader that refuses even more)
    except _YAML_ERRORS as error:
        where = getattr(error, "problem_mark", None)
        line = f" at line {where.line + 2}" if where is not None else ""
        what = getattr(error, "problem", None) or type(error).__name__
        return f"its front matter is not YAML: {what}{line}", 0
    if block is None:
        return _Front(), end + 1
    if not isinstance(block, Mapping):
        # Two rules (`---`) around prose; what looked like front matter is text.
        return _Front(), 0
    return _front(block), end + 1


def _front(block: Mapping[object, object]) -> _Front | str:
    stated = next(
        (block[key] for key in ("date", "created", "created_at") if block.get(key) is not None), None
    )
    at = read_time(stated)
    if stated is not None and at is None:
        return f"its date {_short(stated)} is not a time"
    kind = block.get("kind")
    kinds = [each.value for each in Kind]
    if kind is not None and (not isinstance(kind, str) or kind.lower() not in kinds):
        return f"its kind {_short(kind)} is none of {', '.join(kinds)}"
    speaker = _scalar(block.get("speaker")) or _scalar(block.get("author")) or SPEAKER
    return _Front(
        at=at,
        title=_scalar(block.get("title")),
        speaker=speaker,
        kind=Kind(kind.lower()) if isinstance(kind, str) else Kind.EPISODIC,
        tags=_tags(block.get("tags")),
    )


def _tags(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.replace(",", " ").split()
    if not isinstance(value, list):
        return ()
    return tuple(tag for each in value[:32] if (tag := _scalar(each)))


def _scalar(value: object) -> str | None:
    """Return a short text, on one line and without half characters, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = " ".join(str(value)[:400].split())
    return "".join(char for char in text if not "\ud800" <= char <= "\udfff")[:200] or None


def _short(value: object) -> str:
    # YAML aliases can make a small file a value too large to print.
    return repr(value)[:60] if isinstance(value, str | int | float | bool) else f"({type(value).__name__})"


def _sections(lines: list[str], start: int) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield (line number, headings from the outermost, paragraphs) for each section that has text."""
    headings: list[tuple[int, str]] = []
    paragraphs: list[str] = []
    block: list[str] = []
    fence, number = "", 0
    for index, line in enumerate(lines[start:], start + 1):
        mark = _FENCE.match(line)
        heading = _HEADING.fullmatch(line) if not fence and len(line) <= 400 else None
        if heading:
            _close(block, paragraphs)
            if paragraphs:
                yield number, [title for _, title in headings], paragraphs
            paragraphs, number = [], 0
            level = len(heading[1])
            headings = [(depth, title) for depth, title in headings if depth < level]
            if title := (heading["title"] or "").strip():
                headings.append((level, title))
            continue
        if mark:
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = ""
        if line.strip() or fence:
            number = number or index
            block.append(line.rstrip())
        else:
            _close(block, paragraphs)
    _close(block, paragraphs)
    if paragraphs:
        yield number, [title for _, title in headings], paragraphs


def _close(block: list[str], paragraphs: list[str]) -> None:
    text = "\n".join(block).strip("\n")
    if text.strip():
        paragraphs.append(text)
    block.clear()


def _parts(paragraphs: list[str]) -> Iterator[str]:
    """Put short paragraphs together and cut long ones."""
    part = ""
    for paragraph in paragraphs:
        for piece in _pieces(paragraph):
            if part and len(part) + len(piece) > PART_CHARS:
                yield part
                part = ""
            part = f"{part}\n\n{piece}" if part else piece
    if part:
        yield part


def _pieces(text: str) -> Iterator[str]:
    while len(text) > MAX_PART_CHARS:
        ends = [match.end() for match in _SENTENCE_END.finditer(text, PART_CHARS // 2, PART_CHARS)]
        cut = ends[-1] if ends else text.rfind(" ", PART_CHARS // 2, PART_CHARS) + 1 or PART_CHARS
        yield text[:cut].strip()
        text = text[cut:].lstrip()
    if text:
        yield text
