"""`engram chat`: a conversation at the prompt, or line by line through a pipe."""

import json
import os
import shlex
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from types import FrameType
from typing import Any, Self

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from engram.chat import (
    PERSONA,
    SEARCHED,
    Chat,
    Delta,
    Event,
    Failed,
    Notice,
    Quoted,
    Recalled,
    Replied,
    Stored,
    answers,
    printable,
    short,
)
from engram.errors import DatabaseUnavailableError, EngramError, InvalidInputError
from engram.llm import open_model
from engram.memory import utc_now
from engram.questions import asks
from engram.records import Evidence, Hit, Memory
from engram.server import connect

from .history import history_file
from .memory import evidence_lines
from .state import State
from .state import printable as encodable

FOUND = 10
"""Memories that `/memories WORDS` lists."""

COMMANDS = {
    "/help": "this list",
    "/memories": "what came to mind at your last message; /memories WORDS searches",
    "/why": "/why ID: what a memory rests on",
    "/good": "/good [NUMBER]: what your last message was answered from was of use; recall learns from it",
    "/bad": "/bad [NUMBER]: it was of no use",
    "/forget": "/forget ID: take a memory out of recall (`engram forget --erase` deletes it for good)",
    "/exit": "leave; Ctrl-D does too",
}

_TROUBLE = {
    "recall": "Nothing could be recalled: ",
    "store": "This could not be stored yet: ",
    "reply": "No reply: ",
}


@click.command("chat")
@click.option(
    "--session", "session", metavar="NAME", help="Go on with this conversation; default: a new one."
)
@click.option("--no-llm", is_flag=True, help="Answer by quoting memories, even if there is a language model.")
@click.option("--model", "model", metavar="NAME", help="Another language model than the settings name.")
@click.option(
    "--system-prompt", metavar="FILE|TEXT", help="Who the model is to be, as text or as a file of it."
)
@click.option("--user", default="user", show_default=True, metavar="NAME", help="Your name, as it is stored.")
@click.pass_obj
def chat(
    state: State,
    *,
    session: str | None,
    no_llm: bool,
    model: str | None,
    system_prompt: str | None,
    user: str,
) -> None:
    """Talk, with everything remembered.

    Without a language model it answers by quoting what it remembers. Each line of a pipe is one message.
    """
    settings = state.settings.model_copy(update={"llm": "none"}) if no_llm else state.settings
    speaker = open_model(settings, model=model, notify=state.say)
    persona = PERSONA if system_prompt is None else read_persona(system_prompt)
    name = session or new_session(utc_now())
    screen: Screen = JsonScreen(state) if state.json else TextScreen(state)
    with state.open() as memory, Signals() as signals:
        lines: Lines = PipedLines()
        if at_terminal(state):
            lines = TypedLines(history_file(settings), signals)
        talk = Chat(
            memory, speaker, session=name, clock=utc_now, user=user, persona=persona, shield=signals.shield
        )
        if session is not None and not talk.begun:
            state.say(f"A new conversation, {name}.")
        ours = memory.connection is not None and memory.connection.origin != "configured"
        conversation = Conversation(
            talk, screen, lines, reconnect=(lambda: connect(settings, screen.hint)) if ours else None
        )
        try:
            conversation.run()
        finally:
            if speaker is not None:
                speaker.close()
        if not conversation.typed and conversation.exit_code:
            raise SystemExit(conversation.exit_code)


def at_terminal(state: State) -> bool:
    """Say whether a person sits at both ends."""
    return not state.json and sys.stdin.isatty() and sys.stdout.isatty()


def new_session(now: datetime) -> str:
    """Return a name for a new conversation: readable, in order of time, not taken."""
    return f"chat-{now:%Y-%m-%d-%H%M}-{token_hex(2)}"


def read_persona(given: str) -> str:
    """Return the text of the file called `given`, or `given` itself where there is no such file.

    Raises:
        InvalidInputError: The file cannot be read, or there is no text.
    """
    named = False
    with suppress(OSError, ValueError):  # a long text is no file name
        named = Path(given).is_file()
    try:
        text = Path(given).read_text(encoding="utf-8") if named else given
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"The system prompt {given} cannot be read: {error}.") from error
    if not text.strip():
        raise InvalidInputError("The system prompt is empty.")
    return text


@dataclass(frozen=True, slots=True)
class Slash:
    """A line that is a command."""

    name: str
    rest: str


