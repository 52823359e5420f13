"""An idle mind beside recalls: `python -m tests.bench.mind [--sizes 20000]`.

Each size gets a new server with a life in it, see `lived`, with goals, and with episodes that bear on them. Then, in
turns: a full recall, a cycle of the idle mind without a model, and a replay of the newest episodes with the goals that
press most. Round trips are counted by whoever watches the statements.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from engram.config import Settings
from engram.goals import Goals
from engram.memory import Engram
from engram.mind.idle import IdleMind
from engram.mind.replaying import FULL, Replayer
from engram.observing.operation import Operation, add_watcher, remove_watcher
from engram.testing import FixedClock
from tests.bench.latency import Times
from tests.bench.lived import NOW, Life, Subjects, run
from tests.bench.retrieval import database

SPACE = "bench"
GOALS, BOXES, BOX = 8, 6, 20
"""Goals, episodes, and memories of an episode."""
WARM_UP, ROUNDS = 10, 60
MOST = 3.0
"""Recalls that a cycle without a model may cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured at one size, in milliseconds and round trips."""

    size: int
    recall: Times
    cycle: Times
    replay: Times
    cycle_trips: float
    replay_trips: float


class Counting:
    """Counts round trips: statements alone, and transactions."""

    def __init__(self) -> None:
        self.count = 0

    def begin(self, operation: Operation) -> None:
        """Count it."""
        self.count += operation.kind in {"statement", "transaction"}

    def end(self, operation: Operation) -> None:
        """Do nothing."""


@contextmanager
def counting() -> Iterator[Counting]:
    """Count what happens inside."""
    counter = Counting()
    add_watcher(counter)
    try:
        yield counter
    finally:
        remove_watcher(counter)


def measure(settings: Settings, size: int) -> Measured:
    """Lay a life with goals and episodes, and let it be recalled, wandered in and replayed."""
    clock = FixedClock(NOW + timedelta(days=1))
    with Engram.open(settings, space=SPACE, embedder=Subjects(), clock=clock) as memory:
        life = Life(memory, size)
        life.lay()
        questions = life.questions(WARM_UP + ROUNDS)
        lay_goals(memory, questions[:GOALS])
        lay_episodes(life)
        trips: Counter[str] = Counter()
        taken: dict[str, list[float]] = {"recall": [], "cycle": [], "replay": []}
        replayer = Replayer(memory.graph, space=SPACE, clock=clock)
        with IdleMind(memory, generator=np.random.default_rng(0)) as mind:
            ways: dict[str, Callable[[int], object]] = {
                "recall": lambda number: memory.recall(questions[number], 10),
                "cycle": lambda _: mind.cycle(),
                "replay": lambda _: replayer.replay(FULL),
            }
            for number in range(WARM_UP + ROUNDS):
                for name, way in ways.items():
                    clock.advance(timedelta(minutes=1))
                    assert memory.flush()
                    with counting() as counted:
                        began = time.perf_counter()
                        way(number)
                        milliseconds = (time.perf_counter() - began) * 1_000
                    if number >= WARM_UP:
                        taken[name].append(milliseconds)
                        trips[name] += counted.count
    return Measured(
        size=size,
        **{name: Times(tuple(each)) for name, each in taken.items()},
        cycle_trips=trips["cycle"] / ROUNDS,
        replay_trips=trips["replay"] / ROUNDS,
    )


def lay_goals(memory: Engram, texts: Sequence[str]) -> None:
    """Set goals that are about some of the subjects."""
    goals = Goals(memory.graph, memory.embedder, space=SPACE, clock=memory.now)
    for text in texts:
        goals.add(text)
    goals.rank()


def lay_episodes(life: Life) -> None:
    """Let the newest memories be episodes."""
    newest = life.ids[-BOXES * BOX :]
    rows = [
        {
            "id": f"box {place}",
            "memories": sorted(newest[place * BOX : (place + 1) * BOX]),
            "at": NOW + timedelta(minutes=place),
        }
        for place in range(BOXES)
    ]
    run(life.memory.graph, "lay_boxes", space=SPACE, rows=rows)


def table(measured: Sequence[Measured]) -> str:
    """Return what was measured as markdown."""
    lines = [
        f"Milliseconds over a connection, in the same run; the ratio is to a full recall, of which a cycle may cost {MOST:g}.\n",
        "| memories | full recall | idle cycle | ratio | its round trips | replay, 3 by 5 | ratio | its round trips |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {at.size:,} | {at.recall} | {at.cycle} | {at.cycle.ratio(at.recall)} | {at.cycle_trips:.1f} "
        f"| {at.replay} | {at.replay.ratio(at.recall)} | {at.replay_trips:.1f} |"
        for at in measured
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print a markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="20000")
    options = parser.parse_args()
    measured = []
    for size in sorted(map(int, options.sizes.split(","))):
        with database() as settings:
            measured.append(measure(settings.model_copy(update={"reranker": None}), size))
    print(table(measured))


if __name__ == "__main__":
    main()
