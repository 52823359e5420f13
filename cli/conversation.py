"""A conversation: reads lines, answers each, and carries out the commands among them."""

import signal
from collections.abc import Callable
from contextlib import suppress

from engram.errors import DatabaseUnavailableError, EngramError
from engram.loop.agent import Agent
from engram.loop.events import Event, Failed, Replied, Stored

from .commands import Commands
from .lines import Lines, TypedLines
from .screens import Screen
from .slashes import LEAVING, Slash, parse_slash


class Conversation:
    """Reads lines, answers each, and carries out the commands among them."""

    def __init__(
        self, agent: Agent, screen: Screen, lines: Lines, *, reconnect: Callable[[], object] | None = None
    ) -> None:
        """Prepare a conversation.

        Args:
            agent: Who answers.
            screen: Where the answers go.
            lines: Where the messages come from.
            reconnect: Brings the server back at its old address; None where it is not ours to start.
        """
        self.agent = agent
        self.screen = screen
        self.lines = lines
        self.typed = isinstance(lines, TypedLines)
        self._commands = Commands(agent, screen)
        self._reconnect = reconnect
        self._lost = False
        self._replied = False
        self._failure: EngramError | None = None

    @property
    def exit_code(self) -> int:
        """The code of the model's last error if it never gave a reply, else 0."""
        return 0 if self._replied or self._failure is None else self._failure.exit_code

    def run(self) -> None:
        """Go on until the lines end or the person leaves."""
        try:
            self._talk()
        except SystemExit:
            # The terminal or the machine goes: nothing is told any more, and what was said is decided all the same.
            with suppress(EngramError):
                self.agent.finish()
            raise
        if lost := self.agent.finish():
            self.screen.hint(
                f"The database is still away. {lost} message{'s are' if lost > 1 else ' is'} kept on this machine "
                "and written when it is back."
            )
        self.screen.end(self.agent, typed=self.typed)
        if self.agent.begun and not lost and not self._lost:
            # Nobody waits for it: a session that is not ended now ends by itself when it stays unused.
            with suppress(EngramError):
                self.agent.memory.end_session(self.agent.session)

    def _talk(self) -> None:
        """Take line after line."""
        self.screen.begin(self.agent, typed=self.typed)
        pressed = False
        while True:
            try:
                if not self._step():
                    break
            except KeyboardInterrupt:
                if not self.typed:
                    raise SystemExit(128 + signal.SIGINT) from None
                if pressed:
                    break
                pressed = True
                self.screen.hint("Ctrl-C again, Ctrl-D or /exit leaves.")
            else:
                pressed = False

    def _step(self) -> bool:
        """Read one line and act on it; False at the end."""
        if isinstance(self.lines, TypedLines):
            with suppress(EngramError):  # while the database is away, the line stays as it was
                self.lines.status = self.agent.status()
        line = self.lines.read()
        slash = parse_slash(line) if line is not None else None
        if line is None or (slash is not None and slash.name in LEAVING):
            return False
        if slash is not None:
            self._carry_out(slash)
        elif line.strip():
            self._answer(line.strip())
        return True

    def _answer(self, text: str) -> None:
        self._bring_back()
        events = self.agent.say(text)
        try:
            for event in events:
                self._note(event)
                self.screen.event(event)
        except KeyboardInterrupt:
            events.close()
            self.screen.stopped(self.agent.unsaved)
            if not self.typed:
                raise
        except EngramError as error:
            self.screen.error(error)
        finally:
            events.close()

    def _note(self, event: Event) -> None:
        match event:
            case Replied():
                self._replied = True
            case Failed(error=error, doing="reply"):
                self._failure = error
            case Failed(error=DatabaseUnavailableError()) | Stored(journaled=True):
                self._lost = True
            case _:
                pass

    def _bring_back(self) -> None:
        """Start the server again if it was lost; where that fails, the message itself shows what does not work."""
        if not self._lost or self._reconnect is None:
            return
        self._lost = False
        self.screen.hint("The server was lost; bringing it back …")
        try:
            self._reconnect()
        except EngramError as error:
            self.screen.error(error)

    def _carry_out(self, slash: Slash) -> None:
        try:
            self._commands.carry_out(slash)
        except EngramError as error:
            self._lost = self._lost or isinstance(error, DatabaseUnavailableError)
            self.screen.error(error)
        except KeyboardInterrupt:
            self.screen.hint("(Stopped.)")
