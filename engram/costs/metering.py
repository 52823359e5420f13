"""A chat model that meters another: every call of it is recorded once, however it ends."""

import logging
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from pydantic import BaseModel

from engram.costs.records import Call
from engram.errors import EngramError, LanguageModelGarbledError, LanguageModelRefusedError
from engram.llm.base import ChatModel, Effort, Message, Piece, Stream, Tool, Usage
from engram.llm.failures import one_line
from engram.loop.tokens import count_messages, count_tokens
from engram.observing.operation import completed

if TYPE_CHECKING:
    from engram.costs.ledger import Ledger

RAW_BYTES = 65_536
"""Most of an unusable answer that is kept."""
MOST_TOKENS = 10**9
"""No model reads or writes more at once."""
_LOG = logging.getLogger(__name__)
_USED = {"ok", "interrupted", "failed", "refused"}
"""Outcomes that leave no answer to look into later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """What every call of one metered model has in common."""

    ledger: "Ledger"
    purpose: str
    session: str | None
    background: bool


class MeteredModel:
    """A chat model whose calls are recorded; of a background purpose it also keeps to the budget."""

    def __init__(self, model: ChatModel, meter: Meter) -> None:
        self._model = model
        self._meter = meter

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

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
        """Ask for the next answer; reading it raises `BudgetError` where the budget does not allow it."""
        stream = self._model.stream(
            system, messages, max_tokens=max_tokens, tools=tools, shape=shape, effort=effort
        )
        told = count_tokens(system) + count_messages(messages)
        return MeteredStream(stream, self._meter, model=self.name, told=told)

    def close(self) -> None:
        """Give back connections; the model can be used again."""
        self._model.close()


class MeteredStream(Stream):
    """One answer as it arrives; the ledger knows of it when it is complete, failed or given up.

    An `outcome` that is set later still reaches the record.
    """

    _call: Call | None = None
    _judged: str | None = None

    def __init__(self, stream: Stream, meter: Meter, *, model: str, told: int) -> None:
        """Meter `stream`.

        Args:
            stream: The answer itself.
            meter: Whose it is.
            model: The model's name.
            told: Tokens that it was told, estimated.
        """
        super().__init__(_no_pieces())
        self._stream = stream
        self._meter = meter
        self._model = model
        self._told = told

    @property
    def outcome(self) -> str | None:
        """What whoever judged the answer made of it; None while nobody did."""
        return self._judged

    @outcome.setter
    def outcome(self, value: str | None) -> None:
        # How a call failed is known better here.
        self._judged = None if value == "unanswered" else value
        if self._judged is not None and self._call is not None:
            self._call = replace(self._call, outcome=self._judged, raw=_raw(self._judged, self.text))
            self._meter.ledger.revise(self._call)

    def close(self) -> None:
        """Stop listening; what had come until now is recorded."""
        super().close()
        self._stream.close()
        self._meter.ledger.keep_up()

    def _read(self) -> Generator[str]:
        ledger = self._meter.ledger
        if self._meter.background:
            ledger.check_budget()
        at, began = ledger.now(), ledger.monotonic()
        first = ended = None
        try:
            for delta in self._stream:
                first = ledger.monotonic() if first is None else first
                self._mirror()
                yield delta
        except BaseException as error:
            ended = error
            raise
        finally:
            self._stream.close()
            self._mirror()
            done = ledger.monotonic()
            try:
                self._record(
                    at=at,
                    latency_ms=round(1000 * (done - began)),
                    first_token_ms=None if first is None else round(1000 * (first - began)),
                    ended=ended,
                )
            except Exception:  # noqa: BLE001  (whatever a provider says of its answer, the answer stands)
                _LOG.warning("a model call could not be metered", exc_info=True)
            # A stream that nobody closed ends in the garbage collector, where no lock may be taken.
            if not isinstance(ended, GeneratorExit):
                ledger.keep_up()

    def _mirror(self) -> None:
        """Be what the answer itself is so far."""
        answer = self._stream
        self.text, self.calls, self.verbatim = answer.text, answer.calls, answer.verbatim
        self.usage, self.logprob, self.tries = answer.usage, answer.logprob, answer.tries
        self.stop_reason = answer.stop_reason

    def _record(
        self, *, at: datetime, latency_ms: int, first_token_ms: int | None, ended: BaseException | None
    ) -> None:
        ledger = self._meter.ledger
        outcome = self._judged or _outcome(self, ended)
        told, said, estimated = self._tokens(interrupted=outcome == "interrupted")
        self._call = Call(
            id=uuid4().hex,
            run=ledger.run,
            session=self._meter.session,
            purpose=self._meter.purpose,
            model=self._model,
            background=self._meter.background,
            at=at,
            latency_ms=latency_ms,
            first_token_ms=first_token_ms,
            input_tokens=told,
            output_tokens=said,
            estimated=estimated,
            cost_usd=ledger.cost(self._model, input_tokens=told, output_tokens=said, at=at),
            tries=max(1, self.tries),
            outcome=outcome,
            error=_told(ended),
            raw=_raw(outcome, self.text),
        )
        ledger.record(self._call)
        completed(
            "model",
            self._model,
            seconds=latency_ms / 1000,
            error=type(ended).__name__ if isinstance(ended, Exception) else None,
            purpose=self._meter.purpose,
            outcome=outcome,
            input_tokens=told,
            output_tokens=said,
            cost_usd=self._call.cost_usd,
        )

    def _tokens(self, *, interrupted: bool) -> tuple[int, int, bool]:
        """Return the tokens that it was told and that it said, and whether either is estimated.

        A request that was not answered cost nothing, as far as is known; one that was given up did.
        """
        counted = self.usage or Usage()
        told, said = _sane(counted.input_tokens), _sane(counted.output_tokens)
        if not (self.text or self.calls or self.stop_reason or interrupted):
            return told or 0, said or 0, False
        if told is not None and said is not None:
            return told, said, False
        guess = count_tokens(self.text) + sum(count_tokens(call.raw) for call in self.calls)
        return self._told if told is None else told, guess if said is None else said, True


def _no_pieces() -> Generator[Piece]:
    """Yield nothing: what arrives comes from the stream that is metered."""
    yield from ()


def _sane(count: int | None) -> int | None:
    """Return a provider's count as one that can be summed: no nonsense of it may lower what was spent."""
    return None if count is None else min(max(count, 0), MOST_TOKENS)


def _outcome(answer: Stream, ended: BaseException | None) -> str:
    """Name how a call ended that nobody has judged."""
    match ended:
        case None:
            return "ok"
        case LanguageModelRefusedError():
            return "refused"
        case LanguageModelGarbledError() if answer.text or answer.stop_reason == "length":
            return "cut_off"
        case LanguageModelGarbledError() if answer.stop_reason == "end":
            return "empty"
        case Exception():
            return "refused" if answer.stop_reason == "withheld" else "failed"
        case _:
            return "interrupted"


def _raw(outcome: str, text: str) -> str | None:
    """Return what is kept of an answer's text: nothing where it was of use."""
    if outcome in _USED or not text:
        return None
    return text.encode("utf-8", "replace")[:RAW_BYTES].decode("utf-8", "ignore")


def _told(ended: BaseException | None) -> str | None:
    """Return why a call ended, as people are told it: what stands behind that may quote a key."""
    if isinstance(ended, EngramError):
        return one_line(ended.message)
    return type(ended).__name__ if isinstance(ended, Exception) else None
