"""`why` beside a bare path query: `python -m tests.bench.why [--sizes 20000,100000]`.

Each size gets a new server with a life in it, see `lived`, and chains of evidence: six steps from memory to memory, one
to a turn, one to its session. Both are asked for the same chain in turns, and `why` folds it into its tree; then `why`
alone is asked for a memory that rests on a thousand others.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engram.beliefs.why import explain
from engram.config import Settings
from engram.graph import Path as GraphPath
from engram.memory import Engram
from engram.testing import FixedClock
from tests.bench.latency import Times
from tests.bench.lived import NOW, Life, Subjects, portions, run
from tests.bench.retrieval import database

SPACE = "bench"
CHAINED = 7
"""Memories of a chain: six steps lie between them."""
SOURCES = 1_000
"""What the broad memory rests on."""
WARM_UP, ROUNDS = 100, 400
BARE = Path(__file__).with_name("bare_chain.cypher").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured at one size, in milliseconds."""

    size: int
    bare: Times
    why: Times
    broad: Times


def measure(settings: Settings, size: int) -> Measured:
    """Lay a life with chains in it, and ask for them."""
    with Engram.open(settings, space=SPACE, embedder=Subjects(), clock=FixedClock(NOW)) as memory:
        life = Life(memory, size)
        life.lay()
        chains = lay_chains(life)
        broad = life.ids[-1]
        memory.graph.write("write/link_sources", space=SPACE, id=broad, sources=life.ids[:SOURCES], now=NOW)
        taken: dict[str, list[float]] = {"bare": [], "why": [], "broad": []}
        for number in range(WARM_UP + ROUNDS):
            for name, milliseconds in _round(memory, chains[number % len(chains)], number):
                if number >= WARM_UP:
                    taken[name].append(milliseconds)
        for _ in range(ROUNDS // 10):
            taken["broad"].append(_timed(lambda: explain(memory.graph, space=SPACE, memory_id=broad)))
    return Measured(size=size, **{name: Times(tuple(each)) for name, each in taken.items()})


def lay_chains(life: Life) -> list[list[str]]:
    """Let a seventh of the memories rest on others in chains, and return the chains, the top of each first."""
    ids = life.ids[: life.size // CHAINED]
    chains = [chain for chain in portions(ids, CHAINED) if len(chain) == CHAINED]
    for some in portions(chains):
        run(life.memory.graph, "lay_chains", space=SPACE, chains=some, now=NOW)
    return chains


def _round(memory: Engram, chain: Sequence[str], number: int) -> Iterator[tuple[str, float]]:
    """Yield the name and the milliseconds of both ways; they change places from round to round."""

    def bare() -> None:
        row = memory.graph._run("READ", BARE, {"space": SPACE, "id": chain[0]})[0]
        path: GraphPath = row["path"]
        _expect(len(path.nodes))

    def why() -> None:
        _expect(len(explain(memory.graph, space=SPACE, memory_id=chain[0])))

    ways = [("bare", bare), ("why", why)]
    for name, way in ways if number % 2 else reversed(ways):
        yield name, _timed(way)


def _expect(nodes: int) -> None:
    if nodes != CHAINED + 2:
        raise AssertionError(f"The chain has {nodes} nodes, not {CHAINED + 2}.")


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1_000


def table(measured: Sequence[Measured]) -> str:
    """Return what was measured as markdown."""
    lines = [
        "Milliseconds over a connection, in one round trip each; the ratio is to the bare path.\n",
        "| memories | bare path | why, depth 6 | ratio | why, 1,000 sources |",
        "|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {at.size:,} | {at.bare} | {at.why} | {at.why.ratio(at.bare)} | {at.broad} |" for at in measured
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print a markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="20000,100000")
    options = parser.parse_args()
    measured = []
    for size in sorted(map(int, options.sizes.split(","))):
        with database() as settings:
            measured.append(measure(settings.model_copy(update={"reranker": None}), size))
    print(table(measured))


if __name__ == "__main__":
    main()
