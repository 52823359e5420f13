"""The lines typed in chat, and what erasing does to them."""

from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name

from prompt_toolkit.history import FileHistory

scrub_history: Callable[[Path, str], int] = resolve_name("engram.cli.history:scrub_history")


def test_erased_words_leave_the_history_and_others_stay(tmp_path: Path) -> None:
    """Whatever quotes the erased words goes, in any case and with any line breaks; the rest can be read as before."""
    path = tmp_path / "chat_history"
    history = FileHistory(str(path))
    for line in (
        "hello",
        "The code of the safe\nis 4711",
        "and THE CODE OF THE SAFE IS 4711 again",
        "bye # now",
    ):
        history.store_string(line)
    assert scrub_history(path, "the code of the safe is 4711") == 2
    assert list(FileHistory(str(path)).load_history_strings()) == ["bye # now", "hello"]
    assert path.stat().st_mode & 0o077 == 0
    assert scrub_history(path, "the code of the safe is 4711") == 0


def test_short_words_leave_the_history_alone_and_not_what_holds_them(tmp_path: Path) -> None:
    """What is short goes where it is all that was typed, by itself or after a command."""
    path = tmp_path / "chat_history"
    history = FileHistory(str(path))
    for line in ("I know nothing about it", "No", "/remember no", "/recall no one"):
        history.store_string(line)
    assert scrub_history(path, "no") == 2
    assert list(FileHistory(str(path)).load_history_strings()) == [
        "/recall no one",
        "I know nothing about it",
    ]


def test_no_history_is_nothing_to_scrub(tmp_path: Path) -> None:
    """Whoever never chatted has no file, and needs none."""
    assert scrub_history(tmp_path / "chat_history", "x") == 0
    assert list(tmp_path.iterdir()) == []
