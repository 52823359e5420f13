"""Outcomes: what came of a decision, a promotion, an escalation or a feeling, linked to it later (v4 plan, 5.3).

An outcome is told by what happened afterwards and by nothing else: a verdict, a correction, a use, a contradiction. As long
as nothing did, there is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from engram.graph import Graph

LISTED = 1_000
"""Most outcomes that are listed at once."""


class OutcomeKind(StrEnum):
    """What an outcome is the outcome of."""

    GATE = "gate"
    """A decision of a gate, on the turn that it was about."""
    PROMOTION = "promotion"
    ESCALATION = "escalation"
    """A question that System 2 was asked."""
    FEELING = "feeling"
    """A gut delta."""


LINKS: Mapping[OutcomeKind, str] = MappingProxyType(
    {kind: f"mind/outcome_link_{kind.value}s" for kind in OutcomeKind}
)
"""The statement that links outcomes of a kind."""
WORDS: Mapping[OutcomeKind, str] = MappingProxyType(
    {
        OutcomeKind.GATE: "decisions of the gates",
        OutcomeKind.PROMOTION: "promotions",
        OutcomeKind.ESCALATION: "escalations",
        OutcomeKind.FEELING: "feelings",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Led:
    """What led to an outcome."""

    what: str
    """The node's label."""
    id: str
    text: str
    """What was said, felt or given as a reason there."""
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One outcome."""

    id: str
    at: datetime
    """When it was told."""
    kind: str
    good: float
    """1 good to 0 bad."""
    why: str
    """What tells it, quoting nothing."""
    led: Led | None
    """None where that is not on record any more: calls of models are rolled up after a while."""
    memories: tuple[str, ...]
    """Ids of memories that it has to do with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What is known of one kind."""

    kind: str
    outcomes: int
    good: float
    """Their mean, 1 good to 0 bad."""


def list_outcomes(
    graph: Graph, *, space: str, kind: OutcomeKind | None = None, limit: int = 20
) -> list[Outcome]:
    """Return the newest outcomes, the newest first.

    Args:
        graph: Where.
        space: Whose.
        kind: Only those of one kind.
        limit: How many at most.
    """
    rows = graph.read("mind/outcome_list", space=space, kind=kind and kind.value, limit=min(limit, LISTED))
    return [
        Outcome(
            **row["outcome"],
            led=None if row["led"] is None else Led(**row["led"]),
            memories=tuple(row["memories"]),
        )
        for row in rows
    ]


def count_outcomes(graph: Graph, *, space: str) -> list[Tally]:
    """Return how many outcomes there are of each kind, and how good they were."""
    return [Tally(**row) for row in graph.read("mind/outcome_count", space=space)]
