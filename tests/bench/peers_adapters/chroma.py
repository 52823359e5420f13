"""Chroma: a collection for each conversation, on disk, with cosine distance."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import chromadb  # type: ignore[import-not-found]
from chromadb.utils.embedding_functions import (  # type: ignore[import-not-found]
    OpenAIEmbeddingFunction,
)

from tests.bench.peers_adapters.job import Job, Turn, main


class Chroma:
    """Dense retrieval over the turns' text."""

    def __init__(self, job: Job) -> None:
        self._client = chromadb.PersistentClient(
            path=job.folder, settings=chromadb.Settings(anonymized_telemetry=False)
        )
        self._embed = OpenAIEmbeddingFunction(model_name=job.embedding_model, api_base=job.embedding_url)

    def add(self, conversation: str, turns: Sequence[Turn]) -> None:
        """Store the turns in batches of 100, as large as a request for vectors may be with many providers."""
        collection = self._client.create_collection(
            conversation, embedding_function=self._embed, configuration={"hnsw": {"space": "cosine"}}
        )
        for first in range(0, len(turns), 100):
            batch = turns[first : first + 100]
            collection.add(
                ids=[turn.id for turn in batch],
                documents=[turn.text for turn in batch],
                metadatas=[{"speaker": turn.speaker, "at": turn.at} for turn in batch],
            )

    def search(self, conversation: str, question: str, k: int) -> list[str]:
        """Return the nearest turns."""
        collection = self._client.get_collection(conversation, embedding_function=self._embed)
        found = collection.query(query_texts=[question], n_results=k)
        ids: list[str] = found["ids"][0]
        return ids


@contextmanager
def open_peer(job: Job) -> Iterator[Chroma]:
    """Open an empty one in the job's folder."""
    yield Chroma(job)


if __name__ == "__main__":
    main(open_peer)
