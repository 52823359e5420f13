"""A terminal in memory: what a person sees of what a program writes."""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

import pexpect
import pyte

_HISTORY = 10_000


class _Screen(pyte.HistoryScreen):
    """A screen that answers, e.g. where its cursor is."""

    answer: Callable[[str], object] | None = None

    def write_process_input(self, data: str) -> None:
        """Send a report to the program."""
        if self.answer is not None:
            self.answer(data)


class Emulator:
    """A terminal's screen, and the rows that have left it at the top."""

    def __init__(self, columns: int = 120, lines: int = 40) -> None:
        self.screen = _Screen(columns, lines, history=_HISTORY, ratio=1 / lines)
        self._stream = pyte.Stream(self.screen)

    @property
    def size(self) -> os.terminal_size:
        """Columns and lines."""
        return os.terminal_size((self.screen.columns, self.screen.lines))

    def write(self, text: str) -> int:
        """Show what a program wrote."""
        self._stream.feed(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: everything is shown at once."""

    @property
    def rows(self) -> list[str]:
        """The rows of the screen, without the spaces at their ends."""
        return [row.rstrip() for row in self.screen.display]

    @property
    def row_of_cursor(self) -> str:
        """The row that the cursor is in."""
        return self.rows[self.screen.cursor.y]

    @property
    def scrollback(self) -> list[str]:
        """All rows so far: those that left the screen, then the screen without the empty rows at its end."""
        columns = range(self.screen.columns)
        gone = ["".join(row[column].data for column in columns).rstrip() for row in self.screen.history.top]
        rows = gone + self.rows
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def is_bold(self, text: str) -> bool:
        """Say whether the last row that has `text` shows it in bold."""
        row = max(number for number, line in enumerate(self.rows) if text in line)
        start = self.screen.display[row].index(text)
        return all(self.screen.buffer[row][start + place].bold for place in range(len(text)))


class Terminal:
    """A program in a pseudo-terminal, seen through an emulator."""

    def __init__(self, child: Any, emulator: Emulator, *, wait: float) -> None:
        self.child = child
        self.emulator = emulator
        self._wait = wait
        self._seen = 0

    @classmethod
    @contextmanager
    def running(
        cls, command: str, arguments: list[str], env: dict[str, str], *, wait: float = 60.0, **size: int
    ) -> Iterator[Self]:
        """Run a program until the block ends.

        Args:
            command: Its path.
            arguments: What follows it.
            env: Its whole environment.
            wait: Seconds after which a screen that does not come fails the test.
            size: `columns` and `lines` of the terminal.
        """
        emulator = Emulator(**size)
        child = pexpect.spawn(
            command,
            arguments,
            env=env | {"TERM": "xterm"},
            encoding="utf-8",
            dimensions=(emulator.size.lines, emulator.size.columns),
        )
        child.delaybeforesend = None
        emulator.screen.answer = child.send
        try:
            yield cls(child, emulator, wait=wait)
        finally:
            child.close(force=True)

    @property
    def text(self) -> str:
        """All rows so far, joined."""
        return "\n".join(self.emulator.scrollback)

    def shows(self, pattern: str) -> re.Match[str]:
        """Wait until the rows so far hold `pattern`, and return the match."""
        found: re.Match[str] | None = None

        def there() -> bool:
            nonlocal found
            found = re.search(pattern, self.text, re.MULTILINE)
            return found is not None

        self._wait_until(there, repr(pattern))
        assert found is not None
        return found

    def _wait_until(self, there: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + self._wait
        while not there():
            going_on = self._read()
            if not there() and (not going_on or time.monotonic() > end):
                raise AssertionError(f"{what} never came:\n{self.text}")

    def _moves(self) -> bool:
        """Say whether anything was written just now."""
        before = self._seen
        self._read()
        return self._seen > before

    def keys(self, text: str) -> None:
        """Press keys, as a terminal sends them: Enter is a carriage return."""
        self.child.send(text)

    def enter(self, line: str) -> None:
        """Type a line at the prompt and press Enter."""
        self.prompt()
        self.keys(f"{line}\r")

    def prompt(self) -> None:
        """Wait until the cursor stands behind an empty prompt, and nothing more is drawn."""
        self._wait_until(lambda: self.emulator.row_of_cursor == ">" and not self._moves(), "the prompt")

    def paste(self, text: str) -> None:
        """Paste a text, as a terminal does that marks what is pasted."""
        self.keys(f"\x1b[200~{text}\x1b[201~")

    def end(self) -> int:
        """Wait until the program ends and return its exit code, as a shell tells it."""
        end = time.monotonic() + self._wait
        while self._read():
            assert time.monotonic() < end, self.text
        self.child.close()
        status: int = (
            self.child.exitstatus if self.child.exitstatus is not None else 128 + self.child.signalstatus
        )
        return status

    def _read(self) -> bool:
        """Show what comes next, if anything does soon; False at the end."""
        try:
            text = self.child.read_nonblocking(65_536, timeout=0.05)
            self._seen += len(text)
            self.emulator.write(text)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        return True
