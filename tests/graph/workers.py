"""A process that works on the graph beside others, for tests of many at once.

It is started as `python -m tests.graph.workers` and reads one line of JSON (a `Task`) after the other; each is answered
by another line (a `Done`). An error that reaches it ends it, so the parent sees it. `Crew` starts and ends such
processes.
"""

import json
import logging
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from tempfile import TemporaryDirectory
from typing import Any, Self

from engram.config import Settings
from engram.errors import DatabaseUnavailableError
from engram.graph import Graph, Row, Transaction
from engram.learning import Lesson, Use, new_recall_id
from engram.memory import Engram, utc_now
from engram.scoring.relevance import COMPONENTS
from engram.testing import HashEmbedder
from engram.tuning import read_tuning

ROOT = Path(__file__).parents[2]
DIMENSIONS = 384
JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
Claimed: Callable[..., Any] = resolve_name("engram.jobs.claimed:Claimed")
Job: Callable[..., Any] = resolve_name("engram.jobs.job:Job")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
WORKING = "working"
"""The line that says that a process which is about to be killed is in the middle of a batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What one process is to do."""

    uri: str
    user: str
    password: str
    database: str
    space: str
    role: str = ""
    """One of `ROLES`."""
    times: int = 1
    """How often; of a job, 0 is until nothing is due for promotion."""
    pause: float = 0.0
    """Seconds that a batch takes longer; of uses, before the first."""
    clock_off: float = 0.0
    """Minutes that this process's own clock is ahead."""
    at: str | None = None
    """The time of what is done, in ISO form; else a job takes the database's."""
    ids: Sequence[str] = ()
    """The memories that are used."""
    name: str = ""
    """Of the session, or of who talks."""

    def open(self) -> Graph:
        """Connect."""
        return Graph(self.uri, self.user, self.password, self.database)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What one process did."""

    clock: str
    """What its own clock showed, in ISO form."""
    runs: list[str] = field(default_factory=list)
    """Ids of the runs of a job."""
    changed: int = 0
    empty: int = 0
    notes: list[str] = field(default_factory=list)
    away: int = 0
    """How often the database was away."""
    deadlocks: int = 0
    """Transactions that had to be tried again because of one."""
    stored: list[str] = field(default_factory=list)
    uses: dict[str, int] = field(default_factory=dict)
    """How often each memory came back, by its id."""
    learned: int = 0
    dropped: int = 0


class Crew:
    """Several processes that wait for tasks; a killed one is replaced by the next task that it gets."""

    def __init__(self, size: int, *, seconds: float) -> None:
        """Start them.

        Args:
            size: How many.
            seconds: What takes longer is an error.
        """
        self._seconds = seconds
        self._processes = [_start() for _ in range(size)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.communicate()

    def __len__(self) -> int:
        return len(self._processes)

    def run(self, tasks: Sequence[Task]) -> list[Done]:
        """Have each of the first processes do one task, all at once."""
        for number, task in enumerate(tasks):
            self.send(number, task)
        return [self.receive(number) for number in range(len(tasks))]

    def send(self, number: int, task: Task) -> None:
        """Give one process a task."""
        if self._processes[number].poll() is not None:
            self._processes[number].communicate()
            self._processes[number] = _start()
        process = self._processes[number]
        assert process.stdin is not None
        process.stdin.write(json.dumps(asdict(task)) + "\n")
        process.stdin.flush()

    def receive(self, number: int) -> Done:
        """Wait for what one process did."""
        return Done(**json.loads(self._line(number)))

    def wait_until_working(self, number: int) -> None:
        """Wait until one process is in the middle of a batch."""
        assert self._line(number).strip() == WORKING

    def kill(self, number: int) -> None:
        """End one process without a warning."""
        self._processes[number].send_signal(signal.SIGKILL)
        self._processes[number].wait()

    def _line(self, number: int) -> str:
        process = self._processes[number]
        assert process.stdout is not None
        too_long = threading.Timer(self._seconds, process.kill)
        too_long.start()
        try:
            line = str(process.stdout.readline())
        finally:
            too_long.cancel()
        assert line, f"process {number} ended with {process.wait()}; its error is on stderr"
        return line


def _start() -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.graph.workers"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


# ----- What a process does


def do(task: Task) -> Done:
    """Carry out a task."""
    deadlocks = _Deadlocks()
    logging.getLogger("neo4j").addHandler(deadlocks)
    try:
        with clock_off(timedelta(minutes=task.clock_off)), task.open() as graph:
            done = ROLES[task.role](task, graph)
            return replace(done, clock=utc_now().isoformat(), deadlocks=deadlocks.count)
    finally:
        logging.getLogger("neo4j").removeHandler(deadlocks)


class _Deadlocks(logging.Handler):
    """Counts the deadlocks of which the driver says that it tries again."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += "DeadlockDetected" in record.getMessage()


