"""The gemini embedder: the real SDK against a local server that speaks the protocol."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engram.config import Settings
from engram.embedding import Task, open_embedder
from engram.embedding.gemini import GeminiEmbedder
from engram.errors import EmbedderMissingError, EmbeddingError

# The SDK and its HTTP library deprecate parts of themselves and of each other.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:google"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:httpx"),
]


class GeminiEmbeddingServer(ThreadingHTTPServer):
    """Answers batchEmbedContents: from `script`, a list of (status, headers, body), then properly."""

    daemon_threads = True

    def __init__(self) -> None:
        self.script: list[tuple[int, dict[str, str], Any]] = []
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        """Return the address to give to the SDK."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: GeminiEmbeddingServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        if self.server.script:
            status, headers, answer = self.server.script.pop(0)
        else:
            status, headers, answer = 200, {}, proper_answer(body)
        payload = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


def proper_answer(body: Any) -> dict[str, Any]:
    """Return vectors of length 3 (not 1, like the real one's shortened vectors), marked with the text."""
    embeddings = []
    for request in body["requests"]:
        values = [0.0] * request["outputDimensionality"]
        values[len(request["content"]["parts"][0]["text"]) % len(values)] = 3.0
        embeddings.append({"values": values})
    return {"embeddings": embeddings}


def error(status: int, message: str = "no", **more: Any) -> dict[str, Any]:
    """Return the body of an error as Google words it."""
    return {"error": {"code": status, "message": message, "status": "SOME_STATUS", **more}}


@pytest.fixture
def server() -> Iterator[GeminiEmbeddingServer]:
    """Run the local server."""
    running = GeminiEmbeddingServer()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def waits() -> list[float]:
    """Return the list of waits that the embedder asked for; nothing really waits."""
    return []


@pytest.fixture
def embedder(server: GeminiEmbeddingServer, waits: list[float]) -> Iterator[GeminiEmbedder]:
    """Return an embedder that talks to the local server."""
    made = GeminiEmbedder(api_key="key-1", base_url=server.url, dimensions=8, sleep=waits.append)
    yield made
    made.close()


def test_one_request_carries_every_text_with_its_task_and_length(
    server: GeminiEmbeddingServer, tmp_path: Path
) -> None:
    """The settings' key, model, task and length reach the server; the vectors have length 1."""
    embedder = open_embedder(
        Settings.load(
            embedder="gemini", gemini_api_key="key-1", gemini_base_url=server.url, cache_dir=tmp_path
        )
    )
    rows = embedder.embed(["a", "bb", "ccc"], Task.QUERY)
    assert rows.shape == (3, 768)
    assert rows.dtype == np.float32
    assert rows[0, 1] == rows[1, 2] == rows[2, 3] == 1
    (path, headers, body), *more = server.requests
    assert not more
    assert path.endswith("/models/gemini-embedding-001:batchEmbedContents")
    assert {name.lower(): value for name, value in headers.items()}["x-goog-api-key"] == "key-1"
    assert [request["content"]["parts"] for request in body["requests"]] == [
        [{"text": "a"}],
        [{"text": "bb"}],
        [{"text": "ccc"}],
    ]
    assert {request["taskType"] for request in body["requests"]} == {"RETRIEVAL_QUERY"}
    assert {request["outputDimensionality"] for request in body["requests"]} == {768}
    assert (embedder.name, embedder.uses_prefixes, embedder.uses_tasks) == (
        "gemini-embedding-001",
        True,
        True,
    )
    embedder.embed(["a"], Task.QUERY)
    assert len(server.requests) == 1
    embedder.embed(["a"], Task.DOCUMENT)
    assert len(server.requests) == 2
    embedder.close()


def test_more_than_a_hundred_texts_go_in_several_requests(
    embedder: GeminiEmbedder, server: GeminiEmbeddingServer
) -> None:
    """No request carries more than 100 texts, and the order is kept."""
    rows = embedder.embed(["x" * (n % 8) for n in range(205)])
    assert [len(body["requests"]) for _, _, body in server.requests] == [100, 100, 5]
    assert list(rows.argmax(axis=1)) == [n % 8 for n in range(205)]


def test_no_texts_send_nothing(embedder: GeminiEmbedder, server: GeminiEmbeddingServer) -> None:
    """An empty list gives shape (0, d) without a request."""
    assert embedder.embed([]).shape == (0, 8)
    assert server.requests == []


def test_a_model_that_takes_parts_together_still_gives_a_vector_each(server: GeminiEmbeddingServer) -> None:
    """Texts are separate contents even for models that join a list of strings into one."""
    embedder = GeminiEmbedder(api_key="k", base_url=server.url, dimensions=8, model="gemini-embedding-2")
    assert embedder.embed(["a", "bb"]).shape == (2, 8)
    embedder.close()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "refused the request .400: bad text"),
        (401, "refused the key .*ENGRAM_GEMINI_API_KEY"),
        (403, "refused the key .*ENGRAM_GEMINI_API_KEY"),
        (404, "no such model .*ENGRAM_EMBED_MODEL"),
    ],
)
def test_a_refusal_is_not_tried_again(
    embedder: GeminiEmbedder, server: GeminiEmbeddingServer, waits: list[float], status: int, said: str
) -> None:
    """What cannot get better by waiting is an error at once, with its remedy."""
    server.script = [(status, {}, error(status, "bad text"))]
    with pytest.raises(EmbeddingError, match=said):
        embedder.embed(["a"])
    assert len(server.requests) == 1
    assert waits == []


