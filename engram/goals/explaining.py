"""Why a goal presses as it does: the terms of its priority, what it is about, and what replay connected it to."""

from dataclasses import dataclass
from datetime import datetime

from engram.goals.records import OPEN, Goal
from engram.graph import Graph
from engram.mind.priority import Terms, terms

MEMORIES = 5
"""Memories about the same that are shown, and connections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Another active goal that is about the same."""

    id: str
    text: str
    through: str
    """The name that both are about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """A memory that names what the goal names."""

    name: str
    memory: str
    content: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """An episode that replay has connected the goal with, through one memory of it."""

    strength: float
    """0 to 1."""
    hops: int
    """From the memory that is nearest to the goal to the one that lies in the episode, 0 to 2."""
    memory: str | None
    content: str | None
    episode: str
    topics: tuple[str, ...]
    ended_at: datetime
    at: datetime
    """When it was found last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """Why a goal presses as it does."""

    goal: Goal
    terms: Terms | None
    """What its priority is the product of, now; None where it does not press: it is over, or only proposed."""
    names: tuple[str, ...]
    """Whom and what it is about, as far as that is known."""
    related: tuple[Related, ...]
    memories: tuple[About, ...]
    connections: tuple[Connected, ...]
    """The strongest first."""


def explain(graph: Graph, goal: Goal, *, space: str, now: datetime) -> Explained:
    """Return why a goal presses as it does."""
    row = graph.read("mind/explain_goal", space=space, id=goal.id, limit=MEMORIES)[0]
    related = tuple(Related(**each) for each in row["related"])
    return Explained(
        goal=goal,
        terms=_terms(goal, len({each.id for each in related}), now),
        names=tuple(row["names"]),
        related=related,
        memories=tuple(About(**each) for each in row["memories"]),
        connections=tuple(
            Connected(**each | {"topics": tuple(each["topics"] or ())}) for each in row["connections"]
        ),
    )


def _terms(goal: Goal, connected: int, now: datetime) -> Terms | None:
    if goal.state not in OPEN:
        return None
    return terms(
        active_at=goal.active_at,
        mentioned_at=goal.mentioned_at,
        tractability=0.0 if goal.state == "blocked" else goal.tractability,
        connected=connected,
        now=now,
    )