@contextmanager
def clock_off(by: timedelta) -> Iterator[None]:
    """Let the clock of this process be wrong, as all of Engram sees it; the database's stays right."""
    right = time.time

    class Off(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + by

    modules = [
        module
        for name, module in sys.modules.items()
        if name.startswith("engram") and getattr(module, "datetime", None) is datetime
    ]
    for module in modules:
        module.datetime = Off  # type: ignore[attr-defined]
    time.time = lambda: right() + by.total_seconds()
    try:
        yield
    finally:
        time.time = right
        for module in modules:
            module.datetime = datetime  # type: ignore[attr-defined]


def claimed_promotion(pause: float, announce: Callable[[], None] = lambda: None) -> Any:
    """Return promotion as a job that claims, and whose step takes its time."""

    def ponder(_: object, memories: Sequence[Row]) -> Iterator[dict[str, str]]:
        announce()
        time.sleep(pause)
        return ({"id": memory["id"]} for memory in memories)

    step = Claimed(
        phase="promote",
        find="consolidate/find_due_promotions",
        due="promote_due_at",
        work=ponder,
        write="consolidate/promote_memories",
    )
    return Job(name="claimed", why="", steps=(step,))


def _run(job: Any, task: Task, graph: Graph) -> Done:
    """Run a job, as often as the task says; a database that is away for a while ends nothing."""

    def unhurried() -> bool:
        time.sleep(task.pause)
        return False

    clock = None if task.at is None else partial(datetime.fromisoformat, task.at)
    runs, away, n = [], 0, 0
    while n < task.times or (task.times == 0 and _due(task, graph)):
        n += 1
        try:
            runs.append(run_job(job, graph, space=task.space, clock=clock, stop=unhurried))
        except DatabaseUnavailableError:
            if task.times:
                raise
            away += 1
            time.sleep(0.2)
    return Done(
        clock="",
        runs=[run.id for run in runs],
        changed=sum(run.changed for run in runs),
        empty=sum(run.empty for run in runs),
        notes=[note for run in runs for note in run.notes],
        away=away,
    )


def _due(task: Task, graph: Graph) -> bool:
    """Say whether promotions are due; a database that does not answer may still hold some."""
    with suppress(DatabaseUnavailableError):
        found = graph.read(
            "consolidate/find_due_promotions",
            space=task.space,
            after="",
            until="~",
            batch_size=1,
            now=graph.now(),
        )
        return bool(found[0]["ids"])
    return True


def _claim_and_hang(task: Task, graph: Graph) -> Done:
    """Claim a batch, say so, and never end the work on it."""
    return _run(claimed_promotion(3_600, _announce), task, graph)


def _promote_and_hang(task: Task, graph: Graph) -> Done:
    """Promote a batch, say so, and never commit."""

    def hang(work: Any) -> None:
        size = work.tuning.whole("promote.batch_size")
        found = work.read(
            "consolidate/find_due_promotions",
            space=work.space,
            after="",
            until="~",
            batch_size=size,
            now=work.now,
        )

        def write(transaction: Transaction) -> None:
            transaction.run(
                "consolidate/promote_memories",
                space=work.space,
                ids=found[0]["ids"],
                run=work.run,
                now=work.now,
            )
            _announce()
            time.sleep(3_600)

        work.graph.transact(write)

    return _run(Job(name="promote", why="", steps=(hang,)), task, graph)


def _announce() -> None:
    print(WORKING, flush=True)


def _use(task: Task, graph: Graph) -> Done:
    """Use the same memories again and again, all at one time."""
    assert task.at is not None
    tuning = read_tuning(graph, space=task.space)
    terms = dict.fromkeys(("base_level", "spreading", "partial_match"), 0.0)
    used = tuple(
        Use(id=each, rank=rank, score=0.5, activation=0.0, terms=terms, lift=[0.0] * len(COMPONENTS))
        for rank, each in enumerate(task.ids, start=1)
    )
    time.sleep(task.pause)
    for _ in range(task.times):
        lesson = Lesson(
            id=new_recall_id(),
            query=None,
            mode="search",
            k=len(used),
            hops=1,
            session=task.name,
            active=(),
            partial=False,
            at=datetime.fromisoformat(task.at),
            used=used,
            missed=(),
        )
        graph.write("write/learn_from_recall", **lesson.parameters(task.space, tuning))
    return Done(clock="", changed=task.times)


def _talk(task: Task, graph: Graph) -> Done:
    """Remember and recall in turn, and wait until all of it is learned from."""
    uses, stored = Counter[str](), []
    with TemporaryDirectory() as folder:
        settings = Settings.load(data_dir=Path(folder))
        memory = Engram(graph, settings, space=task.space, embedder=HashEmbedder(DIMENSIONS))
        for n in range(task.times):
            stored.append(memory.remember(f"{task.name} says sentence {n}").id)
            uses.update(hit.memory.id for hit in memory.recall(f"turn number {n} of {task.name}", 5))
        while not memory.flush():
            pass
        state = memory.learning
    assert state.reason is None, state.reason
    return Done(clock="", stored=stored, uses=dict(uses), learned=state.written, dropped=state.dropped)


ROLES: dict[str, Callable[[Task, Graph], Done]] = {
    "promote": lambda task, graph: _run(JOBS["promote"], task, graph),
    "claimed": lambda task, graph: _run(claimed_promotion(task.pause), replace(task, pause=0.0), graph),
    "decay": lambda task, graph: _run(JOBS["decay"], task, graph),
    "claim and hang": _claim_and_hang,
    "promote and hang": _promote_and_hang,
    "use": _use,
    "talk": _talk,
}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(asdict(do(Task(**json.loads(line))))), flush=True)
