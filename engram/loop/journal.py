"""The journal: a local file that keeps what was heard while the database is away.

One line of JSON an entry, forced to the disk before it counts as kept. Whoever opens the space next writes it into the
graph; entries are known by their ids there, so a journal that is written twice stores nothing twice.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from engram.config import Settings
from engram.errors import DatabaseUnavailableError, EngramError
from engram.loop.inputs import Entry
from engram.private import append_private, make_private, write_private
from engram.remembering import SPECIFIC
from engram.validation import normalise

PORTION = 100
"""Entries written in one transaction."""
_SECONDS = 10.0
_LOG = logging.getLogger(__name__)


class Journal:
    """The journal of one space on this machine."""

    def __init__(self, settings: Settings, *, space: str, database: str) -> None:
        """Find the journal; it need not be there yet.

        Args:
            settings: Where data lies on this machine.
            space: Whose.
            database: Which database it is written into, by its own id: what was said to one is not for another.
        """
        name = hashlib.sha256(f"{space}\x1f{database}".encode()).hexdigest()[:16]
        self.file: Path = settings.data_dir / "journal" / f"{name}.jsonl"
        self._lock = FileLock(self.file.with_suffix(".lock"), timeout=_SECONDS)
        """Held while the file is touched, and never while the database is waited for."""
        self._draining = FileLock(self.file.with_suffix(".draining"), timeout=_SECONDS)
        """Held by the one who writes it into the graph."""

    def append(self, entry: Entry) -> None:
        """Keep an entry; it is on the disk when this returns.

        Raises:
            OSError: The disk is full or the folder cannot be written.
        """
        make_private(self.file.parent)
        with self._lock:
            # A line before, too: the end of a process may have cut the last one short.
            append_private(self.file, f"\n{_line(entry)}\n")

    def __len__(self) -> int:
        """Return how many entries wait in it."""
        return len(_entries(self._held()))

    def drain(self, write: Callable[[Sequence[Entry]], object]) -> int:
        """Write everything in it into the graph and empty it; return how many entries that were.

        Where another process is at it, nothing is done. What is appended meanwhile stays.

        Args:
            write: Takes some of the entries, oldest first; where it raises, all of them stay.

        Raises:
            DatabaseUnavailableError: Whoever writes found the database away.
            OSError: The file cannot be read or changed; all of them stay.
        """
        if not self.file.exists():
            return 0
        with suppress(Timeout), self._draining.acquire(timeout=0):
            with self._lock:
                held = self._held()
            entries = _entries(held)
            for first in range(0, len(entries), PORTION):
                self._write(write, entries[first : first + PORTION])
            with self._lock:
                self._set_aside(_unread(held))
                self._keep(self._held()[len(held) :])
            return len(entries)
        return 0

    def forget(self, text: str) -> None:
        """Take out what holds `text`, which is about to be erased; what is short has to be all that was said."""
        self.forget_where(lambda said: quotes(said, text))

    def forget_where(self, holds: Callable[[str], bool]) -> None:
        """Take out every entry whose text is to be erased, and lines set aside likewise."""
        if not (self.file.exists() or self._aside.exists()):
            return
        # Nobody may be about to write it, and to take it for what the file begins with.
        with self._draining, self._lock:
            kept = [entry for entry in _entries(self._held()) if not holds(entry.text)]
            self._keep("".join(f"{_line(entry)}\n" for entry in kept).encode())
            if self._aside.exists():
                lines = self._aside.read_text(encoding="utf-8", errors="replace").split("\n")
                left = [line for line in lines if line and not any(map(holds, _strings(line)))]
                write_private(self._aside, "".join(f"{line}\n" for line in left))

    def clear(self) -> None:
        """Delete it, with the lines that were set aside."""
        if not self.file.parent.exists():
            return
        with self._draining, self._lock:
            self.file.unlink(missing_ok=True)
            self._aside.unlink(missing_ok=True)

    @property
    def _aside(self) -> Path:
        """Where lines are kept that nobody could write."""
        return self.file.with_suffix(".aside")

    def _write(self, write: Callable[[Sequence[Entry]], object], entries: Sequence[Entry]) -> None:
        """Write a portion; what the database refuses is set aside, so that it holds nothing else up."""
        try:
            write(entries)
        except DatabaseUnavailableError:
            raise
        except EngramError as error:
            if len(entries) == 1:
                _LOG.warning("the journal holds what cannot be written: %s", error.message)
                self._set_aside([_line(entries[0])])
                return
            for entry in entries:
                self._write(write, [entry])

    def _set_aside(self, lines: Sequence[str]) -> None:
        """Keep lines beside the journal, for a person or another version to look at."""
        if lines:
            append_private(self._aside, "".join(f"{line}\n" for line in lines))

    def _held(self) -> bytes:
        try:
            return self.file.read_bytes()
        except FileNotFoundError:
            return b""

    def _keep(self, rest: bytes) -> None:
        """Let the file hold this and nothing else."""
        if rest.strip():
            write_private(self.file, rest.decode("utf-8", "replace"))
        else:
            self.file.unlink(missing_ok=True)


def quotes(said: str, words: str) -> bool:
    """Say whether what was said holds words that are erased; short words have to be all that was said."""
    whole, part = normalise(said), normalise(words)
    return part in whole if len(part) >= SPECIFIC else part == whole


def _entries(held: bytes) -> list[Entry]:
    # Not `splitlines`: text may hold what Unicode takes for the end of a line.
    lines = held.decode("utf-8", "replace").split("\n")
    return [entry for line in lines if (entry := _read(line)) is not None]


def _unread(held: bytes) -> list[str]:
    """Return the lines that are whole and yet no entry: another version wrote them."""
    lines = held.decode("utf-8", "replace").split("\n")
    return [line for line in lines if line.strip() and _is_json(line) and _read(line) is None]


def _strings(line: str) -> list[str]:
    """Return what a line that is no entry says: the texts of its object, and the line itself."""
    try:
        held = json.loads(line)
    except (ValueError, RecursionError):
        return [line]
    texts = held.values() if isinstance(held, dict) else []
    return [line, *(each for each in texts if isinstance(each, str))]


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _line(entry: Entry) -> str:
    return json.dumps(asdict(entry) | {"at": entry.at.isoformat()}, ensure_ascii=False)


def _read(line: str) -> Entry | None:
    """Return the entry of one line; None for one that the end of the process cut off: it never counted as kept."""
    try:
        stored: dict[str, Any] = json.loads(line)
        stored["at"] = datetime.fromisoformat(stored["at"])
        stored["signals"] = tuple(stored["signals"])
        return Entry(**stored)
    except (ValueError, TypeError, KeyError):
        return None


def journals(settings: Settings) -> list[Path]:
    """Return the journals that wait on this machine, of any space."""
    return sorted((settings.data_dir / "journal").glob("*.jsonl"))
