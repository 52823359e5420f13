"""An idle mind beside recalls: `python -m tests.bench.mind [--sizes 20000]`.

Each size gets a new server with a life in it, see `lived`, with goals, and with episodes that bear on them. Then, in
turns: a full recall, a run of the idle mind without a model as the job makes it, and a replay of the newest episodes with
the goals that press most. A run opens the mind, has `idle.cycles` cycles and closes it; its first cycle opens the agent and
replays. Round trips are counted by whoever watches the statements.

It fails where a cycle of a run, all of the run divided by its cycles, costs more than three recalls.
"""

import argparse
import statistics
import sys
import time
from collections import defaultdict
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
"""Recalls that a cycle without a model may cost, what opens and closes its run included."""
FIRST, LATER, RUN = "first cycle of a run", "each later cycle", "a whole run, by its cycles"
RECALL, REPLAY = "full recall", "replay, 3 by 5"


@dataclass(frozen=True, slots=True)
class Timed:
    """How long something took, and what it asked of the server."""

    milliseconds: float
    trips: float

    def __truediv__(self, parts: int) -> "Timed":
        return Timed(self.milliseconds / parts, self.trips / parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured at one size, by what was done."""

    size: int
    times: dict[str, Times]
    trips: dict[str, float]
    """On average."""

    @property
    def recalls(self) -> float:
        """What a cycle costs: recalls for each, of a whole run."""
        return self.times[RUN].median / self.times[RECALL].median


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


def timed(way: Callable[[], object]) -> Timed:
    """Do something, and return how long it took."""
    with counting() as counted:
        began = time.perf_counter()
        way()
        return Timed((time.perf_counter() - began) * 1_000, counted.count)


def measure(settings: Settings, size: int) -> Measured:
    """Lay a life with goals and episodes, and let it be recalled, wandered in and replayed."""
    clock = FixedClock(NOW + timedelta(days=1))
    generator = np.random.default_rng(0)
    taken: dict[str, list[Timed]] = defaultdict(list)
    with Engram.open(settings, space=SPACE, embedder=Subjects(), clock=clock) as memory:
        life = Life(memory, size)
        life.lay()
        questions = life.questions(WARM_UP + ROUNDS)
        lay_goals(memory, questions[:GOALS])
        lay_episodes(life)
        replayer = Replayer(memory.graph, space=SPACE, clock=clock)
        ways: dict[str, Callable[[str], dict[str, list[Timed]]]] = {
            RECALL: lambda question: {RECALL: [timed(lambda: memory.recall(question, 10))]},
            RUN: lambda _: wander(memory, generator),
            REPLAY: lambda _: {REPLAY: [timed(lambda: replayer.replay(FULL))]},
        }
        for number, question in enumerate(questions):
            for way in ways.values():
                clock.advance(timedelta(minutes=1))
                assert memory.flush()
                for name, each in way(question).items():
                    taken[name] += each if number >= WARM_UP else ()
    return Measured(
        size=size,
        times={name: Times(tuple(each.milliseconds for each in some)) for name, some in taken.items()},
        trips={name: statistics.fmean(each.trips for each in some) for name, some in taken.items()},
    )


def wander(memory: Engram, generator: np.random.Generator) -> dict[str, list[Timed]]:
    """Let the mind wander for a run as the job does; return what the first cycle took, each later one, and the run by its cycles."""
    count = memory.tuned().whole("idle.cycles")
    cycles: list[Timed] = []

    def once(mind: IdleMind) -> None:
        assert mind.cycle().thought is not None, "nothing came to mind"

    def run_all() -> None:
        with IdleMind(memory, generator=generator) as mind:
            mind.last_at()
            cycles.extend(timed(lambda: once(mind)) for _ in range(count))

    whole = timed(run_all)
    return {FIRST: cycles[:1], LATER: cycles[1:], RUN: [whole / count]}


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
        f"Over a connection, in the same run; a cycle of a whole run may cost {MOST:g} full recalls.\n",
        "| memories | what | milliseconds | beside a full recall | round trips |",
        "|---:|---|---:|---:|---:|",
    ]
    lines += [
        f"| {at.size:,} | {name} | {at.times[name]} | {at.times[name].ratio(at.times[RECALL])} | {at.trips[name]:.1f} |"
        for at in measured
        for name in (RECALL, FIRST, LATER, RUN, REPLAY)
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print a markdown table; end with an error where a cycle costs too much."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="20000")
    options = parser.parse_args()
    measured = []
    for size in sorted(map(int, options.sizes.split(","))):
        with database() as settings:
            measured.append(measure(settings.model_copy(update={"reranker": None}), size))
    print(table(measured))
    wrong = [
        f"At {at.size:,} memories a cycle costs {at.recalls:.2f} recalls, more than {MOST:g}."
        for at in measured
        if at.recalls > MOST
    ]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
