"""The MCP server over streamable HTTP: a bearer token always, and only the hosts that it is told of."""

import secrets
import socket
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl

from engram.doors.mcp_limits import MAX_MESSAGE
from engram.errors import ConfigurationError, InvalidInputError
from engram.graph.address import is_loopback

PATH = "/mcp"
SHORTEST_TOKEN = 16
"""Characters of a token that a person chose."""
_MAX_SESSIONS = 64
_MAX_CONNECTIONS = 256
_GRACE_SECONDS = 3
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str
    port: int

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)

    @property
    def netloc(self) -> str:
        """The host and the port as an address has them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Return the address in `HOST:PORT`, `[IPV6]:PORT`, or `PORT` on the loopback interface.

    Raises:
        InvalidInputError: It is none.
    """
    host, _, port = text.strip().rpartition(":")
    if not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise InvalidInputError(f"{text!r} is no address.", remedy="Write it as 127.0.0.1:8765.")
    return Address(host.strip("[]") or "127.0.0.1", int(port))


def chosen_token(setting: str | None) -> str:
    """Return the token that is set, or a new one.

    Raises:
        ConfigurationError: The one that is set is too short to be secret.
    """
    if setting is None:
        return secrets.token_urlsafe(32)
    if len(setting) < SHORTEST_TOKEN or not setting.isascii() or not setting.isprintable():
        raise ConfigurationError(
            f"ENGRAM_MCP_TOKEN must have at least {SHORTEST_TOKEN} printable ASCII characters.",
            remedy="Unset it, and the server makes one.",
        )
    return setting


class OneToken:
    """Knows one bearer token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return who bears the token, in the same time whatever is wrong with it."""
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self._token):
            return None
        return AccessToken(token=token, client_id="engram", scopes=[])


def listen(address: Address) -> socket.socket:
    """Return a socket that listens there.

    Raises:
        ConfigurationError: It is taken, or not this machine's.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        raise ConfigurationError(
            f"Nothing can listen at {address.netloc}: {error.strerror or error}.",
            remedy="Choose another port or host.",
        ) from error


class HttpServer(uvicorn.Server):
    """Serves until `should_exit` is set; whoever runs it has the signals."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield


def http_server(
    server: Server[Any], *, token: str, address: Address, hosts: Sequence[str] = ()
) -> HttpServer:
    """Return what serves an MCP server over HTTP.

    Args:
        server: What answers.
        token: What every request must bear.
        address: Where it listens.
        hosts: Further names under which clients may call it, such as a proxy's.
    """
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        # Nothing is said before the answer, so there is nothing to stream.
        json_response=True,
        max_request_body_size=MAX_MESSAGE,
        max_sessions=_MAX_SESSIONS,
        host=address.host,
        # The SDK's form for any bearer token; nobody issues ours, and clients are not sent to look for who does.
        auth=AuthSettings(issuer_url=AnyHttpUrl(f"http://{address.netloc}"), resource_server_url=None),
        token_verifier=OneToken(token),
        transport_security=_known_names([*_LOOPBACK, address.netloc.rpartition(":")[0], *hosts]),
    )
    return HttpServer(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            log_level="warning",
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            server_header=False,
        )
    )


def _known_names(names: Sequence[str]) -> TransportSecuritySettings:
    """Return the rule that a request names this server, so that no web page reaches it under another name."""
    places = [place for name in names for place in (name, f"{name}:*")]
    return TransportSecuritySettings(
        allowed_hosts=places,
        allowed_origins=[f"{scheme}://{place}" for scheme in ("http", "https") for place in places],
    )
