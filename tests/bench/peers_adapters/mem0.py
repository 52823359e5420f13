"""mem0 without a language model: `add(..., infer=False)` with its default store, Qdrant in a local folder.

This is what `pip install mem0ai` gives. Its optional keyword and entity scores need spaCy and fastembed,
which fetch files of their own when first used.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mem0 import Memory  # type: ignore[import-not-found]

from tests.bench.peers_adapters.job import Job, Turn, main


class Mem0:
    """One user for each conversation, in one collection."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def add(self, conversation: str, turns: Sequence[Turn]) -> None:
        """Store the turns one by one; the id in the metadata maps results back."""
        for turn in turns:
            self._memory.add(
                turn.text,
                user_id=conversation,
                metadata={"turn": turn.id, "speaker": turn.speaker, "at": turn.at},
                infer=False,
            )

    def search(self, conversation: str, question: str, k: int) -> list[str]:
        """Return the best turns, however low their scores are."""
        found = self._memory.search(question, top_k=k, filters={"user_id": conversation}, threshold=0.0)
        return [item["metadata"]["turn"] for item in found["results"]]


@contextmanager
def open_peer(job: Job) -> Iterator[Mem0]:
    """Open an empty one in the job's folder."""
    folder = Path(job.folder)
    config = {
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": str(folder / "qdrant"), "embedding_model_dims": job.dimensions},
        },
        "embedder": {
            "provider": "openai",
            "config": {"model": job.embedding_model, "openai_base_url": job.embedding_url},
        },
        "history_db_path": str(folder / "history.db"),
    }
    with Memory.from_config(config) as memory:
        yield Mem0(memory)


if __name__ == "__main__":
    main(open_peer)
