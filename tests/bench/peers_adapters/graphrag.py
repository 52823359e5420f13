"""neo4j-graphrag's HybridRetriever: a vector and a full-text index over the same turns, default ranker."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import neo4j
from neo4j_graphrag.embeddings import OpenAIEmbeddings  # type: ignore[import-not-found]
from neo4j_graphrag.indexes import (  # type: ignore[import-not-found]
    create_fulltext_index,
    create_vector_index,
    upsert_vectors,
)
from neo4j_graphrag.retrievers import HybridRetriever  # type: ignore[import-not-found]
from neo4j_graphrag.types import RetrieverResultItem  # type: ignore[import-not-found]

from tests.bench.peers_adapters.job import Job, Turn, main

INSERT, WAIT = (
    Path(__file__).with_name(f"graphrag_{name}.cypher").read_text(encoding="utf-8")
    for name in ("insert", "wait")
)
LUCENE_SYNTAX = str.maketrans(dict.fromkeys('+-&|!(){}[]^"~*?:\\/', " "))
"""The retriever hands its text to Lucene's query parser as it is; a person's question is not meant as syntax.

As it is, "artists/bands" is an error and the question mark of "the group?" a wildcard; that costs
it .02 of recall@10.
"""


class GraphRAG:
    """A label and two indexes for each conversation, since the hybrid retriever takes no filter."""

    def __init__(self, job: Job, driver: neo4j.Driver, database: str) -> None:
        self._driver = driver
        self._database = database
        self._dimensions = job.dimensions
        self._embedder = OpenAIEmbeddings(model=job.embedding_model, base_url=job.embedding_url)
        self._retrievers: dict[str, HybridRetriever] = {}

    def add(self, conversation: str, turns: Sequence[Turn]) -> None:
        """Create the indexes and the turns, and wait until the indexes have them."""
        # A number, since the library quotes neither labels nor properties.
        label, vectors, words = (f"{kind}{len(self._retrievers)}" for kind in ("Turn", "vectors", "words"))
        create_vector_index(
            self._driver,
            vectors,
            label=label,
            embedding_property="embedding",
            dimensions=self._dimensions,
            similarity_fn="cosine",
            neo4j_database=self._database,
        )
        create_fulltext_index(
            self._driver, words, label=label, node_properties=["text"], neo4j_database=self._database
        )
        rows = self._driver.execute_query(
            INSERT, label=label, turns=[vars(turn) for turn in turns], database_=self._database
        ).records
        upsert_vectors(
            self._driver,
            ids=[row["element_id"] for row in rows],
            embedding_property="embedding",
            embeddings=[self._embedder.embed_query(turn.text) for turn in turns],
            neo4j_database=self._database,
        )
        self._driver.execute_query(WAIT, database_=self._database)
        self._retrievers[conversation] = HybridRetriever(
            self._driver,
            vectors,
            words,
            self._embedder,
            return_properties=["id"],
            result_formatter=_turn_id,
            neo4j_database=self._database,
        )

    def search(self, conversation: str, question: str, k: int) -> list[str]:
        """Return what the two indexes find together."""
        found = self._retrievers[conversation].search(
            query_text=question.translate(LUCENE_SYNTAX),
            query_vector=self._embedder.embed_query(question),
            top_k=k,
        )
        return [item.content for item in found.items]


def _turn_id(record: neo4j.Record) -> RetrieverResultItem:
    return RetrieverResultItem(content=record["node"]["id"])


@contextmanager
def open_peer(job: Job) -> Iterator[GraphRAG]:
    """Connect to the job's server."""
    if job.neo4j is None:
        raise ValueError("This peer needs a Neo4j server.")
    there = job.neo4j
    with neo4j.GraphDatabase.driver(there.uri, auth=(there.user, there.password)) as driver:
        yield GraphRAG(job, driver, there.database)


if __name__ == "__main__":
    main(open_peer)
