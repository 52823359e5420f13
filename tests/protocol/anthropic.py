"""Anthropic's streaming protocol, from the server's side."""

import json
from email.message import Message
from typing import Any

from tests.protocol.script import Answer, Request, event

_REASONS = {"length": "max_tokens", "withheld": "refusal", "malformed": "refusal"}


def read(path: str, headers: Message, body: dict[str, Any]) -> Request:
    """Return what a client asked."""
    output = body.get("output_config", {})
    return Request(
        path=path,
        # Older versions of the package send the first, newer ones the second.
        key=headers["x-api-key"] or (headers["authorization"] or "").removeprefix("Bearer "),
        system=body["system"],
        messages=[(message["role"], _text(message["content"])) for message in body["messages"]],
        max_tokens=body["max_tokens"],
        tools={tool["name"]: tool["input_schema"] for tool in body.get("tools", [])},
        shape=output.get("format", {}).get("schema"),
        effort=output.get("effort"),
        body=body,
    )


def error_body(status: int, message: str) -> str:
    """Return the body of an HTTP error."""
    return json.dumps({"type": "error", "error": {"type": "scripted_error", "message": message}})


class AnthropicWire:
    """One answer as Anthropic streams it: a block of text, then one for each call."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self._index = 0

    def start(self) -> str:
        """Open the message, think if there is a signature, and open the text."""
        message: dict[str, Any] = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "local",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": self.answer.usage[0], "output_tokens": 1},
        }
        opened = event({"type": "message_start", "message": message})
        if self.answer.signature is not None:
            opened += (
                self._open({"type": "thinking", "thinking": "", "signature": ""})
                + self._grow({"type": "thinking_delta", "thinking": "Let me "})
                + self._grow({"type": "thinking_delta", "thinking": "see."})
                + self._grow({"type": "signature_delta", "signature": self.answer.signature})
                + self._close()
            )
        return opened + self._open({"type": "text", "text": ""}) + event({"type": "ping"})

    def delta(self, number: int) -> str:
        """Send text."""
        return self._grow({"type": "text_delta", "text": self.answer.deltas[number]})

    def call(self, number: int) -> str:
        """Close the text, and send a call, its arguments in three deltas."""
        call = self.answer.calls[number]
        raw, third = call.json, len(call.json) // 3
        parts = [raw[:third], raw[third : 2 * third], raw[2 * third :]]
        return (
            (self._close() if number == 0 else "")
            + self._open({"type": "tool_use", "id": call.id, "name": call.name, "input": {}})
            + "".join(self._grow({"type": "input_json_delta", "partial_json": part}) for part in parts)
            + self._close()
        )

    def half(self) -> str:
        """Send two thirds of an event."""
        whole = self._grow({"type": "text_delta", "text": " half of"})
        return whole[: len(whole) * 2 // 3]

    def garbage(self) -> str:
        """Send JSON that breaks off."""
        return 'event: content_block_delta\ndata: {"type": "content_block_delta", "del\n\n'

    def error(self) -> str:
        """Send an error event."""
        return event({"type": "error", "error": {"type": "api_error", "message": self.answer.message}})

    def finish(self) -> str:
        """Close the text, and the message unless it is left open."""
        closed = "" if self.answer.calls else self._close()
        if self.answer.end == "none":
            return closed
        reason = _REASONS.get(self.answer.end, "tool_use" if self.answer.calls else "end_turn")
        return (
            closed
            + event(
                {
                    "type": "message_delta",
                    "delta": {"stop_reason": reason, "stop_sequence": None},
                    "usage": {"output_tokens": self.answer.usage[1]},
                }
            )
            + event({"type": "message_stop"})
        )

    def _open(self, block: dict[str, Any]) -> str:
        return event({"type": "content_block_start", "index": self._index, "content_block": block})

    def _grow(self, delta: dict[str, Any]) -> str:
        return event({"type": "content_block_delta", "index": self._index, "delta": delta})

    def _close(self) -> str:
        self._index += 1
        return event({"type": "content_block_stop", "index": self._index - 1})


def _text(content: str | list[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)
