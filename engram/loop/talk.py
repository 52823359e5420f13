"""The conversation at hand: what was said, what came to mind in it, and what became of each line.

The loop writes it; the gatekeeper tells, from its own thread, what became a memory.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from engram.graph import Graph
from engram.llm.base import Role
from engram.loop.echo import recalled_in
from engram.loop.inputs import Entry
from engram.loop.scratch import Verdict
from engram.loop.window import Said
from engram.records import FOREVER, Memory
from engram.text import normal

THOUGHT = "chat:thought"
"""The source of what the agent thinks by itself, and of what came of it: it is no part of a conversation."""
EARLIER_TURNS = 48
"""Turns of the same conversation that are taken up where it is resumed."""
LONGEST = 500
"""Turns that are kept at hand where no window prunes them; all of them are in the graph."""
SHOWN = 500
"""Memories of which it is known that they came to mind; the oldest go."""
SCORED = 10
"""Verdicts of the exit gate that tell how much a conversation matters."""


class Talk:
    """One conversation."""

    def __init__(self, said: Iterable[Said] = (), shown: Mapping[str, str] | None = None) -> None:
        self._lock = threading.Lock()
        self._said = list(said)
        self._became: dict[str, str] = {}
        self._shown: dict[str, str] = dict(shown or {})
        self._scores: list[float] = []
        self._charges: list[float] = []
        self.undecided = 0
        """Lines heard since the exit gate last decided: the length of the scratch buffer, as far as is known."""

    @classmethod
    def resumed(cls, graph: Graph, *, space: str, session: str, assistant: str) -> "Talk":
        """Take up the conversation of that name where it stopped; an empty one if there is none."""
        rows = graph.read(
            "inspect/list_turns", space=space, session=session, before=FOREVER, limit=EARLIER_TURNS
        )
        said = [
            Said(
                role="assistant" if row["speaker"] == assistant else "user",
                text=row["text"],
                memory=row["memory"],
            )
            for row in reversed(rows)
            if row["source"] != THOUGHT
        ]
        # What came to mind then stands in what was said, and is said back now.
        return cls(said, recalled_in(graph, space=space, sessions=[session] if rows else []))

    @property
    def said(self) -> tuple[Said, ...]:
        """What was said, the oldest first, each with its memory where it has become one."""
        with self._lock:
            return tuple(
                replace(one, memory=self._became[one.entry])
                if one.memory is None and one.entry in self._became
                else one
                for one in self._said
            )

    @property
    def shown(self) -> Mapping[str, str]:
        """Content, by id, of the memories that came to mind."""
        with self._lock:
            return dict(self._shown)

    @property
    def gate_score(self) -> float | None:
        """Average relevance of what the exit gate saw last, 0 to 1; None where it saw nothing."""
        with self._lock:
            return fmean(self._scores) if self._scores else None

    @property
    def charge(self) -> float | None:
        """Average emotional charge of what the exit gate saw last, 0 to 1; None where it saw nothing."""
        with self._lock:
            return fmean(self._charges) if self._charges else None

    def add(self, role: Role, text: str, *, entry: str | None, waits: bool = True) -> None:
        """Note what was said.

        Args:
            role: Whose words they are.
            text: What was said.
            entry: Its line in the scratch buffer; None: it is nowhere but here.
            waits: Whether the exit gate is going to look at it.
        """
        with self._lock:
            self._said = [*self._said, Said(role=role, text=text, entry=entry)][-LONGEST:]
            if entry is not None and waits:
                self.undecided += 1 + text.count("\n")

    def show(self, memories: Iterable[Memory]) -> None:
        """Note what came to mind: said again, by whomever, it is nothing new."""
        with self._lock:
            for memory in memories:
                self._shown.pop(memory.id, None)
                self._shown[memory.id] = _shown(memory)
            for old in list(self._shown)[: max(0, len(self._shown) - SHOWN)]:
                del self._shown[old]

    def prune(self, gone: Sequence[Said]) -> None:
        """Let go of what has left the window."""
        with self._lock:
            self._said = self._said[len(gone) :]

    def decided(self, verdicts: Sequence[Verdict]) -> None:
        """Note what the exit gate decided."""
        with self._lock:
            self._became |= {each.entry.id: each.memory for each in verdicts if each.memory is not None}
            for old in list(self._became)[: max(0, len(self._became) - 2 * LONGEST)]:
                del self._became[old]
            self._charges = [*self._charges, *(each.emotional for each in verdicts)][-SCORED:]
            self._scores = [*self._scores, *(min(1.0, max(0.0, each.relevance)) for each in verdicts)][
                -SCORED:
            ]
            lines = sum(1 + each.entry.text.count("\n") for each in verdicts if not each.buffered)
            self.undecided = max(0, self.undecided - lines)

    def forget(self, memory: Memory) -> None:
        """Leave a memory out, and the turn that it was."""
        said = self.said
        with self._lock:
            self._said = [one for one in said if one.memory != memory.id]
            self._shown.pop(memory.id, None)

    def around(self, entries: Sequence[Entry], *, most: int) -> list[str]:
        """Return what was said last besides these entries, as far as `most` turns."""
        ids = {entry.id for entry in entries}
        return [one.text for one in self.said[-most - len(ids) :] if one.entry not in ids][-most:]


def _shown(memory: Memory) -> str:
    """Return what a prompt may hold of a memory: its content, and the line that a model put in place of it."""
    line = memory.compressed or ""
    if normal(line.rstrip("\u2026")) in normal(memory.content):
        return memory.content
    return f"{memory.content}\n{line}"
