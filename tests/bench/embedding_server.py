"""Engram's embedder as OpenAI's embeddings endpoint, for programs that know no other.

Loopback only, any key is right, and nothing is cached: each request computes its vectors.
`python -m tests.bench.embedding_server` prints the address and serves until it is interrupted.
"""

import base64
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engram.config import Settings
from engram.embedding import Embedder, Vectors, open_embedder
from engram.errors import EngramError


class EmbeddingServer(ThreadingHTTPServer):
    """Answers `POST /v1/embeddings` at `url` on a port of the system's choice."""

    daemon_threads = True

    def __init__(self, embedder: Embedder) -> None:
        """Bind to loopback; `embedder` is used by one request at a time."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.embedder = embedder
        self._one_at_a_time = threading.Lock()

    @property
    def url(self) -> str:
        """The base address, as OpenAI's clients want it."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return self.embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, shape (n, d)."""
        with self._one_at_a_time:
            return self.embedder.embed(texts)

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Self]:
        """Serve the default model, without a cache, until the block ends."""
        cached = open_embedder(Settings.load(embedder="onnx", embed_model=None, embed_dimensions=None))
        cached.embedder.embed(["warm"])  # loads the model
        server = cls(cached.embedder)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
            cached.close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes; Nagle would hold the second for 40 ms
    server: EmbeddingServer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class's name)
        """Keep quiet."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path != "/v1/embeddings":
            self._send(HTTPStatus.NOT_FOUND, _error(f"Nothing is at {self.path}."))
            return
        try:
            answer = _answer(self.server, json.loads(body))
        except (ValueError, EngramError) as error:
            self._send(HTTPStatus.BAD_REQUEST, _error(str(error)))
            return
        self._send(HTTPStatus.OK, answer)

    def _send(self, status: HTTPStatus, answer: dict[str, Any]) -> None:
        payload = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)


def _answer(server: EmbeddingServer, request: Any) -> dict[str, Any]:
    """Return the answer to a decoded request body.

    Raises:
        ValueError: The request asks for what this model cannot give; the message says what.
    """
    match request:
        case {"input": str(text)}:
            texts = [text]
        case {"input": [*texts]} if all(isinstance(text, str) for text in texts):
            pass
        case _:
            raise ValueError("The body must be an object whose `input` is a text or a list of texts.")
    if request.get("dimensions", server.dimensions) != server.dimensions:
        raise ValueError(f"Vectors of this model have {server.dimensions} dimensions.")
    write = _base64 if request.get("encoding_format") == "base64" else _numbers
    return {
        "object": "list",
        "model": request.get("model", server.embedder.name),
        "data": [
            {"object": "embedding", "index": index, "embedding": write(vector)}
            for index, vector in enumerate(server.embed(texts))
        ],
        "usage": {"prompt_tokens": 0, "total_tokens": 0},
    }


def _numbers(vector: NDArray[np.float32]) -> list[float]:
    return [float(number) for number in vector]


def _base64(vector: NDArray[np.float32]) -> str:
    """Return a vector as OpenAI's clients decode it: little-endian 32-bit floats in base64."""
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error"}}


def main() -> None:
    """Serve until interrupted."""
    with suppress(KeyboardInterrupt), EmbeddingServer.running() as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
