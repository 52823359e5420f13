"""neo4j-agent-memory: short-term memory with an embedder, no language model and no entity extractor.

Its `search_messages` looks through all conversations at once (0.8.0 ignores `session_id` on Bolt), so each
conversation is cleared before the next one comes; otherwise most of what it finds would be somebody else's.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from neo4j_agent_memory import (  # type: ignore[import-not-found]
    MemoryClient,
    MemorySettings,
)
from neo4j_agent_memory.llm import from_provider  # type: ignore[import-not-found]

from tests.bench.peers_adapters.job import Job, Turn, main


class AgentMemory:
    """One session for each conversation, and only the last one is there."""

    def __init__(self, client: MemoryClient, runner: asyncio.Runner) -> None:
        self._memory = client.short_term
        self._run = runner.run
        self._present: str | None = None

    def add(self, conversation: str, turns: Sequence[Turn]) -> None:
        """Load the turns in bulk."""
        if self._present is not None:
            self._run(self._memory.clear_session(self._present))
        self._present = conversation
        messages = [
            {
                "role": "user",
                "content": turn.text,
                "timestamp": turn.at,
                "metadata": {"turn": turn.id, "speaker": turn.speaker},
            }
            for turn in turns
        ]
        self._run(self._memory.add_messages_batch(conversation, messages))

    def search(self, conversation: str, question: str, k: int) -> list[str]:
        """Return the nearest messages, however far away they are."""
        found = self._run(
            self._memory.search_messages(question, session_id=conversation, limit=k, threshold=0.0)
        )
        return [message.metadata["turn"] for message in found]


@contextmanager
def open_peer(job: Job) -> Iterator[AgentMemory]:
    """Connect to the job's server; the client makes its own indexes there."""
    if job.neo4j is None:
        raise ValueError("This peer needs a Neo4j server.")
    settings = MemorySettings(
        backend="bolt",
        neo4j={
            "uri": job.neo4j.uri,
            "username": job.neo4j.user,
            "password": job.neo4j.password,
            "database": job.neo4j.database,
        },
        llm=None,
        embedding=from_provider(
            f"openai/{job.embedding_model}",
            kind="embedding",
            api_base=job.embedding_url,
            dimensions=job.dimensions,
        ),
        extraction={"extractor_type": "none"},
    )
    client = MemoryClient(settings)
    with asyncio.Runner() as runner:
        runner.run(client.connect())
        try:
            yield AgentMemory(client, runner)
        finally:
            runner.run(client.close())


if __name__ == "__main__":
    main(open_peer)
