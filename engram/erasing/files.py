"""Files beside the database that hold what was said: the journal, the lines typed in chat, lost lessons, MEMORY.md."""

import json
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from engram.learning import lost_file
from engram.loop.journal import Journal, quotes
from engram.mind.state import rendering
from engram.mind.state.erasing import tells, without
from engram.mind.state.versions import standing
from engram.private import write_private

if TYPE_CHECKING:
    from engram.config import Settings
    from engram.memory import Engram

_UNSAID = json.dumps({"count": 1, "reason": "(erased)"})
Holds = Callable[[str], bool]
"""Says whether a text is to go."""

_ENTRY = "\n# "
"""An entry of prompt_toolkit's history file begins with a line of its time, then its lines, each after a +."""
_COMMAND = re.compile(r"\A\s*/\w+\s+")
"""What a typed line begins with where it is a command, e.g. `/recall `."""
_ABANDONED_SECONDS = 60.0
"""A draft of a file that is older was left behind by a process that died."""


def history_file(settings: "Settings") -> Path:
    """Return where the lines typed in chat are kept."""
    return settings.data_dir / "chat_history"


def scrub_history(path: Path, content: str) -> int:
    """Take every entry that quotes `content` out of a history file, and return how many there were."""
    return scrub_entries(
        path, lambda typed: quotes(typed, content) or quotes(_COMMAND.sub("", typed, count=1), content)
    )


def scrub_entries(path: Path, holds: Holds) -> int:
    """Take entries out of a history file, and return how many there were."""
    try:
        head, *entries = path.read_text(encoding="utf-8", errors="surrogateescape").split(_ENTRY)
    except FileNotFoundError:
        return 0
    kept = [entry for entry in entries if not holds(_typed(entry))]
    if len(kept) < len(entries):
        write_private(path, _ENTRY.join([head, *kept]) + "\n", errors="surrogateescape")
    return len(entries) - len(kept)


def _typed(entry: str) -> str:
    """Return what was typed of an entry, without its time."""
    return "\n".join(line[1:] for line in entry.split("\n")[1:] if line.startswith("+"))


class Files:
    """The files of this machine that may hold what was said in one space."""

    def __init__(self, memory: "Engram") -> None:
        self._memory = memory
        self._settings = memory.settings
        self._journal = Journal(memory.settings, space=memory.space, database=memory.database_id)

    def forget_content(self, content: str) -> None:
        """Take out what was said in these words; short words have to be all that a line says."""
        self._journal.forget(content)
        scrub_history(history_file(self._settings), content)
        self._forget_lost(lambda reason: quotes(reason, content))
        self._forget_carried(content)
        self._sweep()

    def forget(self, holds: Holds) -> None:
        """Take out whatever holds some words."""
        self._journal.forget_where(holds)
        scrub_entries(history_file(self._settings), holds)
        self._forget_lost(holds)
        rendering.scrub(self._memory, holds)
        self._sweep()

    def forget_space(self) -> None:
        """Take out the space's journal, and of the files that spaces share whatever may have been said in it."""
        self._journal.clear()
        rendering.forget(self._memory)
        # Whose lines and lessons they were is not written there.
        history_file(self._settings).unlink(missing_ok=True)
        self._forget_lost(lambda _: True)
        self._sweep()

    def _forget_lost(self, holds: Holds) -> None:
        """Let lost lessons count on without their reason."""
        path = lost_file(self._settings)
        with suppress(FileNotFoundError):
            lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
            kept = [_UNSAID if line and holds(_reason(line)) else line for line in lines]
            if kept != lines:
                write_private(path, "\n".join(kept))

    def _forget_carried(self, content: str) -> None:
        """Take out of MEMORY.md what it says of a memory, by what the version in force cites and by the words."""
        force = standing(self._memory.graph, space=self._memory.space).force
        if force is not None and rendering.memory_file(self._memory).exists():
            keys = {each.key for each in force.cites if each.content == content}
            rendering.render(self._memory, without(force.text, keys, [content]))
        rendering.scrub(self._memory, lambda line: tells(line, content))

    def _sweep(self) -> None:
        """Delete drafts of these files that were never finished."""
        carried = rendering.memory_file(self._memory)
        for file in (history_file(self._settings), lost_file(self._settings), self._journal.file, carried):
            for draft in file.parent.glob(f".{file.name}.*"):
                with suppress(OSError):
                    if time.time() - draft.stat().st_mtime > _ABANDONED_SECONDS:
                        draft.unlink()


def _reason(line: str) -> str:
    try:
        return str(json.loads(line)["reason"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return line
