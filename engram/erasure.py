"""Erasing for good: the one thing that deletes."""

from collections.abc import Callable
from datetime import datetime
from typing import cast

from engram.context import AFTER, BEFORE, Said, contextualize
from engram.embedding.protocol import Embedder, prefixed
from engram.graph import Graph, Row, Transaction
from engram.records import Kind, Memory
from engram.remembering import embed_memories, tombstones


def erase(graph: Graph, embedder: Embedder, memory: Memory, *, now: datetime) -> None:
    """Delete `memory`, its other validity episodes, its turn and every quotation of it as context.

    The neighbours of an erased turn get a context without it, and the cached vectors go last, so that a
    crash leaves at worst vectors of a text that nobody can find.
    """
    found = graph.read("inspect/find_erasure", space=memory.space, id=memory.id)
    if not found:  # somebody else was quicker
        return
    gone: list[Row] = found[0]["gone"]
    around: list[Row] = found[0]["around"]
    rewritten = _contexts(around)
    kinds = {row["id"]: Kind(row["kind"]) for row in around}
    vectors = embed_memories(embedder, [(kinds[near], text) for near, text in rewritten.items()]).tolist()
    rows = [
        {"id": near, "contextualized": text, "embedding": vector}
        for (near, text), vector in zip(rewritten.items(), vectors, strict=True)
    ]
    hashes = {
        hashed for row in gone for hashed in tombstones(row["content_hash"].partition("-")[0], row["content"])
    }
    ids = [row["id"] for row in gone]

    def work(transaction: Transaction) -> None:
        transaction.run("write/lock_memories", space=memory.space, ids=sorted([*ids, *rewritten]))
        transaction.run(
            "write/erase_memories", space=memory.space, ids=sorted(ids), hashes=sorted(hashes), now=now
        )
        transaction.run(
            "write/rewrite_context", space=memory.space, rows=sorted(rows, key=lambda row: row["id"])
        )

    stale = _embedded_texts(graph, memory.space, rewritten)
    graph.transact(work)
    forget = cast("Callable[[list[str]], int] | None", getattr(embedder, "forget", None))
    if forget is not None:
        texts = [row[name] for row in gone for name in ("content", "contextualized")]
        forget([form for text in [*texts, *stale] for form in _forms(text)])


def _contexts(around: list[Row]) -> dict[str, str]:
    """Return the new context of each neighbour whose context may quote the erased turn, by its id."""
    said = [Said(text=row["text"], speaker=row["speaker"], at=row["at"]) for row in around]
    return {
        row["id"]: contextualize(said, place)
        for place, row in enumerate(around)
        if -AFTER <= row["place"] <= BEFORE
    }


def _embedded_texts(graph: Graph, space: str, rewritten: dict[str, str]) -> list[str]:
    rows = [graph.read("inspect/get_memory", space=space, prefix=near) for near in rewritten]
    return [found[0]["memory"]["contextualized"] for found in rows if found]


def _forms(text: str) -> list[str]:
    return [text, *(prefixed(kind, text) for kind in Kind)]
