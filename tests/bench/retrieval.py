"""Retrieval on conversations: `python -m tests.bench.retrieval --data FILE --out RESULTS.jsonl`.

Each conversation goes into its own space through the public API, each question through
`recall(k=20, mode="search", read_only=True)`; no language model, no reranker, the default embedder. All spaces
share one new database; `--fresh` gives each conversation a database of its own, since BM25's statistics are
shared between spaces. `--ablation` asks again with each part of the evidence left out. `--learning` then asks
every question with learning on, and all of them again, to see that use does not bend what a search finds.
`--jobs` then runs every job once, at the database's time, and asks before and after it.
`--lived` remembers each session on its own day and asks a day after the last, to see that age does not either.

RESULTS has one line a question: {"conversation", "question" (its index), "retrieved" (turn ids, best first),
"ms" (embedding included)}.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from engram.config import Settings
from engram.memory import Engram
from engram.ranking import EVIDENCE
from engram.server import ManagedServer
from engram.testing import FixedClock
from tests.bench.locomo import Conversation, load, scores

# By name: the checkout's `jobs` folder is the package `engram.jobs` only once installed.
JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

DEPTH = 20
Retrieved = dict[tuple[str, int], list[str]]
"""Turn ids, best first, by conversation and index of the question."""
Taken = dict[tuple[str, int], float]
"""Milliseconds of each."""


@contextmanager
def database() -> Iterator[Settings]:
    """Give the settings of a new, empty database, and end it afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        managed = Settings.load(data_dir=Path(folder), server_backend="maven")
        server = ManagedServer(managed)
        there = server.start()
        try:
            yield Settings.load(
                data_dir=Path(folder),
                neo4j_uri=there.uri,
                neo4j_user=there.user,
                neo4j_password=there.password,
                neo4j_database=there.database,
            )
        finally:
            server.stop()


class Conversations:
    """Conversations in a database, each in its own space."""

    def __init__(
        self, settings: Settings, conversations: Sequence[Conversation], *, lived: bool = False
    ) -> None:
        self._settings = settings
        self._lived = lived
        self._conversations = conversations
        self._turns: dict[str, str] = {}
        self.written = 0
        self.seconds = 0.0

    def remember(self) -> None:
        """Store them all, at once or each session on its own day."""
        began = time.perf_counter()
        for conversation in self._conversations:
            clock = FixedClock()
            with self._open(conversation, clock) as memory:
                for session in conversation.sessions if self._lived else [conversation.turns]:
                    clock.now = max(turn.at for turn in session if turn.at)
                    done = memory.remember_turns(session)
                    refused = {index for index, _ in done.refused}
                    kept = [turn for index, turn in enumerate(session) if index not in refused]
                    self._turns.update(
                        {stored: turn.id or "" for stored, turn in zip(done.memories, kept, strict=True)}
                    )
                    self.written += done.stored
        self.seconds = time.perf_counter() - began

    def run_jobs(self) -> None:
        """Run every job once over all of them."""
        with self._open(self._conversations[0]) as memory:
            for job in JOBS.values():
                run_job(job, memory.graph, space=None)

    def _open(self, conversation: Conversation, clock: FixedClock | None = None) -> Engram:
        if self._lived and clock is None:
            end = max(turn.at for turn in conversation.turns if turn.at)
            clock = FixedClock(end + timedelta(days=1))
        if not self._lived:
            return Engram.open(self._settings, space=conversation.id)
        return Engram.open(self._settings, space=conversation.id, clock=clock or FixedClock())

    def ask(self, *, without: Sequence[str] = (), read_only: bool = True) -> tuple[Retrieved, Taken]:
        """Ask every question; return the turns that came back for each, and its milliseconds."""
        retrieved: Retrieved = {}
        taken: Taken = {}
        for conversation in self._conversations:
            with self._open(conversation) as memory:
                memory.recall("Is everything loaded?", read_only=True)
                for index, question in enumerate(conversation.questions):
                    began = time.perf_counter()
                    hits = memory.recall(
                        question.text, DEPTH, mode="search", read_only=read_only, without=without
                    )
                    taken[conversation.id, index] = (time.perf_counter() - began) * 1000
                    # One turn may have come back as several memories.
                    found = dict.fromkeys(self._turns[hit.memory.id] for hit in hits)
                    retrieved[conversation.id, index] = list(found)
        return retrieved, taken


