"""What an adapter is given and gives back; standard library only, since each peer has its own environment.

`tests.bench.peers` starts an adapter as `python -m tests.bench.peers_adapters.NAME JOB`. JOB is a JSON file;
the adapter writes a line for each question to the file that it names, and last the time of ingestion.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One turn, as a peer is to store it."""

    id: str
    text: str
    """`Speaker: what was said [picture: caption]`."""
    at: str
    """ISO 8601."""
    speaker: str


@dataclass(frozen=True, kw_only=True)
class Neo4j:
    """A server that holds nothing yet."""

    uri: str
    user: str
    password: str
    database: str


@dataclass(frozen=True, kw_only=True)
class Job:
    """Everything that an adapter may know; the questions come to it one by one."""

    conversations: list[dict[str, Any]]
    """`{id, turns: [Turn as an object], questions: [text]}`."""
    k: int
    """How many turns to retrieve for each question."""
    embedding_url: str
    """Base address of an OpenAI-compatible server; any key is right."""
    embedding_model: str
    dimensions: int
    folder: str
    """An empty folder for whatever the peer keeps on disk."""
    results: str
    """Where the lines go."""
    neo4j: Neo4j | None = None

    @classmethod
    def read(cls, path: Path) -> "Job":
        """Read the job from its file."""
        fields = json.loads(path.read_text(encoding="utf-8"))
        neo4j = fields.pop("neo4j")
        return cls(**fields, neo4j=neo4j and Neo4j(**neo4j))


class Peer(Protocol):
    """A memory engine with one conversation after the other in it."""

    def add(self, conversation: str, turns: Sequence[Turn]) -> None:
        """Store a whole conversation; afterwards its turns are found."""

    def search(self, conversation: str, question: str, k: int) -> list[str]:
        """Return the ids of up to `k` turns of this conversation, best first."""


def main(open_peer: Callable[[Job], AbstractContextManager[Peer]]) -> None:
    """Do the job named on the command line: for each conversation store it, then ask its questions."""
    job = Job.read(Path(sys.argv[1]))
    ingesting = 0.0
    with open_peer(job) as peer, Path(job.results).open("w", encoding="utf-8") as out:
        for conversation in job.conversations:
            turns = [Turn(**turn) for turn in conversation["turns"]]
            began = time.perf_counter()
            peer.add(conversation["id"], turns)
            ingesting += time.perf_counter() - began
            for index, question in enumerate(conversation["questions"]):
                began = time.perf_counter()
                retrieved = peer.search(conversation["id"], question, job.k)
                line = {
                    "conversation": conversation["id"],
                    "question": index,
                    "retrieved": retrieved,
                    "ms": (time.perf_counter() - began) * 1000,
                }
                out.write(json.dumps(line) + "\n")
        out.write(json.dumps({"ingest_seconds": ingesting}) + "\n")
