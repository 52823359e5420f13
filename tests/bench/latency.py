"""Recall beside a bare vector query, writing beside a bare insert: `python -m tests.bench.latency --data FILE`.

FILE is in LoCoMo's form. One space on one new server grows through the `--sizes`. At each, the file's questions
are asked the bare way (one vector query of the same width on a kept session: id, content and score) and in full
(`Engram.recall`), in turns, so that what else the machine does hits all alike. Embedding costs nothing here, see
`corpus`, and a reranker is measured apart. Writing takes turns too, batch by batch, with an insert of the same
properties and vectors under a label that has a vector index and no other.

`--picture` draws the curve into docs/latency.svg.
"""

import argparse
import math
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any, Self

import neo4j
import neo4j.time
import numpy as np
import psutil

from engram.config import Settings
from engram.memory import Engram
from engram.questions import only_asks
from engram.recall import PARTNERS, RERANKED, SEEDS, WIDTH
from engram.reranking import Reranker
from engram.server import managed
from tests.bench.corpus import Corpus
from tests.bench.retrieval import database

SPACE, WARM_SPACE = "bench", "warm-up"
BATCH = 500
WARM_UP, QUESTIONS = 50, 200
WARM_WRITES = 2_000
"""Memories written and deleted before anything counts: a new server compiles what it runs often."""
ONE_TURN_WRITES, PATIENCE = 20, 100
ASSOCIATIONS = 5
"""Partners of a memory, on average."""
EDGES_AT_ONCE = 5_000
PICTURE = Path(__file__).parents[2] / "docs" / "latency.svg"


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of the same thing done many times."""

    each: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.each)

    @property
    def p95(self) -> float:
        """What one in twenty exceeds."""
        return sorted(self.each)[int(len(self.each) * 0.95)]

    def __str__(self) -> str:
        return f"{self.median:.1f} (p95 {self.p95:.1f})"

    def ratio(self, other: "Times") -> str:
        """Return how many times longer than the other this took."""
        return f"{self.median / other.median:.2f} (p95 {self.p95 / other.p95:.2f})"


@dataclass(slots=True)
class Written:
    """What writing batches took, in seconds; the same memories both ways."""

    memories: int = 0
    bare: list[float] = field(default_factory=list)
    full: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        rates = (self.memories / sum(taken) for taken in (self.full, self.bare))
        ratio = statistics.median(b / f for b, f in zip(self.bare, self.full, strict=True))
        return " | ".join([*(f"{rate:,.0f}" for rate in rates), f"{ratio:.2f}"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured at one size."""

    size: int
    reads: dict[str, Times]
    written: Written
    readable: tuple[Times, int]
    """Milliseconds from a write to a recall that finds it, and how often the first recall did."""
    server: float
    python: float


