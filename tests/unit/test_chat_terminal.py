"""The pieces of the chat that talk to a person and need no database: commands, screens, lines, signals."""

import json
import os
import pty
import signal
import stat
import termios
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from engram.errors import DatabaseUnavailableError, InvalidInputError
from engram.llm.base import Usage
from engram.loop import events
from engram.loop.events import Attended, Delta, Failed, Notice, Replied, Revising, Status, Stored

# By name: the checkout's `cli` folder is the package `engram.cli` only once installed.
chat = resolve_name("engram.cli.chat")
lines = resolve_name("engram.cli.lines")
screens = resolve_name("engram.cli.screens")
slashes = resolve_name("engram.cli.slashes")
Signals = resolve_name("engram.cli.signals:Signals")
State = resolve_name("engram.cli.state:State")
status_line: Callable[..., str] = resolve_name("engram.cli.status:status_line")

NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "name", "rest"),
    [
        ("/help", "/help", ""),
        ("/WHY  abc123 ", "/why", "abc123"),
        ("/memories where do I live", "/memories", "where do I live"),
        ("/note\none\ntwo three", "/note", "one\ntwo three"),
        ("/note one\ntwo", "/note", "one\ntwo"),
        ("/", "/", ""),
    ],
)
def test_a_slash_line_is_a_command(line: str, name: str, rest: str) -> None:
    """The first word is the command, in any case; the rest is its argument, with its line breaks."""
    slash = slashes.parse_slash(line)
    assert slash is not None
    assert (slash.name, slash.rest) == (name, rest)


@pytest.mark.parametrize("line", ["hello", " /etc/passwd is a file", "", "either/or"])
def test_other_lines_are_said(line: str) -> None:
    """Only a slash at the very beginning makes a command."""
    assert slashes.parse_slash(line) is None


def test_help_lists_every_command_with_what_it_takes() -> None:
    """What can be typed is what /help says, and what Tab offers."""
    listed = [line.split()[0] for line in slashes.help_lines() if line.startswith("  /")]
    assert listed == list(slashes.COMMANDS)
    assert set(slashes.COMMANDS) <= set(slashes.COMPLETIONS)
    assert any("/goals [add TEXT | done|drop|" in line for line in slashes.help_lines())


@pytest.mark.parametrize(
    ("name", "near"),
    [("/mem", "/memories"), ("/memorys", "/memories"), ("/stat", "/state"), ("/goal", "/goals")],
)
def test_an_unknown_command_names_near_ones(name: str, near: str) -> None:
    """The beginning of a command and a misspelt one are answered with what was meant."""
    assert f"Did you mean {near}?" in slashes.unknown(name)


def test_a_command_that_is_near_to_none_names_none() -> None:
    """Nothing is guessed where nothing is near."""
    assert "Did you mean" not in slashes.unknown("/")
    assert "Did you mean" not in slashes.unknown("/frobnicate")


def status(**more: Any) -> Status:
    """Return where a loop stands."""
    usual: dict[str, Any] = {
        "tiers": {"working": 12, "shortTerm": 3, "longTerm": 1},
        "tokens": 1234,
        "window": 16_000,
        "cost_today": 0.0123,
        "budget": None,
        "pressure": 0.1,
        "waiting": 0,
        "model": "a-model",
    }
    return Status(**usual | more)


def test_the_status_line_says_where_the_loop_stands() -> None:
    """Tiers, what today cost, the last prompt's tokens and the model's name."""
    assert status_line(status(), width=120) == (
        "working 12, shortTerm 3, longTerm 1 · $0.01 today · 1,234 of 16,000 tokens · a-model"
    )
    assert "$0.01 of $2.00 today" in status_line(status(budget=2.0), width=120)
    assert status_line(status(model=None, tiers={}), width=120) == "no language model"


@pytest.mark.parametrize(
    ("pressure", "word"),
    [(0.49, ""), (0.5, "scratch filling"), (1.0, "scratch filling"), (1.02, "consolidate")],
)
def test_scratch_pressure_is_a_word_from_a_half(pressure: float, word: str) -> None:
    """Under a half nothing is said of it; over one, consolidation is due."""
    line = status_line(status(pressure=pressure), width=120)
    assert line.startswith(word or "working")
    assert ("scratch" in line or "consolidate" in line) == bool(word)


