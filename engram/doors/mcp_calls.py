"""How the MCP server carries out a call: in a worker thread, a few at once, with errors as data and never as an end."""

import asyncio
import contextvars
import logging
import queue
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from engram.doors.mcp_limits import AT_ONCE, MAX_WAITING
from engram.errors import EngramError
from engram.memory import Engram

T = TypeVar("T")
CLOSING_SECONDS = 10.0
"""How long calls that are under way are waited for at the end."""
_LOG = logging.getLogger(__name__)
_WORD = re.compile(r"(?<!^)(?=[A-Z])")


class Failure(BaseModel):
    """Why a call failed."""

    code: str
    """Stable: the error's name in snake case, e.g. `not_found`; `busy` and `internal` beside those."""
    message: str
    remedy: str | None = None

    def words(self) -> str:
        """Return it in words."""
        return f"{self.message} {self.remedy}" if self.remedy else self.message


class CallFailed(Exception):  # noqa: N818  (it carries a failure to where the protocol has a form for it)
    """A call that did not succeed."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Calls:
    """Carries out calls on one memory, which is opened when first needed and again after a failure to open.

    Its threads are daemons: a client that leaves need not wait for a server that is still being started.
    """

    def __init__(self, open_memory: Callable[[], Engram]) -> None:
        """Open nothing yet.

        Args:
            open_memory: Opens the memory, in a worker thread.
        """
        self._open = open_memory
        self._memory: Engram | None = None
        self._opening = threading.Lock()
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._under_way: set[Future[Any]] = set()
        self._threads = [
            threading.Thread(target=self._work, name=f"engram-mcp-{number}", daemon=True)
            for number in range(AT_ONCE)
        ]
        for thread in self._threads:
            thread.start()

    async def run(self, work: Callable[[Engram], T]) -> T:
        """Return what `work` returns in a worker thread.

        Cancelling the call stops the waiting and not the work.

        Raises:
            CallFailed: It did not succeed; what failed unexpectedly is in the log only.
        """
        if len(self._under_way) >= AT_ONCE + MAX_WAITING:
            raise CallFailed(
                Failure(code="busy", message="Too many calls wait already.", remedy="Try again in a moment.")
            )
        future: Future[T] = Future()
        self._under_way.add(future)
        # Cancelled, it is under way until its thread is done.
        future.add_done_callback(self._under_way.discard)
        self._tasks.put(partial(self._settle, future, contextvars.copy_context(), work))
        try:
            # Shielded: who waits is cancelled, and not what was begun.
            return await asyncio.shield(asyncio.wrap_future(future))
        except EngramError as error:
            raise CallFailed(failure_of(error)) from error
        except ValidationError as error:
            raise CallFailed(invalid(error)) from error
        except Exception as error:
            # The traceback quotes no values, and goes to the operator alone.
            _LOG.exception("a call failed unexpectedly")
            raise CallFailed(
                Failure(code="internal", message="Something went wrong inside Engram; its log says what.")
            ) from error

    def close(self) -> None:
        """Stop, and close the memory."""
        self.stop()
        if self._memory is not None:
            self._memory.close()

    def stop(self) -> None:
        """Wait for what is under way, but not long, and take no more."""
        for _ in self._threads:
            self._tasks.put(None)
        deadline = time.monotonic() + CLOSING_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()

    def _settle(self, future: Future[T], context: contextvars.Context, work: Callable[[Engram], T]) -> None:
        try:
            future.set_result(context.run(self._carry_out, work))
        except BaseException as error:  # noqa: BLE001  (whoever waits for it is told)
            future.set_exception(error)

    def _carry_out(self, work: Callable[[Engram], T]) -> T:
        with self._opening:
            if self._memory is None:
                self._memory = self._open()
        return work(self._memory)


def failure_of(error: EngramError) -> Failure:
    """Return an error of Engram's as a failure."""
    name = type(error).__name__.removesuffix("Error")
    return Failure(code=_WORD.sub("_", name).lower(), message=error.message, remedy=error.remedy)


def invalid(error: ValidationError) -> Failure:
    """Return what is wrong with a caller's arguments, without repeating them."""
    problems = "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'arguments'}: {problem['msg']}"
        for problem in error.errors(include_input=False, include_url=False, include_context=False)
    )
    return Failure(code="invalid_input", message=f"The arguments are not usable: {problems}.")
