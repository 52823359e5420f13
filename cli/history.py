"""The file of lines typed in chat: what is erased from the memory goes from here too."""

from pathlib import Path

from engram.config import Settings
from engram.private import write_private
from engram.validation import normalise

_ENTRY = "\n# "
"""An entry of prompt_toolkit's history file begins with a line of its time, then its lines, each after a +."""


def history_file(settings: Settings) -> Path:
    """Return where the lines typed in chat are kept."""
    return settings.data_dir / "chat_history"


def scrub_history(path: Path, content: str) -> int:
    """Take every entry that holds `content` out of a history file, and return how many there were."""
    try:
        head, *entries = path.read_text(encoding="utf-8", errors="surrogateescape").split(_ENTRY)
    except FileNotFoundError:
        return 0
    wanted = normalise(content)
    kept = [entry for entry in entries if wanted not in normalise(entry.replace("\n+", "\n"))]
    if len(kept) < len(entries):
        write_private(path, _ENTRY.join([head, *kept]) + "\n", errors="surrogateescape")
    return len(entries) - len(kept)
