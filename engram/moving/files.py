"""The file itself: written whole or not at all, and read within bounds."""

import gzip
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from engram.errors import ImportFileError, InvalidInputError
from engram.private import sync_folder

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes of one line, at most: a memory has at most some kilobytes."""
LARGEST_FILE = 64 * 1024**3
"""Bytes of all lines, unpacked, unless a caller allows more."""
AGAIN = "Nothing was restored. Take another copy of the file, or export it again."
"""What to do about a file that is not as it was written."""
_PORTION = 1024 * 1024
_GZIP = b"\x1f\x8b"


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Give a file that takes the place of `path` once all is written and on disk; if anything fails, none is left.

    Only its owner can read it. Where the name ends in `.gz` it is packed.

    Raises:
        InvalidInputError: There is a folder or a device of that name, or no folder that it can be put into.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise InvalidInputError(f"{path} is not a file.", remedy="Name a file, or - for standard output.")
    if not path.parent.is_dir():
        raise InvalidInputError(f"There is no folder {path.parent}.", remedy="Make it first.")
    # The temporary file is readable by its owner alone, and renaming keeps that.
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise InvalidInputError(
            f"Nothing can be written into {path.parent}: {error.strerror or error}.",
            remedy="Name a file in a folder of your own.",
        ) from None
    try:
        with os.fdopen(handle, "wb") as file:
            with packed(file, pack=path.name.endswith(".gz")) as target:
                yield target
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


@contextmanager
def packed(file: BinaryIO, *, pack: bool) -> Iterator[BinaryIO]:
    """Give `file`, or what packs into it; the same content gives the same bytes."""
    if not pack:
        yield file
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as target:
        yield cast("BinaryIO", target)


class Source:
    """A file that is read several times from its beginning, packed or not."""

    def __init__(self, file: BinaryIO, name: str, *, limit: int = LARGEST_FILE) -> None:
        self.name = name
        self._file = file
        self._limit = limit

    @classmethod
    @contextmanager
    def open(cls, path: Path | BinaryIO, *, limit: int = LARGEST_FILE) -> Iterator["Source"]:
        """Open a file; what comes through a pipe is kept in a temporary one, which has no name.

        Args:
            path: The file, or standard input.
            limit: Bytes of all its lines at most.

        Raises:
            ImportFileError: There is none, or it cannot be read.
        """
        with ExitStack() as stack:
            if isinstance(path, Path):
                try:
                    source = stack.enter_context(path.open("rb"))
                except OSError as error:
                    raise ImportFileError(
                        f"{path} cannot be read: {error.strerror}.",
                        remedy="Name a file of `engram export` that you may read, or - for standard input.",
                    ) from error
                yield cls(source, path.name, limit=limit)
                return
            kept = stack.enter_context(tempfile.TemporaryFile())
            left = limit
            while data := path.read(_PORTION):
                left -= len(data)
                if left < 0:
                    raise ImportFileError(
                        "stdin is longer than is allowed.", remedy="Allow more with --max-bytes."
                    )
                kept.write(data)
            yield cls(cast("BinaryIO", kept), "stdin", limit=limit)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines with their numbers, each with its end.

        Raises:
            ImportFileError: A line or the file is longer than allowed, or the packing is damaged.
        """
        self._file.seek(0)
        is_packed = self._file.read(2) == _GZIP
        self._file.seek(0)
        source = cast("BinaryIO", gzip.GzipFile(fileobj=self._file)) if is_packed else self._file
        size = number = 0
        while True:
            number += 1
            try:
                line = source.readline(LONGEST_LINE + 1)
            except (OSError, EOFError, zlib.error) as error:
                raise ImportFileError(
                    f"{self.name}:{number}: the packed file is cut off or damaged: {error}.",
                    remedy=AGAIN,
                ) from error
            if not line:
                return
            size += len(line)
            if len(line) > LONGEST_LINE:
                raise ImportFileError(
                    f"{self.name}:{number}: the line is longer than {LONGEST_LINE:,} bytes; Engram writes none such.",
                    remedy=AGAIN,
                )
            if size > self._limit:
                raise ImportFileError(
                    f"{self.name}:{number}: the file is longer than {self._limit:,} bytes, unpacked.",
                    remedy="If it is yours and as long as that, allow more with --max-bytes.",
                )
            yield number, line
