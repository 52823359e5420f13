"""What all providers share: bounded tries, options that a server may refuse, typed errors."""

import itertools
import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from random import random
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from pydantic import BaseModel

from engram import prompts
from engram.errors import (
    EngramError,
    LanguageModelBusyError,
    LanguageModelDownError,
    LanguageModelError,
    LanguageModelMissingError,
    LanguageModelTooLongError,
)
from engram.llm.base import Effort, Message, Piece, Stream, Tool
from engram.llm.failures import Server, status_error, transport_error
from engram.llm.retries import seconds_before

Option = Literal["logprobs", "effort", "shape"]
"""What a request can do without, if the server does not know it."""

_NAMED: Mapping[Option, re.Pattern[str]] = MappingProxyType(
    {
        "logprobs": re.compile(r"log_?prob", re.IGNORECASE),
        "effort": re.compile(r"effort|thinking", re.IGNORECASE),
        "shape": re.compile(r"output_?(config|format)|schema|mime|structured|json mode", re.IGNORECASE),
    }
)
"""How a refusal speaks of an option."""

_BAD_REQUEST = frozenset({400, 422})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to a model, in no provider's form."""

    system: str
    messages: tuple[Message, ...]
    max_tokens: int
    tools: tuple[Tool, ...] = ()
    shape: type[BaseModel] | None = None
    effort: Effort = "low"
    options: frozenset[Option] = frozenset()
    """Those to send."""


class Provider(ABC):
    """A model behind HTTP: asks again before the first word, never after it.

    Any number of threads may ask at once: an answer has a client of its own for as long as it lasts.
    """

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
        effort: Effort = "low",
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        """Remember how to ask; nothing is loaded or sent yet.

        Args:
            model: The model's name.
            key: What the server knows us by.
            base_url: The server's address; None for the provider's own.
            timeout: Seconds of silence after which an answer is given up.
            retries: Further tries after a busy or failed one.
            effort: The least that every question is asked with.
            sleep: Waits between tries.
            jitter: A number in [0, 1) that spreads the waits.
            notify: Told in one line when a busy or silent model is asked again.
        """
        self.name = model
        self.base_url = base_url
        self.timeout = timeout
        self._key = key
        self._retries = retries
        self._effort = effort
        self._sleep = sleep
        self._jitter = jitter
        self._notify = notify
        self._idle: list[Any] = []
        self._refused: frozenset[Option] = frozenset()

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
        """Ask for the next answer; see `ChatModel.stream`.

        An option that the server refuses is left out from then on; a shape is then asked for in words.
        """
        request = Request(
            system=system,
            messages=tuple(messages),
            max_tokens=max_tokens,
            tools=tuple(tools),
            shape=shape,
            effort="high" if self._effort == "high" else effort,
        )
        return Stream(self._ask(request))

    def close(self) -> None:
        """Give back connections; the model can be used again."""
        while self._idle:
            self._idle.pop().close()

    @abstractmethod
    def _connect(self) -> Any:
        """Make the SDK's client, without retries of its own."""

    @abstractmethod
    def _options(self, request: Request) -> frozenset[Option]:
        """Return the options that would serve this request and that the model is not known to lack."""

    @abstractmethod
    def _pieces(self, client: Any, request: Request) -> Iterator[Piece]:
        """Send one request and read its answer, without retries; errors as the SDK raises them."""

    @abstractmethod
    def _status_error(self, error: Exception) -> LanguageModelError | None:
        """Return what the SDK's own status error means; None where it is not one."""

    def _ask(self, request: Request) -> Generator[Piece]:
        options = self._options(request) - self._refused
        dropped: frozenset[Option] = frozenset()
        failures = 0
        for tries in itertools.count(1):
            yield Piece(tries=tries)
            started = False
            try:
                with closing(self._attempt(self._phrase(request, options))) as pieces:
                    for piece in pieces:
                        started = started or piece.is_content
                        yield piece
            except LanguageModelError as error:
                # Words that were shown cannot be taken back, so a second answer must not follow them.
                if started:
                    raise
                if refused := refused_options(error, options):
                    options -= refused
                    dropped |= refused
                    continue
                failures += 1
                if not self._wait(error, failures):
                    raise
            else:
                # Only an answer without them shows that the options were to blame.
                self._refused |= dropped
                return

    def _phrase(self, request: Request, options: frozenset[Option]) -> Request:
        """Return the request with the options to send; a shape is put into words where it may be needed."""
        # A server of one's own may pass over what it does not know without a word.
        if request.shape is None or ("shape" in options and self.base_url is None):
            return replace(request, options=options)
        words = prompts.fill("shape", schema=json.dumps(request.shape.model_json_schema()))
        system = f"{request.system}\n\n{words}" if request.system else words
        return replace(request, options=options, system=system)

    def _wait(self, error: LanguageModelError, failures: int) -> bool:
        """Sit out a failure that passes; say False where waiting is no use."""
        if failures > self._retries or not isinstance(error, LanguageModelBusyError | LanguageModelDownError):
            return False
        asked = error.retry_after if isinstance(error, LanguageModelBusyError) else None
        wait = seconds_before(failures, asked=asked, jitter=self._jitter())
        if wait is None:
            return False
        if self._notify is not None:
            when = f" in {wait:.0f} s" if wait >= 1 else ""
            self._notify(f"{error.message} Asking again{when}.")
        self._sleep(wait)
        return True

    def _attempt(self, request: Request) -> Generator[Piece]:
        started = finished = False
        client: Any = None
        try:
            client = self._client()
            for piece in self._pieces(client, request):
                started = started or piece.is_content
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
            known = self._status_error(error) or transport_error(self._server, error, started=started)
            if known is None:
                raise
            raise known from error
        finally:
            if finished:
                self._idle.append(client)
            elif client is not None:
                # Half an answer leaves a connection that nobody reads any more; a new one costs a handshake.
                client.close()

    def _client(self) -> Any:
        with suppress(IndexError):
            return self._idle.pop()
        return self._connect()

    @property
    def _server(self) -> Server:
        return Server(
            brand=self.brand,
            model=self.name,
            address=self.base_url,
            timeout=self.timeout,
            key=self._key,
        )

    def _from_status(self, status: int, said: str, retry_after: float | None) -> LanguageModelError:
        return status_error(self._server, status, said, retry_after)


def refused_options(error: LanguageModelError, sent: frozenset[Option]) -> frozenset[Option]:
    """Return the options that a refusal is about: those it names, or all that were sent where it names none.

    Empty where the error is not about the request's form.
    """
    if error.status not in _BAD_REQUEST or isinstance(error, LanguageModelTooLongError):
        return frozenset()
    return frozenset(option for option in sent if _NAMED[option].search(error.message)) or sent
