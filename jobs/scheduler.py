"""The timetable: every job, and the process that runs them when they are due."""

import signal
import threading
from collections.abc import Callable
from datetime import datetime
from types import FrameType

from apscheduler.schedulers.background import BackgroundScheduler

from engram.errors import EngramError
from engram.graph import Graph
from engram.tuning import DEFAULTS_SPACE, read_tuning

from . import decay, promote, reinforce
from .job import Job, Run, run_job

JOBS: dict[str, Job] = {job.name: job for job in (decay.JOB, promote.JOB, reinforce.JOB)}


def serve(
    graph: Graph,
    *,
    space: str | None,
    clock: Callable[[], datetime],
    report: Callable[[Run | EngramError], None],
) -> None:
    """Run every job at its interval, and once at the start, until SIGTERM or Ctrl-C; finish the batch in hand.

    A failed run is reported and tried again at its next time: a database that is away for a while ends nothing.
    """
    stopping = threading.Event()

    def run(job: Job) -> None:
        try:
            report(run_job(job, graph, space=space, clock=clock, stop=stopping.is_set))
        except EngramError as error:
            report(error)

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        stopping.set()

    tuning = read_tuning(graph, space=DEFAULTS_SPACE if space is None else space)
    scheduler = BackgroundScheduler(timezone="UTC")
    for job in JOBS.values():
        # Runs that were missed while the machine slept count as one, and no job overlaps itself.
        scheduler.add_job(
            run,
            "interval",
            args=[job],
            minutes=tuning[job.interval],
            next_run_time=clock(),
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
        )
    previous = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    scheduler.start()
    try:
        stopping.wait()
    finally:
        scheduler.shutdown(wait=True)
        for number, handler in previous.items():
            signal.signal(number, handler)
