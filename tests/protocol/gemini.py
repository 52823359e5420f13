"""Gemini's streaming protocol, from the server's side."""

import base64
import json
from email.message import Message
from typing import Any

from tests.protocol.script import Answer, Request, event

_REASONS = {
    "end": "STOP",
    "length": "MAX_TOKENS",
    "withheld": "SAFETY",
    "malformed": "MALFORMED_FUNCTION_CALL",
}


def read(path: str, headers: Message, body: dict[str, Any]) -> Request:
    """Return what a client asked."""
    config = body["generationConfig"]
    declared = [one for tool in body.get("tools", []) for one in tool["functionDeclarations"]]
    return Request(
        path=path,
        key=headers["x-goog-api-key"],
        system=_join(body["systemInstruction"]["parts"]),
        messages=[
            ("assistant" if content["role"] == "model" else content["role"], _join(content["parts"]))
            for content in body["contents"]
        ],
        max_tokens=config["maxOutputTokens"],
        tools={one["name"]: _field(one, "parametersJsonSchema") for one in declared},
        shape=config.get("responseJsonSchema"),
        effort=(_field(config.get("thinkingConfig", {}), "thinkingLevel") or "").lower() or None,
        body=body,
    )


def error_body(status: int, message: str) -> str:
    """Return the body of an HTTP error."""
    return json.dumps({"error": {"code": status, "message": message, "status": "SCRIPTED"}})


class GeminiWire:
    """One answer as Gemini streams it."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def start(self) -> str:
        """Send nothing: there is no opening event."""
        return ""

    def delta(self, number: int) -> str:
        """Send text, and its token's log probability."""
        told: dict[str, Any] = {}
        if self.answer.logprobs:
            token = {"token": "t", "logProbability": self.answer.logprobs[number]}
            told["logprobsResult"] = {"chosenCandidates": [token]}
        return _chunk({"text": self.answer.deltas[number]}, **told)

    def call(self, number: int) -> str:
        """Send a whole call at once."""
        call = self.answer.calls[number]
        part: dict[str, Any] = {"functionCall": {"name": call.name, "args": call.arguments}}
        if call.id is not None:
            part["functionCall"]["id"] = call.id
        if self.answer.signature is not None and number == 0:
            part["thoughtSignature"] = base64.b64encode(self.answer.signature.encode()).decode()
        return _chunk(part)

    def half(self) -> str:
        """Send two thirds of an event."""
        whole = _chunk({"text": " half of"})
        return whole[: len(whole) * 2 // 3]

    def garbage(self) -> str:
        """Send JSON that breaks off."""
        return 'data: {"candidates": [{"content": {"parts": [{"te\n\n'

    def error(self) -> str:
        """Send an error where a chunk belongs."""
        return event({"error": {"code": 503, "message": self.answer.message, "status": "UNAVAILABLE"}})

    def finish(self) -> str:
        """Send the reason for the end and the counts."""
        asked, answered = self.answer.usage
        counts = {"promptTokenCount": asked, "candidatesTokenCount": answered}
        if self.answer.end == "withheld" and not self.answer.deltas:
            return event({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": counts})
        told: dict[str, Any] = {}
        if self.answer.end in _REASONS:
            told["finishReason"] = _REASONS[self.answer.end]
        if self.answer.avg_logprob is not None:
            told["avgLogprobs"] = self.answer.avg_logprob
        return _chunk({"text": ""}, usage=counts, **told)


def _chunk(part: dict[str, Any], *, usage: dict[str, int] | None = None, **told: Any) -> str:
    candidate = {"content": {"role": "model", "parts": [part]}, "index": 0, **told}
    return event({"candidates": [candidate]} | ({"usageMetadata": usage} if usage else {}))


def _field(fields: dict[str, Any], name: str) -> Any:
    """Return a field by its name in either spelling: the package and the real server mix them."""
    snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
    return fields.get(name, fields.get(snake))


def _join(parts: list[dict[str, str]]) -> str:
    return "".join(part.get("text", "") for part in parts)
