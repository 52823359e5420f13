"""The timetable: every job, and what runs them when they are due."""

import logging
import random
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, Self

from apscheduler.executors.base import BaseExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.interval import IntervalTrigger

from engram.errors import EngramError
from engram.graph import Graph
from engram.tuning import DEFAULTS_SPACE, read_tuning

from . import (
    adapt,
    archive,
    boxes,
    cluster,
    coactivate,
    decay,
    dream,
    entities,
    extract,
    gut,
    health,
    idle,
    patterns,
    promote,
    rank,
    reinforce,
    replay,
    safety,
    state,
    sweep,
)
from .job import Job, Run, run_job
from .means import Means

JOBS: dict[str, Job] = {
    job.name: job
    for job in (
        decay.JOB,
        promote.JOB,
        reinforce.JOB,
        extract.JOB,
        coactivate.JOB,
        cluster.JOB,
        replay.JOB,
        rank.JOB,
        boxes.JOB,
        entities.JOB,
        archive.JOB,
        patterns.JOB,
        dream.JOB,
        gut.JOB,
        safety.JOB,
        adapt.JOB,
        idle.JOB,
        health.JOB,
        state.JOB,
        sweep.JOB,
    )
}
_TIMED = JOBS | {dream.TIMED.name: dream.TIMED}
"""What the timetable runs: a dream by hand is one at once, and one by the clock waits until it is due."""

AT_ONCE = 2
"""Jobs that one process runs side by side; recalls want the rest of the server."""
PATIENCE = 8.0
"""Seconds for which the end waits for the batches in hand. A service manager gives a process ten."""
_SPREAD = 5.0
"""Seconds over which the first runs are spread."""
_JITTER = 0.05
"""Share of the interval by which a run may be late, so that processes started together drift apart."""
_AGAIN = timedelta(minutes=5)
"""After which a run that could do nothing is tried again, if its interval is longer; a lease holds as long."""
_GLANCE = 1.0
"""Seconds after which serving looks up."""
_LOG = logging.getLogger(__name__)
# What it warns of, a run that is still under way when the next one is due, is what is wanted.
logging.getLogger("apscheduler").addHandler(logging.NullHandler())

Report = Callable[[str, Run | EngramError], None]
"""Told how a run of the job of that name ended."""