@given(st.integers(1, 130), st.text(max_size=20), st.floats(0, 2), st.integers(0, 9))
def test_the_status_line_fits(width: int, model: str, pressure: float, waiting: int) -> None:
    """It is one line of at most so many columns, whatever a model is called; what matters most is kept."""
    line = status_line(status(model=model, pressure=pressure, waiting=waiting), width=width)
    assert cell_len(line) <= width
    assert len(line.splitlines()) == 1
    if pressure > 1.0 and width >= 11:
        assert line.startswith("consolidate")


def shown(capsys: pytest.CaptureFixture[str], *steps: events.Event) -> tuple[str, str]:
    """Return what a pipe gets of these events, on standard output and standard error."""
    screen = screens.TextScreen(State())
    for step in steps:
        screen.event(step)
    screen.pause()
    captured = capsys.readouterr()
    return captured.out, captured.err


def replied(text: str, **more: Any) -> Replied:
    """Return the end of a reply."""
    return Replied(text=text, usage=None, stop_reason="end", **more)


def test_a_reply_is_plain_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe gets the words as they are, and nothing that would steer a terminal."""
    out, err = shown(capsys, Delta(text="**Nice** \x1b[31mcity"), Delta(text="."), replied("…"))
    assert (out, err) == ("**Nice** [31mcity.\n", "")


def test_a_second_thought_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    """The reply so far is ended, why it is not enough is said beside, and the new words begin on a new line."""
    out, err = shown(
        capsys,
        Delta(text="Lisbon?"),
        Revising(by="self", why="not sure enough (0.31 of 0.45)"),
        Delta(text="Porto?"),
        Revising(by="system2", why="still not"),
        Delta(text="Faro."),
        replied("Faro.", escalated=True),
    )
    assert out == "Lisbon?\nPorto?\nFaro.\n"
    assert err.splitlines() == [
        "(On second thought: not sure enough (0.31 of 0.45))",
        "(Asking System 2: still not)",
        "(asked System 2)",
    ]


def test_only_the_agents_own_impulses_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """That it attends to the person needs no word; what it turned to by itself gets a line."""
    own = Attended(text="I just remembered\nthe tram", source="internal_dmn", report="", entry="e")
    assert shown(capsys, Attended(text="Hello", source="external_user", report="", entry="e"), own) == (
        "",
        "(I just remembered the tram)\n",
    )


def test_an_absent_database_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Turns that are kept in the journal are announced once, until one is stored again."""
    away = Stored(role="user", turn="r-1", journaled=True)
    back = Stored(role="user", turn="r-2")
    assert shown(capsys, away, away)[1] == f"{screens.AWAY}\n"
    assert shown(capsys, away, back, away)[1] == f"{screens.AWAY}\n" * 2


def test_every_event_is_documented_as_it_is_printed() -> None:
    """The help of --json names each event of the loop with exactly the keys that its line has."""
    for kind in get_args(events.Event):
        keys = {field.name for field in fields(kind)}
        keys = keys - {"hits"} | {"memories"} if "hits" in keys else keys
        keys |= {"message", "remedy"} if "error" in keys else set()
        documented = screens.EVENTS[kind.__name__.lower()].partition(": ")[2]
        assert set(documented.split(", ")) == keys, kind


@pytest.mark.parametrize(
    "event",
    [
        Attended(text="a", source="b", report="c", entry="d"),
        Stored(role="user", turn="r-1"),
        Delta(text="\u2028"),
        Revising(by="self", why="x"),
        Replied(text="a", usage=Usage(input_tokens=1, output_tokens=2), stop_reason="end", confidence=0.5),
        Notice(text="n"),
        Failed(error=DatabaseUnavailableError(), doing="store"),
    ],
)
def test_json_is_one_line_an_event(event: events.Event, capsys: pytest.CaptureFixture[str]) -> None:
    """Each event is one object on one line, with its name."""
    screens.JsonScreen(State(json=True)).event(event)
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["event"] == type(event).__name__.lower()


