"""What a chat model is: what it is told, how its answer arrives, and what is known of it afterwards."""

import json
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self

from pydantic import BaseModel

from engram.errors import LanguageModelError, LanguageModelGarbledError

Role = Literal["user", "assistant"]
StopReason = Literal["end", "length", "withheld"]
"""Why an answer ended: of itself, at the token limit, or kept back by the provider."""

Effort = Literal["low", "high"]
"""How much a model may think before it speaks, where it can be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something that a model may ask for in its answer."""

    name: str
    """Letters, digits and underscores."""
    description: str
    parameters: type[BaseModel]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A model's wish to use a tool; nothing has been checked but the JSON."""

    id: str
    """Ties the result to the call; unique within one answer."""
    name: str
    arguments: dict[str, Any] | None
    """None where `raw` is not a JSON object."""
    raw: str
    """The arguments as they arrived."""

    @classmethod
    def read(cls, *, id: str, name: str, raw: str) -> Self:  # noqa: A002  (the field's name)
        """Return the call with the arguments that the JSON text `raw` holds; an empty text means none."""
        try:
            parsed = json.loads(raw) if raw.strip() else {}
        except (ValueError, RecursionError):
            parsed = None
        return cls(id=id, name=name, arguments=parsed if isinstance(parsed, dict) else None, raw=raw)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool gave back."""

    call: ToolCall
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verbatim:
    """An answer in its provider's own form, with the signatures that the provider wants to see again."""

    provider: str
    parts: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One thing said, as a model is told it."""

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    """An assistant's: the tools it asked for."""
    results: tuple[ToolResult, ...] = ()
    """A user's: what the tools gave back, one for each call of the message before; `text` follows them."""
    verbatim: Verbatim | None = None
    """An assistant's; sent to the provider that wrote it in place of `text` and `calls`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one answer cost, in tokens, as far as the provider said."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One step of an answer: some text, a tool call, the count so far, or why it ended."""

    text: str = ""
    call: ToolCall | None = None
    usage: Usage | None = None
    logprob: float | None = None
    """Of the answer so far, as in `Stream.logprob`."""
    stop: StopReason | None = None
    detail: str = ""
    """The provider's own word for `stop`."""
    verbatim: Verbatim | None = None
    """Of the whole answer, at its end."""
    tries: int | None = None
    """Requests made so far, this one included; told before each of them."""

    @property
    def is_content(self) -> bool:
        """Whether this is a part of the answer itself, which cannot be taken back."""
        return bool(self.text) or self.call is not None


class Stream:
    """One answer as it arrives: iterate for its text; the rest is known afterwards.

    Iterating raises a `LanguageModelError` where the answer fails; `text` then holds what had come.
    """

    def __init__(self, pieces: Generator[Piece]) -> None:
        self.text = ""
        """Everything so far."""
        self.calls: tuple[ToolCall, ...] = ()
        """The tools that the model asks for, so far."""
        self.usage: Usage | None = None
        self.logprob: float | None = None
        """Mean natural log probability of the answer's tokens, at most 0; None where it was not told."""
        self.stop_reason: StopReason | None = None
        self.verbatim: Verbatim | None = None
        self.tries = 0
        """Requests made; 0 until the stream is read."""
        self.outcome: str | None = None
        """What whoever judged the answer made of it; None while nobody did."""
        self._detail = ""
        self._pieces = pieces
        self._deltas = self._read()

    def __iter__(self) -> Iterator[str]:
        return self._deltas

    def __next__(self) -> str:
        return next(self._deltas)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def message(self) -> Message:
        """The answer so far as a message of the conversation that goes on."""
        return Message(role="assistant", text=self.text, calls=self.calls, verbatim=self.verbatim)

    def close(self) -> None:
        """Stop listening; the connection is given up if the answer was not complete."""
        self._deltas.close()
        self._pieces.close()

    def _read(self) -> Generator[str]:
        self.tries = 1
        for piece in self._pieces:
            self._note(piece)
            if piece.text:
                self.text += piece.text
                yield piece.text
        self._judge()

    def _note(self, piece: Piece) -> None:
        self.tries = piece.tries or self.tries
        self.usage = piece.usage or self.usage
        self.verbatim = piece.verbatim or self.verbatim
        if piece.logprob is not None:
            self.logprob = piece.logprob
        if piece.call is not None:
            self.calls += (piece.call,)
        if piece.stop is not None:
            self.stop_reason, self._detail = piece.stop, piece.detail

    def _judge(self) -> None:
        if self.stop_reason == "withheld":
            raise LanguageModelError(
                f"The language model withheld its answer ({self._detail or 'no reason given'}).",
                remedy="Say it in another way, or ask something else.",
            )
        if self.stop_reason is None:
            begun = self.text or self.calls
            raise LanguageModelGarbledError(
                "The language model's answer was cut off." if begun else None, remedy="Try again."
            )
        if not self.text.strip() and not self.calls:
            if self.stop_reason == "length":
                raise LanguageModelGarbledError(
                    "The language model used up its tokens before the first word.",
                    remedy="Set ENGRAM_LLM_MAX_TOKENS higher.",
                )
            raise LanguageModelGarbledError("The language model's answer was empty.", remedy="Try again.")


class ChatModel(Protocol):
    """Something that answers a conversation."""

    @property
    def name(self) -> str:
        """The model's name, for people and for records."""
        ...

    def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        tools: Sequence[Tool] = (),
        shape: type[BaseModel] | None = None,
        effort: Effort = "low",
    ) -> Stream:
        """Ask for the next answer; nothing is sent before the stream is read.

        Args:
            system: What the model is told about its task.
            messages: The conversation, oldest first; the first and the last are the user's.
            max_tokens: The longest answer, in tokens; thinking counts.
            tools: What it may ask for; its wishes are in `Stream.calls`.
            shape: What the answer should be, as JSON. A wish: `structured.ask` holds the model to it.
            effort: How much it may think first.
        """
        ...

    def close(self) -> None:
        """Give back connections; the model can be used again."""
        ...
