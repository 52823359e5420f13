"""What a chat model is, and what all providers share: bounded tries, typed errors, one answer's stream."""

import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import random
from typing import Any, ClassVar, Literal, Protocol, Self

from engram.errors import (
    EngramError,
    InvalidInputError,
    LanguageModelBusyError,
    LanguageModelDownError,
    LanguageModelError,
    LanguageModelGarbledError,
    LanguageModelMissingError,
    LanguageModelRefusedError,
)

Role = Literal["user", "assistant"]
StopReason = Literal["end", "length", "withheld"]
"""Why an answer ended: of itself, at the token limit, or kept back by the provider."""

LONGEST_WAIT = 30.0
"""Seconds between two tries at most; a provider that asks for more is not asked again."""

FIRST_WAIT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One thing said, as a model is told it."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What one answer cost, in tokens, as far as the provider said."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One step of an answer: some text, the count so far, or why it ended."""

    text: str = ""
    usage: Usage | None = None
    stop: StopReason | None = None
    detail: str = ""
    """The provider's own word for `stop`."""


class Stream:
    """One answer as it arrives: iterate for its text; the rest is known afterwards.

    Iterating raises a `LanguageModelError` where the answer fails; `text` then holds what had come.
    """

    def __init__(self, pieces: Generator[Piece]) -> None:
        self.text = ""
        """Everything so far."""
        self.usage: Usage | None = None
        self.stop_reason: StopReason | None = None
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

    def close(self) -> None:
        """Stop listening; the connection is given up if the answer was not complete."""
        self._deltas.close()
        self._pieces.close()

    def _read(self) -> Generator[str]:
        for piece in self._pieces:
            self.usage = piece.usage or self.usage
            if piece.stop is not None:
                self.stop_reason, self._detail = piece.stop, piece.detail
            if piece.text:
                self.text += piece.text
                yield piece.text
        self._judge()

    def _judge(self) -> None:
        if self.stop_reason == "withheld":
            raise LanguageModelError(
                f"The language model withheld its answer ({self._detail or 'no reason given'}).",
                remedy="Say it in another way, or ask something else.",
            )
        if self.stop_reason is None:
            raise LanguageModelGarbledError(
                "The language model's answer was cut off." if self.text else None, remedy="Try again."
            )
        if not self.text.strip():
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

    def stream(self, system: str, messages: Sequence[Message], *, max_tokens: int) -> Stream:
        """Ask for the next answer; nothing is sent before the stream is read."""
        ...

    def close(self) -> None:
        """Give back connections; the model can be used again."""
        ...


