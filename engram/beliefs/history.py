"""What has happened to a memory, as dated events."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from engram.graph import Graph
from engram.records import Memory

LISTED = 50
"""Events of one sort that are listed, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to a memory."""

    what: str
    """`remembered`, `seen again`, `replaced`, `replaced by`, `promoted`, `strengthened`, `strengthened by`, `recalled`,
    `archived`, `in tension with`, `disputed in`, `rests on` or `led to`."""
    at: datetime | None
    """When; None where that was not recorded."""
    id: str | None
    """The other memory's, the turn's or the recall's."""
    text: str | None
    """The other's content; of a recall its question, where that is kept; of a promotion the tier reached."""
    detail: dict[str, Any] = field(default_factory=dict)
    """What else is known of it, e.g. a recall's `rank`, `score` and `useful`, a supersession's `reason`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """A memory as it is, and how it came to be so."""

    memory: Memory
    events: tuple[Event, ...]
    """The oldest first, beginning with when it was remembered; those without a time come next."""
    left_out: dict[str, int]
    """How many older events of a sort are not listed, by `what`."""


def read_history(graph: Graph, memory: Memory) -> History:
    """Return what has happened to a memory, at most `LISTED` events of each sort.

    Recalls are kept for a set time and counted afterwards: `memory.access_count` has them all.
    """
    rows = graph.read("inspect/memory_history", space=memory.space, id=memory.id, limit=LISTED)
    events = [
        Event(what=row["what"], at=row["at"], id=row["id"], text=row["text"], detail=_known(row["detail"]))
        for row in rows
    ]
    events.sort(key=_place)
    return History(
        memory=memory,
        events=tuple(events),
        left_out={row["what"]: row["total"] - LISTED for row in rows if row["total"] > LISTED},
    )


def _place(event: Event) -> tuple[bool, bool, float]:
    return event.what != "remembered", event.at is not None, event.at.timestamp() if event.at else 0.0


def _known(detail: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in detail.items() if value is not None}
