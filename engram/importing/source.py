"""From bytes to lines: encoding, size and binary files are judged before anything is read as a turn."""

import codecs
import hashlib
import io
import os
import stat
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from engram.errors import ImportFileError

MAX_FILE_BYTES = 1 << 30
"""A bound against the wrong path (a disk image, an endless pipe); files are streamed, so it costs no memory."""

MAX_DOCUMENT_BYTES = 32 << 20
"""JSON documents and notes are parsed whole, and Python's objects take about ten times their text."""

MAX_LINE_CHARS = 1 << 20
"""The longest line or turn held in memory: a memory of 32 KB, every character escaped, five times over."""

MAX_NAME_CHARS = 150
"""A memory's source and session may have 200 characters; the rest is for `import:` and the turn's id."""

_CHUNK = 1 << 16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, None),
    (codecs.BOM_UTF32_BE, None),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_GZIP = b"\x1f\x8b"
_AS_UTF8 = "Save it as UTF-8 and import it again."


@dataclass(frozen=True, kw_only=True)
class Source:
    """A text that can be read from its start any number of times; its encoding is known to be sound."""

    name: str
    """The file's name without its folder, so that a moved file is still the same one."""
    stem: str
    suffix: str
    modified: datetime | None
    """When the file was last written; None for a pipe."""
    size: int
    encoding: str
    skip: int
    """Length of the byte order mark."""
    opened: Callable[[], AbstractContextManager[IO[bytes]]]

    def lines(self) -> Iterator[tuple[int, str | None]]:
        """Yield each line with its number from 1, without its end; None for one over `MAX_LINE_CHARS`."""
        rest, number, skipping = "", 0, False
        for piece in self._pieces():
            # Not str.splitlines: a form feed or U+2028 inside a sentence is not the end of a line.
            *whole, rest = (rest + piece).split("\n")
            for line in whole:
                number += 1
                yield number, None if skipping or len(line) > MAX_LINE_CHARS else line
                skipping = False
            if len(rest) > MAX_LINE_CHARS:
                rest, skipping = "", True
        if rest or skipping:
            yield number + 1, None if skipping else rest

    def whole(self) -> str:
        """Return all of the text, each line end a newline.

        Raises:
            ImportFileError: It is longer than `MAX_DOCUMENT_BYTES`.
        """
        if self.size > MAX_DOCUMENT_BYTES:
            raise ImportFileError(
                f"{self.name} is {self.size:,} bytes long; a document of this format may have "
                f"{MAX_DOCUMENT_BYTES:,}.",
                remedy="Split it, or write it as JSONL: one turn a line has no such limit.",
            )
        return "".join(self._pieces())

    def _pieces(self) -> Iterator[str]:
        decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(self.encoding)(), translate=True)
        with self.opened() as file:
            file.seek(self.skip)
            while chunk := file.read(_CHUNK):
                yield decoder.decode(chunk)
        yield decoder.decode(b"", final=True)


def open_source(path: Path | IO[bytes] | IO[str]) -> Source:
    """Open a file or a stream and read it once, to be sure that it is text of a known encoding.

    A stream (standard input, a named pipe) is copied to a temporary file first, since it is read twice.

    Raises:
        ImportFileError: No such file, not readable, too large, binary, or not UTF-8 or UTF-16.
    """
    try:
        if not isinstance(path, Path):
            return _spooled(path, "stdin")
        status = path.stat()
        if stat.S_ISREG(status.st_mode):
            modified = datetime.fromtimestamp(status.st_mtime, UTC)
            return _checked(
                settled_name(path.name),
                settled_name(path.stem),
                path.suffix,
                modified,
                lambda: path.open("rb"),
            )
        if stat.S_ISDIR(status.st_mode):
            raise ImportFileError(f"{path} is a folder, not a file.")
        # The path of a pipe is often made up for the moment (/dev/fd/63); a device has a name of its own.
        name = settled_name(str(path)) if stat.S_ISCHR(status.st_mode) else "pipe"
        with path.open("rb") as stream:
            return _spooled(stream, name)
    except FileNotFoundError:
        raise ImportFileError(f"There is no file {path}.") from None
    except (OSError, ValueError, OverflowError) as error:
        raise ImportFileError(f"{path} cannot be read: {error}.") from error


def settled_name(name: str) -> str:
    """Return a file's name as text that can be stored: no broken bytes, no control characters, not too long."""
    text = os.fsencode(name).decode("utf-8", "replace")
    text = "".join(char if char.isprintable() else "\ufffd" for char in text)
    if len(text) <= MAX_NAME_CHARS:
        return text
    digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    return f"{text[: MAX_NAME_CHARS - 13]}-{digest}"


def _spooled(stream: IO[bytes] | IO[str], name: str) -> Source:
    copy = tempfile.SpooledTemporaryFile(max_size=MAX_DOCUMENT_BYTES)  # noqa: SIM115  (lives as long as the Source)
    try:
        _copy(stream, copy, name)
        source = _checked(name, name, "", None, lambda: nullcontext(copy))
    except BaseException:
        copy.close()
        raise
    weakref.finalize(source, copy.close)
    return source


def _copy(stream: IO[bytes] | IO[str], copy: IO[bytes], name: str) -> None:
    while chunk := stream.read(_CHUNK):
        if isinstance(chunk, str):
            # A lone half of a surrogate pair is reported as the bad byte it then is.
            chunk = chunk.encode("utf-8", "surrogatepass")
        if copy.tell() == 0:
            _mark(chunk, name)
        copy.write(chunk)
        if copy.tell() > MAX_FILE_BYTES:
            raise _too_large(name)


def _checked(
    name: str,
    stem: str,
    suffix: str,
    modified: datetime | None,
    opened: Callable[[], AbstractContextManager[IO[bytes]]],
) -> Source:
    with opened() as file:
        size = file.seek(0, io.SEEK_END)
        if size > MAX_FILE_BYTES:
            raise _too_large(name)
        file.seek(0)
        chunk = file.read(_CHUNK)
        encoding, skip = _mark(chunk, name)
        file.seek(skip)
        decoder = codecs.getincrementaldecoder(encoding)()
        at = skip
        while True:
            chunk = file.read(_CHUNK)
            waiting = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                raise ImportFileError(
                    f"{name} is not {encoding.upper()} text: {error.reason} at byte {at - waiting + error.start}.",
                    remedy=_AS_UTF8,
                ) from None
            if not chunk:
                break
            at += len(chunk)
    return Source(
        name=name,
        stem=stem,
        suffix=suffix.lower(),
        modified=modified,
        size=size,
        encoding=encoding,
        skip=skip,
        opened=opened,
    )


def _mark(head: bytes, name: str) -> tuple[str, int]:
    """Return the encoding and the length of the byte order mark."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            if encoding is None:
                raise ImportFileError(f"{name} is UTF-32 text.", remedy=_AS_UTF8)
            return encoding, len(mark)
    if head.startswith(_GZIP):
        raise ImportFileError(
            f"{name} is compressed.",
            remedy="If `engram export` wrote it: `engram import --restore`. Otherwise unpack it with gunzip first.",
        )
    if (nul := head.find(b"\0")) >= 0:
        raise ImportFileError(
            f"{name} is a binary file, or UTF-16 without its byte order mark: a NUL at byte {nul}.",
            remedy=_AS_UTF8,
        )
    return "utf-8", 0


def _too_large(name: str) -> ImportFileError:
    return ImportFileError(
        f"{name} is larger than {MAX_FILE_BYTES:,} bytes.", remedy="Split it and import the parts one by one."
    )
