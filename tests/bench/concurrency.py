"""Many clients on one space: `python -m tests.bench.concurrency --data FILE [--memories 5000] [--seconds 10]`.

FILE is in LoCoMo's form. On one new server, clients recall as fast as they can while somebody else writes turns:
once learning from what they recall, once read-only; first as threads, then as processes. Each client opens its
own `Engram`. No error may reach a caller, above all no deadlock, and no lesson may be lost. Embedding costs
nothing here, see `corpus`.
"""

import argparse
import multiprocessing
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from pathlib import Path
from threading import Barrier, Event

from engram.config import Settings
from engram.embedding.protocol import Embedder
from engram.errors import EngramError
from engram.memory import Engram
from tests.bench.corpus import Corpus
from tests.bench.latency import SPACE, Times
from tests.bench.retrieval import database

THREADS, PROCESSES = (1, 4, 16), (4,)
WARM_UP = 10
AT_ONCE = 10
"""Turns that the writer stores with one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """All that one client needs, wherever it runs."""

    settings: Settings
    embedder: Embedder
    questions: Sequence[str]
    seconds: float
    read_only: bool
    start: Barrier
    """Where it waits for the others once it is warm."""


@dataclass(slots=True)
class Outcome:
    """What became of one client's calls."""

    milliseconds: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    learned: int = 0
    dropped: int = 0
    late: float = 0.0
    """Seconds after its last recall until the last lesson was written."""

    def call(self, work: Callable[[], object]) -> None:
        """Do something, and note how long it took or which error came of it."""
        began = time.perf_counter()
        try:
            work()
        except EngramError as error:
            self.errors[f"{type(error).__name__}: {error.message}"] += 1
        else:
            self.milliseconds.append((time.perf_counter() - began) * 1000)


def recall(client: Client) -> Outcome:
    """Recall for as long as the client is to, then wait for what was learned."""
    outcome = Outcome()
    with Engram.open(client.settings, space=SPACE, embedder=client.embedder) as memory:
        for question in islice(cycle(client.questions), WARM_UP):
            memory.recall(question, read_only=True)
        client.start.wait()
        end = time.perf_counter() + client.seconds
        for question in cycle(client.questions):
            outcome.call(lambda question=question: memory.recall(question, read_only=client.read_only))  # type: ignore[misc]
            if time.perf_counter() > end:
                break
        memory.flush()
        outcome.late = time.perf_counter() - end
        state = memory.learning
        outcome.learned, outcome.dropped = state.written, state.dropped + state.waiting
    return outcome


def write(settings: Settings, corpus: Corpus, start: Barrier, stop: Event) -> Outcome:
    """Store turns until told to stop."""
    outcome = Outcome()
    with Engram.open(settings, space=SPACE, embedder=corpus.embedder) as memory:
        start.wait()
        while not stop.is_set():
            turns = corpus.take(AT_ONCE)
            outcome.call(lambda turns=turns: memory.remember_turns(turns))  # type: ignore[misc]
    return outcome


def together(
    pool: Executor, number: int, like: Client, corpus: Corpus, start: Barrier
) -> tuple[list[Outcome], Outcome]:
    """Let so many clients recall while one writer writes; return their outcomes and the writer's."""
    # Each begins somewhere else in the questions.
    shift = len(like.questions) // number
    clients = [
        replace(like, questions=[*like.questions[n * shift :], *like.questions[: n * shift]], start=start)
        for n in range(number)
    ]
    stop = threading.Event()
    with ThreadPoolExecutor(1) as beside:
        writer = beside.submit(write, like.settings, corpus, start, stop)
        try:
            outcomes = list(pool.map(recall, clients))
        finally:
            stop.set()
        return outcomes, writer.result()


def row(name: str, seconds: float, read_only: bool, clients: Sequence[Outcome], writer: Outcome) -> str:  # noqa: FBT001
    """Return a row of the table."""
    taken = Times(tuple(each for client in clients for each in client.milliseconds))
    learned, dropped = (sum(getattr(each, what) for each in clients) for what in ("learned", "dropped"))
    cells = [
        name,
        "no" if read_only else "yes",
        f"{len(taken.each) / seconds:.0f}",
        taken,
        Times(tuple(writer.milliseconds)),
        sum((each.errors for each in [*clients, writer]), Counter[str]()).total(),
        f"{learned:,}",
        dropped,
        f"{max(each.late for each in clients):.1f}",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    """Measure and print a markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--memories", type=int, default=5_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    errors = Counter[str]()
    spawning = multiprocessing.get_context("spawn")
    with database() as there, spawning.Manager() as manager:
        settings = there.model_copy(update={"reranker": None})
        corpus = Corpus(options.data, Settings.load())
        with Engram.open(settings, space=SPACE, embedder=corpus.embedder) as memory:
            memory.remember_turns(corpus.take(options.memories))
        print(
            f"{options.memories:,} memories, {options.seconds:g} s each; the writer stores {AT_ONCE} turns a call.\n"
        )
        print(
            "| clients | learning | recalls/s | recall, ms | write, ms | errors | learned | lost | learned after, s |"
        )
        print("|---:|:--|---:|---:|---:|---:|---:|---:|---:|")
        for kind, numbers in (("threads", THREADS), ("processes", PROCESSES)):
            for number in numbers:
                for read_only in (False, True):
                    client = Client(
                        settings=settings,
                        embedder=corpus.embedder,
                        questions=corpus.questions,
                        seconds=options.seconds,
                        read_only=read_only,
                        start=manager.Barrier(number + 1),
                    )
                    pool: Executor = (
                        ThreadPoolExecutor(number)
                        if kind == "threads"
                        else ProcessPoolExecutor(number, mp_context=spawning)
                    )
                    with pool:
                        clients, writer = together(pool, number, client, corpus, client.start)
                    errors += sum((each.errors for each in [*clients, writer]), Counter[str]())
                    print(row(f"{number} {kind}", options.seconds, read_only, clients, writer), flush=True)
    for message, times in errors.most_common():
        print(f"\n{times} times: {message}")


if __name__ == "__main__":
    main()
