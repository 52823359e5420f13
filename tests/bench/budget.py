"""What is resident with many memories: `python -m tests.bench.budget [COUNT]`; takes minutes at 100,000.

A managed server of its own with the shipped neo4j.conf; random unit vectors, since what they mean does not matter
for what they weigh; then recalls, so that the indexes are mapped. The embedder's share is the real one's.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import psutil

from engram.config import Settings
from engram.embedding import open_embedder
from engram.embedding.protocol import Task, Vectors, unit_rows
from engram.graph import Graph
from engram.memory import Engram
from engram.records import Turn
from engram.server import ManagedServer

DIMENSIONS = 384
RECALLS = 200
WORDS = [
    f"{a}{b}" for a in ("har", "bor", "lan", "mir", "sol", "tev") for b in ("k", "ma", "not", "pell", "ri")
]


class RandomEmbedder:
    """A unit vector for each text, from a seeded generator."""

    name = "random"
    dimensions = DIMENSIONS
    uses_prefixes = False
    uses_tasks = False

    def __init__(self) -> None:
        self._generator = np.random.default_rng(0)

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one random unit vector per text."""
        del task
        return unit_rows(self._generator.standard_normal((len(texts), DIMENSIONS)))

    def close(self) -> None:
        """Do nothing."""


def turns(count: int) -> Iterator[Turn]:
    """Yield turns of 100 each in a session, of ten words from a small vocabulary and a number."""
    generator = np.random.default_rng(1)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for n in range(count):
        words = " ".join(WORDS[i] for i in generator.integers(len(WORDS), size=10))
        yield Turn(
            text=f"{words} {n}",
            speaker=("Ann", "Bo")[n % 2],
            at=start + timedelta(minutes=n),
            session=f"session {n // 100}",
            id=str(n),
        )


def main(count: int) -> None:
    """Fill a server, ask it, and print a markdown table."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load(data_dir=Path(folder), server_backend="maven", batch_size=500)
        server = ManagedServer(settings)
        there = server.start()
        try:
            graph = Graph(there.uri, there.user, there.password, there.database)
            with Engram(graph, settings, space="bench", embedder=RandomEmbedder()) as memory:
                memory.ensure_schema()
                began = time.perf_counter()
                memory.remember_turns(turns(count))
                rate = count / (time.perf_counter() - began)
                taken = []
                for n in range(RECALLS):
                    began = time.perf_counter()
                    memory.recall(f"{WORDS[n % len(WORDS)]} {WORDS[n % 7]} {n}")
                    taken.append((time.perf_counter() - began) * 1000)
            rss = (server.status().rss_bytes or 0) / 1e6
            disk = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1e6
        finally:
            server.stop()
    with tempfile.TemporaryDirectory() as cache:
        embedder = open_embedder(Settings.load(cache_dir=Path(cache)))
        embedder.embed(["What is resident?"] * 32)
        own = psutil.Process(os.getpid()).memory_info().rss / 1e6
    taken.sort()
    print(
        "| memories | server, MB | Python with embedder, MB | together, MB | on disk, MB | written/s | recall, ms |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|")
    middle, late = statistics.median(taken), taken[int(len(taken) * 0.95)]
    print(
        f"| {count:,} | {rss:.0f} | {own:.0f} | {rss + own:.0f} | {disk:.0f} | {rate:.0f} "
        f"| {middle:.0f} (p95 {late:.0f}) |"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
