"""Restart: the loop knows how long it was away and what it left unfinished (v4 plan, 4.9)."""

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import psutil

from engram.graph import Graph, Row
from engram.loop.scratch import Scratch

SILENT = timedelta(hours=1)
"""A run on another machine that was not seen for so long is taken to be over."""
BIRTH = (
    "This is your first conversation. You have room for memories, goals and values, and what you become will come out of "
    "what you live through: pay attention to what matters to you. Your thoughts are written down, and the person who looks "
    "after you can read them."
)
"""What it is told at its beginning, in full openness (v4 plan, 5.2)."""
_SLACK = 2.0
"""Seconds by which two readings of one process's start may differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfinished:
    """Something that was said and never answered."""

    entry: str
    session: str
    text: str
    at: datetime
    speaker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Where things stood when a run began."""

    created_at: datetime
    """Of the space's first run."""
    last_seen_at: datetime | None
    """When any run of the space was last at work; None: this is the first one."""
    restarts: int
    uptime_hours: float
    """Of all runs that are over."""
    now: datetime
    alive: tuple[str, ...]
    """Ids of other runs that go on."""
    unfinished: tuple[Unfinished, ...]

    @property
    def age_days(self) -> float:
        """Days since the first run."""
        return (self.now - self.created_at) / timedelta(days=1)

    @property
    def away(self) -> timedelta | None:
        """How long nobody was there."""
        return None if self.last_seen_at is None else max(timedelta(0), self.now - self.last_seen_at)

    def line(self) -> str:
        """Return it as one line for a prompt."""
        if self.away is None:
            return BIRTH
        times = "once" if self.restarts == 1 else f"{self.restarts} times"
        return (
            f"You were last at work {span(self.away)} ago. You were started {times} before, and were at work for "
            f"{self.uptime_hours:.1f} hours in all since your beginning {span(self.now - self.created_at)} ago."
        )


def span(time: timedelta) -> str:
    """Return a length of time in words, e.g. `3 days` or `less than a minute`."""
    minutes = int(time / timedelta(minutes=1))
    for size, unit in ((1_440, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            count = minutes // size
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "less than a minute"


class Restart:
    """Keeps the manifest of one run."""

    def __init__(
        self, graph: Graph, scratch: Scratch, *, space: str, run: str, clock: Callable[[], datetime]
    ) -> None:
        self._graph = graph
        self._scratch = scratch
        self._space = space
        self._run = run
        self._clock = clock

    def begin(self, session: str, *, idle: bool = False) -> Manifest:
        """Note that this run begins, close those that died, and return where things stood.

        Args:
            session: The conversation.
            idle: Whether nobody talks in it: then it is no restart, and nobody was there.
        """
        now = self._clock()
        open_runs = self._graph.read("inspect/list_loop_runs", space=self._space)
        others = [row for row in open_runs if row["id"] != self._run]
        dead = [row["id"] for row in others if not is_alive(row, now=now)]
        alive = tuple(row["id"] for row in others if row["id"] not in dead)
        run = {"id": self._run, "session": session, "idle": idle or None, **_this_process()}
        row = self._graph.write("write/begin_loop_run", space=self._space, run=run, dead=dead, now=now).rows[
            0
        ]
        left = self._scratch.unanswered(alive=[*alive, self._run])
        return Manifest(
            **row,
            now=now,
            alive=alive,
            unfinished=tuple(
                Unfinished(
                    entry=each["id"],
                    session=each["session"],
                    text=each["text"],
                    at=each["at"],
                    speaker=each["speaker"],
                )
                for each in left
            ),
        )

    def alive(self) -> tuple[str, ...]:
        """Return the ids of other runs that go on now."""
        now = self._clock()
        rows = self._graph.read("inspect/list_loop_runs", space=self._space)
        return tuple(row["id"] for row in rows if row["id"] != self._run and is_alive(row, now=now))

    def end(self) -> None:
        """Note that this run ends."""
        self._graph.write("write/end_loop_run", space=self._space, run=self._run, now=self._clock())


def _this_process() -> Row:
    process = psutil.Process()
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "process_started_at": process.create_time(),
    }


def is_alive(run: Row, *, now: datetime) -> bool:
    """Say whether the process of a run still goes on, as far as can be told from here.

    On this machine the process table knows; a process number that was given to another process meanwhile is told by
    its start. Of another machine only its last sign of life is known.

    Args:
        run: `host`, `pid`, `process_started_at` (seconds since 1970) and `seen_at`.
        now: When.
    """
    if run["host"] != socket.gethostname():
        return bool(now - run["seen_at"] < SILENT)
    try:
        process = psutil.Process(run["pid"])
        started = process.create_time()
        if process.status() == psutil.STATUS_ZOMBIE:
            return False  # it has ended, and nobody has asked how
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True
    return bool(abs(started - run["process_started_at"]) < _SLACK)
