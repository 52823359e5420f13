"""The timetable without a database: when jobs run, and how they stop."""

import configparser
import os
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
import yaml

from engram.errors import DatabaseUnavailableError
from engram.tuning import NUMBERS

Job: Any = resolve_name("engram.jobs.job:Job")
Run: Any = resolve_name("engram.jobs.job:Run")
Timetable: Any = resolve_name("engram.jobs.scheduler:Timetable")
serve: Callable[..., tuple[str, ...]] = resolve_name("engram.jobs.scheduler:serve")

ROOT = Path(__file__).parents[2]
WAIT = 30
"""Seconds after which something that does not happen fails the test."""
SOON, NEVER = timedelta(milliseconds=10), timedelta(days=1)


class Plan:
    """Jobs that a test lets run, and what became of them."""

    def __init__(self) -> None:
        self.intervals: dict[str, timedelta] = {}
        self.actions: dict[str, Callable[[Callable[[], bool]], object]] = {}
        self.runs: Counter[str] = Counter()
        self.reports: list[tuple[str, object]] = []
        self.reading: Callable[[], None] = lambda: None
        self._changed = threading.Condition()

    def job(
        self, name: str, interval: timedelta, action: Callable[[Callable[[], bool]], object] = lambda _: None
    ) -> None:
        """Add a job; its action gets what it may ask whether to stop."""
        self.intervals[name] = interval
        self.actions[name] = action

    def table(self) -> Any:
        """Return the timetable of these jobs, the first runs at once."""
        jobs = [Job(name=name, why="", steps=()) for name in self.actions]
        return Timetable(jobs, run=self._run, intervals=self._read, report=self._report, spread=0.0)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to come about."""
        with self._changed:
            assert self._changed.wait_for(condition, WAIT), (self.runs, self.reports)

    def ran(self, name: str, times: int) -> None:
        """Wait until a job has begun so many more runs."""
        goal = self.runs[name] + times
        self.until(lambda: self.runs[name] >= goal)

    def _read(self) -> dict[str, timedelta]:
        self.reading()
        return dict(self.intervals)

    def _run(self, job: Any, stop: Callable[[], bool]) -> Any:
        with self._changed:
            self.runs[job.name] += 1
            self._changed.notify_all()
        self.actions[job.name](stop)
        return run_of(job.name)

    def _report(self, name: str, outcome: object) -> None:
        with self._changed:
            self.reports.append((name, outcome))
            self._changed.notify_all()


def run_of(name: str) -> Any:
    """Return a run that changed nothing."""
    return Run(id="0" * 32, job=name, dry_run=False, changed=0, failed=0, empty=0, broken=0, error=None)


@pytest.fixture
def plan() -> Plan:
    """Give a plan without jobs."""
    return Plan()


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Give an event that a run can wait for; it is set at the end, so that no thread hangs on."""
    event = threading.Event()
    yield event
    event.set()


def test_every_job_runs_at_the_start_and_at_its_interval(plan: Plan) -> None:
    """One with a long interval runs once at the start; one with a short interval again and again."""
    plan.job("often", SOON)
    plan.job("seldom", NEVER)
    with plan.table():
        plan.ran("often", 5)
        plan.until(lambda: plan.runs["seldom"] == 1)
        plan.ran("often", 5)
    assert plan.runs["seldom"] == 1


def test_no_job_overlaps_itself(plan: Plan, gate: threading.Event) -> None:
    """However often it falls due meanwhile, a job that still runs is not begun a second time; others go on."""
    plan.job("slow", SOON, lambda _: gate.wait(WAIT))
    plan.job("quick", SOON)
    with plan.table():
        plan.until(lambda: plan.runs["slow"] == 1)
        plan.ran("quick", 10)
        assert plan.runs["slow"] == 1
        gate.set()
        plan.ran("slow", 2)


@pytest.mark.parametrize("error", [DatabaseUnavailableError("gone"), KeyError("faulty")])
def test_a_failed_run_is_reported_and_tried_again(plan: Plan, error: Exception) -> None:
    """Whatever a run raises is one line, and neither the end of the job nor of the others."""

    def fail(_: object) -> None:
        if plan.runs["frail"] == 1:
            raise error

    plan.job("frail", SOON, fail)
    plan.job("other", SOON)
    with plan.table():
        plan.ran("other", 3)
        plan.until(lambda: ("frail", run_of("frail")) in plan.reports)
    failed = next(outcome for name, outcome in plan.reports if name == "frail")
    assert str(error.args[0]) in getattr(failed, "message", "")
    assert "\n" not in getattr(failed, "message", "")


