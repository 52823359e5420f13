"""Memory engines side by side on the same conversations, with the same vectors, in one run.

`python -m tests.bench.peers --data FILE [--only NAME ...] [--conversations N]`

FILE holds LoCoMo conversations: `[{id, turns: [{id, at, speaker, text, caption, ...}], questions: [{question,
category, evidence: [turn id, ...], ...}]}]`. Each engine stores every turn and is asked every question for 20
turns; no language model takes part, and all that use vectors get Engram's encoder's, over loopback HTTP.

Each peer lives in `.venv-peers/NAME`, made here with pinned versions, and `peers_adapters/NAME.py` drives it.
Those that keep their memory in Neo4j get a managed server of their own with an empty database.
"""

import argparse
import http.client
import importlib.metadata
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from engram.config import Settings
from engram.errors import EngramError
from engram.server import ManagedServer
from tests.bench.embedding_server import EmbeddingServer
from tests.bench.locomo import METRICS, parse, scores

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / ".venv-peers"
ENGRAM = "engram"
MODEL = "all-MiniLM-L6-v2"
K = 20
PATIENCE = 3600.0
"""Seconds that one peer may take."""
OPT_OUTS = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "MEM0_TELEMETRY": "False",
    "POSTHOG_DISABLED": "1",
}

Conversation = dict[str, Any]
Result = dict[str, Any]
"""`{conversation, question, retrieved: [turn id, best first], ms}`; `question` counts from 0."""


@dataclass(frozen=True, kw_only=True)
class Peer:
    """One engine to compare with."""

    label: str
    """Its name in the table."""
    requirements: tuple[str, ...]
    """Exact versions to install, the engine's own first."""
    needs_neo4j: bool = False

    @property
    def version(self) -> str:
        """The engine's own version."""
        return self.requirements[0].partition("==")[2]


PEERS = {
    "bm25": Peer(label="BM25 (bm25s)", requirements=("bm25s==0.3.16", "PyStemmer==3.1.0", "numpy==2.4.6")),
    "chroma": Peer(label="Chroma", requirements=("chromadb==1.5.9", "openai==3.52.0", "numpy==2.4.6")),
    "mem0": Peer(
        label="mem0, infer=False", requirements=("mem0ai==2.2.1", "openai==3.52.0", "qdrant-client==1.20.0")
    ),
    "agent_memory": Peer(
        label="neo4j-agent-memory",
        requirements=("neo4j-agent-memory[openai]==0.8.0", "openai==3.52.0", "neo4j==6.4.1"),
        needs_neo4j=True,
    ),
    "graphrag": Peer(
        label="neo4j-graphrag, hybrid",
        requirements=("neo4j-graphrag[openai]==1.22.0", "openai==3.52.0", "neo4j==6.4.1"),
        needs_neo4j=True,
    ),
}
"""By the name of the adapter."""


class SkippedError(Exception):
    """A system could not be measured; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one system did."""

    label: str
    version: str
    results: list[Result]
    ingest_seconds: float | None
    """None if it was not told."""


def load(path: Path, count: int | None = None) -> list[Conversation]:
    """Return the file's first `count` conversations, or all of them."""
    conversations: list[Conversation] = json.loads(path.read_text(encoding="utf-8"))
    return conversations[:count]


def turn_text(turn: Mapping[str, Any]) -> str:
    """Return a turn as every peer stores it: `Speaker: text [picture: caption]`."""
    picture = f" [picture: {turn['caption']}]" if turn.get("caption") else ""
    return f"{turn['speaker']}: {turn['text']}{picture}"


def run_peer(name: str, conversations: Sequence[Conversation], embedder: EmbeddingServer) -> Outcome:
    """Install a peer if need be, have it store the conversations and answer the questions.

    Raises:
        SkippedError: It could not be installed, its server did not start, or it failed.
    """
    peer = PEERS[name]
    python = install(name, peer.requirements)
    with tempfile.TemporaryDirectory(prefix="engram-peers-") as scratch:
        folder = Path(scratch)
        kept = folder / "kept"
        kept.mkdir()
        job = {
            "conversations": [_without_answers(conversation) for conversation in conversations],
            "k": K,
            "embedding_url": embedder.url,
            "embedding_model": MODEL,
            "dimensions": embedder.dimensions,
            "folder": str(kept),
            "results": str(folder / "results.jsonl"),
            "neo4j": None,
        }
        if peer.needs_neo4j:
            with empty_neo4j(folder / "neo4j") as there:
                _adapt(python, name, job | {"neo4j": there}, folder)
        else:
            _adapt(python, name, job, folder)
        *results, last = _lines(folder / "results.jsonl")
    return Outcome(
        label=peer.label, version=peer.version, results=results, ingest_seconds=last["ingest_seconds"]
    )


def run_engram(conversations: Sequence[Conversation]) -> Outcome:
    """Run Engram's own retrieval benchmark on the conversations.

    Raises:
        SkippedError: It failed.
    """
    with tempfile.TemporaryDirectory(prefix="engram-peers-") as scratch:
        data, out = Path(scratch, "data.json"), Path(scratch, "results.jsonl")
        data.write_text(json.dumps(conversations), encoding="utf-8")
        command = [sys.executable, "-m", "tests.bench.retrieval", "--data", str(data), "--out", str(out)]
        _checked(command, env=dict(os.environ))
        results = _lines(out)
    return Outcome(
        label="Engram",
        version=importlib.metadata.version("engram-neo4j"),
        results=results,
        ingest_seconds=None,
    )


