"""An async twin of `Engram`: the same methods, each run in a worker thread.

    from engram.doors.asynchronous import AsyncEngram

    async with await AsyncEngram.open(space="ines") as memory:
        await memory.remember("I moved to Porto in May", speaker="Ines")
        hits = await memory.recall("Where does Ines live?")

Cancelling a call stops the waiting and not the work: a thread cannot be interrupted, so a cancelled `remember` may
still be stored. Storing the same again stores it once, so trying again is safe.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from engram.learning import Lessons
from engram.memory import Engram

P = ParamSpec("P")
R = TypeVar("R")


def _in_thread(
    method: Callable[Concatenate[Engram, P], R],
) -> Callable[Concatenate["AsyncEngram", P], Coroutine[Any, Any, R]]:
    """Return a method of the twin that awaits `method` in a worker thread."""

    @wraps(method)
    async def call(self: "AsyncEngram", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.memory, *args, **kwargs)

    return call


def _opening(open_memory: Callable[P, Engram]) -> Callable[P, Coroutine[Any, Any, "AsyncEngram"]]:
    """Return what awaits `open_memory` in a worker thread and gives the twin of what that returns."""

    @wraps(open_memory)
    async def call(*args: P.args, **kwargs: P.kwargs) -> "AsyncEngram":
        return AsyncEngram(await asyncio.to_thread(open_memory, *args, **kwargs))

    return call


class AsyncEngram:
    """An `Engram` whose methods are awaited. Arguments, results and errors are those of the methods that they run.

    It may be shared between tasks. What comes back is the library's own: `Hit.useful` writes, so in a coroutine say
    `await memory.judge(…)` instead.
    """

    def __init__(self, memory: Engram) -> None:
        self.memory = memory
        """What it runs on; its own methods block."""

    open = staticmethod(_opening(Engram.open))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        # Shielded, so that a cancelled task does not leave while what was learned is being written.
        await asyncio.shield(self.close())

    @property
    def space(self) -> str:
        """Whose memory this is."""
        return self.memory.space

    @property
    def learning(self) -> Lessons:
        """How many recalls of this process were learned from, wait to be, or were lost."""
        return self.memory.learning

    async def run(self, work: Callable[[Engram], R]) -> R:
        """Return what `work` returns in a worker thread, e.g. `await memory.run(lambda m: m.beliefs.tensions())`."""
        return await asyncio.to_thread(work, self.memory)

    believed = _in_thread(Engram.believed)
    blend = _in_thread(Engram.blend)
    close = _in_thread(Engram.close)
    end_session = _in_thread(Engram.end_session)
    ensure_schema = _in_thread(Engram.ensure_schema)
    flush = _in_thread(Engram.flush)
    forget = _in_thread(Engram.forget)
    get = _in_thread(Engram.get)
    history = _in_thread(Engram.history)
    judge = _in_thread(Engram.judge)
    now = _in_thread(Engram.now)
    recall = _in_thread(Engram.recall)
    remember = _in_thread(Engram.remember)
    remember_turns = _in_thread(Engram.remember_turns)
    replay = _in_thread(Engram.replay)
    restore = _in_thread(Engram.restore)
    stats = _in_thread(Engram.stats)
    supersede = _in_thread(Engram.supersede)
    tune = _in_thread(Engram.tune)
    tuned = _in_thread(Engram.tuned)
    tuning = _in_thread(Engram.tuning)
    why = _in_thread(Engram.why)
    write_turns = _in_thread(Engram.write_turns)
