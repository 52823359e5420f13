"""Anthropic, and servers that speak its protocol, through the `anthropic` package."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from engram.errors import (
    LanguageModelBusyError,
    LanguageModelDownError,
    LanguageModelError,
    LanguageModelGarbledError,
)
from engram.llm.base import (
    Message,
    Piece,
    Provider,
    StopReason,
    Usage,
    message_in,
    one_line,
    read_retry_after,
)

if TYPE_CHECKING:
    from anthropic import Anthropic

_STOPS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


class AnthropicModel(Provider):
    """An Anthropic model; one client, made at the first answer."""

    brand: ClassVar[str] = "Anthropic"

    def _connect(self) -> "Anthropic":
        from anthropic import Anthropic  # noqa: PLC0415  (1.8 s, and an extra)

        return Anthropic(api_key=self._key, base_url=self.base_url, timeout=self.timeout, max_retries=0)

    def _pieces(self, system: str, messages: Sequence[Message], max_tokens: int) -> Iterator[Piece]:
        said: Any = [{"role": message.role, "content": message.text} for message in messages]
        # Thinking counts against the answer's tokens and delays its first word; talk needs little of it.
        # Models before the fifth generation do not know the setting, nor do older versions of the package.
        little = {"output_config": {"effort": "low"}} if re.match(r"claude-[a-z]+-5", self.name) else None
        answer: Any = self._open().messages.create(
            model=self.name,
            system=system,
            messages=said,
            max_tokens=max_tokens,
            stream=True,
            extra_body=little,
        )
        asked: int | None = None
        stop: StopReason | None = None
        detail = ""
        with answer:
            for event in answer:
                match event.type:
                    case "message_start":
                        asked = event.message.usage.input_tokens
                        yield Piece(usage=Usage(input_tokens=asked))
                    case "content_block_delta" if event.delta.type == "text_delta":
                        yield Piece(text=_string(event.delta.text))
                    case "message_delta":
                        detail = event.delta.stop_reason or ""
                        stop = _STOPS.get(detail, "withheld") if detail else None
                        yield Piece(usage=Usage(input_tokens=asked, output_tokens=event.usage.output_tokens))
                    case "message_stop":
                        # Only now: without this event the answer was cut, whatever came before.
                        yield Piece(stop=stop or "end", detail=detail)
                    case _:
                        pass

    def _status_error(self, error: Exception) -> LanguageModelError | None:
        from anthropic import APIStatusError  # noqa: PLC0415

        if not isinstance(error, APIStatusError):
            return None
        said = message_in(error.body)
        if error.status_code >= 400:
            return self._from_status(
                error.status_code, said, read_retry_after(error.response.headers.get("retry-after"))
            )
        # An error event inside an answer that began well: the status is still 200.
        kind = _error_type(error.body)
        told = f"{self.brand} gave up its answer: {one_line(said or kind or 'no reason given')}."
        if kind in {"overloaded_error", "rate_limit_error"}:
            return LanguageModelBusyError(told)
        if kind in {"api_error", "timeout_error"}:
            return LanguageModelDownError(told, remedy="Try again.")
        return LanguageModelGarbledError(told, remedy="Try again.")


def _string(value: object) -> str:
    if not isinstance(value, str):  # the package does not check what the server sent
        raise TypeError(f"text of type {type(value).__name__}")
    return value


def _error_type(body: object) -> str | None:
    inner = body.get("error") if isinstance(body, dict) else None
    kind = inner.get("type") if isinstance(inner, dict) else None
    return kind if isinstance(kind, str) else None