def test_a_wrong_key_is_told_even_when_it_comes_as_a_bad_request(
    embedder: GeminiEmbedder, server: GeminiEmbeddingServer
) -> None:
    """Google answers 400 with a reason in the details to a wrong key."""
    server.script = [(400, {}, error(400, "API key not valid", details=[{"reason": "API_KEY_INVALID"}]))]
    with pytest.raises(EmbeddingError, match=r"refused the key .*ENGRAM_GEMINI_API_KEY"):
        embedder.embed(["a"])


def test_a_busy_server_is_asked_again_when_it_says(
    embedder: GeminiEmbedder, server: GeminiEmbeddingServer, waits: list[float]
) -> None:
    """429 is tried again after the seconds in Retry-After, or in Google's RetryInfo."""
    info = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}]
    server.script = [(429, {"retry-after": "3"}, error(429)), (429, {}, error(429, details=info))]
    assert embedder.embed(["a"]).shape == (1, 8)
    assert waits == [3.0, 7.5]


def test_a_server_that_stays_busy_is_an_error_after_bounded_tries(
    embedder: GeminiEmbedder, server: GeminiEmbeddingServer, waits: list[float]
) -> None:
    """After two more tries it is over; the message has the time to wait."""
    server.script = [(429, {"retry-after": "2"}, error(429, "quota"))] * 5
    with pytest.raises(EmbeddingError, match=r"over its limit \(429: quota\). Try again in 2 seconds"):
        embedder.embed(["a"])
    assert len(server.requests) == 3
    assert waits == [2.0, 2.0]


@pytest.mark.parametrize("wish", ["3600", "1e999", "-5", "Wed, 21 Oct 2026 07:28:00 GMT", "soon"])
def test_an_odd_or_long_wish_to_wait_never_hangs(
    embedder: GeminiEmbedder, server: GeminiEmbeddingServer, waits: list[float], wish: str
) -> None:
    """An hour is not waited for, and what is no number of seconds is not believed."""
    server.script = [(429, {"retry-after": wish}, error(429))] * 3
    with pytest.raises(EmbeddingError, match=r"over its limit"):
        embedder.embed(["a"])
    assert waits == ([] if wish == "3600" else [1.0, 2.0])


@pytest.mark.parametrize("status", [500, 503, 529])
def test_a_failing_server_is_tried_again(
    embedder: GeminiEmbedder, server: GeminiEmbeddingServer, waits: list[float], status: int
) -> None:
    """A server error is tried again with growing waits."""
    server.script = [(status, {}, b"<html>oops</html>")] * 2
    assert embedder.embed(["a"]).shape == (1, 8)
    assert waits == [1.0, 2.0]


def test_a_server_that_keeps_failing_is_an_error(
    embedder: GeminiEmbedder, server: GeminiEmbeddingServer
) -> None:
    """After the last try the error carries the server's words."""
    server.script = [(500, {}, error(500, "melted"))] * 3
    with pytest.raises(EmbeddingError, match=r"failed \(500: melted\)"):
        embedder.embed(["a"])


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"",
        b"[]",
        b"null",
        {},
        {"embeddings": []},
        {"embeddings": [{"values": [1.0] * 8}]},
        {"embeddings": [{"values": [1.0] * 8}, {}]},
        {"embeddings": [{"values": [1.0] * 8}, {"values": [1.0] * 7}]},
        {"embeddings": [{"values": [1.0] * 8}, {"values": ["x"] * 8}]},
        {"embeddings": "many"},
        {"embeddings": [{"values": [1.0] * 8}] * 3},
    ],
)
def test_nonsense_is_an_error_and_never_a_vector(
    embedder: GeminiEmbedder, server: GeminiEmbeddingServer, body: Any
) -> None:
    """Garbage, a wrong count and a wrong length are told apart from an answer."""
    server.script = [(200, {}, body)] * 3
    with pytest.raises(EmbeddingError, match=r"answer is not usable"):
        embedder.embed(["a", "b"])


def test_an_empty_vector_is_named_by_its_index(
    embedder: GeminiEmbedder, server: GeminiEmbeddingServer
) -> None:
    """A vector of zeros has no direction, so its text is named."""
    server.script = [(200, {}, {"embeddings": [{"values": [1.0] * 8}, {"values": [0.0] * 8}]})]
    with pytest.raises(EmbeddingError, match=r"an empty vector for text 1"):
        embedder.embed(["a", "b"])


def test_an_address_where_nobody_answers_is_an_error_after_bounded_tries(waits: list[float]) -> None:
    """A refused connection is tried again, then told with its remedy."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    embedder = GeminiEmbedder(
        api_key="k", base_url=f"http://127.0.0.1:{port}", dimensions=8, sleep=waits.append
    )
    with pytest.raises(EmbeddingError, match=r"cannot be reached.*ENGRAM_GEMINI_BASE_URL"):
        embedder.embed(["a"])
    assert waits == [1.0, 2.0]
    embedder.close()


def test_without_a_key_the_error_says_which_variable_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No key is told when the embedder is opened, before any text."""
    for name in ("ENGRAM_GEMINI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EmbedderMissingError, match=r"no key.*ENGRAM_GEMINI_API_KEY"):
        open_embedder(Settings.load(embedder="gemini", cache_dir=tmp_path))


def test_a_server_of_ones_own_needs_no_key(
    server: GeminiEmbeddingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a base URL and no key the request is sent all the same."""
    for name in ("ENGRAM_GEMINI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    settings = Settings.load(embedder="gemini", gemini_base_url=server.url, cache_dir=tmp_path)
    embedder = open_embedder(settings)
    assert embedder.embed(["a"]).shape == (1, 768)
    embedder.close()
