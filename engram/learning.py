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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from pathlib import Path
from typing import Any
from uuid import uuid4

from engram.config import Settings
from engram.errors import EngramError
from engram.graph import Graph, Row, Transaction
from engram.lifecycle import close_ended_sessions, reinforce
from engram.private import append_private, make_private
from engram.safety import Change, SafetyEvent, ceilings, record_events
from engram.scoring.relevance import EDGE_CONFIDENCE
from engram.tuning import Tuning
from engram.validation import text_tombstone

NEAR_MISSES = 20
"""The last rank that is a near miss."""
PAIRED = 8
"""Hits that count as recalled together: 28 pairs. A list of a hundred is no association."""
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

    def parameters(self, space: str, tuning: Tuning) -> dict[str, Any]:
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
            "energy": tuning.energy,
            "access": tuning.access,
            "safety": tuning.safety,
            "edge": {"half": tuning["coactivate.half"], "decay": tuning.edge_decay},
            "confidence": dict(EDGE_CONFIDENCE),
            "idle_minutes": tuning.whole("session.idle_minutes"),
            "idle": tuning.idle,
            "now": self.at,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """New memories, which strengthen the older ones that they are like."""

    ids: tuple[str, ...]
    at: datetime


def steps_over(
    over: Sequence[Row], tuning: Tuning, *, at: datetime, by: str = "a recall"
) -> list[SafetyEvent]:
    """Return the events of the steps that a statement says a ceiling stands against.

    Args:
        over: As `write/learn_from_recall` and `write/move_weights` return them.
        tuning: The numbers that they were taken by.
        at: When.
        by: What the steps are of, for the reason.
    """
    held = ceilings(tuning)
    return [
        held[each["ceiling"]].event(
            Change(subject=each["id"], before=each["before"], after=each["after"]),
            reason=f"{by} would have lifted the weight to {each['after']:.4f}",
            at=at,
        )
        for each in over
    ]


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

    def __init__(self, graph: Graph, *, space: str, lost: Path, tuned: Callable[[], Tuning]) -> None:
        """Begin with no thread; the first lesson starts it.

        Args:
            graph: Where to write.
            space: Whose.
            lost: The file in which lost lessons are counted.
            tuned: Gives the space's numbers.
        """
        self._graph = graph
        self._space = space
        self._lost = lost
        self._queue: queue.Queue[Lesson | News | None] = queue.Queue(WAITING)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        """Held while a lesson is being written."""
        self._thread: threading.Thread | None = None
        self._written = self._dropped = 0
        self._reason: str | None = None
        self._closing = False
        self._tuned = tuned

    def learn(self, lesson: Lesson) -> None:
        """Take a lesson; it is written soon."""
        if refused := self._take(lesson):
            self._drop(refused)

    def reinforce(self, news: News) -> None:
        """Take new memories; what cannot be done now, the job `reinforce` does."""
        self._take(news)

    def _take(self, task: Lesson | News) -> str | None:
        """Queue a task; return why it cannot be, or None."""
        with self._lock:
            if not self._closing:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="engram-learner", daemon=True)
                    self._thread.start()
                    _WRITING.add(self)
                try:
                    self._queue.put_nowait(task)
                except queue.Full:
                    return f"{WAITING:,} recalls were waiting already"
                else:
                    return None
        return "the memory is closed"

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

    def forget(self, holds: Callable[[str], bool]) -> None:
        """Take the questions that hold what is about to be erased out of the lessons that wait to be written."""
        with self._queue.mutex:
            waiting = self._queue.queue
            for place, each in enumerate(waiting):
                if isinstance(each, Lesson) and each.query and holds(each.query):
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
                    task = self._queue.get_nowait()
                    self._queue.task_done()
                    if isinstance(task, Lesson):
                        self._drop("closing took too long")
        self._queue.put(None)
        thread.join(1.0)

    def _run(self) -> None:
        while (task := self._queue.get()) is not None:
            try:
                with self._writing:
                    self._carry_out(task)
            except EngramError as error:
                self._lose(task, str(error.message))
            except Exception as error:  # noqa: BLE001  (this thread must outlive whatever one lesson holds)
                _LOG.warning("a recall taught nothing", exc_info=True)
                self._lose(task, f"{type(error).__name__}: {error}")
            finally:
                self._queue.task_done()
        self._queue.task_done()

    def _carry_out(self, task: Lesson | News) -> None:
        tuning = self._tuned()
        # What ended before this is judged before this, whoever notices first.
        close_ended_sessions(self._graph, space=self._space, now=task.at, tuning=tuning)
        if isinstance(task, News):
            reinforce(self._graph, space=self._space, ids=list(task.ids), tuning=tuning)
        else:
            parameters = task.parameters(self._space, tuning)
            self._graph.transact(lambda transaction: self._write(transaction, parameters, tuning, at=task.at))
            self._written += 1

    def _write(self, transaction: Transaction, parameters: Row, tuning: Tuning, *, at: datetime) -> None:
        """Write a lesson, and with it what a ceiling has to say against it."""
        rows = transaction.run("write/learn_from_recall", **parameters).rows
        if rows and (over := rows[0]["over"]):  # no rows: it is known already
            record_events(transaction, self._space, steps_over(over, tuning, at=at))

    def _lose(self, task: Lesson | News, reason: str) -> None:
        if isinstance(task, Lesson):
            self._drop(reason)
        else:
            _LOG.info("reinforcement is left to the job: %s", reason)

    def _drop(self, reason: str) -> None:
        with self._lock:
            self._dropped += 1
            self._reason = reason
            with contextlib.suppress(OSError):
                make_private(self._lost.parent)
                # One line each, appended: several processes may lose some at once.
                line = json.dumps({"count": 1, "reason": reason})
                append_private(self._lost, f"{line}\n", durable=False)


_WRITING: "weakref.WeakSet[Learner]" = weakref.WeakSet()
"""Those that have a thread."""


def flush_all() -> None:
    """Wait until every memory of this process has written what it learned, or lost it."""
    for learner in list(_WRITING):
        learner.flush()


def waiting_lessons() -> int:
    """Return how many lessons of this process wait to be written."""
    return sum(learner.state.waiting for learner in list(_WRITING))


@atexit.register
def _close_all() -> None:
    """Write what was learned, for a program that never closes its memories."""
    for learner in list(_WRITING):
        learner.close()


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
