"""Erasing for good: the one thing that deletes."""

from collections.abc import Callable
from datetime import datetime
from typing import cast

from engram.context import quotation, without_quotation
from engram.embedding.protocol import Embedder, prefixed
from engram.graph import Graph, Row, Transaction
from engram.records import Kind, Memory
from engram.remembering import SPECIFIC, embed_memories, tombstones

SHORTEST_QUOTATION = 4
"""Characters from which a question that holds erased content is taken to quote it."""


def erase(graph: Graph, embedder: Embedder, memory: Memory, *, now: datetime) -> None:
    """Delete `memory`, its other validity episodes, its turn and every quotation of it as context.

    All is found and changed under the locks of its session and memories, in one transaction. The cached vectors
    go last, so that a crash leaves at worst vectors of a text that nobody can find.
    """
    quote = quotation(memory.content, memory.speaker)
    stale: list[str] = []

    def find(transaction: Transaction) -> Row:
        found = transaction.run(
            "inspect/find_erasure", space=memory.space, id=memory.id, quote=quote, specific=SPECIFIC
        ).rows
        return found[0] if found else {"gone": [], "quoting": [], "sessions": [], "linked": []}

    def work(transaction: Transaction) -> None:
        stale.clear()
        before = find(transaction)
        # Writers of turns lock the session first, so nobody adds a quotation from here on.
        transaction.run("write/lock_session_names", space=memory.space, sessions=sorted(before["sessions"]))
        # Deleting a link locks both of its ends.
        ids = {row["id"] for row in [*before["gone"], *before["quoting"]]} | {*before["linked"]}
        transaction.run("write/lock_memories", space=memory.space, ids=sorted(ids))
        found = find(transaction)
        gone: list[Row] = found["gone"]
        hashes = {
            hashed
            for row in gone
            for hashed in tombstones(row["content_hash"].partition("-")[0], row["content"])
        }
        stale.extend(row[name] for row in gone for name in ("content", "contextualized"))
        stale.extend(row["contextualized"] for row in found["quoting"])
        transaction.run(
            "write/erase_memories",
            space=memory.space,
            ids=sorted(row["id"] for row in gone),
            hashes=sorted(hashes),
            words=sorted(
                {row["content"].lower() for row in gone if len(row["content"]) >= SHORTEST_QUOTATION}
            ),
            specific=SPECIFIC,
            now=now,
        )
        transaction.run(
            "write/rewrite_context", space=memory.space, rows=_rewritten(embedder, found["quoting"], quote)
        )

    graph.transact(work)
    forget = cast("Callable[[list[str]], int] | None", getattr(embedder, "forget", None))
    if forget is not None:
        forget([form for text in stale for form in (text, *(prefixed(kind, text) for kind in Kind))])


def _rewritten(embedder: Embedder, quoting: list[Row], quote: str) -> list[Row]:
    """Return what `write/rewrite_context` takes: each quoting memory with a context that quotes no more."""
    contexts = [
        without_quotation(row["contextualized"], content=row["content"], speaker=row["speaker"], quote=quote)
        for row in quoting
    ]
    kinds = [Kind(row["kind"]) for row in quoting]
    vectors = embed_memories(
        embedder,
        [
            (kind, row["content"], context)
            for kind, row, context in zip(kinds, quoting, contexts, strict=True)
        ],
    ).tolist()
    rows = [
        {"id": row["id"], "contextualized": context, "embedding": vector}
        for row, context, vector in zip(quoting, contexts, vectors, strict=True)
    ]
    return sorted(rows, key=lambda row: str(row["id"]))
