"""The conversations of a space."""

from dataclasses import dataclass
from datetime import datetime

from engram.graph import Graph

LISTED = 20
"""Conversations that are listed."""
FIRST_CHARACTERS = 200
"""How much of a conversation's first turn is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation."""

    id: str
    """Its name."""
    started_at: datetime
    ended_at: datetime
    """When the last was said so far."""
    turns: int
    first: str
    """The beginning of the first turn that was not forgotten; empty where there is none."""


def list_sessions(graph: Graph, *, space: str, limit: int = LISTED) -> list[Session]:
    """Return the last conversations of a space, newest first.

    Args:
        graph: The database.
        space: Whose.
        limit: Most conversations.

    Raises:
        DatabaseError: The database failed.
    """
    rows = graph.read("inspect/list_sessions", space=space, limit=limit, characters=FIRST_CHARACTERS)
    return [Session(**row | {"first": row["first"] or ""}) for row in rows]
