"""Which format a file has, and its turns as a stream."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO

from engram.errors import ImportFileError, InvalidInputError
from engram.records import Turn

from .jsonl import read_jsonl
from .locomo import read_locomo
from .markdown import SUFFIXES, has_front_matter, left_alone, read_markdown, walk_notes
from .source import MAX_LINE_CHARS, Source, open_source, settled_name
from .transcript import look, read_transcript, survey

FORMATS = ("jsonl", "locomo", "transcript", "markdown")

_HEAD_LINES = 200
_MARKUP = re.compile(r"<(\?xml|!doctype|!--|html\b)", re.IGNORECASE)
_EXPORTED = re.compile(r'\{"engram": ?"export"')
_FORMATS_TEXT = (
    "Engram reads JSONL of turns, LoCoMo-style JSON, `Name: text` transcripts and markdown; "
    "`--format` says which, and `--format markdown` takes any prose."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A place in a file that gave no turn."""

    line: int
    """The line it begins at; in a JSON document the position among the turns, from 1."""
    reason: str


class Reading(Iterator[Turn | Refused]):
    """The turns of one file or folder, read as they are asked for."""

    def __init__(
        self, parts: Callable[[], Iterator["_Part"]], *, name: str, form: str, expected: int | None
    ) -> None:
        self.name = name
        self.format = form
        self.expected = expected
        """About how many turns there are, for a progress bar; None if only reading tells."""
        self.line = 0
        """Where the turn given last begins."""
        self.undated = 0
        """Turns given so far whose own time is unknown."""
        self.notices: list[str] = []
        """What the person should know once the reading is over."""
        self._parts = parts
        self._items = self._read(parts())

    def __next__(self) -> Turn | Refused:
        return next(self._items)

    def again(self) -> "Reading":
        """Return a reading of the same, from its start."""
        return Reading(self._parts, name=self.name, form=self.format, expected=self.expected)

    def _read(self, parts: Iterator["_Part"]) -> Iterator[Turn | Refused]:
        found = False
        for part in parts:
            try:
                source = part.source if isinstance(part.source, Source) else open_source(part.source)
                for line, item in _read_source(source, self.format, part.session, self.notices):
                    self.line = line
                    found = True
                    if isinstance(item, str):
                        yield Refused(line=line, reason=part.prefix + item)
                        continue
                    self.undated += item.at is None
                    named = item.source or f"import:{source.name}"
                    yield replace(item, at=item.at or source.modified, source=named)
            except ImportFileError as error:
                # One broken note does not keep the others of its folder out.
                if not part.prefix:
                    raise
                found = True
                yield Refused(line=0, reason=f"{part.prefix}{error.message}")
        if not found:
            raise ImportFileError(f"{self.name} holds no turns.", remedy=_FORMATS_TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    source: Source | Path
    session: str
    prefix: str = ""
    """Put before a refusal's reason: which file of a folder."""


def read_turns(
    path: Path | IO[bytes] | IO[str],
    *,
    format: str | None = None,  # noqa: A002  (the option's name)
    session: str | None = None,
) -> Reading:
    """Read the turns of a conversation from a file, a stream or a folder of notes.

    Every turn has a session (the file's own, else its name without suffix), an id that stays the same at the next
    import (the file's own, else one made from time, speaker and text), the source `import:<file name>`, and an
    aware time in UTC. A turn whose time the file does not tell gets the file's time of last change, so that it is
    the same at every import; in a stream, which has none, it stays None. `Reading.undated` counts both.

    Args:
        path: A file, a folder (its markdown files, recursively), or an open stream, bytes rather than text.
        format: One of `FORMATS`; None: found out from the content.
        session: The session of turns that name none; None: the file's name without suffix. Not for folders.

    Raises:
        ImportFileError: The file cannot be read, or no format fits; or, while iterating: it is cut off, of another
            layout, or holds no turns.
        InvalidInputError: There is no such format, or the session is blank or given for a folder.
    """
    if format is not None and format not in FORMATS:
        raise InvalidInputError(f"There is no format {format!r}.", remedy=f"Use one of {', '.join(FORMATS)}.")
    if session is not None and not session.strip():
        raise InvalidInputError("The session's name is blank.")
    if isinstance(path, Path) and path.is_dir():
        if session is not None:
            raise InvalidInputError(f"{path} is a folder; its notes are sessions of their own.")
        if format not in (None, "markdown"):
            raise ImportFileError(f"{path} is a folder; only markdown is read from folders.")
        reading = Reading(
            lambda: _notes(path), name=settled_name(path.name or str(path)), form="markdown", expected=None
        )
        if others := left_alone(path):
            reading.notices.append(
                f"{path}: {len(others):,} other files were left alone ({', '.join(others[:3])}"
                f"{', …' if len(others) > 3 else ''}); name them to import them."
            )
        return reading
    source = open_source(path)
    form = format or detect_format(source)
    part = _Part(source=source, session=settled_name(session.strip()) if session else source.stem)
    return Reading(lambda: iter([part]), name=source.name, form=form, expected=_count(source, form))


def detect_format(source: Source) -> str:
    """Return which of `FORMATS` the text is written in, judging by content first and suffix last.

    Raises:
        ImportFileError: It is empty, or none of them.
    """
    lines = [line for _, line in islice(source.lines(), _HEAD_LINES)]
    head = [line for line in lines if line is not None]
    filled = [line.strip() for line in head if line.strip()]
    if not filled:
        # A first line that is too long to hold is JSON or nothing.
        if source.size > source.skip and source.suffix in (".jsonl", ".json"):
            return "jsonl" if source.suffix == ".jsonl" else "locomo"
        if None in lines:
            raise ImportFileError(
                f"{source.name} begins with a line of more than {MAX_LINE_CHARS:,} characters, which is no turn.",
                remedy="Break it into turns, each on a line of its own.",
            )
        raise ImportFileError(f"{source.name} holds no turns: it is empty.")
    if _MARKUP.match(filled[0]):
        raise ImportFileError(
            f"{source.name} is XML or HTML, not text that somebody said.",
            remedy="Save it as plain text. Of what `engram export` writes, JSONL alone can be read back, with --restore.",
        )
    if _EXPORTED.match(filled[0]):
        raise ImportFileError(
            f"{source.name} was written by `engram export`.",
            remedy=f"`engram import --restore {source.name}` reads it back.",
        )
    if filled[0][0] == "{" or (filled[0][0] == "[" and filled[0][1:2] in ("", "{", "[", "]", " ")):
        return _json_format(source, filled)
    if has_front_matter(head):
        return "markdown"
    seen = [look(line) for line in filled]
    speaking = sum(line.speaker is not None for line in seen)
    headings = sum(line.startswith("#") for line in filled)
    if source.suffix in SUFFIXES and (speaking < 2 or headings > speaking or 3 * speaking < len(seen)):
        return "markdown"
    if speaking:
        return "transcript"
    raise ImportFileError(
        f"{source.name} holds no turns in a format that Engram knows.", remedy=_FORMATS_TEXT
    )


def _json_format(source: Source, filled: list[str]) -> str:
    if filled[0][0] == "[":
        return "locomo"
    # A broken line must not hide that its neighbours are records, each on a line of its own.
    for line in filled[:20]:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            one = len(filled) == 1 and record.keys() & {"conversation", "turns"}
            whole = isinstance(record.get("conversation"), dict) or isinstance(record.get("turns"), list)
            return "locomo" if one and whole else "jsonl"
    alone = filled[0] == "{" or (len(filled) > 1 and not any(line[0] == "{" for line in filled[1:]))
    return "locomo" if alone and source.suffix not in (".jsonl", ".ndjson") else "jsonl"


def _notes(folder: Path) -> Iterator[_Part]:
    for path in walk_notes(folder):
        inside = path.relative_to(folder)
        session = settled_name(inside.with_suffix("").as_posix())
        yield _Part(source=path, session=session, prefix=f"{settled_name(inside.as_posix())}: ")


def _read_source(
    source: Source, form: str, session: str, notices: list[str]
) -> Iterator[tuple[int, Turn | str]]:
    if form == "jsonl":
        return read_jsonl(source, session=session)
    if form == "locomo":
        return read_locomo(source, session=session)
    if form == "markdown":
        return read_markdown(source, session=session)
    return read_transcript(source, session=session, notices=notices)


def _count(source: Source, form: str) -> int | None:
    if form == "jsonl":
        return sum(line is None or bool(line.strip()) for _, line in source.lines())
    if form == "transcript":
        return survey(line for _, line in source.lines()).turns
    return None
