"""What grows how: `python -m tests.bench.scale [--sizes 1000,10000,100000] [--minutes 40]`.

One space on a new server with the shipped neo4j.conf grows through the sizes, beside a small one that stays as it is.
At each size are measured: writing, recalls in both spaces, the bare hybrid query and one hop alone, the bytes on disk
and in memory, and every job that walks a space. Memories are turns, stored by the call that stores them in earnest;
their vectors are made, see `Topics`, and their words are drawn as often as words of a language are.

A million takes most of an hour. When the minutes are over, what is in hand is measured and the rest left out.
`ENGRAM_SERVER_HEAP` and `ENGRAM_SERVER_PAGE_CACHE` give the server more.
"""

import argparse
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import psutil

from engram.config import Settings
from engram.embedding.protocol import Task, Vectors, unit_rows
from engram.memory import Engram
from engram.recall import PARTNERS, SEEDS, WIDTH
from engram.records import Turn
from engram.server import managed
from engram.testing import FixedClock
from engram.validation import lexical_query
from tests.bench.latency import Bare, Times
from tests.bench.lived import portions
from tests.bench.retrieval import database

# By name: the checkout's `jobs` folder is the package `engram.jobs` only once installed.
JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

SPACE, SMALL_SPACE = "bench", "small"
SMALL = 1_000
"""Memories of the space that stays as it is."""
BATCH = 1_000
SUBJECT = 30
"""Turns in a row on one subject; also the turns of a session."""
DIMENSIONS = 384
NOISE = 0.5
"""Length of the noise beside a vector of length 1; the cosine of two that share the vector is then 0.8."""
NOISES = 4_096
VOCABULARY = 20_000
ASSOCIATIONS = 2.5
"""Edges for each memory: five partners, since each edge has two ends."""
EDGES_AT_ONCE = 5_000
WARM_UP, QUESTIONS = 30, 150
WALKS = ("decay", "promote", "coactivate", "cluster", "replay", "rank", "health", "sweep")
JOB_SECONDS = 180.0
"""A job that takes longer is ended after the batch in hand."""
MEGABYTE = 1e6


class Topics:
    """An embedder that knows by the first subject a text names what it is about."""

    name = "topics"
    dimensions = DIMENSIONS
    uses_prefixes = False
    uses_tasks = False
    _subject = re.compile(r"subject\d+")

    def __init__(self) -> None:
        self._generator = np.random.default_rng(0)
        self._noise = NOISE * unit_rows(self._generator.standard_normal((NOISES, DIMENSIONS)))

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text, shape (n, d)."""
        del task
        centres = np.stack([_centre(found[0]) for text in texts if (found := self._subject.search(text))])
        return unit_rows(centres + self._noise[self._generator.integers(NOISES, size=len(texts))])

    def close(self) -> None:
        """Do nothing."""


@lru_cache(1_000)
def _centre(subject: str) -> Vectors:
    generator = np.random.default_rng(int(subject.removeprefix("subject")))
    centre: Vectors = unit_rows(generator.standard_normal((1, DIMENSIONS)))[0]
    return centre


class Talk:
    """Turns without end, of subjects that change, in words whose frequencies follow Zipf's law."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)
        ranks = 1.0 / np.arange(1, VOCABULARY + 1)
        self._shares = np.cumsum(ranks / ranks.sum())
        self._said = 0

    def take(self, number: int) -> list[Turn]:
        """Return the next turns."""
        return [self._turn() for _ in range(number)]

    def question(self) -> str:
        """Return a question about one of the subjects so far."""
        return f"What about subject{self._generator.integers(self._said) // SUBJECT} and {self._words(4)}?"

    def _turn(self) -> Turn:
        number, self._said = self._said, self._said + 1
        subject = number // SUBJECT
        return Turn(
            text=f"About subject{subject}: {self._words(12)}",
            speaker=("Ann", "Bo")[number % 2],
            at=datetime(2025, 1, 1, tzinfo=UTC) + timedelta(seconds=20 * number),
            session=f"session {subject}",
            id=str(number),
        )

    def _words(self, number: int) -> str:
        ranks = np.searchsorted(self._shares, self._generator.random(number))
        return " ".join(f"w{rank}" for rank in ranks.tolist())


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured at one size."""

    memories: int
    written: float
    """Memories a second, the association edges left out."""
    reads: dict[str, Times]
    store: float
    """Bytes of the database, indexes included and transaction logs left out."""
    server: float
    """Resident bytes of the server."""
    python: float
    """Resident bytes of this process."""
    jobs: dict[str, "Ran"]


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of a job."""

    seconds: float
    whole: bool
    """Whether it came to its end."""

    def __str__(self) -> str:
        return f"{self.seconds:,.1f}" if self.whole else f"over {self.seconds:,.0f}"


