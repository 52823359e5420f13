"""Where the answers go: a terminal, a pipe, or a program that reads JSON."""

import json
import shlex
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import asdict, fields
from datetime import datetime
from typing import Protocol

import click

from engram.errors import EngramError
from engram.loop.agent import Agent
from engram.loop.events import (
    Attended,
    Delta,
    Event,
    Failed,
    Notice,
    Quoted,
    Replied,
    Revising,
    Stored,
)
from engram.loop.inputs import Source
from engram.records import Hit
from engram.text import printable, single_line

from .state import State
from .state import printable as encodable

_TROUBLE = {
    "recall": "Nothing could be recalled: ",
    "store": "This could not be stored yet: ",
    "reply": "No reply: ",
}
AWAY = "The database is away. What is said is kept on this machine and written when it is back."

EVENTS = {
    "session": "the first: session, space, model, greeting",
    "attended": "what the agent turned to: text, source, report, entry",
    "recalled": "what came to mind: memories",
    "stored": "what was said is durable: role, turn, journaled",
    "delta": "some more of the reply: text",
    "revising": "what follows replaces the reply so far: by, why",
    "replied": "the reply is complete: text, usage, stop_reason, confidence, escalated",
    "quoted": "the answer without a model: text, memories",
    "notice": "advice: text",
    "failed": "the turn goes on without this: doing, error, message, remedy",
    "stopped": "the reply was interrupted: unsaved",
    "error": "a command failed: error, message, remedy",
    "memories": "/memories: memories",
    "why": "/why: steps",
    "noted": "/note: id, content",
    "forgot": "/forget: id, content",
    "goals": "/goals: goals",
    "goal": "/goals why: goal, terms, names, related, memories, connections",
    "cost": "/cost: lines",
    "state": "/state: state, status",
    "safety": "/safety: events",
    "sessions": "/sessions: sessions",
}
"""What each line of the JSON output is, with its keys, by its `event`."""


class Screen(ABC):
    """Where the answers go."""

    def __init__(self, state: State) -> None:
        self.state = state

    @abstractmethod
    def begin(self, agent: Agent, *, typed: bool) -> None:
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
    def show(self, event: str, lines: Iterable[str], /, **data: object) -> None:
        """Show what a command found.

        Args:
            event: Its name, for a program.
            lines: It in words, for a person.
            data: It as data, for a program.
        """

    @abstractmethod
    def pause(self) -> None:
        """Leave the line at hand, so that a question can be asked."""

    @abstractmethod
    def end(self, agent: Agent, *, typed: bool) -> None:
        """Show how to go on another time."""


class Reply(Protocol):
    """How the words of a reply are shown as they arrive."""

    def feed(self, text: str) -> None:
        """Show some more of it."""

    def close(self) -> None:
        """Show the rest; what comes next begins on a line of its own."""


class PlainReply:
    """The words of a reply as they are."""

    _inside_a_line = False

    def feed(self, text: str) -> None:
        """Show some more of it."""
        click.echo(encodable(text), nl=False)
        self._inside_a_line = not text.endswith("\n")

    def close(self) -> None:
        """End the line."""
        if self._inside_a_line:
            click.echo()
        self._inside_a_line = False


