"""What fired, kept in the graph, and where a space stands."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from engram.graph import Graph, Row, Transaction
from engram.tuning import read_tuning

from .ceilings import Ceiling, Phase, SafetyEvent, ceilings

LISTED = 1_000
"""Most events that are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often a ceiling fired, enforced or in shadow."""

    ceiling: str
    phase: Phase
    enforced: bool
    count: int
    newest: tuple[SafetyEvent, ...]
    """The last few of them, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """What the last cycle of the job `safety` found."""

    at: datetime
    memories: int
    entropy: float | None
    """Of the weights, 0 to 1; None for fewer than two memories."""
    entropy_before: float | None
    """One cycle earlier."""
    coherence: float
    coherence_before: float | None
    epistemic: float | None
    action: float | None
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Where a space stands."""

    ceilings: tuple[Ceiling, ...]
    cycle: Cycle | None
    """None until the job has run."""
    broaden: bool
    """Whether the fall of entropy is enforced and has fired: whoever samples memories should sample more widely."""


class Safety:
    """The safety record of one space."""

    def __init__(self, graph: Graph, *, space: str, clock: Callable[[], datetime]) -> None:
        self._graph = graph
        self._space = space
        self._clock = clock

    def record(self, events: Iterable[SafetyEvent]) -> None:
        """Keep events; one that is kept already changes nothing."""
        kept = tuple(events)
        if kept:
            self._graph.transact(lambda transaction: record_events(transaction, self._space, kept))

    def events(self, days: float = 30) -> tuple[SafetyEvent, ...]:
        """Return what fired in the last so many days, the newest first, a thousand at most."""
        rows = self._graph.read(
            "inspect/list_safety_events", space=self._space, since=self._since(days), limit=LISTED
        )
        return tuple(_event(row["event"]) for row in rows)

    def tallies(self, days: float = 30, *, newest: int = 3) -> tuple[Tally, ...]:
        """Return how often each ceiling fired in the last so many days, with the newest of its events."""
        rows = self._graph.read(
            "inspect/count_safety_events", space=self._space, since=self._since(days), newest=newest
        )
        return tuple(
            Tally(
                ceiling=row["ceiling"],
                phase=Phase(row["phase"]),
                enforced=row["enforced"],
                count=row["count"],
                newest=tuple(map(_event, row["newest"])),
            )
            for row in rows
        )

    def state(self) -> State:
        """Return what is enforced and what the last cycle found."""
        return read_state(self._graph, space=self._space)

    def _since(self, days: float) -> datetime:
        return self._clock() - timedelta(days=days)


def read_state(graph: Graph, *, space: str) -> State:
    """Return what is enforced in a space and what the last cycle found there."""
    found = ceilings(read_tuning(graph, space=space))
    row = graph.read("inspect/read_safety_cycle", space=space)[0]["cycle"]
    return State(
        ceilings=tuple(found.values()),
        cycle=None if row is None else Cycle(**{name: row.get(name) for name in Cycle.__slots__}),
        broaden=row is not None and row["fallen"] and found["entropy"].enforced,
    )


def record_events(transaction: Transaction, space: str, events: Iterable[SafetyEvent]) -> None:
    """Keep events as part of the transaction that they are about."""
    rows = [asdict(event) | {"phase": int(event.phase)} for event in events]
    if rows:
        transaction.run("write/record_safety_events", space=space, events=rows)


def _event(row: Row) -> SafetyEvent:
    values = {name: row[name] for name in SafetyEvent.__slots__}
    return SafetyEvent(**values | {"phase": Phase(row["phase"])})