def parse_slash(line: str) -> Slash | None:
    """Return the command in `line`, or None where it is something said.

    A space before the slash says it instead.
    """
    if not line.startswith("/"):
        return None
    name, _, rest = line.strip().partition(" ")
    return Slash(name.lower(), rest.strip())


class Signals:
    """Turns Ctrl-C and the end of the terminal into exceptions, but never inside a write.

    A reply that is stopped this way is stored as far as it came.
    """

    _CAUGHT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    _IMPATIENT = 3
    """Presses of Ctrl-C after which even a write is left: the database may hang."""

    def __init__(self) -> None:
        self.prompt: PromptSession[str] | None = None
        """Reads the keyboard now; it must leave its event loop by itself to give the terminal back."""
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

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        if self._held:
            self._presses += number == signal.SIGINT
            if self._presses < self._IMPATIENT:
                # A wish to end the program is not undone by a Ctrl-C after it.
                self._pending = number if self._pending in {None, signal.SIGINT} else self._pending
                return
            self._presses, self._pending = 0, None
        app = self.prompt.app if self.prompt is not None else None
        if app is not None and app.is_running and app.loop is not None:
            app.loop.call_soon_threadsafe(_leave, app, self._exception(number))
            return
        raise self._exception(number)

    @staticmethod
    def _exception(number: int) -> BaseException:
        return KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)


def _leave(app: Application[str], exception: BaseException) -> None:
    if app.is_running:  # a line may have been entered in between
        app.exit(exception=exception)


class Lines(ABC):
    """Where the person's lines come from."""

    @abstractmethod
    def read(self) -> str | None:
        """Return the next line, None at the end.

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
    """Lines from a keyboard, with editing and a history."""

    def __init__(self, history: Path, signals: Signals) -> None:
        self._signals = signals
        self._session: PromptSession[str] = PromptSession(
            history=open_history(history),
            completer=WordCompleter(list(COMMANDS), sentence=True),
            complete_while_typing=False,
        )

    def read(self) -> str | None:
        """Return the next line, None at Ctrl-D."""
        self._signals.prompt = self._session
        try:
            return self._session.prompt("> ", handle_sigint=False)
        except EOFError:
            return None
        finally:
            self._signals.prompt = None


class _LenientHistory(FileHistory):
    """A history file that a full disk or an odd character cannot end the conversation with."""

    def store_string(self, string: str) -> None:
        with suppress(OSError, UnicodeError):
            super().store_string(string)


def open_history(path: Path) -> History:
    """Return the lines typed before, from a file that only its owner can read; in memory if it cannot be kept."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        path.chmod(0o600)
    except OSError:
        return InMemoryHistory()
    return _LenientHistory(str(path))


class Screen(ABC):
    """Where the answers go."""

    def __init__(self, state: State) -> None:
        self.state = state

    @abstractmethod
    def begin(self, chat: Chat, *, typed: bool) -> None:
        """Show where one is."""

    @abstractmethod
    def event(self, event: Event) -> None:
        """Show one step of an answer."""

    @abstractmethod
    def stopped(self, unsaved: EngramError | None) -> None:
        """Show that a reply was stopped."""

    @abstractmethod
    def error(self, error: EngramError) -> None:
        """Show that a command failed."""

    @abstractmethod
    def hint(self, text: str) -> None:
        """Show advice."""

    @abstractmethod
    def memories(self, hits: Sequence[Hit]) -> None:
        """Show what was found."""

    @abstractmethod
    def why(self, steps: list[Evidence]) -> None:
        """Show a chain of evidence."""

    @abstractmethod
    def forgot(self, memory: Memory) -> None:
        """Show what was forgotten."""

    @abstractmethod
    def end(self, chat: Chat, *, typed: bool) -> None:
        """Show how to go on another time."""


