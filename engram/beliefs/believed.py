"""What was believed at a time, beside what is believed now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from engram.graph import Graph
from engram.records import Hit, Memory, memory_from


@dataclass(frozen=True, slots=True, kw_only=True)
class Successor:
    """What stands today in the place of a memory that was superseded."""

    memory: Memory
    """The end of the chain."""
    steps: int
    """How long the chain is."""
    replaced_at: datetime | None
    """When the first of it replaced the memory itself."""
    at: datetime | None
    """When the last of it came about."""
    reason: str | None
    """Why the last of it did."""
    by: str | None
    """Who or what decided that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """One answer, and what has become of it."""

    hit: Hit
    successor: Successor | None
    """None where nothing has superseded it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Believed:
    """What a question is answered with as of a time, and now; the best first."""

    question: str
    at: datetime
    then: tuple[Belief, ...]
    now: tuple[Belief, ...]

    @property
    def kept(self) -> frozenset[str]:
        """Ids of what was the answer then and still is."""
        return frozenset(_ids(self.then)) & frozenset(_ids(self.now))


def compare(
    graph: Graph, *, space: str, question: str, at: datetime, then: Sequence[Hit], now: Sequence[Hit]
) -> Believed:
    """Set answers of a time beside those of today, each with the end of its chain of supersessions.

    Args:
        graph: Where the chains are.
        space: Whose.
        question: What both answer.
        at: The time of `then`.
        then: What was recalled as of that time, best first.
        now: What is recalled today, best first.
    """
    ids = sorted({hit.memory.id for hit in (*then, *now)})
    successors = {
        row["id"]: Successor(
            memory=memory_from(row["memory"]),
            steps=row["steps"],
            replaced_at=row["replaced_at"],
            at=row["at"],
            reason=row["reason"],
            by=row["by"],
        )
        for row in graph.read("inspect/list_successors", space=space, ids=ids)
    }

    def beliefs(hits: Sequence[Hit]) -> tuple[Belief, ...]:
        return tuple(Belief(hit=hit, successor=successors.get(hit.memory.id)) for hit in hits)

    return Believed(question=question, at=at, then=beliefs(then), now=beliefs(now))


def _ids(beliefs: Sequence[Belief]) -> list[str]:
    return [belief.hit.memory.id for belief in beliefs]