class Timetable:
    """Runs jobs at their intervals, and once at the start, on threads of its own, until it is stopped.

    Runs that were missed while the machine slept count as one, and no job overlaps itself. A run that fails is
    reported and tried again at its next time: a database that is away for a while ends nothing.
    """

    def __init__(
        self,
        jobs: Iterable[Job],
        *,
        run: Callable[[Job, Callable[[], bool]], Run],
        intervals: Callable[[], Mapping[str, timedelta]],
        report: Report,
        spread: float = _SPREAD,
    ) -> None:
        """Prepare a timetable; the intervals are read for the first time.

        Args:
            jobs: What to run.
            run: Runs one job; asks its second argument between batches whether to stop.
            intervals: Reads the interval of each job by name: at the start, and before every run, so that a changed
                one takes hold at the next run of whichever job comes first.
            report: Told of every run, from several threads.
            spread: Seconds over which the first runs are spread.
        """
        self._jobs = tuple(jobs)
        self._run = run
        self._intervals = intervals
        self._report = report
        self._spread = spread
        self._held = dict(intervals())
        self._scheduler = BackgroundScheduler(timezone=UTC, executors={"default": _Threads(AT_ONCE)})
        self._changed = threading.Condition()
        """Held while the fields below are looked at or changed."""
        self._stopping = False
        self._left = False
        self._running: set[str] = set()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin."""
        for job in self._jobs:
            first = timedelta(seconds=random.uniform(0, self._spread))  # noqa: S311  (spreads load, no more)
            self._scheduler.add_job(
                self._due,
                _trigger(self._held[job.name]),
                args=[job],
                id=job.name,
                next_run_time=datetime.now(UTC) + first,
                coalesce=True,
                max_instances=1,
                misfire_grace_time=None,  # late is better than not at all
            )
        self._scheduler.start()

    def stop(self, patience: float = PATIENCE) -> tuple[str, ...]:
        """Start nothing more, and wait for the batches in hand.

        Args:
            patience: Seconds to wait at most.

        Returns:
            The jobs that did not end in that time. Their threads do not keep the process alive; the server takes
            back what they had not committed, and the next run goes on from there.
        """
        with self._changed:
            self._stopping = True
            if self._scheduler.running:
                self._scheduler.shutdown(wait=False)
            try:
                self._changed.wait_for(lambda: not self._running, patience)
            finally:
                self._left = True
            return tuple(sorted(self._running))

    def _due(self, job: Job) -> None:
        with self._changed:
            if self._stopping:
                return
            self._running.add(job.name)
        try:
            outcome = self._outcome(job)
            if isinstance(outcome, EngramError) or (outcome.empty and not outcome.changed):
                self._try_again(job)
            if not self._left:
                self._report(job.name, outcome)
        finally:
            with self._changed:
                self._running.discard(job.name)
                self._changed.notify_all()

    def _try_again(self, job: Job) -> None:
        """Run a job again soon: the database may be back then, or the lease of a worker that died be over."""
        soon = datetime.now(UTC) + _AGAIN
        with self._changed:
            planned = None if self._stopping else self._scheduler.get_job(job.name)
            if planned is not None and planned.next_run_time > soon:
                planned.modify(next_run_time=soon)

    def _outcome(self, job: Job) -> Run | EngramError:
        try:
            self._retime(self._intervals())
            return self._run(job, lambda: self._stopping)
        except EngramError as error:
            return error
        except Exception as error:  # noqa: BLE001  (a fault in one job must not end the others)
            _LOG.debug("the job %s failed", job.name, exc_info=True)
            return EngramError(f"{type(error).__name__}: {error}")

    def _retime(self, intervals: Mapping[str, timedelta]) -> None:
        with self._changed:
            if self._stopping:
                return
            for job in self._jobs:
                interval = intervals[job.name]
                if interval != self._held[job.name]:
                    self._held[job.name] = interval
                    self._scheduler.reschedule_job(job.name, trigger=_trigger(interval))


def timetable(graph: Graph, *, space: str | None, report: Report, means: Means | None = None) -> Timetable:
    """Return the timetable of all jobs over one space, or over all of them (`space=None`).

    Args:
        graph: Where.
        space: Whose, or None; the intervals are that space's or, for all of them, the defaults.
        report: Told of every run.
        means: What jobs that embed or ask a model need; without it they fail, and say so.

    Raises:
        EngramError: The intervals cannot be read.
    """

    def intervals() -> dict[str, timedelta]:
        tuning = read_tuning(graph, space=DEFAULTS_SPACE if space is None else space)
        return {job.name: tuning.minutes(job.interval) for job in _TIMED.values()}

    def run(job: Job, stop: Callable[[], bool]) -> Run:
        return run_job(job, graph, space=space, means=means, stop=stop)

    return Timetable(_TIMED.values(), run=run, intervals=intervals, report=report)


def serve(table: Timetable) -> tuple[str, ...]:
    """Run a timetable until SIGTERM or Ctrl-C, and finish the batches in hand; a second Ctrl-C leaves at once.

    Returns:
        The jobs that did not end in time.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed twice.
    """
    with _ending() as end:
        table.start()
        while True:
            # With a limit: a signal that comes just before the waiting begins wakes nobody.
            with suppress(Empty):
                end.get(timeout=_GLANCE)
                return table.stop()


@contextmanager
def _ending() -> Iterator["SimpleQueue[int]"]:
    """Put SIGTERM and Ctrl-C into a queue; a Ctrl-C after the first signal is raised."""
    # Unlike an Event, it may be put into by a handler that interrupts whoever waits for it.
    end: SimpleQueue[int] = SimpleQueue()
    received: list[int] = []

    def receive(number: int, frame: FrameType | None) -> None:
        del frame
        received.append(number)
        if len(received) > 1 and number == signal.SIGINT:
            raise KeyboardInterrupt
        end.put(number)

    previous = {number: signal.signal(number, receive) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield end
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


class _Threads(BaseExecutor):  # type: ignore[misc]  # the package has no types
    """A few threads that do not keep the process alive, unlike those of a pool."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count
        self._due: SimpleQueue[Any] = SimpleQueue()

    def start(self, scheduler: Any, alias: str) -> None:
        """Start the threads."""
        super().start(scheduler, alias)
        for number in range(self._count):
            threading.Thread(target=self._work, name=f"engram-jobs-{number}", daemon=True).start()

    def _do_submit_job(self, job: Any, run_times: object) -> None:
        del run_times  # coalesced: one
        self._due.put(job)

    def _work(self) -> None:
        while True:
            job = self._due.get()
            try:
                job.func(*job.args)
            except Exception as error:  # noqa: BLE001  (the thread must outlive a report that fails)
                self._run_job_error(job.id, error)
            else:
                self._run_job_success(job.id, [])


def _trigger(interval: timedelta) -> IntervalTrigger:
    seconds = interval.total_seconds()
    return IntervalTrigger(seconds=seconds, jitter=seconds * _JITTER, timezone=UTC)