class TextScreen(Screen):
    """Plain lines; replies as they arrive."""

    _inside_a_line = False

    def begin(self, chat: Chat, *, typed: bool) -> None:
        """Say who answers, to a person."""
        if typed:
            who = chat.model.name if chat.model is not None else "no language model"
            self.state.say(
                f"Space {chat.memory.space}, session {chat.session}, {who}. /help lists the commands."
            )

    def event(self, event: Event) -> None:
        """Show one step of an answer."""
        match event:
            case Delta(text=text):
                click.echo(encodable(printable(text)), nl=False)
                self._inside_a_line = not text.endswith("\n")
            case Replied(stop_reason=reason):
                self._finish_line()
                if reason == "length":
                    self.state.say("(The reply reached its longest; ENGRAM_LLM_MAX_TOKENS sets it.)")
            case Quoted(text=text):
                self.state.out(text)
            case Notice(text=text):
                self._finish_line()
                self.state.say(text)
            case Failed(error=error, doing=doing):
                self._finish_line()
                self.state.say(_TROUBLE[doing] + str(error))
            case Recalled() | Stored():
                pass

    def stopped(self, unsaved: EngramError | None) -> None:
        """Say what became of the reply."""
        self._finish_line()
        self.state.say("(Stopped.)" if unsaved is None else _TROUBLE["store"] + str(unsaved))

    def error(self, error: EngramError) -> None:
        """Show that a command failed."""
        self.state.say(str(error))

    def hint(self, text: str) -> None:
        """Show advice."""
        self.state.say(text)

    def memories(self, hits: Sequence[Hit]) -> None:
        """List memories with their ids."""
        for hit in hits:
            memory = hit.memory
            self.state.out(
                f"[{short(memory.id)}] {memory.event_at:%Y-%m-%d} {_who(memory.speaker)}: {_line(memory.content)}"
            )

    def why(self, steps: list[Evidence]) -> None:
        """Show a chain of evidence as an indented list."""
        for line in evidence_lines(steps):
            self.state.out(printable(line))

    def forgot(self, memory: Memory) -> None:
        """Show what was forgotten."""
        self.state.out(f"Forgotten: [{short(memory.id)}] {_line(memory.content)}")

    def end(self, chat: Chat, *, typed: bool) -> None:
        """Say how to go on, to a person, if there is anything to go on with."""
        self._finish_line()
        if typed and chat.begun:
            space = self.state.wanted_space
            named = ["--space", space] if space is not None else []
            again = shlex.join(["engram", "chat", *named, "--session", chat.session])
            self.state.say(f"Goodbye. To go on: {again}")
        elif typed:
            self.state.say("Goodbye.")

    def _finish_line(self) -> None:
        if self._inside_a_line:
            click.echo()
        self._inside_a_line = False


class JsonScreen(Screen):
    """One JSON object a line, for programs; each has the key `event`."""

    def begin(self, chat: Chat, *, typed: bool) -> None:  # noqa: ARG002  (a program is told either way)
        """Name the session."""
        model = chat.model.name if chat.model is not None else None
        self._put("session", session=chat.session, space=chat.memory.space, model=model)

    def event(self, event: Event) -> None:
        """Show one step of an answer."""
        match event:
            case Recalled(hits=hits):
                self._put("recalled", memories=[_hit(hit) for hit in hits])
            case Quoted(text=text, hits=hits):
                self._put("quoted", text=text, memories=[_hit(hit) for hit in hits])
            case Replied(text=text, usage=usage, stop_reason=reason):
                self._put("replied", text=text, usage=asdict(usage) if usage else None, stop_reason=reason)
            case Failed(error=error, doing=doing):
                self._put("failed", doing=doing, **_error(error))
            case Stored(role=role, memories=memories):
                self._put("stored", role=role, memories=memories)
            case Delta(text=text):
                self._put("delta", text=text)
            case Notice(text=text):
                self._put("notice", text=text)

    def stopped(self, unsaved: EngramError | None) -> None:
        """Say what became of the reply."""
        self._put("stopped", unsaved=_error(unsaved) if unsaved is not None else None)

    def error(self, error: EngramError) -> None:
        """Show that a command failed."""
        self._put("error", **_error(error))

    def hint(self, text: str) -> None:
        """Show advice."""
        self._put("notice", text=text)

    def memories(self, hits: Sequence[Hit]) -> None:
        """List memories."""
        self._put("memories", memories=[_hit(hit) for hit in hits])

    def why(self, steps: list[Evidence]) -> None:
        """Show a chain of evidence."""
        self._put("why", steps=[asdict(step) for step in steps])

    def forgot(self, memory: Memory) -> None:
        """Show what was forgotten."""
        self._put("forgot", id=memory.id, content=memory.content)

    def end(self, chat: Chat, *, typed: bool) -> None:
        """Say nothing: the stream ends."""

    def _put(self, event: str, **values: object) -> None:
        click.echo(json.dumps({"event": event, **values}, default=str))


