"""Erasing for good: the one thing that deletes."""

from collections.abc import Callable
from datetime import datetime
from typing import cast

from engram.beliefs.truth import find_leaning, settle_leaning, settle_truth
from engram.context import quotation, without_quotation
from engram.embedding.protocol import Embedder, prefixed
from engram.graph import Graph, Row, Transaction
from engram.records import Kind, Memory
from engram.remembering import SPECIFIC, embed_memories, tombstones
from engram.tuning import read_tuning

SHORTEST_QUOTATION = 4
"""Characters from which a question that holds erased content is taken to quote it."""


def erase(graph: Graph, embedder: Embedder, memory: Memory, *, now: datetime) -> None:
    """Delete `memory`, its other validity episodes, its turn, what was drawn from these alone, and every quotation as context.

    What rests on something else too stays, with the evidence that is left to it. Only what was said leaves tombstones:
    what was drawn from it may be drawn from other words.

    All is found and changed under the locks of its session, memories and turns, in one transaction. The cached vectors
    go last, so that a crash leaves at worst vectors of a text that nobody can find.
    """
    quote = quotation(memory.content, memory.speaker)
    tuning = read_tuning(graph, space=memory.space)
    stale: list[str] = []

    def work(transaction: Transaction) -> None:
        found = _found_under_locks(transaction, memory, quote)
        stale[:] = _texts(found)
        # What names keep of them goes while they can still be told by it.
        transaction.run(
            "believe/entity_forget", space=memory.space, ids=sorted(row["id"] for row in found["gone"])
        )
        transaction.run("write/erase_memories", space=memory.space, now=now, **_condemned(found))
        transaction.run(
            "write/rewrite_context", space=memory.space, rows=_rewritten(embedder, found["quoting"], quote)
        )
        settle_truth(transaction, space=memory.space, ids=sorted(found["shaken"]), tuning=tuning)
        settle_leaning(transaction, space=memory.space, ids=found["leaning"], tuning=tuning)

    graph.transact(work)
    forget = cast("Callable[[list[str]], int] | None", getattr(embedder, "forget", None))
    if forget is not None:
        forget([form for text in stale for form in (text, *(prefixed(kind, text) for kind in Kind))])


def _found_under_locks(transaction: Transaction, memory: Memory, quote: str) -> Row:
    """Return what goes, found when nobody can quote it or rest on it any more."""

    def find() -> Row:
        found = transaction.run(
            "inspect/find_erasure",
            space=memory.space,
            id=memory.id,
            quote=quote,
            specific=SPECIFIC,
            shortest=SHORTEST_QUOTATION,
        ).rows
        if not found:
            return {name: [] for name in _FOUND}
        shaken = sorted(found[0]["shaken"])
        return found[0] | {"leaning": find_leaning(transaction, space=memory.space, ids=shaken)}

    def touched(found: Row) -> list[str]:
        # Deleting a link locks both of its ends.
        ids = {row["id"] for row in [*found["gone"], *found["quoting"]]}
        return sorted(ids | {*found["linked"], *found["leaning"]})

    found = find()
    # Writers of turns lock the session first, so nobody adds a quotation from here on.
    transaction.run("write/lock_session_names", space=memory.space, sessions=sorted(found["sessions"]))
    transaction.run("write/lock_memories", space=memory.space, ids=touched(found))
    # Who draws facts from a turn locks it after the memories, so nobody adds one from here on.
    transaction.run("believe/fact_lock_turns", space=memory.space, ids=sorted(found["turns"]))
    locked, found = touched(found), find()
    if not {*touched(found)} <= {*locked}:
        transaction.run("write/lock_memories", space=memory.space, ids=touched(found))
    return found


_FOUND = ("gone", "turns", "citations", "quoting", "sessions", "linked", "shaken", "leaning")


def _texts(found: Row) -> list[str]:
    """Return all texts that go, and contexts that are rewritten."""
    gone = [row[name] for row in found["gone"] for name in ("content", "contextualized")]
    return gone + [row["contextualized"] for row in found["quoting"]]


def _condemned(found: Row) -> Row:
    """Return what `write/erase_memories` takes beside the space and the time."""
    gone: list[Row] = found["gone"]
    hashes = {
        hashed
        for row in gone
        if not row["drawn"]
        for hashed in tombstones(row["content_hash"].partition("-")[0], row["content"])
    }
    words = {row["content"].lower() for row in gone}
    quotes = words | {citation.lower() for citation in found["citations"]}
    return {
        "ids": sorted(row["id"] for row in gone),
        "turns": sorted(found["turns"]),
        "hashes": sorted(hashes),
        "words": sorted(_long_enough(words)),
        "quotes": sorted(_long_enough(quotes)),
    }


def _long_enough(texts: set[str]) -> set[str]:
    return {text for text in texts if len(text) >= SHORTEST_QUOTATION}


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
