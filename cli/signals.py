"""Ctrl-C and the end of the terminal, never inside a write."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application


class Signals:
    """Turns Ctrl-C and the end of the terminal into exceptions, but never inside a write.

    A reply that is stopped this way is stored as far as it came.
    """

    _CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    _IMPATIENT = 3
    """Presses of Ctrl-C after which even a write is left: the database may hang."""

    def __init__(self) -> None:
        self._prompt: PromptSession[str] | None = None
        self._held = 0
        self._presses = 0
        self._pending: int | None = None
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._previous = {number: signal.signal(number, self._receive) for number in self._CAUGHT}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    @contextmanager
    def shield(self) -> Iterator[None]:
        """Hold signals back until the block is done."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            if not self._held and self._pending is not None:
                number, self._pending, self._presses = self._pending, None, 0
                raise self._exception(number)

    @contextmanager
    def at_prompt(self, prompt: PromptSession[str]) -> Iterator[None]:
        """Let a prompt leave its event loop by itself, so that it gives the terminal back.

        Nothing is written while a person is asked, so this goes through any shield.
        """
        self._prompt = prompt
        try:
            yield
        finally:
            self._prompt = None

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        app = self._prompt.app if self._prompt is not None else None
        if app is not None and app.is_running and app.loop is not None:
            app.loop.call_soon_threadsafe(_leave, app, self._exception(number))
            return
        if self._held:
            self._presses += number == signal.SIGINT
            if self._presses < self._IMPATIENT:
                # A wish to end the program is not undone by a Ctrl-C after it.
                self._pending = number if self._pending in {None, signal.SIGINT} else self._pending
                return
            self._presses, self._pending = 0, None
        raise self._exception(number)

    @staticmethod
    def _exception(number: int) -> BaseException:
        return KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)


def _leave(app: Application[str], exception: BaseException) -> None:
    if app.is_running:  # a line may have been entered in between
        app.exit(exception=exception)