@dataclass(slots=True)
class Growth:
    """A space that grows, and what is measured on it."""

    memory: Engram
    small: Engram
    bare: Bare
    clock: FixedClock
    settings: Settings
    deadline: float
    """In seconds of the monotonic clock."""
    ids: list[str] = field(default_factory=list)
    _talk: Talk = field(default_factory=lambda: Talk(1))
    _small_talk: Talk = field(default_factory=lambda: Talk(2))
    _generator: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))

    def lay_small(self) -> None:
        """Write the small space."""
        self.small.remember_turns(self._small_talk.take(SMALL))

    def grow(self, size: int) -> float:
        """Write until there are `size` memories or the time is over; return memories a second."""
        before, seconds = len(self.ids), 0.0
        while len(self.ids) < size and not self.over:
            turns = self._talk.take(min(BATCH, size - len(self.ids)))
            began = time.perf_counter()
            self.ids += self.memory.remember_turns(turns).memories
            seconds += time.perf_counter() - began
            _say(f"{len(self.ids):,} memories")
        self._associate(before)
        return (len(self.ids) - before) / seconds if seconds else 0.0

    @property
    def over(self) -> bool:
        """Whether the minutes are used up."""
        return time.monotonic() >= self.deadline

    def measure(self, written: float) -> Measured:
        """Measure everything at the size that it has now."""
        return Measured(
            memories=len(self.ids),
            written=written,
            reads=self._ask(),
            server=float(managed(self.settings).status().rss_bytes or 0),
            python=float(psutil.Process().memory_info().rss),
            jobs=dict(self._jobs()),
            store=self._store(),
        )

    def _ask(self) -> dict[str, Times]:
        """Ask every way in turns, so that what else the machine does hits all alike."""
        taken: dict[str, list[float]] = {}
        for place in range(WARM_UP + QUESTIONS):
            ways = list(self._ways(self._talk.question(), self._small_talk.question()).items())
            # Whoever asks second finds the caches warm, so each does every other time.
            for name, way in ways if place % 2 else reversed(ways):
                began = time.perf_counter()
                way()
                if place >= WARM_UP:
                    taken.setdefault(name, []).append((time.perf_counter() - began) * 1000)
        return {name: Times(tuple(each)) for name, each in taken.items()}

    def _ways(self, question: str, small_question: str) -> dict[str, Callable[[], Any]]:
        hybrid = {
            "space": SPACE,
            "statuses": ["active", "dormant"],
            "vector": self.memory.embedder.embed([question])[0].tolist(),
            "lexical": lexical_query(question, SPACE, "contextualized"),
            "width": WIDTH,
        }
        seeds = self._generator.choice(self.ids, size=SEEDS, replace=False).tolist()
        return {
            "hybrid": lambda: self.bare.read("bare_hybrid", **hybrid),
            "recall": lambda: self.memory.recall(question, read_only=True),
            "hop": lambda: self.bare.read("spread", seeds=seeds, partners=PARTNERS, hops=1),
            "small": lambda: self.small.recall(small_question, read_only=True),
        }

    def _jobs(self) -> Iterator[tuple[str, Ran]]:
        """Run the jobs as a day later; each is ended when its time or all of it is over."""
        self.clock.advance(timedelta(days=1))
        for name in WALKS:
            began = time.monotonic()
            last = min(began + JOB_SECONDS, max(self.deadline, began + 1.0))
            cut = False

            def stop(last: float = last) -> bool:
                nonlocal cut
                cut = cut or time.monotonic() >= last
                return cut

            run_job(JOBS[name], self.memory.graph, space=SPACE, clock=self.clock, stop=stop)
            yield name, Ran(time.monotonic() - began, whole=not cut)
            _say(f"{name}, {time.monotonic() - began:.1f} s")

    def _associate(self, first: int) -> None:
        """Give the memories from the `first` on their associations, with any of the space."""
        number = round(ASSOCIATIONS * (len(self.ids) - first))
        newer = self._generator.integers(first, max(len(self.ids), first + 1), size=number)
        others = self._generator.integers(len(self.ids), size=number)
        weights = self._generator.integers(1, 21, size=number)
        rows = (
            {
                "low": min(self.ids[a], self.ids[b]),
                "high": max(self.ids[a], self.ids[b]),
                "weight": float(weight),
            }
            for a, b, weight in zip(newer.tolist(), others.tolist(), weights.tolist(), strict=True)
            if a != b
        )
        for some in portions(rows, EDGES_AT_ONCE):
            self.bare.write("lay_associations", rows=some, now=self.clock())

    def _store(self) -> float:
        """Return the bytes of the database's files; a server that stops writes them out, so it is started anew."""
        server = managed(self.settings)
        server.stop()
        server.start()
        folder = self.settings.data_dir / "server" / "data" / "databases"
        return float(sum(_size(path) for path in folder.rglob("*") if path.is_file()))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:  # the server merges the segments of its indexes meanwhile
        return 0


