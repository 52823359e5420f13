"""A language model's server: the streaming protocols of Gemini and Anthropic, with scripted behaviour."""

import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

Provider = Literal["gemini", "anthropic"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """How the server treats one request."""

    deltas: Sequence[str] = ("Hello",)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    """Sent instead of a stream or of the provider's own error body."""
    message: str = "scripted"
    """In the error body."""
    end: Literal["end", "length", "withheld", "none"] = "end"
    """How the stream closes; `none`: politely, but without saying that it is complete."""
    then: Literal["finish", "cut", "garbage", "error", "stall", "drop"] = "finish"
    """What follows the deltas; `cut` closes in the middle of an event, `drop` before any byte of the answer."""
    pause: bool = False
    """Wait before the last delta until `proceed` is set."""
    usage: tuple[int, int] = (11, 7)


@dataclass(frozen=True, kw_only=True)
class Request:
    """What arrived, in one form for both providers."""

    path: str
    key: str | None
    system: str
    messages: list[tuple[str, str]]
    """Role (`user` or `assistant`) and text."""
    max_tokens: int
    body: dict[str, Any]


class ModelServer(ThreadingHTTPServer):
    """Answers in order; the last answer repeats."""

    daemon_threads = True

    def __init__(self, provider: Provider, answers: Sequence[Answer]) -> None:
        self.provider = provider
        self.answers = list(answers)
        self.requests: list[Request] = []
        self.proceed = threading.Event()
        """Ends a pause, and at closing a stall."""
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """The address to set as the provider's base URL."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @classmethod
    @contextmanager
    def running(cls, provider: Provider, *answers: Answer) -> Iterator[Self]:
        """Serve until the block ends."""
        server = cls(provider, answers or [Answer()])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.proceed.set()
            server.shutdown()
            server.server_close()
            thread.join()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet: clients that hang up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class's name)
        """Keep quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        gemini = self.server.provider == "gemini"
        self.server.requests.append(_read_gemini(self, body) if gemini else _read_anthropic(self, body))
        answers = self.server.answers
        answer = answers[min(len(self.server.requests), len(answers)) - 1]
        if answer.then == "drop" and not answer.deltas:
            self._hang_up()
        elif answer.status != 200 or answer.body is not None:
            self._send_whole(answer)
        else:
            self._send_stream(answer)

    def _send_whole(self, answer: Answer) -> None:
        errors = {"gemini": _gemini_error, "anthropic": _anthropic_error}
        text = answer.body if answer.body is not None else errors[self.server.provider](answer)
        self.send_response(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        payload = text.encode()
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def _send_stream(self, answer: Answer) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        gemini = self.server.provider == "gemini"
        stream = _GeminiStream(answer) if gemini else _AnthropicStream(answer)
        self._chunk(stream.start())
        for number, delta in enumerate(answer.deltas, start=1):
            if answer.pause and number == len(answer.deltas):
                self.server.proceed.wait(60)
            self._chunk(stream.delta(delta))
        match answer.then:
            case "stall":
                self.server.proceed.wait(60)
                self._hang_up()
            case "drop":
                self._hang_up()
            case "cut":
                event = stream.delta(" half of")
                self._chunk(event[: len(event) * 2 // 3])
                self._hang_up()
            case "garbage":
                self._chunk(stream.garbage())
                self._end()
            case "error":
                self._chunk(stream.error())
                self._end()
            case "finish":
                self._chunk(stream.finish())
                self._end()

    def _chunk(self, text: str) -> None:
        if data := text.encode():  # an empty chunk would end the stream
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()

    def _end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)


class _GeminiStream:
    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def start(self) -> str:
        return ""

    def delta(self, text: str) -> str:
        return _event({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}]})

    def garbage(self) -> str:
        return 'data: {"candidates": [{"content": {"parts": [{"te\n\n'

    def error(self) -> str:
        return _event({"error": {"code": 503, "message": self.answer.message, "status": "UNAVAILABLE"}})

    def finish(self) -> str:
        asked, answered = self.answer.usage
        counts = {"promptTokenCount": asked, "candidatesTokenCount": answered}
        reason = {"end": "STOP", "length": "MAX_TOKENS", "withheld": "SAFETY"}.get(self.answer.end)
        if self.answer.end == "withheld" and not self.answer.deltas:
            return _event({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": counts})
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": ""}]}, "index": 0}
        if reason is not None:
            candidate["finishReason"] = reason
        return _event({"candidates": [candidate], "usageMetadata": counts})


class _AnthropicStream:
    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def start(self) -> str:
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
        return (
            _event({"type": "message_start", "message": message})
            + _event(
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
            )
            + _event({"type": "ping"})
        )

    def delta(self, text: str) -> str:
        delta = {"type": "text_delta", "text": text}
        return _event({"type": "content_block_delta", "index": 0, "delta": delta})

    def garbage(self) -> str:
        return 'event: content_block_delta\ndata: {"type": "content_block_delta", "del\n\n'

    def error(self) -> str:
        return _event({"type": "error", "error": {"type": "api_error", "message": self.answer.message}})

    def finish(self) -> str:
        if self.answer.end == "none":
            return _event({"type": "content_block_stop", "index": 0})
        reason = {"end": "end_turn", "length": "max_tokens", "withheld": "refusal"}[self.answer.end]
        return (
            _event({"type": "content_block_stop", "index": 0})
            + _event(
                {
                    "type": "message_delta",
                    "delta": {"stop_reason": reason, "stop_sequence": None},
                    "usage": {"output_tokens": self.answer.usage[1]},
                }
            )
            + _event({"type": "message_stop"})
        )


def _event(payload: dict[str, Any]) -> str:
    named = f"event: {payload['type']}\n" if "type" in payload else ""
    return f"{named}data: {json.dumps(payload)}\n\n"


def _gemini_error(answer: Answer) -> str:
    return json.dumps({"error": {"code": answer.status, "message": answer.message, "status": "SCRIPTED"}})


def _anthropic_error(answer: Answer) -> str:
    return json.dumps({"type": "error", "error": {"type": "scripted_error", "message": answer.message}})


def _read_gemini(handler: _Handler, body: dict[str, Any]) -> Request:
    return Request(
        path=handler.path,
        key=handler.headers["x-goog-api-key"],
        system=_join(body["systemInstruction"]["parts"]),
        messages=[
            ("assistant" if content["role"] == "model" else content["role"], _join(content["parts"]))
            for content in body["contents"]
        ],
        max_tokens=body["generationConfig"]["maxOutputTokens"],
        body=body,
    )


def _read_anthropic(handler: _Handler, body: dict[str, Any]) -> Request:
    return Request(
        path=handler.path,
        # Older versions of the package send the first, newer ones the second.
        key=handler.headers["x-api-key"] or (handler.headers["authorization"] or "").removeprefix("Bearer "),
        system=body["system"],
        messages=[(message["role"], message["content"]) for message in body["messages"]],
        max_tokens=body["max_tokens"],
        body=body,
    )


def _join(parts: list[dict[str, str]]) -> str:
    return "".join(part["text"] for part in parts)
