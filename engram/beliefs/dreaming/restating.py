"""Restating: memories get the lines and preambles that a dream has found for them, one transaction for each.

What has changed since it was read is not rewritten. What they say stays as said.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engram.beliefs.changes import ChangeKind, Touched, record
from engram.beliefs.dreaming.rewriting import Lined, Placed, Words
from engram.beliefs.dreaming.storing import BY
from engram.beliefs.dreaming.yields import DreamYield, Dropped, Kept
from engram.graph import Transaction
from engram.memory import Engram
from engram.records import Kind
from engram.remembering import embed_memories


class Restater:
    """Restates memories of one space."""

    def __init__(self, memory: Engram, *, run: str) -> None:
        """Restate nothing yet.

        Args:
            memory: The space.
            run: Id of the job's run.
        """
        self._memory = memory
        self._graph = memory.graph
        self._space = memory.space
        self._run = run

    def line(self, memory: Lined, words: Words) -> Kept:
        """Give a memory another line, unless it has changed meanwhile."""

        def work(transaction: Transaction) -> Kept:
            transaction.run("write/lock_memories", space=self._space, ids=[memory.id])
            done = transaction.run(
                "believe/dream_rewrite_line",
                space=self._space,
                id=memory.id,
                seen=memory.compressed,
                line=words.text,
                by=words.by,
            ).rows[0]
            if not done["held"]:
                return Kept(dropped=Dropped.of(words.text, "it has changed meanwhile"))
            if done["rewritten"]:
                self._record_rewriting(transaction, memory.id, "line", {"compressed": memory.compressed})
            return Kept(id=memory.id, brought=DreamYield(prunings=int(done["rewritten"])))

        return self._graph.transact(work)

    def contexts(self, memories: Sequence[Placed], words: Mapping[str, Words]) -> list[Kept]:
        """Give memories preambles, or only vectors anew where a preamble was taken back."""
        wanted = [each for each in memories if each.stale or each.id in words]
        contexts = [_context(each, words.get(each.id)) for each in wanted]
        vectors = embed_memories(
            self._memory.embedder,
            [(Kind(each.kind), each.content, text) for each, text in zip(wanted, contexts, strict=True)],
        ).tolist()
        return [
            self._context(each, words.get(each.id), text, vector)
            for each, text, vector in zip(wanted, contexts, vectors, strict=True)
        ]

    def _context(self, memory: Placed, words: Words | None, text: str, vector: list[float]) -> Kept:
        preamble = None if memory.stale or words is None else words

        def work(transaction: Transaction) -> Kept:
            found = transaction.run("write/lock_memories", space=self._space, ids=[memory.id]).rows
            # Its context goes on with the conversation, and is written anew where a neighbour is erased.
            if not found or found[0]["memory"]["contextualized"] != memory.contextualized:
                return Kept(dropped=Dropped.of(memory.content, "it has changed meanwhile"))
            rows = [{"id": memory.id, "contextualized": text, "embedding": vector}]
            transaction.run("write/rewrite_context", space=self._space, rows=rows)
            transaction.run(
                "believe/dream_note_preamble",
                space=self._space,
                id=memory.id,
                preamble=preamble.text if preamble else None,
                by=preamble.by if preamble else None,
            )
            if preamble:
                self._record_rewriting(transaction, memory.id, "context", {})
            return Kept(id=memory.id, brought=DreamYield(priorities=1))

        return self._graph.transact(work)

    def _record_rewriting(
        self, transaction: Transaction, memory: str, role: str, before: Mapping[str, Any]
    ) -> None:
        record(
            transaction,
            space=self._space,
            kind=ChangeKind.RECOMPRESSED,
            by=BY,
            reason="its line was made anew in its cluster" if role == "line" else "it was given a preamble",
            now=self._memory.now(),
            memories=[Touched(id=memory, role=role, before=before)],
            run=self._run,
        )


def _context(memory: Placed, words: Words | None) -> str:
    if memory.stale or words is None:
        return memory.contextualized
    return f"{words.text}\n{memory.contextualized}"
