"""`MEMORY.md`: the version in force as a file, for a person and for other programs.

The graph is the truth. The file is written after the transaction, and made good at the next cycle where a process died in
between, or where somebody wrote into it.
"""

import hashlib
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from engram.private import make_private, write_private

if TYPE_CHECKING:
    from engram.memory import Engram

NAME = "MEMORY.md"
_FOLDER = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def memory_file(memory: "Engram") -> Path:
    """Return where the working memory of a space of a database is written on this machine.

    The folder is called as the space where that can be a folder's name everywhere, else by its hash, and by a hash of the
    database's own id: spaces of two databases may have one name.
    """
    name = memory.space if _FOLDER.fullmatch(memory.space) else _hash(memory.space)[:16]
    return memory.settings.data_dir / "memory" / f"{name}-{_hash(memory.database_id)[:8]}" / NAME


def render(memory: "Engram", text: str) -> bool:
    """Let the file say `text`; return whether it said something else.

    Raises:
        OSError: It cannot be written; what it said before it still says.
    """
    path = memory_file(memory)
    with suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8") == text:
            return False
    make_private(path.parent)
    write_private(path, text, errors="replace")
    return True


def scrub(memory: "Engram", holds: Callable[[str], bool]) -> int:
    """Take the lines that hold some words out of the file, and return how many there were.

    Raises:
        OSError: It cannot be written.
    """
    path = memory_file(memory)
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except FileNotFoundError:
        return 0
    left = [each for each in lines if not holds(each.removeprefix("- "))]
    if len(left) < len(lines):
        write_private(path, "\n".join(left))
    return len(lines) - len(left)


def forget(memory: "Engram") -> None:
    """Delete the file."""
    memory_file(memory).unlink(missing_ok=True)


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
