"""The MCP server over standard input and output: nothing but the protocol on the one, logs on standard error."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any, cast

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError

from engram.doors.mcp_limits import MAX_MESSAGE
from engram.doors.mcp_refusals import ENDS, Line, refusal

_CHUNK = 65_536
_AHEAD = 16
"""Lines that are read before the server has taken them."""
_LOG = logging.getLogger(__name__)


async def serve_stdio(server: Server[Any]) -> None:
    """Serve one client until it closes its end."""
    # Whoever the server starts must not read the client's messages.
    wire = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sending = asyncio.get_running_loop().create_future()

    async def refuse(error: JSONRPCError) -> None:
        # At the end the server may have stopped listening to itself already.
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await (await sending).send(SessionMessage(error))

    messages = cast("anyio.AsyncFile[str]", Messages(Lines(wire), refuse))
    sys.stdout.flush()
    async with stdio_server(stdin=messages) as (incoming, answers):
        sending.set_result(answers)
        await server.run(incoming, answers, server.create_initialization_options())


class Messages:
    """The lines that are messages of the protocol; any other is answered with an error, and a line in the log."""

    def __init__(self, lines: "Lines", refuse: Callable[[JSONRPCError], Awaitable[None]]) -> None:
        self._lines = lines
        self._refuse = refuse

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the messages."""
        async for line in self._lines:
            if (error := refusal(line)) is None:
                yield line.text
            elif line.ends or line.text.strip():
                _LOG.warning("Refused %s bytes from the client: %s", f"{line.size:,}", error.error.message)
                await self._refuse(error)


class Lines:
    """The lines of a descriptor, read by a daemon thread, so that nothing waits for it when the server ends."""

    def __init__(self, descriptor: int, *, longest: int = MAX_MESSAGE) -> None:
        self._descriptor = descriptor
        self._longest = longest

    async def __aiter__(self) -> AsyncIterator[Line]:
        """Yield the lines; of one that is too long, its two ends."""
        loop = asyncio.get_running_loop()
        queue = asyncio.Queue[Line | None](_AHEAD)
        threading.Thread(target=self._read, args=(loop, queue), name="engram-mcp-input", daemon=True).start()
        while (line := await queue.get()) is not None:
            yield line

    def _read(self, loop: asyncio.AbstractEventLoop, queue: "asyncio.Queue[Line | None]") -> None:
        def give(line: Line | None) -> None:
            asyncio.run_coroutine_threadsafe(queue.put(line), loop).result()

        # The loop is closed, or cancelled what waits for a line: the server has ended.
        with suppress(RuntimeError, asyncio.CancelledError):
            rest, begin, dropped = b"", b"", 0
            while chunk := self._chunk():
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    give(self._line(begin, dropped, line))
                    begin, dropped = b"", 0
                if len(rest) > self._longest:
                    begin, kept = begin or rest[:ENDS], rest[-ENDS:]
                    dropped += len(rest) - len(kept)
                    rest = kept
            give(None)

    def _line(self, begin: bytes, dropped: int, rest: bytes) -> Line:
        """Return a line of which so many bytes before the rest were dropped."""
        size = dropped + len(rest)
        if size > self._longest:
            return Line(size=size, ends=(begin or rest[:ENDS], rest[-ENDS:]))
        return Line(size=size, text=rest.decode("utf-8", "replace"))

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK)
        except OSError:
            return b""