def line(name: str, measured: dict[str, float]) -> str:
    """Return a row of the table."""
    return f"| {name} | " + " | ".join(f"{value:.3f}" for value in measured.values()) + " |"


def each_alone(conversations: Sequence[Conversation]) -> tuple[Retrieved, Taken, list[str]]:
    """Ask each conversation in a database of its own."""
    retrieved: Retrieved = {}
    taken: Taken = {}
    for conversation in conversations:
        with database() as settings:
            alone = Conversations(settings, [conversation])
            alone.remember()
            answers, times = alone.ask()
            retrieved |= answers
            taken |= times
    return retrieved, taken, [line("each in its own database", scores(conversations, retrieved))]


def all_together(
    conversations: Sequence[Conversation], *, ablation: bool, learning: bool, jobs: bool
) -> tuple[Retrieved, Taken, list[str]]:
    """Ask all in one database, and again without parts of the evidence, while learning, and after the jobs."""
    with database() as settings:
        together = Conversations(settings, conversations)
        together.remember()
        retrieved, taken = together.ask()
        rows = [line("all in one database", scores(conversations, retrieved))]
        left_out = {f"without {name}": {name} for name in EVIDENCE}
        left_out |= {f"{name} alone": {*EVIDENCE} - {name} for name in ("semantic", "lexical")}
        for name, without in left_out.items() if ablation else ():
            rows.append(line(name, scores(conversations, together.ask(without=sorted(without))[0])))
        for pass_ in ("first", "second") if learning else ():
            answers, _ = together.ask(read_only=False)
            rows.append(line(f"while learning, {pass_} pass", scores(conversations, answers)))
        if jobs:
            rows.append(line("before the jobs", scores(conversations, together.ask()[0])))
            together.run_jobs()
            rows.append(line("after every job", scores(conversations, together.ask()[0])))
    return retrieved, taken, rows


def as_lived(conversations: Sequence[Conversation]) -> str:
    """Remember each session on its own day, ask a day after the last, and return the row."""
    with database() as settings:
        lived = Conversations(settings, conversations, lived=True)
        lived.remember()
        return line("remembered as they went on", scores(conversations, lived.ask()[0]))


def write(path: Path, retrieved: Retrieved, taken: Taken) -> None:
    """Write the results."""
    with path.open("w", encoding="utf-8") as file:
        for (conversation, index), turns in retrieved.items():
            ms = round(taken[conversation, index], 2)
            row = {"conversation": conversation, "question": index, "retrieved": turns, "ms": ms}
            file.write(json.dumps(row) + "\n")


def main() -> None:
    """Measure, write the results, and print a markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    for name in ("--fresh", "--ablation", "--learning", "--jobs", "--lived"):
        parser.add_argument(name, action="store_true")
    options = parser.parse_args()
    conversations = load(options.data)
    if options.fresh:
        retrieved, taken, rows = each_alone(conversations)
    else:
        retrieved, taken, rows = all_together(
            conversations, ablation=options.ablation, learning=options.learning, jobs=options.jobs
        )
    if options.lived:
        rows.append(as_lived(conversations))
    if options.out:
        write(options.out, retrieved, taken)
    milliseconds = sorted(taken.values())
    print("| | recall@5 | recall@10 | recall@20 | multi-hop @10 | MRR |")
    print("|:--|---:|---:|---:|---:|---:|")
    print("\n".join(rows))
    print(
        f"\n{len(milliseconds):,} questions, embedding included: median {statistics.median(milliseconds):.1f} ms, "
        f"p95 {milliseconds[int(len(milliseconds) * 0.95)]:.1f} ms."
    )


if __name__ == "__main__":
    main()
