"""Learning from retrieval: what was recalled is a little easier to recall, written after the answer.

One batched write for each recall, by one thread, so that nobody waits for it and a crash loses a
reinforcement and no memory. What cannot be written is counted, in this process and in a file that
`engram doctor` reads, and is never tried again: the next recall teaches the same.
"""

import atexit
import contextlib
import hashlib
import json
import logging
import queue
import threading
import weakref
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from pathlib import Path
from typing import Any
from uuid import uuid4

from engram.config import Settings
from engram.energy import DECAY_PER_HOUR, EXPIRY_ENERGY
from engram.errors import EngramError
from engram.graph import Graph
from engram.scoring.weight import DAMPING_HALF, PRIOR_EVIDENCE
from engram.validation import text_tombstone

ACCESS = {
    "energy": 1.0,
    "weight": 0.1,
    "miss": 0.05,
    "half": DAMPING_HALF,
    "prior": PRIOR_EVIDENCE,
    "session_cap": 4,
    "kept": 64,
}
"""What one recall does to a hit's energy and weight, and to a near miss's; `write/learn_from_recall` says how."""
PROMOTION_BARS = {"working": 2.0, "shortTerm": 5.0}
"""Energy above which promotion is due, by tier."""
NEAR_MISSES = 20
"""The last rank that is a near miss."""
PAIRED = 8
"""Hits that count as recalled together: 28 pairs. A list of a hundred is no association."""
PAIR_HALF = 20.0
"""Weight of an edge at which another joint recall adds half of what the first did."""
WAITING = 1_000
"""Most recalls that wait to be written; beyond, the database is too slow or gone."""
CLOSING_SECONDS = 15.0

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A memory that was recalled, and how."""

    id: str
    rank: int
    """Its place among all that was found."""
    score: float
    activation: float
    """ACT-R's A."""
    terms: dict[str, float]
    lift: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What one recall teaches."""

    query: str | None
    """None where it must not be kept."""
    mode: str
    k: int
    hops: int
    session: str | None
    active: tuple[str, ...]
    partial: bool
    """Whether more was returned than used."""
    at: datetime
    used: tuple[Use, ...]
    missed: tuple[str, ...]
    id: str

    def parameters(self, space: str) -> dict[str, Any]:
        """Return what `write/learn_from_recall` takes."""
        used = [use.id for use in self.used]
        return {
            "space": space,
            "ids": sorted({*used, *self.missed}),
            "hits": [
                {
                    "id": use.id,
                    "rank": use.rank,
                    "score": use.score,
                    "activation": use.activation,
                    "terms": use.terms,
                    "lift": use.lift,
                }
                for use in self.used
            ],
            "missed": sorted(self.missed),
            "pairs": [list(pair) for pair in combinations(sorted(used[:PAIRED]), 2)],
            "recall": {
                "id": self.id,
                "query": self.query,
                "query_hash": None if self.query is None else hashlib.sha256(self.query.encode()).hexdigest(),
                "text_hash": None if self.query is None else text_tombstone(self.query),
                "active": list(self.active),
                "partial": self.partial,
                "mode": self.mode,
                "k": self.k,
                "hops": self.hops,
                "session": self.session,
            },
            "rates": DECAY_PER_HOUR,
            "access": ACCESS,
            "bars": PROMOTION_BARS,
            "expiry_energy": EXPIRY_ENERGY,
            "pair_half": PAIR_HALF,
            "now": self.at,
        }


def new_recall_id() -> str:
    """Return an id for a recall."""
    return uuid4().hex


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """What has become of this process's lessons."""

    written: int
    waiting: int
    dropped: int
    """Lost, because the database was away or too slow."""
    reason: str | None
    """Why the last one was lost."""


