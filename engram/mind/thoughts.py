"""Thoughts: what came to mind while nobody spoke, kept with what it surfaced and what became of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from engram.graph import Graph, Row
from engram.mind.wandering import Channel, Leaning

State = Literal["offered", "weighed", "waiting", "thought"]
"""Kept for consolidation; weighed by a dream; to be thought through; thought through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """One thing that came to mind."""

    id: str
    at: datetime
    text: str
    """The agent's words to itself."""
    leaning: Leaning
    """Why its memory was drawn."""
    channel: Channel
    topic: str
    state: State
    entry: str
    """Id of its line in the scratch buffer."""
    run: str
    """Id of the run in which it came up."""
    acted_at: datetime | None = None
    """When it was thought through."""
    weighed_at: datetime | None = None
    """When a dream weighed it."""
    surfaced: tuple[str, ...] = ()
    """Ids of the memories that came to mind."""
    goal: str | None = None
    """Id of the goal that it is about."""


class Thoughts:
    """The thoughts of one space."""

    def __init__(self, graph: Graph, *, space: str) -> None:
        self._graph = graph
        self._space = space

    def store(self, thought: Thought) -> None:
        """Keep a thought; no memory that it surfaced counts as used.

        Raises:
            DatabaseError: It is not kept.
        """
        kept = ("id", "at", "text", "leaning", "channel", "topic", "state", "entry", "run")
        self._graph.write(
            "mind/store_thought",
            space=self._space,
            thought={name: getattr(thought, name) for name in kept},
            surfaced=sorted(set(thought.surfaced)),
            goal=thought.goal,
        )

    def mark(self, thought_id: str, *, now: datetime) -> None:
        """Note that a thought was thought through.

        Raises:
            DatabaseError: It is not noted.
        """
        self._graph.write("mind/mark_thought", space=self._space, id=thought_id, now=now)

    def weigh(self, thought_id: str, *, now: datetime) -> None:
        """Note that a dream has weighed a thought; it is weighed once.

        Raises:
            DatabaseError: It is not noted.
        """
        self._graph.write("mind/weigh_thought", space=self._space, id=thought_id, now=now)

    def list(
        self, *, since: datetime, limit: int, state: State | None = None, channel: Channel | None = None
    ) -> tuple[Thought, ...]:
        """Return the newest thoughts, or those of one state or channel, the newest first.

        Raises:
            DatabaseError: They cannot be read.
        """
        rows = self._graph.read(
            "mind/list_thoughts", space=self._space, state=state, channel=channel, since=since, limit=limit
        )
        return tuple(map(_thought, rows))


def topics(thoughts: Sequence[Row]) -> Iterator[str]:
    """Yield what thoughts are about; a look back is about thoughts and not about the world."""
    yield from (each["topic"] for each in thoughts if each["channel"] != Channel.REVIEW and each["topic"])


def _thought(row: Row) -> Thought:
    enums = {"leaning": Leaning(row["leaning"]), "channel": Channel(row["channel"])}
    return Thought(**row | enums | {"surfaced": tuple(row["surfaced"])})
