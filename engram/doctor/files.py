"""Files: who can read what must be private, and what waits in them for the database."""

import stat
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pydantic import SecretStr

from engram.config import Settings, settings_file
from engram.doctor.finding import Finding
from engram.learning import lost_file, lost_lessons
from engram.loop.journal import journals
from engram.server import Home

_HISTORY = "chat_history"
_OTHERS = 0o077
"""The rights of everybody but the owner."""


def check_private(settings: Settings) -> Iterator[Finding]:
    """Look whether anybody else can read passwords, keys and what was said."""
    there = [path for path in _private(settings) if path.is_file()]
    open_ = [path for path in there if stat.S_IMODE(path.stat().st_mode) & _OTHERS]
    for path in open_:
        yield Finding(
            name="private files",
            state="problem",
            detail=f"others can read {path} (mode {stat.S_IMODE(path.stat().st_mode):04o})",
            remedy=f"`chmod 600 {path}`",
        )
    if there and not open_:
        yield Finding(name="private files", state="ok", detail=f"{len(there)}, readable by their owner only")


def _private(settings: Settings) -> Iterator[Path]:
    home = Home.of(settings)
    yield from (home.password_file, home.root / "server.json", settings.data_dir / _HISTORY)
    yield from (settings.data_dir / "journal").glob("*.jsonl")
    yield from (settings.data_dir / "journal").glob("*.aside")
    if _has_secrets(settings_file()):
        yield settings_file()
    if settings.server_key is not None:
        yield settings.server_key


def _has_secrets(file: Path) -> bool:
    """Return whether a settings file holds a password or a key; without one it may be anybody's to read."""
    secret = {name for name, field in Settings.model_fields.items() if SecretStr in _types(field.annotation)}
    with suppress(OSError, ValueError):
        return bool(secret & tomllib.loads(file.read_text(encoding="utf-8")).keys())
    return False


def _types(annotation: object) -> tuple[object, ...]:
    return getattr(annotation, "__args__", None) or (annotation,)


def check_journal(settings: Settings) -> Iterator[Finding]:
    """Look for what was said while the database was away and has not reached it yet."""
    waiting = [file for file in journals(settings) if file.stat().st_size]
    if waiting:
        lines = sum(1 for file in waiting for line in file.read_bytes().split(b"\n") if line.strip())
        yield Finding(
            name="journal",
            state="note",
            detail=f"{lines:,} things said while the database was away wait in {len(waiting)} files",
            remedy="The next `engram chat` in the same space writes them into the graph.",
        )
    aside = sorted((settings.data_dir / "journal").glob("*.aside"))
    if aside:
        yield Finding(
            name="journal",
            state="note",
            detail=f"the database refused some of what was said; it is kept in {aside[0].parent}/*.aside",
            remedy="Look at it; delete the file when it holds nothing that you want.",
        )


def check_learning(settings: Settings) -> Iterator[Finding]:
    """Look how many recalls taught nothing, because the database was away or too slow."""
    count, reason = lost_lessons(lost_file(settings))
    if count:
        yield Finding(
            name="learning",
            state="note",
            detail=f"{count:,} recalls taught nothing, the last one because: {reason}",
            remedy=f"No memory is lost by that. Delete {lost_file(settings)} to start counting again.",
        )
