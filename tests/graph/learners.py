"""A process that recalls and learns, for tests of many at once.

It is started as `python -m tests.graph.learners`, reads one line of JSON (a `Task`) and prints another: what it
was given back, so that the graph can be held against the sum of what all of them say.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from engram.config import Settings
from engram.graph import Graph
from engram.learning import PAIRED
from engram.memory import Engram
from engram.testing import HashEmbedder

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What one process is to do."""

    uri: str
    user: str
    password: str
    database: str
    space: str
    dimensions: int
    queries: Sequence[str]
    """Asked in turn."""
    recalls: int
    k: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What one process was given, and what became of what it learned."""

    uses: dict[str, int]
    """How often each memory came back, by its id."""
    pairs: dict[str, int]
    """How often two came back together, by both ids with a space between, the lower first."""
    written: int
    dropped: int
    reason: str | None


def run(task: Task, *, processes: int, seconds: float) -> list[Done]:
    """Run the same task in several processes at once; one that fails or is too slow is an error."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.graph.learners"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(processes)
    ]
    try:
        for process in running:
            assert process.stdin is not None
            process.stdin.write(json.dumps(asdict(task)) + "\n")
            process.stdin.flush()
        outputs = [process.communicate(timeout=seconds)[0] for process in running]
    finally:
        for process in running:
            process.kill()
            process.communicate()
    assert [process.returncode for process in running] == [0] * processes
    return [Done(**json.loads(output)) for output in outputs]


def work(task: Task, data: Path) -> Done:
    """Recall as often as the task says, and wait until all of it is learned from."""
    uses, pairs = Counter[str](), Counter[str]()
    graph = Graph(task.uri, task.user, task.password, task.database)
    settings = Settings.load(data_dir=data)
    with Engram(graph, settings, space=task.space, embedder=HashEmbedder(task.dimensions)) as memory:
        for n in range(task.recalls):
            hits = memory.recall(task.queries[n % len(task.queries)], task.k)
            ids = [hit.memory.id for hit in hits]
            uses.update(ids)
            pairs.update(" ".join(pair) for pair in combinations(sorted(ids[:PAIRED]), 2))
        while not memory.flush():
            pass
        state = memory.learning
    return Done(
        uses=dict(uses), pairs=dict(pairs), written=state.written, dropped=state.dropped, reason=state.reason
    )


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        print(json.dumps(asdict(work(Task(**json.loads(sys.stdin.readline())), Path(folder)))))