class Learner:
    """Writes the lessons of one space, in order, behind the caller's back."""

    def __init__(self, graph: Graph, *, space: str, lost: Path) -> None:
        """Begin with no thread; the first lesson starts it.

        Args:
            graph: Where to write.
            space: Whose.
            lost: The file in which lost lessons are counted.
        """
        self._graph = graph
        self._space = space
        self._lost = lost
        self._queue: queue.Queue[Lesson | None] = queue.Queue(WAITING)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        """Held while a lesson is being written."""
        self._thread: threading.Thread | None = None
        self._written = self._dropped = 0
        self._reason: str | None = None
        self._closing = False

    def learn(self, lesson: Lesson) -> None:
        """Take a lesson; it is written soon."""
        refused = "the memory is closed"
        with self._lock:
            if not self._closing:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="engram-learner", daemon=True)
                    self._thread.start()
                    # A program that never closes its memory still gets what it learned written.
                    atexit.register(_close, weakref.ref(self))
                try:
                    self._queue.put_nowait(lesson)
                except queue.Full:
                    refused = f"{WAITING:,} recalls were waiting already"
                else:
                    return
        self._drop(refused)

    @property
    def state(self) -> Lessons:
        """What was written, waits and was lost."""
        return Lessons(
            written=self._written,
            waiting=self._queue.unfinished_tasks,
            dropped=self._dropped,
            reason=self._reason,
        )

    def flush(self, timeout: float = CLOSING_SECONDS) -> bool:
        """Wait until every lesson so far is written or lost; return whether that came to pass in time."""
        with self._queue.all_tasks_done:
            return self._queue.all_tasks_done.wait_for(lambda: not self._queue.unfinished_tasks, timeout)

    def forget(self, text: str) -> None:
        """Take a text out of the questions that wait to be written, since it is about to be erased."""
        quoted = text.lower()
        with self._queue.mutex:
            waiting = self._queue.queue
            for place, each in enumerate(waiting):
                if each is not None and quoted in (each.query or "").lower():
                    waiting[place] = replace(each, query=None)
        with self._writing:
            pass  # what was under way is in the database now, where erasing looks for it

    def close(self) -> None:
        """Write what waits and end the thread; what takes too long is lost."""
        with self._lock:
            self._closing = True
            thread, self._thread = self._thread, None
        if thread is None:
            return
        if not self.flush():
            # The one that is being written is the thread's to count.
            with contextlib.suppress(queue.Empty):
                while True:
                    self._queue.get_nowait()
                    self._queue.task_done()
                    self._drop("closing took too long")
        self._queue.put(None)
        thread.join(1.0)

    def _run(self) -> None:
        while (lesson := self._queue.get()) is not None:
            try:
                with self._writing:
                    self._graph.write("write/learn_from_recall", **lesson.parameters(self._space))
                self._written += 1
            except EngramError as error:
                self._drop(str(error.message))
            except Exception as error:  # noqa: BLE001  (this thread must outlive whatever one lesson holds)
                _LOG.warning("a recall taught nothing", exc_info=True)
                self._drop(f"{type(error).__name__}: {error}")
            finally:
                self._queue.task_done()
        self._queue.task_done()

    def _drop(self, reason: str) -> None:
        with self._lock:
            self._dropped += 1
            self._reason = reason
            with contextlib.suppress(OSError):
                self._lost.parent.mkdir(parents=True, exist_ok=True)
                # One line each, appended: several processes may lose some at once.
                with self._lost.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"count": 1, "reason": reason}) + "\n")


def _close(learner: "weakref.ref[Learner]") -> None:
    if (alive := learner()) is not None:
        alive.close()


def lost_file(settings: Settings) -> Path:
    """Return the file in which lost lessons are counted."""
    return settings.data_dir / "lost-lessons.jsonl"


def lost_lessons(file: Path) -> tuple[int, str | None]:
    """Return how many lessons were ever lost according to `file`, and why the last one was."""
    count, reason = 0, None
    with contextlib.suppress(OSError), file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            # A line that a full disk cut off, or that somebody wrote by hand.
            with contextlib.suppress(ValueError, KeyError, TypeError, OverflowError, RecursionError):
                entry = json.loads(line)
                count, reason = count + int(entry["count"]), str(entry["reason"])
    return count, reason
