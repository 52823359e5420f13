"""Anthropic, and servers that speak its protocol, through the `anthropic` package."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel

from engram.errors import (
    LanguageModelBusyError,
    LanguageModelDownError,
    LanguageModelError,
    LanguageModelGarbledError,
)
from engram.llm.base import Message, Piece, StopReason, ToolCall, Usage, Verbatim
from engram.llm.failures import message_in, one_line
from engram.llm.provider import Option, Provider, Request
from engram.llm.retries import read_retry_after

if TYPE_CHECKING:
    from anthropic import Anthropic

_STOPS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


class AnthropicModel(Provider):
    """An Anthropic model."""

    brand: ClassVar[str] = "Anthropic"

    def _connect(self) -> "Anthropic":
        from anthropic import Anthropic  # noqa: PLC0415  (1.8 s, and an extra)

        return Anthropic(api_key=self._key, base_url=self.base_url, timeout=self.timeout, max_retries=0)

    def _options(self, request: Request) -> frozenset[Option]:
        options: set[Option] = set()
        # Thinking counts against the answer's tokens and delays its first word. Models before the fifth
        # generation do not know the setting.
        if re.match(r"claude-[a-z]+-5", self.name):
            options.add("effort")
        if request.shape is not None and _schema(request.shape) is not None:
            options.add("shape")
        return frozenset(options)

    def _pieces(self, client: Any, request: Request) -> Iterator[Piece]:
        answer: Any = client.messages.create(
            model=self.name,
            system=request.system,
            messages=[_said(message) for message in request.messages],
            max_tokens=request.max_tokens,
            stream=True,
            extra_body=_output(request),
            **_tools(request),
        )
        reader = _Reader()
        with answer:
            for event in answer:
                yield from reader.read(event)

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


@dataclass(slots=True)
class _Block:
    """One content block on its way; `fields` are its own, `parts` the deltas of its growing one."""

    fields: dict[str, Any]
    parts: list[str] = field(default_factory=list)


class _Reader:
    """Turns the events of one answer into pieces."""

    def __init__(self) -> None:
        self._blocks: dict[int, _Block] = {}
        self._asked: int | None = None
        self._stop: StopReason | None = None
        self._detail = ""

    def read(self, event: Any) -> Iterator[Piece]:
        match event.type:
            case "message_start":
                self._asked = event.message.usage.input_tokens
                yield Piece(usage=Usage(input_tokens=self._asked))
            case "content_block_start":
                self._blocks[event.index] = _Block(event.content_block.model_dump(exclude_none=True))
            case "content_block_delta":
                yield from self._grow(event)
            case "content_block_stop":
                block = self._blocks.get(event.index)
                if block is not None and block.fields["type"] == "tool_use":
                    yield Piece(call=_call(block))
            case "message_delta":
                self._detail = event.delta.stop_reason or ""
                self._stop = _STOPS.get(self._detail, "withheld") if self._detail else None
                answered = event.usage.output_tokens
                yield Piece(usage=Usage(input_tokens=self._asked, output_tokens=answered))
            case "message_stop":
                # Only now: without this event the answer was cut, whatever came before.
                yield Piece(stop=self._stop or "end", detail=self._detail, verbatim=self._verbatim())
            case _:
                pass

    def _grow(self, event: Any) -> Iterator[Piece]:
        delta = event.delta
        # Some servers send text without opening a block for it.
        block = self._blocks.setdefault(event.index, _Block({"type": "text"}))
        match delta.type:
            case "text_delta":
                yield Piece(text=_string(delta.text))
                block.parts.append(delta.text)
            case "input_json_delta":
                block.parts.append(_string(delta.partial_json))
            case "thinking_delta":
                block.parts.append(_string(delta.thinking))
            case "signature_delta":
                block.fields["signature"] = delta.signature
            case _:
                pass

    def _verbatim(self) -> Verbatim | None:
        """Return the answer as it wants to be seen again; None where its text says it all."""
        whole = tuple(_as_sent(block) for _, block in sorted(self._blocks.items()))
        if all(block["type"] == "text" for block in whole):
            return None
        parts = (block for block in whole if block["type"] != "text" or block["text"].strip())
        return Verbatim(provider=AnthropicModel.brand, parts=tuple(parts))


def _call(block: _Block) -> ToolCall:
    # Some servers send the arguments at once, with the block's start.
    raw = "".join(block.parts) or json.dumps(block.fields.get("input") or {})
    return ToolCall.read(id=_string(block.fields["id"]), name=_string(block.fields["name"]), raw=raw)


def _as_sent(block: _Block) -> dict[str, Any]:
    match block.fields["type"]:
        case "text":
            return {"type": "text", "text": "".join(block.parts)}
        case "thinking":
            return {**block.fields, "thinking": "".join(block.parts)}
        case "tool_use":
            return _tool_use(_call(block))
        case _:
            return block.fields


def _said(message: Message) -> dict[str, Any]:
    if message.verbatim is not None and message.verbatim.provider == AnthropicModel.brand:
        return {"role": message.role, "content": list(message.verbatim.parts)}
    if not message.calls and not message.results:
        return {"role": message.role, "content": message.text}
    results = [
        {"type": "tool_result", "tool_use_id": result.call.id, "content": result.text}
        for result in message.results
    ]
    text = [{"type": "text", "text": message.text}] if message.text.strip() else []
    return {
        "role": message.role,
        "content": [*results, *text, *(_tool_use(call) for call in message.calls)],
    }


def _tool_use(call: ToolCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments or {}}


def _tools(request: Request) -> dict[str, Any]:
    tools = [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": tool.parameters.model_json_schema(),
        }
        for tool in request.tools
    ]
    return {"tools": tools} if tools else {}


def _output(request: Request) -> dict[str, Any] | None:
    """Return what older versions of the package do not know as an argument."""
    output: dict[str, Any] = {}
    if "effort" in request.options:
        output["effort"] = request.effort
    if "shape" in request.options and request.shape is not None:
        output["format"] = {"type": "json_schema", "schema": _schema(request.shape)}
    return {"output_config": output} if output else None


@cache
def _schema(shape: type[BaseModel]) -> dict[str, Any] | None:
    """Return the shape in the part of JSON Schema that the server knows; None where that is too small."""
    try:
        from anthropic import transform_schema  # noqa: PLC0415

        return transform_schema(shape)
    except (ImportError, ValueError):  # without the package the request itself says what is missing
        return None


def _string(value: object) -> str:
    if not isinstance(value, str):  # the package does not check what the server sent
        raise TypeError(f"text of type {type(value).__name__}")
    return value


def _error_type(body: object) -> str | None:
    inner = body.get("error") if isinstance(body, dict) else None
    kind = inner.get("type") if isinstance(inner, dict) else None
    return kind if isinstance(kind, str) else None
