"""The guide and the style sheet over HTTP, for Neo4j Browser to fetch: on the loopback address, and nothing else.

Browser loads both only from hosts that it is told of, `localhost` among them, and only with the consent (CORS) of
whoever serves them. Nothing that is remembered is in them.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from engram.errors import EngramError
from engram.explore.guide import guide
from engram.explore.style import FILE as STYLE
from engram.explore.style import sheet

GUIDE = "guide.html"
_LOOPBACK = "127.0.0.1"
_HOSTS = ("localhost", _LOOPBACK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """The addresses of what is served."""

    guide: str
    style: str


@contextmanager
def serving(values: dict[str, str], origins: Collection[str], port: int = 0) -> Iterator[Pages]:
    """Serve the guide and the style sheet for as long as the context lasts.

    Args:
        values: The queries' parameters as Cypher, see `queries.parameters`.
        origins: Where Browser's own pages come from; to nobody else's pages is anything given.
        port: Where to listen on the loopback address; 0: wherever is free.

    Raises:
        EngramError: The port is taken.
    """
    held: dict[str, tuple[str, str]] = {}
    handler = partial(_Handler, held, frozenset(origins))
    try:
        server = ThreadingHTTPServer((_LOOPBACK, port), handler)
    except OSError as error:
        raise EngramError(
            f"Port {port} on the loopback address cannot be used: {error.strerror or error}.",
            remedy="Name another with --port, or none.",
        ) from error
    # Not 127.0.0.1: Browser's list of hosts to load from has only the name.
    base = f"http://localhost:{server.server_port}"
    pages = Pages(guide=f"{base}/{GUIDE}", style=f"{base}/{STYLE}")
    held |= {
        f"/{GUIDE}": ("text/html", guide(values, pages.style)),
        f"/{STYLE}": ("text/plain", sheet()),
    }
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield pages
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def __init__(
        self, pages: Mapping[str, tuple[str, str]], origins: frozenset[str], *arguments: Any
    ) -> None:
        self._pages = pages
        self._origins = origins
        super().__init__(*arguments)

    def do_GET(self) -> None:
        """Answer with one of the pages."""
        if not self._asked_here():
            return
        if self.path not in self._pages:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        kind, text = self._pages[self.path]
        body = text.encode()
        self._head(
            HTTPStatus.OK, {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body))}
        )
        self.wfile.write(body)

    def do_OPTIONS(self) -> None:
        """Answer what a web browser asks before it lets Browser fetch a guide."""
        if self._asked_here():
            allowed = self.headers.get("Access-Control-Request-Headers", "")
            self._head(HTTPStatus.NO_CONTENT, {"Access-Control-Allow-Headers": allowed})

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  (the base class's name)
        """Say nothing: the terminal is the person's."""

    def _asked_here(self) -> bool:
        """Refuse who came by another name than this machine's own: a page elsewhere whose name leads here."""
        if self.headers.get("Host", "").partition(":")[0] in _HOSTS:
            return True
        self.send_error(HTTPStatus.FORBIDDEN)
        return False

    def _head(self, status: HTTPStatus, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        origin = self.headers.get("Origin", "")
        if origin in self._origins:
            self.send_header("Access-Control-Allow-Origin", origin)
        self.send_header("Vary", "Origin")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
