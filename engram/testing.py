"""Stand-ins for what is slow, costs money or changes by itself: for our tests and for yours."""

import hashlib
import re
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from pydantic import BaseModel

from engram.embedding.protocol import Task, Vectors, checked_texts, unit_rows
from engram.errors import LanguageModelDownError, LanguageModelRefusedError
from engram.llm.base import Effort, Message, Piece, StopReason, Stream, Tool, ToolCall, Usage

_ENDINGS = re.compile(r"(?:ing|ed|es|s|ly)$")


class HashEmbedder:
    """Embeds by hashing word stems and their three-letter pieces: texts that share words are near.

    The same text has the same vector on every machine; there is no model to install.
    """

    def __init__(self, dimensions: int = 64, *, uses_prefixes: bool = False) -> None:
        self.dimensions = dimensions
        self.name = f"hash-{dimensions}"
        self.uses_prefixes = uses_prefixes
        self.uses_tasks = False

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:  # noqa: ARG002  (protocol)
        """Return one unit vector per text, shape (n, d)."""
        checked = checked_texts(texts)
        rows = np.zeros((len(checked), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, checked, strict=True):
            for feature, weight in _features(text):
                place, sign = self._place(feature)
                row[place] += sign * weight
            if not row.any():  # no words, or words that cancel each other out
                row[self._place(text)[0]] = 1.0
        return unit_rows(rows)

    def close(self) -> None:
        """Do nothing."""

    def _place(self, feature: str) -> tuple[int, int]:
        number = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest())
        return (number >> 1) % self.dimensions, 1 if number & 1 else -1


class FixedClock:
    """A clock that stands still until it is set: call it for the time, assign `now` or `advance` it."""

    def __init__(self, now: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the time that it shows."""
        return self.now

    def advance(self, by: timedelta) -> datetime:
        """Move on and return the new time."""
        self.now += by
        return self.now


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a `ScriptedModel` was asked."""

    system: str
    messages: tuple[Message, ...]
    max_tokens: int
    tools: tuple[Tool, ...] = ()
    shape: type[BaseModel] | None = None
    effort: Effort = "low"


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """One answer of a `ScriptedModel`, with all that a provider may say about it."""

    text: str = ""
    _: KW_ONLY
    calls: tuple[ToolCall, ...] = ()
    logprob: float | None = None
    usage: Usage | None = None
    """None: no token in, one for each word out."""
    stop: StopReason = "end"
    error: BaseException | None = None
    """Raised after the text and the calls."""


Scripted = str | Sequence[str | BaseException] | ScriptedAnswer
"""A text, which streams word by word; or texts and exceptions, where a text is one delta and an exception
is raised in its place (`KeyboardInterrupt()` stands for Ctrl-C); or a `ScriptedAnswer`."""


class ScriptedModel:
    """A chat model that gives the answers it was given, in order; any number of threads may ask it."""

    def __init__(
        self,
        *answers: Scripted,
        respond: Callable[[Asked], Scripted] | None = None,
        name: str = "scripted",
    ) -> None:
        """Write the script.

        Args:
            answers: One for each question, in order.
            respond: Makes the answers to the questions after those, from what was asked.
            name: The model's name.
        """
        self.name = name
        self.asked: list[Asked] = []
        """Every question so far."""
        self._answers = deque(answers)
        self._respond = respond
        self._lock = threading.Lock()

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
        """Return the next answer; where none is left, reading it raises `LanguageModelDownError`."""
        asked = Asked(
            system=system,
            messages=tuple(messages),
            max_tokens=max_tokens,
            tools=tuple(tools),
            shape=shape,
            effort=effort,
        )
        with self._lock:
            self.asked.append(asked)
            answer: Scripted | None = self._answers.popleft() if self._answers else None
        if answer is None and self._respond is not None:
            answer = self._respond(asked)
        if answer is None:
            answer = [LanguageModelDownError("The script has no more answers.")]
        if not tools and any(message.calls or message.results for message in messages):
            # As a provider does.
            answer = [LanguageModelRefusedError("Calls and results are there, but no tools.")]
        return Stream(_play(answer))

    def close(self) -> None:
        """Do nothing."""


def _play(answer: Scripted) -> Generator[Piece]:
    if isinstance(answer, str):
        answer = ScriptedAnswer(answer)
    whole = answer if isinstance(answer, ScriptedAnswer) else ScriptedAnswer()
    deltas = re.findall(r"\s*\S+\s*", answer.text) if isinstance(answer, ScriptedAnswer) else answer
    words = 0
    for delta in deltas:
        if isinstance(delta, BaseException):
            raise delta
        words += len(delta.split())
        yield Piece(text=delta)
    for call in whole.calls:
        yield Piece(call=call)
    if whole.error is not None:
        raise whole.error
    usage = whole.usage or Usage(input_tokens=0, output_tokens=words)
    yield Piece(usage=usage, logprob=whole.logprob, stop=whole.stop)


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in re.findall(r"\w+", text.casefold()):
        stem = _ENDINGS.sub("", word) if len(word) > 4 else word
        yield stem, 1.0
        # Spelling variants and compounds share some pieces; they count less than the word.
        for start in range(len(stem) - 2):
            yield f"#{stem[start : start + 3]}", 0.25
