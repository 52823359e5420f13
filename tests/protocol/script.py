"""What a scripted server is to answer and what it was asked, in one form for every protocol."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool that the model asks for."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str | None = "call_1"
    raw: str | None = None
    """Sent in place of `arguments`, where the protocol sends text."""

    @property
    def json(self) -> str:
        """The arguments as text."""
        return json.dumps(self.arguments) if self.raw is None else self.raw


@dataclass(frozen=True, kw_only=True)
class Answer:
    """How the server treats one request."""

    deltas: Sequence[str] = ("Hello",)
    calls: Sequence[Call] = ()
    signature: str | None = None
    """Sent with the first call, in the provider's way; it has to come back."""
    logprobs: Sequence[float] = ()
    """Of one token for each delta, where the protocol has them."""
    avg_logprob: float | None = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    """Sent instead of a stream or of the provider's own error body."""
    message: str = "scripted"
    """In the error body."""
    end: Literal["end", "length", "withheld", "malformed", "none"] = "end"
    """How the stream closes; `none`: politely, but without saying that it is complete."""
    then: Literal["finish", "cut", "garbage", "error", "stall", "drop"] = "finish"
    """What follows the deltas; `cut` closes in the middle of an event, `drop` before any byte of the answer."""
    pause: bool = False
    """Wait before the last delta until `proceed` is set."""
    usage: tuple[int, int] = (11, 7)


@dataclass(frozen=True, kw_only=True)
class Request:
    """What arrived."""

    path: str
    key: str | None
    system: str
    messages: list[tuple[str, str]]
    """Role (`user` or `assistant`) and text."""
    max_tokens: int
    tools: dict[str, dict[str, Any]]
    """By name: the JSON Schema of the parameters."""
    shape: dict[str, Any] | None
    """JSON Schema of the answer."""
    effort: str | None
    body: dict[str, Any]


class Wire(Protocol):
    """One answer in a provider's events."""

    def start(self) -> str:
        """Open the stream."""
        ...

    def delta(self, number: int) -> str:
        """Send the text of one delta, counted from 0."""
        ...

    def call(self, number: int) -> str:
        """Send one tool call, counted from 0."""
        ...

    def half(self) -> str:
        """Send the beginning of an event."""
        ...

    def garbage(self) -> str:
        """Send an event that is malformed."""
        ...

    def error(self) -> str:
        """Give up."""
        ...

    def finish(self) -> str:
        """Close the stream."""
        ...


def event(payload: dict[str, Any]) -> str:
    """Return one server-sent event."""
    named = f"event: {payload['type']}\n" if "type" in payload else ""
    return f"{named}data: {json.dumps(payload)}\n\n"
