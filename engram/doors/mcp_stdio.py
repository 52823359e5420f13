"""The MCP server over standard input and output: nothing but the protocol on the one, logs on standard error."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, cast

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server

from engram.doors.mcp_limits import MAX_MESSAGE

_CHUNK = 65_536
_AHEAD = 16
"""Lines that are read before the server has taken them."""


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client until it closes its end."""
    # Whoever the server starts must not read the client's messages.
    wire = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    lines = cast("anyio.AsyncFile[str]", Lines(wire))
    sys.stdout.flush()
    async with stdio_server(stdin=lines) as (messages, answers):
        await server.run(messages, answers, server.create_initialization_options())


class Lines:
    """The lines of a descriptor, read by a daemon thread, so that nothing waits for it when the server ends."""

    def __init__(self, descriptor: int, *, longest: int = MAX_MESSAGE) -> None:
        self._descriptor = descriptor
        self._longest = longest

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the lines; one that is too long comes as an empty one, which is no message."""
        loop = asyncio.get_running_loop()
        queue = asyncio.Queue[str | None](_AHEAD)
        threading.Thread(target=self._read, args=(loop, queue), name="engram-mcp-input", daemon=True).start()
        while (line := await queue.get()) is not None:
            yield line

    def _read(self, loop: asyncio.AbstractEventLoop, queue: "asyncio.Queue[str | None]") -> None:
        def give(line: str | None) -> None:
            asyncio.run_coroutine_threadsafe(queue.put(line), loop).result()

        # The loop is closed, or cancelled what waits for a line: the server has ended.
        with suppress(RuntimeError, asyncio.CancelledError):
            rest, dropping = b"", False
            while chunk := self._chunk():
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    give("" if dropping or len(line) > self._longest else line.decode("utf-8", "replace"))
                    dropping = False
                if len(rest) > self._longest:
                    rest, dropping = b"", True
            give(None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK)
        except OSError:
            return b""