def test_json_has_the_values(capsys: pytest.CaptureFixture[str]) -> None:
    """Counts and errors arrive as objects and texts of their own."""
    screen = screens.JsonScreen(State(json=True))
    screen.event(
        Replied(text="a", usage=Usage(input_tokens=1, output_tokens=2), stop_reason="end", confidence=0.5)
    )
    screen.event(Failed(error=InvalidInputError("No.", remedy="Yes."), doing="store"))
    replied_, failed = map(json.loads, capsys.readouterr().out.splitlines())
    assert replied_ == {
        "event": "replied",
        "text": "a",
        "usage": {"input_tokens": 1, "output_tokens": 2},
        "stop_reason": "end",
        "confidence": 0.5,
        "escalated": False,
    }
    assert failed == {
        "event": "failed",
        "doing": "store",
        "error": "InvalidInputError",
        "message": "No.",
        "remedy": "Yes.",
    }


def test_the_history_is_private(tmp_path: Path) -> None:
    """The file of typed lines can be read by its owner only, even if it was open before."""
    path = tmp_path / "deep" / "chat_history"
    lines.open_history(path).append_string("hello")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "hello" in path.read_text()
    path.chmod(0o644)
    lines.open_history(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_history_that_cannot_be_kept_is_done_without(tmp_path: Path) -> None:
    """Where there is no place for the file, or a line cannot be written, typing goes on."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    lines.open_history(blocked / "chat_history").append_string("hello")
    lines.open_history(tmp_path / "chat_history").append_string("\ud800")


def test_a_quiet_terminal_echoes_nothing_and_is_given_back() -> None:
    """Keys that nobody reads yet leave no trace on the screen; afterwards the terminal is as it was."""
    keyboard, screen = pty.openpty()
    with os.fdopen(keyboard, "rb"), os.fdopen(screen) as stream:
        before = termios.tcgetattr(stream)
        with lines.quiet(stream):
            during = termios.tcgetattr(stream)
        after = termios.tcgetattr(stream)
    assert not during[3] & (termios.ECHO | termios.ICANON)
    assert during[3] & termios.ISIG  # Ctrl-C still stops a reply
    assert not during[0] & termios.ICRNL
    assert after == before


def test_a_persona_is_text_or_a_file(tmp_path: Path) -> None:
    """`--system-prompt` takes either; blank ones and unreadable files are errors."""
    file = tmp_path / "pirate.txt"
    file.write_text("You are a pirate.")
    assert chat.read_persona(str(file)) == "You are a pirate."
    assert chat.read_persona("You are a poet. " * 500).startswith("You are a poet.")
    with pytest.raises(InvalidInputError, match="empty"):
        chat.read_persona("  ")
    file.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InvalidInputError, match="cannot be read"):
        chat.read_persona(str(file))


def test_new_sessions_have_different_names() -> None:
    """Two conversations begun in the same minute are two sessions, in order of time."""
    names = {chat.new_session(NOW) for _ in range(20)}
    assert len(names) > 10
    assert all(name.startswith("chat-2026-05-04-0930-") for name in names)


@pytest.mark.parametrize(
    ("number", "expected"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)]
)
def test_a_signal_waits_for_the_write(number: int, expected: type[BaseException]) -> None:
    """What arrives inside the shield is raised when the block is done, not before, and outside at once."""
    done = []
    with Signals() as signals:
        with pytest.raises(expected), signals.shield():  # noqa: PT012  (that the block ends is the point)
            os.kill(os.getpid(), number)
            done.append("write")
        with pytest.raises(expected):
            os.kill(os.getpid(), number)
    assert done == ["write"]


def test_an_impatient_person_can_leave_a_write() -> None:
    """Three presses of Ctrl-C end even a write that hangs."""
    presses = 0
    with Signals() as signals, pytest.raises(KeyboardInterrupt), signals.shield():  # noqa: PT012
        for presses in range(1, 10):  # noqa: B007  (counted until the exception)
            os.kill(os.getpid(), signal.SIGINT)
    assert presses == 3


def test_a_wish_to_end_outlasts_a_ctrl_c() -> None:
    """SIGTERM during a write is not forgotten because Ctrl-C follows it."""
    with Signals() as signals, pytest.raises(SystemExit) as caught, signals.shield():  # noqa: PT012
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
    assert caught.value.code == 128 + signal.SIGTERM


def test_the_old_handlers_come_back() -> None:
    """After the chat, signals do what they did before."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    with Signals():
        pass
    after = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    assert after == before