class Provider(ABC):
    """A model behind HTTP: asks again before the first word, never after it."""

    brand: ClassVar[str]
    """The provider's name, for messages."""

    def __init__(
        self,
        *,
        model: str,
        key: str,
        base_url: str | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        self.name = model
        self.base_url = base_url
        self.timeout = timeout
        self._key = key
        self._retries = retries
        self._sleep = sleep
        self._jitter = jitter
        self._notify = notify
        self._client: Any = None

    def stream(self, system: str, messages: Sequence[Message], *, max_tokens: int) -> Stream:
        """Ask for the next answer; nothing is sent before the stream is read.

        Args:
            system: What the model is told about its task.
            messages: The conversation, oldest first; the first and the last are the user's.
            max_tokens: The longest answer, in tokens.
        """
        return Stream(self._with_retries(lambda: self._attempt(system, messages, max_tokens)))

    def close(self) -> None:
        """Give back connections; the model can be used again."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _open(self) -> Any:
        """Return the SDK's client, made when first needed."""
        if self._client is None:
            self._client = self._connect()
        return self._client

    @abstractmethod
    def _connect(self) -> Any:
        """Make the SDK's client, without retries of its own."""

    @abstractmethod
    def _pieces(self, system: str, messages: Sequence[Message], max_tokens: int) -> Iterator[Piece]:
        """Send one request and read its answer, without retries; errors as the SDK raises them."""

    @abstractmethod
    def _status_error(self, error: Exception) -> LanguageModelError | None:
        """Return what the SDK's own status error means; None where it is not one."""

    def _with_retries(self, attempt: Callable[[], Generator[Piece]]) -> Generator[Piece]:
        tried = 0
        while True:
            started = False
            try:
                with closing(attempt()) as pieces:
                    for piece in pieces:
                        started = started or bool(piece.text)
                        yield piece
            except (LanguageModelBusyError, LanguageModelDownError) as error:
                tried += 1
                asked = error.retry_after if isinstance(error, LanguageModelBusyError) else None
                wait = seconds_before(tried, asked=asked, jitter=self._jitter())
                # Words that were shown cannot be taken back, so a second answer must not follow them.
                if started or tried > self._retries or wait is None:
                    raise
                if self._notify is not None:
                    when = f" in {wait:.0f} s" if wait >= 1 else ""
                    self._notify(f"{error.message} Asking again{when}.")
            else:
                return
            self._sleep(wait)

    def _attempt(self, system: str, messages: Sequence[Message], max_tokens: int) -> Generator[Piece]:
        started = finished = False
        try:
            for piece in self._pieces(system, messages, max_tokens):
                started = started or bool(piece.text)
                yield piece
            finished = True
        except EngramError:
            raise
        except ImportError as error:
            raise LanguageModelMissingError(
                f"The package for {self.brand} cannot be loaded: {error}.",
                remedy=f"pip install 'engram-neo4j[{self.brand.lower()}]'",
            ) from error
        except Exception as error:
            known = self._status_error(error) or self._transport_error(error, started=started)
            if known is None:
                raise
            raise known from error
        finally:
            # Half an answer leaves a connection that nobody reads any more; a new one costs one handshake.
            if not finished:
                self.close()

    def _transport_error(self, error: Exception, *, started: bool) -> EngramError | None:
        if is_timeout(error):
            return LanguageModelDownError(
                f"{self.brand} said nothing for {self.timeout:g} seconds{self._where}.",
                remedy="Try again, or raise ENGRAM_LLM_TIMEOUT.",
            )
        if is_transport(error):
            if started:
                return LanguageModelGarbledError(f"{self.brand}'s answer was cut off.", remedy="Try again.")
            return LanguageModelDownError(
                f"{self.brand} cannot be reached{self._where}: {one_line(root_cause(error))}.",
                remedy="Check the network and the address.",
            )
        if isinstance(error, UnicodeEncodeError):
            return InvalidInputError("The text holds characters that cannot be sent.")
        # What the SDKs raise on an answer that is not in their protocol: JSON, UTF-8 and shape errors.
        if isinstance(error, ValueError | TypeError | KeyError | AttributeError):
            return LanguageModelGarbledError(
                f"{self.brand}'s answer was not understandable{self._where}.", remedy="Try again."
            )
        return None

    @property
    def _where(self) -> str:
        return f" at {self.base_url}" if self.base_url else ""

    def _from_status(self, status: int, said: str, retry_after: float | None) -> LanguageModelError:
        """Turn an HTTP status and the provider's words into the error that Engram raises."""
        told = f": {one_line(said)}" if said.strip() else "."
        if status in {401, 403}:
            return LanguageModelRefusedError(
                f"{self.brand} refused the key ({status}){told}", remedy="Check the key with its provider."
            )
        if status == 404:
            return LanguageModelMissingError(
                f"{self.brand} has no model {self.name!r}{self._where}{told}",
                remedy=f"Set ENGRAM_{self.brand.upper()}_MODEL, or use --model.",
            )
        if status in {429, 529}:
            wait = f" It asks to wait {retry_after:.0f} s." if retry_after is not None else ""
            return LanguageModelBusyError(
                f"{self.brand} is over its limit ({status}){told}{wait}", retry_after=retry_after
            )
        if status in {408, 409} or status >= 500:
            return LanguageModelDownError(
                f"{self.brand} failed ({status}){self._where}{told}", remedy="Try again."
            )
        return LanguageModelError(f"{self.brand} refused the request ({status}){told}")


def seconds_before(tried: int, *, asked: float | None, jitter: float) -> float | None:
    """Return how long to wait before the next try, or None where waiting is no use.

    Args:
        tried: How many tries have failed, from 1.
        asked: The seconds that the provider asked for, if it did; never cut short.
        jitter: In [0, 1); spreads callers that failed together.
    """
    if asked is not None:
        return None if asked > LONGEST_WAIT else min(LONGEST_WAIT, asked * (1 + jitter / 4))
    return min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tried - 1) * (0.5 + jitter))


def read_retry_after(value: str | None, *, now: datetime | None = None) -> float | None:
    """Return the seconds that a `retry-after` header names, as a number or as a date; None if it names none."""
    if value is None:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", value.strip()):
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - (now or datetime.now(UTC))).total_seconds())


def is_timeout(error: BaseException) -> bool:
    """Say whether the other side was silent for too long."""
    names = {cls.__name__ for cls in type(error).__mro__}
    return isinstance(error, TimeoutError) or bool(names & {"TimeoutException", "APITimeoutError"})


def is_transport(error: BaseException) -> bool:
    """Say whether the connection failed, rather than what was said over it.

    By name, because the SDKs change between HTTP packages from one version to the next.
    """
    names = {cls.__name__ for cls in type(error).__mro__}
    package = type(error).__module__.partition(".")[0]
    return (
        isinstance(error, OSError)
        or "APIConnectionError" in names
        or package in {"httpx", "httpx2", "httpcore", "httpcore2"}
    )


def root_cause(error: BaseException) -> str:
    """Return the first cause's own words."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


def one_line(text: str, longest: int = 300) -> str:
    """Return `text` as one printable line without its full stop, cut at `longest` characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split()).rstrip(".")
    return line if len(line) <= longest else line[: longest - 1] + "…"


def message_in(body: object) -> str:
    """Return the human-readable part of a provider's error body, whatever its shape; markup is none."""
    if isinstance(body, str):
        try:
            parsed = json.loads(body)
        except ValueError:
            return "" if re.search(r"<(!doctype|html|body)", body, re.IGNORECASE) else body
        return "" if isinstance(parsed, str) else message_in(parsed)
    if isinstance(body, list) and body:
        return message_in(body[0])
    if isinstance(body, dict):
        return message_in(body.get("error") or body.get("message"))
    return ""
