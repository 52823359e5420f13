"""Jobs beside a bare write, and beside recalls: `python -m tests.bench.lifecycle [--sizes 20000,100000] [--picture]`.

Each size gets a new server with the shipped neo4j.conf, and a life laid into it, see `lived`: five association edges
for each memory, some within a subject and some across. Then, on it:

- decay with everything due, decay and promote with nothing due, and a bare SET of energy and its time over the same
  memories in batches of the same size, in turns;
- recalls while another process decays everything, and recalls while nobody does, in turns;
- every other job once, and again.

A thread looks at the server's memory all the while. At last the curves of forgetting are held to their formula, see
`forgetting`; `--picture` draws them into docs/forgetting.svg.
"""

import argparse
import multiprocessing
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from itertools import cycle
from pkgutil import resolve_name
from typing import Any, Self

from engram.config import Settings
from engram.graph import Graph
from engram.memory import Engram
from engram.server import managed
from engram.testing import FixedClock
from engram.tuning import Tuning
from tests.bench import forgetting
from tests.bench.latency import Times
from tests.bench.lived import NOW, Life, Subjects, run
from tests.bench.retrieval import database

# By name: the checkout's `jobs` folder is the package `engram.jobs` only once installed.
JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
Job: Any = resolve_name("engram.jobs.job:Job")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

SPACE, WARM_SPACE = "bench", "warm-up"
WARM_UP = 2_000
"""Memories of the life that is laid before anything counts: a new server compiles what it runs often."""
ROUNDS = 5
LATER = NOW + timedelta(days=1)
"""When the jobs look: all energies have moved by then."""
IDLE_RECALLS, RECALLS = 40, 200
"""Recalls in a row while nobody decays, and recalls of each sort in all."""
MOST_PROMOTIONS = 10_000
PAUSE = 0.2
"""Seconds between two looks at the server's memory."""
MEGABYTE = 1e6
BARE, ALL_DUE = "bare SET", "decay, all due"
NOTHING_DUE = ("decay", "promote", "nothing")
_IDLE = {
    "decay": JOBS["decay"],
    "promote": JOBS["promote"],
    "nothing": Job(name="nothing", why="Shows what the record of a run costs.", steps=()),
}


@dataclass(slots=True)
class Peaks:
    """The most memory that was seen in use, in bytes."""

    heap: int = 0
    live: int = 0
    """What a collection left of the heap."""
    resident: int = 0
    transaction: int = 0
    """What one transaction had taken of the heap."""

    def __str__(self) -> str:
        sizes = (self.heap, self.live, self.resident, self.transaction)
        return " | ".join(f"{size / MEGABYTE:.0f}" for size in sizes)


class Watch:
    """Looks at a server's memory, beside everything else, for as long as it is open."""

    def __init__(self, settings: Settings) -> None:
        self.peaks = Peaks()
        self._settings = settings
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(1)

    def __enter__(self) -> Self:
        self._watching = self._pool.submit(self._watch)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._pool.shutdown()
        self._watching.result()

    def _watch(self) -> None:
        peaks = self.peaks
        with Address.of(self._settings).open() as graph:
            while not self._stop.wait(PAUSE):
                heap = run(graph, "read_heap")[0]
                transactions = run(graph, "read_transactions")
                peaks.heap = max(peaks.heap, heap["used"])
                peaks.live = max(peaks.live, heap["live"])
                peaks.resident = max(peaks.resident, managed(self._settings).status().rss_bytes or 0)
                peaks.transaction = max(peaks.transaction, *(row["bytes"] or 0 for row in transactions))


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of a job."""

    seconds: float
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured at one size."""

    size: int
    seconds: dict[str, list[float]]
    """Of each side, round by round."""
    recalls: dict[str, Times]
    """Milliseconds, `alone` and `beside` a decay."""
    jobs: dict[str, tuple[Ran, Ran]]
    """The first run of each and the second."""
    peaks: Peaks
    curves: Sequence[forgetting.Curve]