class Bare:
    """The driver without Engram: a kept session, auto-commit, the statements that stand beside this file."""

    def __init__(self, settings: Settings) -> None:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        self._driver = neo4j.GraphDatabase.driver(
            settings.neo4j_uri or "", auth=(settings.neo4j_user, password), notifications_min_severity="OFF"
        )
        self._sessions = {
            access: self._driver.session(database=settings.neo4j_database, default_access_mode=access)
            for access in (neo4j.READ_ACCESS, neo4j.WRITE_ACCESS)
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for session in self._sessions.values():
            session.close()
        self._driver.close()

    def read(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        """Run a reading statement."""
        return self._run(neo4j.READ_ACCESS, name, parameters)

    def write(self, name: str, **parameters: Any) -> None:
        """Run a writing statement; returns after the commit."""
        self._run(neo4j.WRITE_ACCESS, name, parameters)

    def _run(self, access: str, name: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        return self._sessions[access].run(_statement(name), parameters).data()


@cache
def _statement(name: str) -> str:
    return Path(__file__).with_name(f"{name}.cypher").read_text(encoding="utf-8")


class Bench:
    """A space that grows."""

    def __init__(self, memory: Engram, bare: Bare, corpus: Corpus) -> None:
        self._memory = memory
        self._bare = bare
        self._corpus = corpus
        self._generator = np.random.default_rng(2)
        self._ids: list[str] = []

    def grow(self, size: int) -> Written:
        """Write turns until there are `size` memories, and lay associations between them."""
        before = len(self._ids)
        written = Written()
        self._bare.write("bare_index", dimensions=self._corpus.embedder.dimensions)
        while len(self._ids) < size:
            new = self._write(min(BATCH, size - len(self._ids)), written)
            rows = [_native(row) for row in self._bare.read("bare_copy", ids=new)]
            written.bare.append(_seconds(lambda rows=rows: self._bare.write("bare_insert", rows=rows)))  # type: ignore[misc]
        self._bare.write("bare_drop")
        self._bare.write("bare_delete")
        self._associate(before)
        return written

    def readable(self) -> tuple[Times, int]:
        """Return the time from the end of a write to a recall that finds it, and how often the first did."""
        taken, firsts = [], 0
        turns = (self._corpus.take(1)[0] for _ in count())
        # A turn that only asks is asked for by what is said, and recall leaves the question itself behind.
        for turn in islice((turn for turn in turns if not only_asks(turn.text)), ONE_TURN_WRITES):
            ids = self._memory.remember_turns([turn]).memories
            self._ids += ids
            began = time.perf_counter()
            recalls = self._recalls_until(ids[0], turn.text)
            taken.append((time.perf_counter() - began) * 1000)
            firsts += recalls == 1
        return Times(tuple(taken)), firsts

    def ask(self) -> dict[str, Times]:
        """Ask every way in turns, and return what each took."""
        taken: dict[str, list[float]] = {}
        number = max(QUESTIONS, len(self._corpus.questions)) + WARM_UP
        for place, question in enumerate(islice(cycle(self._corpus.questions), number)):
            ways = list(self._ways(question).items())
            # Whoever asks second finds the caches warm, so each does every other time.
            for name, way in ways if place % 2 else reversed(ways):
                seconds = _seconds(way)
                if place >= WARM_UP:
                    taken.setdefault(name, []).append(seconds * 1000)
        return {name: Times(tuple(each)) for name, each in taken.items()}

    def _ways(self, question: str) -> dict[str, Callable[[], Any]]:
        vector = self._corpus.embedder.question(question).tolist()
        seeds = self._generator.choice(self._ids, size=SEEDS, replace=False).tolist()
        return {
            "bare": lambda: self._bare.read(
                "bare_vector", space=SPACE, statuses=["active", "dormant"], vector=vector, width=WIDTH
            ),
            "full": lambda: self._memory.recall(question, read_only=True),
            "mind": lambda: self._memory.recall(question, mode="mind", hops=2, read_only=True),
            "hop": lambda: self._bare.read("spread", seeds=seeds, partners=PARTNERS, hops=1),
            "hops": lambda: self._bare.read("spread", seeds=seeds, partners=PARTNERS, hops=2),
        }

    def _write(self, number: int, written: Written) -> Sequence[str]:
        turns = self._corpus.take(number)
        embedding = self._corpus.embedder.seconds
        began = time.perf_counter()
        new = self._memory.remember_turns(turns).memories
        taken = time.perf_counter() - began - (self._corpus.embedder.seconds - embedding)
        written.full.append(taken)
        written.memories += len(new)
        self._ids += new
        return new

    def _associate(self, first: int) -> None:
        """Give the memories from the `first` on their associations, with any of the space."""
        sources = np.repeat(self._ids[first:], max(1, round(ASSOCIATIONS / 2)))
        targets = self._generator.choice(self._ids, size=len(sources))
        weights = self._generator.integers(1, 21, size=len(sources)).astype(float)
        rows = [
            {"low": min(pair), "high": max(pair), "weight": weight}
            for *pair, weight in zip(sources.tolist(), targets.tolist(), weights.tolist(), strict=True)
            if pair[0] != pair[1]
        ]
        for begin in range(0, len(rows), EDGES_AT_ONCE):
            some = rows[begin : begin + EDGES_AT_ONCE]
            self._bare.write("lay_associations", rows=some, now=datetime.now(UTC))

    def _recalls_until(self, wanted: str, question: str) -> int:
        """Recall until the wanted memory comes back, and return how often that was."""
        for number in range(1, PATIENCE + 1):
            if any(hit.memory.id == wanted for hit in self._memory.recall(question, WIDTH, read_only=True)):
                return number
        raise AssertionError(f"{question!r} was written, and {PATIENCE} recalls did not find it.")


def _seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _native(row: dict[str, Any]) -> dict[str, Any]:
    """Return a copied row with Python's times, as Engram sends them."""
    properties = {
        name: value.to_native() if isinstance(value, neo4j.time.DateTime) else value
        for name, value in row["properties"].items()
    }
    return {"properties": properties, "embedding": row["embedding"]}


def reranking(settings: Settings, corpus: Corpus) -> str:
    """Say what the reranker takes for the passages of one recall, where it is there."""
    if not settings.reranker:
        return "not here (ENGRAM_RERANKER names none)"
    reranker = Reranker.open(settings.reranker, settings.cache_dir / "rerankers", offline=True)
    try:
        if absent := reranker.wait(60.0):
            return f"not here ({absent})"
        passages = [turn.text for turn in corpus.take(RERANKED)]
        passes = [reranker.rerank(each, passages, budget=60.0) for each in corpus.questions[:WARM_UP]]
        return f"{Times(tuple(each.seconds * 1000 for each in passes))} ms for {RERANKED} passages"
    finally:
        reranker.close()


def measure(data: Path, sizes: Sequence[int]) -> Iterator[Measured]:
    """Yield what is measured at each size."""
    with database() as there:
        settings = there.model_copy(update={"batch_size": BATCH, "reranker": None})
        corpus = Corpus(data, Settings.load())
        with (
            Engram.open(settings, space=WARM_SPACE, embedder=corpus.embedder) as memory,
            Bare(settings) as bare,
        ):
            Bench(memory, bare, corpus).grow(WARM_WRITES)
            bare.write("delete_space", space=WARM_SPACE)
            corpus.restart()
        with Engram.open(settings, space=SPACE, embedder=corpus.embedder) as memory, Bare(settings) as bare:
            bench = Bench(memory, bare, corpus)
            for size in sizes:
                written = bench.grow(size)
                yield Measured(
                    size=size,
                    reads=bench.ask(),
                    written=written,
                    readable=bench.readable(),
                    server=(managed(settings).status().rss_bytes or 0) / 1e6,
                    python=psutil.Process().memory_info().rss / 1e6,
                )
        print(f"Reranker: {reranking(there, corpus)}.\n")


def tables(measured: Sequence[Measured]) -> str:
    """Return what was measured as markdown."""
    lines = [
        "Milliseconds, median (p95); ratios are to the bare query.\n",
        "| memories | bare | recall | ratio | mind, 2 hops | ratio | 1 hop alone | 2 hops alone |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for at in measured:
        bare, full, mind, hop, hops = (at.reads[name] for name in ("bare", "full", "mind", "hop", "hops"))
        cells = [bare, full, full.ratio(bare), mind, mind.ratio(bare), hop, hops]
        lines.append(f"| {at.size:,} | " + " | ".join(map(str, cells)) + " |")
    lines += [
        "\n| memories | written/s | bare/s | ratio | readable after, ms | server, MB | Python, MB |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for at in measured:
        readable, firsts = at.readable
        cells = [at.written, f"{readable}; at once {firsts} of {ONE_TURN_WRITES}"]
        lines.append(
            f"| {at.size:,} | " + " | ".join(map(str, cells)) + f" | {at.server:.0f} | {at.python:.0f} |"
        )
    return "\n".join(lines)


def picture(measured: Sequence[Measured]) -> str:
    """Return the curve of both ways to ask as SVG: medians, and p95 as thin lines; sizes are on a log scale."""
    left, right, top, bottom = 60, 560, 40, 300
    sizes = [at.size for at in measured]
    ticks = _ticks(max(at.reads["full"].p95 for at in measured))

    def x(size: int) -> float:
        span = math.log10(sizes[-1] / sizes[0]) or 1.0
        return left + (right - left) * math.log10(size / sizes[0]) / span

    def y(milliseconds: float) -> float:
        return bottom - (bottom - top) * milliseconds / ticks[-1]

    def line(way: str, figure: str) -> str:
        points = " ".join(f"{x(at.size):.1f},{y(getattr(at.reads[way], figure)):.1f}" for at in measured)
        return f'<polyline class="{way} {figure}" points="{points}"/>'

    def label(way: str, name: str) -> str:
        last = measured[-1].reads[way].median
        return f'<text class="{way}" x="{right + 8}" y="{y(last) + 4:.1f}">{name} {last:.0f} ms</text>'

    grid = [
        f'<path class="grid" d="M{left} {y(tick):.1f}H{right}"/>'
        f'<text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        for tick in ticks
    ]
    marks = [
        f'<text x="{x(size):.1f}" y="{bottom + 20}" text-anchor="middle">{size:,}</text>' for size in sizes
    ]
    lines = [line(way, figure) for way in ("bare", "full") for figure in ("p95", "median")]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right + 160} {bottom + 50}" role="img">',
            "<title>Milliseconds of a bare vector query and of a whole recall, by memories</title>",
            _STYLE,
            f'<text x="{left}" y="{top - 18}">milliseconds, median (thin: p95)</text>',
            *grid,
            *marks,
            f'<text x="{(left + right) / 2}" y="{bottom + 40}" text-anchor="middle">memories</text>',
            *lines,
            label("full", "recall"),
            label("bare", "bare vector query"),
            "</svg>\n",
        ]
    )


# Mid tones that are legible on white and on black, since a picture is shown in both.
_STYLE = """<style>
  text { font: 12px system-ui, sans-serif; fill: #57606a; }
  polyline { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
  .p95 { stroke-width: 1; }
  .grid { stroke: #8c959f; stroke-opacity: 0.3; }
  polyline.bare { stroke: #6e7781; }
  polyline.full { stroke: #2f81f7; }
  text.full { fill: #2f81f7; }
  @media (prefers-color-scheme: dark) { text { fill: #9da7b1; } polyline.bare { stroke: #9da7b1; } }
</style>"""


def _ticks(highest: float) -> list[float]:
    """Return about five round figures from 0 to no less than the highest."""
    power = 10.0 ** math.floor(math.log10(highest / 5))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * 5 >= highest)
    return [step * n for n in range(math.ceil(highest / step) + 1)]


def main() -> None:
    """Measure and print markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", default="1000,20000,100000")
    parser.add_argument("--picture", action="store_true")
    options = parser.parse_args()
    measured = list(measure(options.data, sorted(map(int, options.sizes.split(",")))))
    print(tables(measured))
    if options.picture:
        PICTURE.write_text(picture(measured), encoding="utf-8")


if __name__ == "__main__":
    main()
