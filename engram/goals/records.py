"""A goal, and the states that it can be in."""

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal

from engram.graph import Row

GoalState = Literal["active", "incubating", "blocked", "done", "dropped", "proposed"]
OPEN: tuple[GoalState, ...] = ("active", "incubating", "blocked")
"""What the agent is after, whether it can do something about it now or not."""
PENDING: tuple[GoalState, ...] = (*OPEN, "proposed")
"""What has not come to an end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """Something that the agent is after, or might be."""

    id: str
    text: str
    state: GoalState
    weight: float
    """What it counts beside the others, above 0."""
    created_at: datetime
    changed_at: datetime
    """When its state or its weight was last set on purpose."""
    active_at: datetime
    """When something was last done about it."""
    mentioned_at: datetime | None = None
    """When the person last spoke of it; None: never."""
    tractability: float = 0.5
    """How much can be done about it without the person, 0 to 1."""
    priority: float | None = field(default=None, compare=False)
    """How much it presses, as of `ranked_at`; None where it does not: it is over, or only proposed."""
    ranked_at: datetime | None = field(default=None, compare=False)
    blocked_by: str | None = None
    """What it waits for, in words."""
    sessions_without: int = 0
    """Conversations that touched it since something last came of it."""
    progressed_at: datetime | None = None
    """When something last came of it."""
    incubating_since: datetime | None = None
    incubated: int | None = None
    """Conversations for which it has rested; None where it does not."""
    found_in: str | None = None
    """The turn that it was found in, where nobody set it."""
    agreed_at: datetime | None = None
    """When somebody agreed to what was found; None: nobody has, or it was set."""
    embedding: tuple[float, ...] = field(repr=False)
    """Its unit vector, by the space's embedder."""


_DATA = tuple(each.name for each in fields(Goal) if each.name != "embedding")


def goal_of(row: Row) -> Goal:
    """Return the goal that a row holds; what an older version did not write has its default."""
    known = {name: row[name] for name in _DATA if row.get(name) is not None}
    return Goal(**{"active_at": row["changed_at"], **known}, embedding=tuple(row["embedding"] or ()))


def row_of(goal: Goal) -> dict[str, Any]:
    """Return the properties that a goal is stored with, its vector aside."""
    return {name: getattr(goal, name) for name in _DATA}
