"""What the graph holds of a life, set beside what it has to hold."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from engram.beliefs.facts import Category
from engram.memory import Engram
from engram.remembering import turn_key
from tests.graph.beside import run
from tests.graph.life import FULFILLED, THREADS, State, script

CATEGORIES = [category.value for category in Category]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A fact of the graph, with the names of the turns that it rests on."""

    id: str
    content: str
    category: str
    subject: str | None
    slot: str | None
    value: str | None
    negated: bool
    status: str
    valid_from: datetime
    valid_to: datetime
    truth: float
    names: frozenset[str]
    replaces: frozenset[str]
    disagrees: frozenset[str]
    """Ids of what it is in tension with, and nobody has settled."""

    def says(self, state: State) -> bool:
        """Say whether it is what was said there."""
        return bool(self.names & state.names) and re.search(state.says, self.content) is not None

    def holds(self, at: datetime) -> bool:
        """Say whether it is held to be so at a time."""
        return self.status == "active" and self.valid_from <= at < self.valid_to


def turn_names() -> dict[str, str]:
    """Return the names of the script's turns by their ids in the graph."""
    return {
        turn_key(session, line.name, line.speaker, line.text): line.name
        for line in script()
        for session in (line.session, again(line.session))
    }


def due(memory: Engram) -> set[str]:
    """Return the names of the turns that facts are still to be drawn from."""
    names = turn_names()
    return {names[row["id"]] for row in run(memory, "life_read_due")}


def merged_names(memory: Engram) -> list[set[str]]:
    """Return the keys of each name that is taken for another, with that one's."""
    return [{row["key"], row["canonical"]} for row in run(memory, "life_read_aliases")]


def facts(memory: Engram) -> dict[str, Told]:
    """Return the facts of a space by their ids."""
    names = turn_names()
    return {
        row["id"]: Told(
            **{key: row[key] for key in row if key not in {"turns", "replaces", "tensions"}},
            names=frozenset(names.get(turn, turn) for turn in row["turns"]),
            replaces=frozenset(row["replaces"]),
            disagrees=frozenset(each["id"] for each in row["tensions"] if each["state"] != "resolved"),
        )
        for row in run(memory, "life_read_facts", categories=CATEGORIES)
    }


def again(session: str) -> str:
    """Return the name of a session when the life is told once more as another conversation."""
    return f"{session}-again"


def saying(held: Iterable[Told], state: State) -> list[Told]:
    """Return the facts that say what was said there."""
    return [each for each in held if each.says(state)]


def replaced(held: Mapping[str, Told]) -> Iterator[tuple[Told, Told]]:
    """Yield each fact that was retired, with each that retired it."""
    for new in held.values():
        for old in new.replaces & held.keys():
            if held[old].status == "superseded":
                yield held[old], new


def may_replace(old: Told, new: Told) -> bool:
    """Say whether the year ended one with the other, in one step or several."""
    ended = [
        (one, other)
        for thread in THREADS
        for place, one in enumerate(thread.states)
        for other in thread.states[place + 1 :]
    ]
    return any(old.says(one) and new.says(other) for one, other in (*ended, *FULFILLED))


def retired(held: Mapping[str, Told]) -> list[tuple[State, State]]:
    """Return the steps of the year that were taken: what ended is held no more."""
    return [
        (one, other)
        for thread in THREADS
        for one, other in thread.steps
        if (said := saying(held.values(), one)) and all(each.status == "superseded" for each in said)
    ]
