"""The journal: a local file that keeps what was heard while the database is away.

One line of JSON an entry, forced to the disk before it counts as kept. Whoever opens the space next writes it into the
graph; entries are known by their ids there, so a journal that is written twice stores nothing twice.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from engram.config import Settings
from engram.loop.inputs import Entry
from engram.private import append_private, write_private

_SECONDS = 10.0


class Journal:
    """The journal of one space on this machine."""

    def __init__(self, settings: Settings, *, space: str) -> None:
        name = hashlib.sha256(space.encode()).hexdigest()[:16]
        self.file: Path = settings.data_dir / "journal" / f"{name}.jsonl"
        self._lock = FileLock(self.file.with_suffix(".lock"), timeout=_SECONDS)

    def append(self, entry: Entry) -> None:
        """Keep an entry; it is on the disk when this returns.

        Raises:
            OSError: The disk is full or the folder cannot be written.
        """
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self._lock:
            # A line before, too: the end of a process may have cut the last one short.
            append_private(self.file, f"\n{_line(entry)}\n")

    def __len__(self) -> int:
        """Return how many entries wait in it."""
        return len(self._entries())

    def drain(self, write: Callable[[Sequence[Entry]], object]) -> int:
        """Write everything in it into the graph and empty it; return how many entries that were.

        Args:
            write: Takes the entries, oldest first; where it raises, all of them stay.
        """
        if not self.file.exists():
            return 0
        with self._lock:
            entries = self._entries()
            if entries:
                write(entries)
            self.file.unlink(missing_ok=True)
        return len(entries)

    def forget(self, text: str) -> None:
        """Take out what holds `text`, which is about to be erased."""
        words = text.casefold()
        if not self.file.exists():
            return
        with self._lock:
            kept = [entry for entry in self._entries() if words not in entry.text.casefold()]
            write_private(self.file, "".join(f"{_line(entry)}\n" for entry in kept))

    def _entries(self) -> list[Entry]:
        try:
            lines = self.file.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return []
        return [entry for line in lines if (entry := _read(line)) is not None]


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
