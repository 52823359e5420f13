"""The async twin: all of the library's methods, typed, awaited, and off the event loop."""

import asyncio
import inspect
import threading
from typing import assert_type

import pytest

from engram.doors.asynchronous import AsyncEngram
from engram.errors import NotFoundError
from engram.memory import Engram
from engram.records import Hits, Memory

pytestmark = pytest.mark.graph


def test_the_twin_has_every_method() -> None:
    """Each public method of the library has an awaited one of the same name, signature and docstring."""
    methods = {name for name, each in inspect.getmembers(Engram, callable) if not name.startswith("_")}
    twins = {
        name for name, each in inspect.getmembers(AsyncEngram, inspect.iscoroutinefunction) if name != "run"
    }
    assert {name for name in twins if not name.startswith("_")} == methods
    for name in methods:
        assert inspect.signature(getattr(AsyncEngram, name)) == inspect.signature(getattr(Engram, name))
        assert getattr(AsyncEngram, name).__doc__ == getattr(Engram, name).__doc__


def test_methods_are_awaited_and_typed(memory: Engram) -> None:
    """Awaited methods give and raise what the library's do, many at once, and anything else can be run."""

    async def use() -> None:
        twin = AsyncEngram(memory)
        stored = await asyncio.gather(*(twin.remember(f"note {i}") for i in range(6)))
        assert_type(stored, list[Memory])
        hits = await twin.recall("note", k=6)
        assert_type(hits, Hits)
        assert {hit.memory.id for hit in hits} == {each.id for each in stored}
        with pytest.raises(NotFoundError):
            await twin.why("0123456789")
        assert await twin.run(lambda library: library.beliefs.tensions()) == []
        assert await twin.run(lambda _: threading.current_thread()) is not threading.main_thread()
        assert await twin.flush()

    asyncio.run(use())


def test_a_cancelled_call_may_still_be_carried_out(memory: Engram) -> None:
    """Cancelling stops the waiting; what was begun is finished, and saying it again stores it once."""
    begun, go_on = threading.Event(), threading.Event()

    def slowly(library: Engram) -> Memory:
        begun.set()
        go_on.wait(20)
        return library.remember("the ferry")

    async def use() -> None:
        twin = AsyncEngram(memory)
        task = asyncio.create_task(twin.run(slowly))
        await asyncio.to_thread(begun.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
        await twin.remember("the ferry")

    asyncio.run(use())
    assert memory.stats().memories == 1