class Conversation:
    """Reads lines, answers each, and carries out the commands among them."""

    def __init__(
        self, chat: Chat, screen: Screen, lines: Lines, *, reconnect: Callable[[], object] | None = None
    ) -> None:
        """Prepare a conversation.

        Args:
            chat: Who answers.
            screen: Where the answers go.
            lines: Where the messages come from.
            reconnect: Brings the server back at its old address; None where it is not ours to start.
        """
        self.chat = chat
        self.screen = screen
        self.lines = lines
        self.typed = isinstance(lines, TypedLines)
        self._reconnect = reconnect
        self._lost = False
        self._replied = False
        self._failure: EngramError | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            "/help": self._help,
            "/memories": self._memories,
            "/why": self._why,
            "/good": lambda which: self._judge(which, useful=True),
            "/bad": lambda which: self._judge(which, useful=False),
            "/forget": self._forget,
        }

    @property
    def exit_code(self) -> int:
        """The code of the model's last error if it never gave a reply, else 0."""
        return 0 if self._replied or self._failure is None else self._failure.exit_code

    def run(self) -> None:
        """Go on until the lines end or the person leaves."""
        self.screen.begin(self.chat, typed=self.typed)
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
        if lost := self.chat.finish():
            self.screen.hint(f"The database is still away: the last {lost} messages could not be stored.")
        self.screen.end(self.chat, typed=self.typed)
        if self.chat.begun and not lost and not self._lost:
            # Nobody waits for it: a session that is not ended now ends by itself when it stays unused.
            with suppress(EngramError):
                self.chat.memory.end_session(self.chat.session)

    def _step(self) -> bool:
        """Read one line and act on it; False at the end."""
        line = self.lines.read()
        slash = parse_slash(line) if line is not None else None
        if line is None or (slash is not None and slash.name in {"/exit", "/quit"}):
            return False
        if slash is not None:
            self._carry_out(slash)
        elif line.strip():
            self._answer(line.strip())
        return True

    def _answer(self, text: str) -> None:
        self._bring_back()
        events = self.chat.say(text)
        try:
            for event in events:
                self._note(event)
                self.screen.event(event)
        except KeyboardInterrupt:
            events.close()
            self.screen.stopped(self.chat.unsaved)
            if not self.typed:
                raise
        finally:
            events.close()

    def _note(self, event: Event) -> None:
        match event:
            case Replied():
                self._replied = True
            case Failed(error=error, doing="reply"):
                self._failure = error
            case Failed(error=DatabaseUnavailableError()):
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
        action = self._commands.get(slash.name)
        if action is None:
            self.screen.hint(
                f"There is no command {slash.name}. /help lists them; a space before the slash says it instead."
            )
            return
        try:
            action(slash.rest)
        except EngramError as error:
            self._lost = self._lost or isinstance(error, DatabaseUnavailableError)
            self.screen.error(error)
        except KeyboardInterrupt:
            self.screen.hint("(Stopped.)")

    def _help(self, _: str) -> None:
        for name, meaning in COMMANDS.items():
            self.screen.hint(f"  {name:<10} {meaning}")

    def _memories(self, words: str) -> None:
        found = self.chat.memory.recall(words, k=SEARCHED, read_only=True) if words else self.chat.recalled
        # Words that tell rather than ask are those of the memory that is looked for.
        hits = answers(found, words if asks(words) else "", user=self.chat.user)[:FOUND]
        if not hits:
            self.screen.hint(
                "Nothing was found." if words else "Nothing came to mind. /memories WORDS searches."
            )
        self.screen.memories(hits)

    def _why(self, memory_id: str) -> None:
        if memory_id:
            self.screen.why(self.chat.memory.why(memory_id))
        else:
            self.screen.hint(COMMANDS["/why"])

    def _judge(self, which: str, *, useful: bool) -> None:
        judged = self.chat.judge(useful=useful, which=which or None)
        what = f"“{_line(judged[0].memory.content)}”" if len(judged) == 1 else f"all {len(judged)} memories"
        self.screen.hint(
            f"Noted: {what} {'was' if len(judged) == 1 else 'were'} of {'use' if useful else 'no use'}."
        )

    def _forget(self, memory_id: str) -> None:
        if memory_id:
            self.screen.forgot(self.chat.forget(memory_id))
        else:
            self.screen.hint(COMMANDS["/forget"])


def _hit(hit: Hit) -> dict[str, object]:
    memory = hit.memory
    return {
        "id": memory.id,
        "rank": hit.rank,
        "score": hit.score,
        "content": memory.content,
        "speaker": memory.speaker,
        "event_at": memory.event_at.isoformat(),
    }


def _error(error: EngramError) -> dict[str, object]:
    return {"error": type(error).__name__, "message": error.message, "remedy": error.remedy}


def _who(speaker: str | None) -> str:
    return _line(speaker) if speaker else "noted"


def _line(text: str) -> str:
    return " ".join(printable(text).split())
