"""Consolidation pressure in a conversation: how much waits, and why."""

from collections.abc import Sequence
from dataclasses import replace

from engram.graph import Graph, Row
from engram.loop.events import Event, Notice
from engram.mind.part import MindPart, Situation, Utterance
from engram.mind.pressure import DUE, LINES, NOTED, Level, Pressure, densest

IDLE = "idle-"
"""How the names of sessions begin in which the agent thinks and nobody talks."""
_SESSIONS, _TURNS = 10, 100
"""The newest of each that are looked at."""
_STALE = 10
"""Lines heard after which what waited before is looked at again: it is being decided."""
_BARS: dict[Level, float] = {"none": NOTED, "noted": DUE}
"""From which pressure the next note is due."""
_GATE = "The exit gate takes them through within a few exchanges, at the latest when the conversation ends."
_DREAM = (
    "The exit gate takes the lines through by itself; `engram jobs run dream` consolidates what was kept."
)


def read_pressure(graph: Graph, *, space: str) -> Pressure:
    """Return how much waits in a space to be consolidated, and why.

    Raises:
        DatabaseError: It cannot be read.
    """
    return _pressure(_row(graph, space=space))


def _row(graph: Graph, *, space: str, run: str | None = None) -> Row:
    return graph.read("mind/read_pressure", space=space, run=run, own=IDLE, limit=_SESSIONS, turns=_TURNS)[0]


def _pressure(row: Row) -> Pressure:
    return Pressure(
        lines=row["lines"],
        sessions=row["sessions"],
        turns_per_hour=float(max(map(densest, row["turns"]), default=0)),
        compacted=row["compacted"],
    )


class Pressing(MindPart):
    """How much waits to be consolidated: read at the beginning, and counted on without asking.

    What is heard makes it grow, and what the exit gate decides meanwhile makes it less. So it is read again before
    anything is said of it.
    """

    def __init__(self, situation: Situation) -> None:
        super().__init__(situation)
        self._read = Pressure(lines=0, sessions=0, turns_per_hour=0.0, compacted=False)
        self._heard = 0
        """Lines heard since it was read, at most."""
        self._others = 0
        """Lines that other conversations have left waiting."""
        self._said: Level = "none"

    def begin(self) -> Sequence[str]:
        """Read how much waits."""
        self._look()
        return ()

    def pressure(self, lines: int) -> float:
        """Return the pressure with so many lines of this conversation in the scratch buffer, 0 and more."""
        return replace(self._read, lines=self._others + lines).value

    def hear(self, utterance: Utterance) -> Sequence[Event]:
        """Say once that a consolidation would do good, and once that it is due."""
        # A line that is answered is two.
        self._heard += 2 * (1 + utterance.text.count("\n"))
        bar = _BARS.get(self._said)
        near = bar is not None and self._read.value + self._heard / LINES >= bar
        if self.situation.away() or (not near and not (self._others and self._heard >= _STALE)):
            return ()
        self._look()
        if self._read.level in {"none", self._said}:
            return ()
        self._said = self._read.level
        return (Notice(text=f"{self._read.note()}. {_DREAM if self._read.signals else _GATE}"),)

    def compacted(self) -> None:
        """Take note that part of the conversation has left the model's window: it counts until a consolidation."""
        if not self._read.compacted and not self.situation.away():
            self.situation.memory.graph.keep(
                "mind/raise_pressure", space=self.situation.memory.space, now=self.situation.clock()
            )
            self._read = replace(self._read, compacted=True)

    def _look(self) -> None:
        memory = self.situation.memory
        row = _row(memory.graph, space=memory.space, run=self.situation.run)
        self._read, self._others, self._heard = _pressure(row), row["others"], 0