class Bench:
    """Measures on one life."""

    def __init__(self, life: Life, settings: Settings) -> None:
        self._life = life
        self._memory = life.memory
        self._address = Address.of(settings)

    def decay(self, rounds: int) -> dict[str, list[float]]:
        """Return the seconds of both sides, round by round; the first round does not count."""
        taken: dict[str, list[float]] = {}
        for number in range(rounds + 1):
            for name, seconds in self._round(number):
                if number:
                    taken.setdefault(name, []).append(seconds)
        return taken

    def recall(self, pool: Executor) -> dict[str, Times]:
        """Return the milliseconds of recalls alone and beside a process that decays everything, in turns."""
        questions = cycle(self._life.questions(RECALLS))
        self._warm(pool, next(questions))
        alone: list[float] = []
        beside: list[float] = []
        while min(len(alone), len(beside)) < RECALLS:
            for _ in range(IDLE_RECALLS):
                alone.append(self._recall(next(questions)))  # noqa: PERF401  (each is timed by itself)
            self._reset()
            decaying = pool.submit(decay, self._address)
            while not decaying.done():
                beside.append(self._recall(next(questions)))
            self._expect_all(decaying.result())
        return {"alone": Times(tuple(alone)), "beside": Times(tuple(beside))}

    def jobs(self) -> Iterator[tuple[str, tuple[Ran, Ran]]]:
        """Run every job but decay once, and again; yield both runs of each."""
        self._reset()
        self._life.lay_sessions(self._life.size // 100)
        self._life.lay_recalls(self._life.size // 10)
        self._life.make_due(min(MOST_PROMOTIONS, 3 * self._life.size // 20))
        for name, job in JOBS.items():
            if name != "decay":
                yield name, (self._run(job), self._run(job))

    def _round(self, number: int) -> Iterator[tuple[str, float]]:
        """Yield the name and the seconds of each side; those with nothing to do change places."""
        began = time.perf_counter()
        self._reset()
        yield BARE, time.perf_counter() - began
        due = self._run(JOBS["decay"])
        self._expect_all(due.changed)
        yield ALL_DUE, due.seconds
        for name in NOTHING_DUE if number % 2 else reversed(NOTHING_DUE):
            done = self._run(_IDLE[name])
            if done.changed:
                raise AssertionError(f"{name} changed {done.changed}, and nothing was due.")
            yield name, done.seconds

    def _reset(self) -> None:
        self._life.set_energy(Tuning().whole("decay.batch_size"))

    def _expect_all(self, changed: int) -> None:
        if changed != self._life.size:
            raise AssertionError(f"decay changed {changed} of {self._life.size} memories.")

    def _run(self, job: Any) -> Ran:
        began = time.perf_counter()
        done = run_job(job, self._memory.graph, space=self._memory.space, clock=FixedClock(LATER))
        return Ran(time.perf_counter() - began, done.changed)

    def _warm(self, pool: Executor, question: str) -> None:
        pool.submit(decay, self._address).result()
        for _ in range(IDLE_RECALLS):
            self._recall(question)

    def _recall(self, question: str) -> float:
        began = time.perf_counter()
        self._memory.recall(question, read_only=True)
        return (time.perf_counter() - began) * 1000


@dataclass(frozen=True, slots=True)
class Address:
    """What another process needs to reach the server."""

    uri: str
    user: str
    password: str
    database: str

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the one that the settings name."""
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        return cls(settings.neo4j_uri or "", settings.neo4j_user, password, settings.neo4j_database)

    def open(self) -> Graph:
        """Connect."""
        return Graph(self.uri, self.user, self.password, self.database)


def decay(address: Address) -> int:
    """Run the job in this process, on a connection that stays, and return how much it changed."""
    changed: int = run_job(JOBS["decay"], _kept(address), space=SPACE, clock=FixedClock(LATER)).changed
    return changed


@cache
def _kept(address: Address) -> Graph:
    return address.open()


@contextmanager
def living(settings: Settings, space: str, size: int) -> Iterator[Life]:
    """Lay a life into a space, and give it."""
    with Engram.open(settings, space=space, embedder=Subjects(), clock=FixedClock(LATER)) as memory:
        life = Life(memory, size)
        life.lay()
        yield life


def measure(sizes: Sequence[int], rounds: int) -> Iterator[Measured]:
    """Yield what is measured at each size."""
    for size in sizes:
        with database() as there, ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            settings = there.model_copy(update={"reranker": None})
            with living(settings, WARM_SPACE, min(WARM_UP, size)) as life:
                warm = Bench(life, settings)
                warm.decay(1)
                dict(warm.jobs())
            with living(settings, SPACE, size) as life, Watch(settings) as watch:
                bench = Bench(life, settings)
                yield Measured(
                    size=size,
                    seconds=bench.decay(rounds),
                    recalls=bench.recall(pool),
                    jobs=dict(bench.jobs()),
                    peaks=watch.peaks,
                    curves=forgetting.curves(settings),
                )


def tables(measured: Sequence[Measured]) -> str:
    """Return what was measured as markdown."""
    lines = [
        "Seconds over all memories, the median of the rounds; ratios are to the bare SET. The record is a run of nothing.\n",
        _row("memories", BARE, ALL_DUE, "ratio", *_titles(NOTHING_DUE[:2]), "record"),
        _row(*["---:"] * 9),
    ]
    for at in measured:
        middle = {name: statistics.median(each) for name, each in at.seconds.items()}
        cells = [f"{at.size:,}", f"{middle[BARE]:.2f}"]
        for name in (ALL_DUE, *NOTHING_DUE[:2]):
            cells += [f"{middle[name]:.3f}", f"{middle[name] / middle[BARE]:.3f}"]
        lines.append(_row(*cells, f"{middle[NOTHING_DUE[2]]:.3f}"))
    memory = ("heap, MB", "after collections", "server, MB", "largest transaction, MB")
    lines += [
        "",
        _row("memories", "recall, ms", "while decay runs", "ratio", *memory),
        _row(*["---:"] * 8),
    ]
    for at in measured:
        alone, beside = at.recalls["alone"], at.recalls["beside"]
        lines.append(_row(f"{at.size:,}", alone, beside, beside.ratio(alone), at.peaks))
    lines += [
        "",
        _row("job", "memories", "seconds", "changed", "changed/s", "memories/s", "again, s", "changed again"),
        _row(":--", *["---:"] * 7),
    ]
    for name in measured[0].jobs:
        for at in measured:
            first, second = at.jobs[name]
            lines.append(
                _row(
                    name,
                    f"{at.size:,}",
                    f"{first.seconds:.2f}",
                    f"{first.changed:,}",
                    f"{first.changed / first.seconds:,.0f}",
                    f"{at.size / first.seconds:,.0f}",
                    f"{second.seconds:.2f}",
                    f"{second.changed:,}",
                )
            )
    return "\n".join(lines)


def _titles(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        yield from (f"{name}, nothing due", "ratio")


def _row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    """Measure and print markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="20000,100000")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--picture", action="store_true")
    options = parser.parse_args()
    measured = list(measure(sorted(map(int, options.sizes.split(","))), options.rounds))
    print(tables(measured))
    print(f"\n{forgetting.words(measured[-1].curves)}")
    if options.picture:
        forgetting.PICTURE.write_text(forgetting.picture(measured[-1].curves), encoding="utf-8")


if __name__ == "__main__":
    main()