def test_a_changed_interval_takes_hold(plan: Plan) -> None:
    """A job that would not run for a day runs soon once its interval is changed: any run reads them all."""
    plan.job("slow", NEVER)
    plan.job("quick", SOON)
    with plan.table():
        plan.until(lambda: plan.runs["slow"] == 1)
        plan.intervals["slow"] = SOON
        plan.ran("slow", 3)


def test_intervals_that_cannot_be_read_now(plan: Plan) -> None:
    """A database that is away when the intervals are read is a failed run, tried again."""
    plan.job("quick", SOON)
    with plan.table():
        plan.ran("quick", 1)
        away = DatabaseUnavailableError("gone")

        def fail() -> None:
            raise away

        plan.reading = fail
        plan.until(lambda: ("quick", away) in plan.reports)
        plan.reading = lambda: None
        plan.ran("quick", 2)


def test_stopping_finishes_the_batch_in_hand(plan: Plan) -> None:
    """A run that is told to stop between its batches ends, is reported, and nothing begins after it."""
    batches = threading.Event()

    def go_on(stop: Callable[[], bool]) -> None:
        while not stop():
            batches.wait(0.001)

    plan.job("long", SOON, go_on)
    table = plan.table()
    table.start()
    plan.until(lambda: plan.runs["long"] == 1)
    assert table.stop() == ()
    assert plan.reports == [("long", run_of("long"))]
    assert plan.runs["long"] == 1


def test_stopping_does_not_wait_for_ever(plan: Plan, gate: threading.Event) -> None:
    """A batch that takes longer than the patience is left, named, and no longer heard of."""
    plan.job("stuck", NEVER, lambda _: gate.wait(WAIT))
    table = plan.table()
    table.start()
    plan.until(lambda: plan.runs["stuck"] == 1)
    assert table.stop(patience=0.0) == ("stuck",)
    gate.set()
    assert table.stop() == ()
    assert not plan.reports


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_serving(plan: Plan, number: signal.Signals) -> None:
    """SIGTERM and Ctrl-C alike let the run in hand end; the handlers of before are back then."""
    before = [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)]

    def go_on(stop: Callable[[], bool]) -> None:
        os.kill(os.getpid(), number)
        while not stop():
            pass

    plan.job("long", NEVER, go_on)
    assert serve(plan.table()) == ()
    assert plan.reports == [("long", run_of("long"))]
    assert [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)] == before


def test_a_second_ctrl_c_leaves_at_once(plan: Plan, gate: threading.Event) -> None:
    """Somebody who presses Ctrl-C again does not want to wait for the batch in hand."""

    def press_twice(stop: Callable[[], bool]) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        while not stop():
            pass
        os.kill(os.getpid(), signal.SIGINT)
        gate.wait(WAIT)

    plan.job("stuck", NEVER, press_twice)
    with pytest.raises(KeyboardInterrupt):
        serve(plan.table())


def test_service_managers_wait_long_enough() -> None:
    """The unit and the compose service give it more time to end than it takes, and run commands that exist."""
    patience = resolve_name("engram.jobs.scheduler:PATIENCE")
    unit = configparser.RawConfigParser(strict=False)
    unit.read(ROOT / "docs" / "engram-jobs.service", encoding="utf-8")
    assert float(unit["Service"]["TimeoutStopSec"]) > patience + 2
    assert unit["Service"]["ExecStart"].endswith("/engram jobs start")
    jobs = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]["jobs"]
    assert float(jobs["stop_grace_period"].removesuffix("s")) > patience + 2
    assert jobs["command"] == ["engram", "jobs", "start"]
    assert jobs["profiles"] == ["jobs"]


def test_the_document_has_every_job() -> None:
    """Each job has its row in docs/jobs.md, with its default interval, and none is there that does not exist."""
    text = (ROOT / "docs" / "jobs.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (\d+ \w+) \|", text, re.MULTILINE))
    jobs = resolve_name("engram.jobs.scheduler:JOBS")
    units = {"min": 1, "h": 60}
    told = {name: int(every.split()[0]) * units[every.split()[1]] for name, every in rows.items()}
    assert told == {name: NUMBERS[job.interval].default for name, job in jobs.items()}
