"""A language model's server: the streaming protocols of Gemini and Anthropic, with scripted behaviour."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

from tests.protocol import anthropic, gemini
from tests.protocol.script import Answer, Call, Request, Wire

__all__ = ["Answer", "Call", "ModelServer", "Provider", "Request"]

Provider = Literal["gemini", "anthropic"]

_READ: dict[Provider, Callable[[str, Message, dict[str, Any]], Request]] = {
    "gemini": gemini.read,
    "anthropic": anthropic.read,
}
_ERRORS: dict[Provider, Callable[[int, str], str]] = {
    "gemini": gemini.error_body,
    "anthropic": anthropic.error_body,
}
_WIRES: dict[Provider, Callable[[Answer], Wire]] = {
    "gemini": gemini.GeminiWire,
    "anthropic": anthropic.AnthropicWire,
}


class ModelServer(ThreadingHTTPServer):
    """Answers in order; the last answer repeats. What it refuses is answered with 400 and uses up no answer."""

    daemon_threads = True

    def __init__(
        self, provider: Provider, answers: Sequence[Answer], refuses: Mapping[str, str] | None = None
    ) -> None:
        self.provider = provider
        self.answers = list(answers)
        self.refuses = dict(refuses or {})
        """Names that no request may hold, at any depth, and what is said to one that does."""
        self.shaped: Answer | None = None
        """What a question for an answer of a shape gets, without using up an answer; None: what any other gets."""
        self.requests: list[Request] = []
        self.served = 0
        """Requests that were answered."""
        self.proceed = threading.Event()
        """Ends a pause, and at closing a stall."""
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """The address to set as the provider's base URL."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @classmethod
    @contextmanager
    def running(
        cls, provider: Provider, *answers: Answer, refuses: Mapping[str, str] | None = None
    ) -> Iterator[Self]:
        """Serve until the block ends."""
        server = cls(provider, answers or [Answer()], refuses)
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
    disable_nagle_algorithm = True  # else each small event waits 40 ms for the client
    server: ModelServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class's name)
        """Keep quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        request = _READ[self.server.provider](self.path, self.headers, body)
        self.server.requests.append(request)
        shaped = self.server.shaped if request.shape is not None else None
        answer = shaped or self._answer(body)
        if answer.then == "drop" and not answer.deltas:
            self._hang_up()
        elif answer.status != 200 or answer.body is not None:
            self._send_whole(answer)
        else:
            self._send_stream(answer)

    def _answer(self, body: dict[str, Any]) -> Answer:
        for name, message in self.server.refuses.items():
            if _holds(body, name):
                return Answer(status=400, message=message)
        self.server.served += 1
        return self.server.answers[min(self.server.served, len(self.server.answers)) - 1]

    def _send_whole(self, answer: Answer) -> None:
        own = _ERRORS[self.server.provider]
        text = answer.body if answer.body is not None else own(answer.status, answer.message)
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
        wire = _WIRES[self.server.provider](answer)
        self._chunk(wire.start())
        for number in range(len(answer.deltas)):
            if answer.pause and number == len(answer.deltas) - 1:
                self.server.proceed.wait(60)
            self._chunk(wire.delta(number))
        for number in range(len(answer.calls)):
            self._chunk(wire.call(number))
        self._close(wire, answer)

    def _close(self, wire: Wire, answer: Answer) -> None:
        match answer.then:
            case "stall":
                self.server.proceed.wait(60)
                self._hang_up()
            case "drop":
                self._hang_up()
            case "cut":
                self._chunk(wire.half())
                self._hang_up()
            case "garbage":
                self._chunk(wire.garbage())
                self._end()
            case "error":
                self._chunk(wire.error())
                self._end()
            case "finish":
                self._chunk(wire.finish())
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


def _holds(value: Any, name: str) -> bool:
    if isinstance(value, dict):
        return name in value or any(_holds(inner, name) for inner in value.values())
    return isinstance(value, list) and any(_holds(inner, name) for inner in value)
