"""The scratch buffer: what was heard and said, in the graph, on its way to the exit gate (v4 plan, 2.9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engram.graph import Graph, Row, Transaction
from engram.loop.inputs import Entry
from engram.records import USER_TAG
from engram.remembering import turn_key

MOST = 200
"""Entries that are decided at once: a run that has died leaves no more than a day's talk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the exit gate decided about one entry, as it is noted in the graph."""

    entry: Entry
    action: str
    reason: str
    relevance: float
    novelty: str
    similarity: float
    buffered: bool
    """Whether it is looked at again."""
    emotional: float = 0.0
    """Emotional charge, 0 to 1; 0 where nothing is felt."""
    memory: str | None = None
    """Id of what it became or what it confirmed."""


class Overtaken(Exception):  # noqa: N818  (no error: the work is done, by somebody else)
    """Somebody else decided some of these entries meanwhile; nothing of this transaction stays."""


class Scratch:
    """The scratch buffer of one space; what it holds is in the graph and nowhere else."""

    def __init__(self, graph: Graph, *, space: str) -> None:
        self._graph = graph
        self._space = space

    def hear(self, entries: Sequence[Entry], *, run: str | None, now: datetime) -> int:
        """Keep entries and their raw turns, all or none; return how many are new.

        Args:
            entries: What was heard or said.
            run: The run of the loop that hears it; None for what comes from a journal.
            now: When it is written.
        """
        ordered = sorted(entries, key=lambda entry: (entry.session, entry.at, entry.id))
        rows = self._graph.keep(
            "write/hear_entries", space=self._space, rows=[_row(entry) for entry in ordered], run=run, now=now
        )
        heard: int = rows[0]["heard"] if rows else 0
        return heard

    def settle(self, entry_id: str) -> None:
        """Let an entry wait for no reply any more."""
        self._graph.write("write/settle_entry", space=self._space, id=entry_id)

    def buffered(self, *, run: str, alive: Sequence[str]) -> tuple[list[Entry], dict[str, str]]:
        """Return what waits for the exit gate, and what of it has become a memory already.

        Args:
            run: The run that asks: what it heard itself is among it.
            alive: Ids of other runs that still go on, and decide their own.

        Returns:
            Entries, oldest first, and by the id of an entry the id of the memory of its turn.
        """
        rows = self._graph.read(
            "inspect/list_buffered", space=self._space, run=run, alive=list(alive), limit=MOST
        )
        entries = [_entry(row["entry"]) for row in rows]
        return entries, {row["entry"]["id"]: row["memory"] for row in rows if row["memory"]}

    def note(self, transaction: Transaction, verdicts: Sequence[Verdict], *, now: datetime) -> None:
        """Note what was decided, in the transaction that carries it out.

        Raises:
            Overtaken: Some of it was decided by somebody else.
        """
        rows = [_noted(verdict) for verdict in sorted(verdicts, key=lambda verdict: verdict.entry.id)]
        outcome = transaction.run("write/decide_entries", space=self._space, rows=rows, now=now)
        if outcome.rows[0]["decided"] < len(rows):
            raise Overtaken

    def unanswered(self, *, alive: Sequence[str], limit: int = 5) -> list[Row]:
        """Return what was said and never answered in runs that are over, the newest first."""
        return self._graph.read("inspect/list_unanswered", space=self._space, alive=list(alive), limit=limit)


def _row(entry: Entry) -> dict[str, Any]:
    return {
        "key": turn_key(entry.session, entry.turn, entry.speaker, entry.text),
        "answers": entry.answers,
        # What the agent says is no source of facts, and what the entry gate lets pass holds none. Of the rest, the exit
        # gate says what is one.
        "told": entry.source_tag == USER_TAG and not entry.skipped,
        "entry": properties(entry),
    }


def properties(entry: Entry) -> dict[str, Any]:
    """Return an entry as its node's properties; `entry_from` is the way back."""
    return {
        "id": entry.id,
        "session": entry.session,
        "run": entry.run,
        "speaker": entry.speaker,
        "text": entry.text,
        "at": entry.at,
        "source_tag": entry.source_tag,
        "source_confidence": entry.source_confidence,
        "source": entry.source,
        "turn": entry.turn,
        "signals": list(entry.signals),
        "urgent": entry.urgent,
        "skipped": entry.skipped,
        "awaits": True if entry.awaits else None,
    }


def _entry(stored: Mapping[str, Any]) -> Entry:
    known = {name: stored[name] for name in _KEPT}
    return Entry(**known, signals=tuple(stored["signals"]), looked=stored["looked"])


_KEPT = (
    "id",
    "session",
    "run",
    "speaker",
    "text",
    "at",
    "source_tag",
    "source_confidence",
    "source",
    "turn",
    "urgent",
    "skipped",
)


def _noted(verdict: Verdict) -> dict[str, Any]:
    return {
        "id": verdict.entry.id,
        "action": verdict.action,
        "reason": verdict.reason,
        "relevance": verdict.relevance,
        "novelty": verdict.novelty,
        "similarity": verdict.similarity,
        "buffered": verdict.buffered,
        "told": verdict.memory is not None,
        "memory": verdict.memory,
    }
