"""Running the MCP server: one transport, until its client leaves or a signal comes."""

import asyncio
import logging
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from engram.doors.mcp_calls import CallFailed, Calls
from engram.doors.mcp_http import PATH, Address, http_server, listen
from engram.doors.mcp_server import Front
from engram.doors.mcp_stdio import serve_stdio
from engram.doors.mcp_tools import Tool

_LOG = logging.getLogger(__name__)
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Http:
    """How to serve over HTTP."""

    address: Address
    token: str
    hosts: Sequence[str] = ()


def serve(
    calls: Calls,
    tools: Mapping[str, Tool[Any]],
    *,
    http: Http | None = None,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve until the client closes standard input, or until SIGTERM or Ctrl-C; then end cleanly.

    Args:
        calls: Carries the calls out; closed at the end.
        tools: What is offered.
        http: Serve over HTTP; None: over standard input and output.
        ready: Told the address as soon as HTTP listens.

    Raises:
        ConfigurationError: Nothing can listen at the address.
    """
    try:
        if http is None:
            asyncio.run(_over_stdio(calls, tools))
        else:
            asyncio.run(_over_http(calls, tools, http, ready))
    finally:
        calls.close()


async def _over_stdio(calls: Calls, tools: Mapping[str, Tool[Any]]) -> None:
    serving = asyncio.ensure_future(serve_stdio(Front(calls, tools).server()))
    _on_signal(serving.cancel)
    warming = asyncio.create_task(_warm(calls))
    with suppress(asyncio.CancelledError):
        await serving
    warming.cancel()


async def _over_http(
    calls: Calls, tools: Mapping[str, Tool[Any]], http: Http, ready: Callable[[str], None]
) -> None:
    with listen(http.address) as listener:
        address = Address(http.address.host, listener.getsockname()[1])
        server = http_server(
            Front(calls, tools).server(), token=http.token, address=address, hosts=http.hosts
        )

        def leave() -> None:
            server.should_exit = True

        _on_signal(leave)
        warming = asyncio.create_task(_warm(calls))
        ready(f"http://{address.netloc}{PATH}")
        await server.serve(sockets=[listener])
        warming.cancel()


def _on_signal(leave: Callable[[], object]) -> None:
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, leave)


async def _warm(calls: Calls) -> None:
    """Open the memory and load its model before the first call; what fails is tried again by that."""
    try:
        await calls.run(lambda memory: memory.embedder)
    except CallFailed as failed:
        _LOG.warning("not ready yet: %s", failed.failure.words())