def install(name: str, requirements: Sequence[str]) -> Path:
    """Return the Python of a peer's environment, made anew unless it has exactly these requirements.

    Raises:
        SkippedError: pip failed.
    """
    folder = ENVIRONMENTS / name
    python, ready, wanted = folder / "bin" / "python", folder / "ready", "\n".join(requirements)
    if not (ready.exists() and ready.read_text(encoding="utf-8") == wanted):
        _say(f"{name}: installing {', '.join(requirements)}")
        _checked([sys.executable, "-m", "venv", "--clear", str(folder)], env=dict(os.environ))
        _checked([str(python), "-m", "pip", "install", "-q", *requirements], env=dict(os.environ))
        ready.write_text(wanted, encoding="utf-8")
    return python


@contextmanager
def empty_neo4j(folder: Path) -> Iterator[dict[str, str]]:
    """Run a managed server with an empty database in `folder` until the block ends; give its address.

    Raises:
        SkippedError: It did not start.
    """
    server = ManagedServer(Settings.load(data_dir=folder, server_backend="maven"))
    try:
        there = server.start()
    except EngramError as error:
        raise SkippedError(f"no Neo4j server: {error}") from error
    try:
        yield {
            "uri": there.uri,
            "user": there.user,
            "password": there.password,
            "database": there.database,
        }
    finally:
        server.stop()


def embedding_ms(embedder: EmbeddingServer, texts: Sequence[str]) -> float:
    """Return the median time of one request for one vector, in ms, on a kept connection."""
    address = urlsplit(embedder.url)
    connection = http.client.HTTPConnection(address.netloc)
    taken = []
    for text in texts:
        began = time.perf_counter()
        connection.request("POST", f"{address.path}/embeddings", body=json.dumps({"input": text}))
        connection.getresponse().read()
        taken.append((time.perf_counter() - began) * 1000)
    connection.close()
    return statistics.median(taken)


def row(outcome: Outcome, conversations: Sequence[Conversation]) -> str:
    """Return one line of the table."""
    retrieved = {(each["conversation"], each["question"]): each["retrieved"] for each in outcome.results}
    scored = scores(parse(conversations), retrieved)
    ms = statistics.median(result["ms"] for result in outcome.results)
    ingest = "" if outcome.ingest_seconds is None else f"{outcome.ingest_seconds:.1f}"
    cells = [outcome.label, outcome.version, *(f"{scored[metric]:.3f}" for metric in METRICS)]
    return f"| {' | '.join(cells)} | {ms:.2f} | {ingest} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the wanted systems in turn and print a markdown table."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.peers", description="Compare memory engines."
    )
    parser.add_argument("--data", type=Path, required=True, help="LoCoMo conversations, JSON")
    parser.add_argument("--only", nargs="+", choices=[ENGRAM, *PEERS], help="leave out all others")
    parser.add_argument("--conversations", type=int, metavar="N", help="only the first N")
    wanted = parser.parse_args(arguments)
    conversations = load(wanted.data, wanted.conversations)
    questions = [question["question"] for each in conversations for question in each["questions"]]
    turns = sum(len(each["turns"]) for each in conversations)

    skipped = []
    print(
        f"Conversations {len(conversations)}, turns {turns}, questions {len(questions)}; {MODEL}, no LLM.\n"
    )
    print(f"| system | version | {' | '.join(METRICS)} | ms per query, median | seconds to ingest |")
    print(f"|---|---|{'---:|' * (len(METRICS) + 2)}", flush=True)
    with EmbeddingServer.running() as embedder:
        vector_ms = embedding_ms(embedder, questions[:100])
        for name in wanted.only or [ENGRAM, *PEERS]:
            _say(f"{name}: running")
            try:
                outcome = (
                    run_engram(conversations) if name == ENGRAM else run_peer(name, conversations, embedder)
                )
            except SkippedError as error:
                skipped.append(f"{name} was skipped: {error}.")
                continue
            print(row(outcome, conversations), flush=True)
    print(f"\nEach peer but BM25 fetches one vector a query over HTTP: {vector_ms:.1f} ms on its own.")
    print("\n".join(skipped))


def _without_answers(conversation: Conversation) -> dict[str, Any]:
    return {
        "id": conversation["id"],
        "turns": [
            {"id": turn["id"], "text": turn_text(turn), "at": turn["at"], "speaker": turn["speaker"]}
            for turn in conversation["turns"]
        ],
        "questions": [question["question"] for question in conversation["questions"]],
    }


def _adapt(python: Path, name: str, job: dict[str, Any], folder: Path) -> None:
    """Run an adapter with an environment that holds no settings and no keys of the person who measures."""
    path = folder / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    clean = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": job["embedding_url"],
        "MEM0_DIR": str(folder / "mem0"),
    }
    _checked([str(python), "-m", f"tests.bench.peers_adapters.{name}", str(path)], env=clean | OPT_OUTS)


def _checked(command: Sequence[str], env: Mapping[str, str]) -> None:
    """Run a program from the top of the checkout.

    Raises:
        SkippedError: It failed or took too long; the message ends with its last line that is not indented.
    """
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=env,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SkippedError(str(error)) from error
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line and not line[0].isspace()] or ["no word"]
        raise SkippedError(f"exit {done.returncode}, {said[-1]}")


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