def measure(sizes: Sequence[int], minutes: float) -> Iterator[Measured]:
    """Yield what is measured at each size that is reached within the minutes."""
    deadline = time.monotonic() + 60.0 * minutes
    with database() as there:
        settings = there.model_copy(update={"batch_size": BATCH, "reranker": None})
        clock, embedder = FixedClock(datetime.now(UTC)), Topics()
        with (
            Engram.open(settings, space=SPACE, embedder=embedder, clock=clock) as memory,
            Engram.open(settings, space=SMALL_SPACE, embedder=embedder, clock=clock) as small,
            Bare(settings) as bare,
        ):
            growth = Growth(memory, small, bare, clock, settings, deadline)
            growth.lay_small()
            for size in sizes:
                written = growth.grow(size)
                yield growth.measure(written)
                if growth.over:
                    return


def tables(measured: Sequence[Measured]) -> str:
    """Return what was measured as markdown."""
    lines = [
        f"Milliseconds, median (p95), without embedding. The small space holds {SMALL:,} memories all along.\n",
        "| memories | written/s | bare hybrid | recall | 1 hop alone | recall in a small space beside it |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for at in measured:
        cells = [at.reads[name] for name in ("hybrid", "recall", "hop", "small")]
        lines.append(f"| {at.memories:,} | {at.written:,.0f} | " + " | ".join(map(str, cells)) + " |")
    lines += [
        "\n| memories | store, MB | a memory, KB | server, MB | Python, MB |",
        "|---:|---:|---:|---:|---:|",
    ]
    for at in measured:
        each = at.store / (at.memories + SMALL) / 1000
        sizes = [at.store / MEGABYTE, at.server / MEGABYTE, at.python / MEGABYTE]
        store, server, python = (f"{size:,.0f}" for size in sizes)
        lines.append(f"| {at.memories:,} | {store} | {each:.1f} | {server} | {python} |")
    lines += [
        "\nSeconds of one run over the whole space, a day after all was written.\n",
        "| job | " + " | ".join(f"{at.memories:,}" for at in measured) + " |",
        "|:--|" + "---:|" * len(measured),
    ]
    lines += [f"| {name} | " + " | ".join(str(at.jobs[name]) for at in measured) + " |" for name in WALKS]
    return "\n".join(lines)


def _say(text: str) -> None:
    """Say how far it is, where no result is read from."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Measure and print markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--minutes", type=float, default=40.0)
    options = parser.parse_args()
    wanted = sorted(map(int, options.sizes.split(",")))
    began = time.monotonic()
    measured = list(measure(wanted, options.minutes))
    print(tables(measured))
    if measured[-1].memories < wanted[-1]:
        print(f"\nEnded after {(time.monotonic() - began) / 60:.0f} minutes, before {wanted[-1]:,}.")


if __name__ == "__main__":
    main()
