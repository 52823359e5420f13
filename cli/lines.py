"""Where a person's lines come from: a pipe, or a keyboard with editing, history and completion."""

import os
import sys
import termios
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from engram.loop.events import Status
from engram.private import make_private

from .signals import Signals
from .slashes import COMPLETIONS
from .status import status_line


class Lines(ABC):
    """Where the person's lines come from."""

    @abstractmethod
    def read(self) -> str | None:
        """Return what is said next, None at the end.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """


class PipedLines(Lines):
    """Lines of standard input, whatever bytes they hold."""

    def __init__(self) -> None:
        self._stream = sys.stdin.buffer

    def read(self) -> str | None:
        """Return the next line, None at the end."""
        line = self._stream.readline()
        return line.decode("utf-8", "replace").rstrip("\r\n") if line else None


class TypedLines(Lines):
    """What a person types: one line, or several at a time.

    Enter sends. Alt-Enter, Ctrl-J or a backslash at the end of the line begins another; what is pasted stays
    together.
    """

    def __init__(self, history: Path, signals: Signals) -> None:
        self.status: Status | None = None
        """What the status line below the prompt shows; None: there is no such line."""
        self._signals = signals
        self._session: PromptSession[str] = PromptSession(
            history=open_history(history),
            completer=WordCompleter([*COMPLETIONS], meta_dict=COMPLETIONS, sentence=True),
            complete_while_typing=_naming_a_command,
            key_bindings=_keys(),
            multiline=True,
            prompt_continuation="  ",
        )

    def read(self) -> str | None:
        """Return what was typed, None at Ctrl-D."""
        # A callable: the line is cut to the width that the terminal has by then.
        self._session.bottom_toolbar = None if self.status is None else self._toolbar
        with self._signals.at_prompt(self._session):
            try:
                return self._session.prompt("> ", handle_sigint=False)
            except EOFError:
                return None

    def ask(self, question: str) -> bool:
        """Ask for a yes; anything else, Ctrl-C and Ctrl-D too, is a no."""
        session: PromptSession[str] = PromptSession()
        with self._signals.at_prompt(session):
            try:
                answer = session.prompt(f"{question} [y/N] ", handle_sigint=False)
            except (EOFError, KeyboardInterrupt):
                return False
        return answer.strip().lower() in {"y", "yes"}

    def _toolbar(self) -> str:
        columns = get_app().output.get_size().columns
        return status_line(self.status, width=columns) if self.status is not None else ""


@contextmanager
def quiet(stream: TextIO) -> Iterator[None]:
    """Keep keys that are pressed while nothing is read off the screen, and for the next prompt as they are.

    An echo would stand in the middle of a reply, and move the rows that are drawn again.
    """
    before = termios.tcgetattr(stream)
    attributes = termios.tcgetattr(stream)
    attributes[0] &= ~termios.ICRNL  # Enter stays what the prompt takes for Enter
    attributes[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(stream, termios.TCSANOW, attributes)
    try:
        yield
    finally:
        with suppress(termios.error):  # the terminal may be gone
            termios.tcsetattr(stream, termios.TCSANOW, before)


class _LenientHistory(FileHistory):
    """A history file that a full disk or an odd character cannot end the conversation with."""

    def store_string(self, string: str) -> None:
        with suppress(OSError, UnicodeError):
            super().store_string(string)


def open_history(path: Path) -> History:
    """Return the lines typed before, from a file that only its owner can read; in memory if it cannot be kept."""
    try:
        make_private(path.parent)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        path.chmod(0o600)
    except OSError:
        return InMemoryHistory()
    return _LenientHistory(str(path))


@Condition
def _naming_a_command() -> bool:
    return get_app().current_buffer.text.startswith("/")


def _keys() -> KeyBindings:
    keys = KeyBindings()
    typing = has_focus(DEFAULT_BUFFER)  # and not in the search for an earlier line

    @keys.add("enter", filter=typing)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.current_line_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.newline(copy_margin=False)
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter", filter=typing)
    @keys.add("c-j", filter=typing)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    return keys