class TextScreen(Screen):
    """Replies as they arrive on standard output, everything about them on standard error."""

    def __init__(self, state: State, reply: Reply | None = None) -> None:
        super().__init__(state)
        self._reply = reply or PlainReply()
        self._away = False
        """Whether it was said that the database is away."""

    def begin(self, agent: Agent, *, typed: bool) -> None:
        """Say who answers, to a person."""
        if typed:
            who = agent.model.name if agent.model is not None else "no language model"
            self.state.say(
                f"Space {agent.memory.space}, session {agent.session}, {who}. /help lists the commands."
            )
            if agent.greeting:
                self._aside(agent.greeting)

    def event(self, event: Event) -> None:
        """Show one step of an answer."""
        match event:
            case Delta(text=text):
                self._reply.feed(printable(text))
            case Quoted(text=text):
                self.state.out(text)
            case Notice(text=text):
                self._say(text)
            case Failed(error=error, doing=doing):
                self._say(_TROUBLE[doing] + str(error))
            case Stored(journaled=journaled):
                if journaled and not self._away:
                    self._say(AWAY)
                self._away = journaled
            case _:
                self._explain(event)

    def _explain(self, event: Event) -> None:
        """Show what the agent does beside answering."""
        match event:
            case Attended(text=text, source=source) if source != Source.USER:
                self._aside(f"({single_line(text)})")
            case Revising(by=by, why=why):
                what = "Asking System 2" if by == "system2" else "On second thought"
                self._aside(f"({what}: {single_line(why)})")
            case Replied(stop_reason=reason, escalated=escalated):
                self._reply.close()
                if escalated:
                    self._aside("(asked System 2)")
                if reason == "length":
                    self.state.say("(The reply reached its longest; ENGRAM_LLM_MAX_TOKENS sets it.)")
            case _:
                pass

    def stopped(self, unsaved: EngramError | None) -> None:
        """Say what became of the reply."""
        self._say("(Stopped.)" if unsaved is None else _TROUBLE["store"] + str(unsaved))

    def error(self, error: EngramError) -> None:
        """Show that a command failed."""
        self._say(str(error))

    def hint(self, text: str) -> None:
        """Show advice."""
        self._say(text)

    def show(self, event: str, lines: Iterable[str], /, **data: object) -> None:
        """Show what a command found, line by line."""
        del event, data
        for line in lines:
            self.state.out(printable(line))

    def pause(self) -> None:
        """End the line at hand."""
        self._reply.close()

    def end(self, agent: Agent, *, typed: bool) -> None:
        """Say how to go on, to a person, if there is anything to go on with."""
        self._reply.close()
        if typed and agent.begun:
            space = self.state.wanted_space
            named = ["--space", space] if space is not None else []
            again = shlex.join(["engram", "chat", *named, "--session", agent.session])
            self.state.say(f"Goodbye. To go on: {again}")
        elif typed:
            self.state.say("Goodbye.")

    def _say(self, text: str) -> None:
        self._reply.close()
        self.state.say(text)

    def _aside(self, text: str) -> None:
        """Say something that only explains; dim, where it is a terminal."""
        self._say(click.style(text, dim=True))


class JsonScreen(Screen):
    """One JSON object a line, for programs; each has the key `event`."""

    def begin(self, agent: Agent, *, typed: bool) -> None:  # noqa: ARG002  (a program is told either way)
        """Name the session."""
        model = agent.model.name if agent.model is not None else None
        self._put(
            "session",
            session=agent.session,
            space=agent.memory.space,
            model=model,
            greeting=agent.greeting,
        )

    def event(self, event: Event) -> None:
        """Show one step of an answer."""
        self._put(type(event).__name__.lower(), **event_data(event))

    def stopped(self, unsaved: EngramError | None) -> None:
        """Say what became of the reply."""
        self._put("stopped", unsaved=error_data(unsaved) if unsaved is not None else None)

    def error(self, error: EngramError) -> None:
        """Show that a command failed."""
        self._put("error", **error_data(error))

    def hint(self, text: str) -> None:
        """Show advice."""
        self._put("notice", text=text)

    def show(self, event: str, lines: Iterable[str], /, **data: object) -> None:
        """Show what a command found, as data."""
        del lines
        self._put(event, **data)

    def pause(self) -> None:
        """Do nothing: each object is a line of its own."""

    def end(self, agent: Agent, *, typed: bool) -> None:
        """Say nothing: the stream ends."""

    def _put(self, event: str, /, **values: object) -> None:
        click.echo(json.dumps({"event": event, **values}, default=_plain))


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def event_data(event: Event) -> dict[str, object]:
    """Return the fields of an event as data: hits as `memories`, an error as its parts."""
    data: dict[str, object] = {}
    for field in fields(event):
        match field.name, getattr(event, field.name):
            case "hits", hits:
                data["memories"] = [hit_data(hit) for hit in hits]
            case "error", EngramError() as error:
                data |= error_data(error)
            case "usage", usage if usage is not None:
                data["usage"] = asdict(usage)
            case name, value:
                data[name] = value
    return data


def hit_data(hit: Hit) -> dict[str, object]:
    """Return a memory that was found, as data."""
    memory = hit.memory
    return {
        "id": memory.id,
        "rank": hit.rank,
        "score": hit.score,
        "content": memory.content,
        "speaker": memory.speaker,
        "event_at": memory.event_at.isoformat(),
    }


def error_data(error: EngramError) -> dict[str, object]:
    """Return an error as data."""
    return {"error": type(error).__name__, "message": error.message, "remedy": error.remedy}
