"""Parameters for any statement: made from what its head comment says of them, out of what a space really holds.

Whatever is a name (a string, or a list of them) is a real one of that space: of one label at a time, of each that the
statement speaks of, so that it meets the sort that it takes. What is none has a value by its type, or one of the table's.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from engram.graph import Transaction
from engram.memory import Engram
from engram.scoring.relevance import EDGE_CONFIDENCE
from engram.statements import load
from engram.tuning import DEFAULTS_SPACE, Tuning
from tests.conftest import DIMENSIONS
from tests.graph.beside import run

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
"""Later than all that a space holds: everything is due."""
_ROWS = 4
"""Rows of a list of maps."""
_TUNING = Tuning()
VECTOR = [1.0, *(0.0 for _ in range(DIMENSIONS - 1))]
_STATEMENT = re.compile(r"^\$(\w+): ((?:.*\n?)(?:(?!\$|returns:|Running it twice:).*\n?)*)", re.MULTILINE)

VALUES: Mapping[str, Any] = {
    "action": "persist",
    "after": "",
    "by": "day",
    "categories": ["fact", "preference", "plan"],
    "centroid": "centroid",
    "changes": None,
    "component": "semantic",
    "confidence": EDGE_CONFIDENCE,
    "cues": ["remember"],
    "defaults": DEFAULTS_SPACE,
    "due": "promote_due_at",
    "energy": _TUNING.energy,
    "access": _TUNING.access | {"fatigue": 8},
    "safety": _TUNING.safety,
    "idle": _TUNING.idle,
    "weight": _TUNING.idle,
    "edge": {"half": 5.0, "decay": 0.01},
    "from": ["active", "dormant"],
    "label": "Memory",
    "kinds": ["tension"],
    "mode": "search",
    "numbers": {"decay_working": 0.4},
    "prefix": "",
    "property": "embedding",
    "properties": {"policy_class": "protected"},
    "seen": {},
    "rates": _TUNING.energy["rates"],
    "role": "named",
    "shared": {},
    "states": ["open", "acknowledged", "pending", "active"],
    "status": "archived",
    "statuses": ["active", "superseded", "archived"],
    "tags": ["internal_consolidation"],
    "terms": {"semantic": 0.5},
    "tiers": ["working", "shortTerm", "longTerm"],
    "to": "archived",
    "user_tag": "external_user",
    "words": ["somebody's words"],
    "week": "2026-01",
}
"""What a parameter or a field of one is, by its name, where its type does not say."""


EARLY = datetime(2020, 1, 1, tzinfo=UTC)
_PLAIN: Mapping[str, Any] = {
    "integer": 50,
    "float": 0.5,
    "boolean": True,
    "datetime": NOW,
    "list of floats": VECTOR,
    "list of 5 floats": [0.1] * 5,
}
"""What a value is, by the beginning of what is told of its type."""
_EXACTLY: Mapping[str, Any] = {
    "skip": 0,
    "generation": 0,
    "since": EARLY,
    "embedding": VECTOR,
    "lift": [0.0] * 5,
}
"""What a parameter or a field is by its name alone."""
_TIMES = frozenset(
    {"at", "now", "started_at", "ended_at", "due_at", "start", "end", "changed_at", "created_at"}
)


@dataclass(frozen=True, slots=True)
class Known:
    """What the nodes of a space are known by."""

    elements: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]
    """Ids, of entities keys, of tombstones hashes, by label; in an order that is the same every time."""
    asking: tuple[str, ...]
    """Ids of memories of the space that asks: this one, unless it is another's names that are asked by."""

    @classmethod
    def of(cls, memory: Engram) -> "Known":
        """Look at a space."""
        names: dict[str, list[str]] = defaultdict(list)
        rows = run(memory, "isolation_list")
        for row in rows:
            if row["name"] is not None:
                names[row["label"]].append(row["name"])
        return cls(
            tuple(row["element"] for row in rows),
            {label: tuple(some) for label, some in names.items()},
            tuple(names["Memory"]),
        )

    def asked_by(self, memory: Engram) -> "Known":
        """Return the same as another space asks by it."""
        return replace(self, asking=Known.of(memory).asking)

    def one(self, name: str) -> str:
        """Return the id `<space>:<name>` of a node that was laid for this."""
        (found,) = (each for some in self.names.values() for each in some if each.endswith(f":{name}"))
        return found

    def labels(self, statement: str) -> list[str]:
        """Return the labels whose names a statement may take."""
        spoken = set(re.findall(r":(\w+)", load(statement).text))
        return [label for label in sorted(self.names) if label in spoken] or ["Memory"]


def parameters(statement: str, known: Known, label: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters but the space, whose names are those of one label.

    Args:
        statement: Its name.
        known: Whose names.
        label: The label.
        own: Values of this statement's own, by parameter.
    """
    maker = _Maker(known, label, own)
    told = {
        found[1]: " ".join(found[2].split()) for found in _STATEMENT.finditer(f"{load(statement).head}\n")
    }
    return {name: maker.value(name, text) for name, text in told.items() if name != "space"}


class _Maker:
    """Makes the values of one call."""

    def __init__(self, known: Known, label: str, own: Mapping[str, Any]) -> None:
        self._known = known
        self._names = known.names.get(label, ())
        self._own = own
        self._next = 0

    def value(self, name: str, told: str = "") -> Any:
        """Return a value for a parameter or a field, by what is told of it."""
        if name in self._own:
            own = self._own[name]
            return own(self._names, self._known) if callable(own) else own
        if name in {"element", "elements", "deleted"}:
            elements = [*self._known.elements]
            return elements if name != "element" else (elements or ["nothing"])[0]
        if told.startswith("list of maps"):
            return self._rows(told)
        if name in _EXACTLY:
            return _EXACTLY[name]
        for kind, plain in _PLAIN.items():
            if told.startswith(kind):
                return plain
        if name in VALUES:
            return VALUES[name]
        if told.startswith("map {"):
            return {field: self.value(field, kind) for field, kind in _fields(told)}
        if told.startswith("map"):
            return {}
        return self._named(name, told)

    def _named(self, name: str, told: str) -> Any:
        """Return what is made of names, or a time where a name says that it is one."""
        if told.startswith("list of lists"):
            return [list(pair) for pair in pairwise(sorted(self._names))][:_ROWS]
        if told.startswith("list of"):
            return sorted(self._names)
        if name in _TIMES:
            return NOW
        return self._name()

    def _rows(self, told: str) -> list[dict[str, Any]]:
        fields = [*_fields(told)]
        self._next = 0
        rows = []
        for place in range(min(_ROWS, max(1, len(self._names)))):
            self._next = place
            rows.append({name: self.value(name, type_) for name, type_ in fields})
        return rows

    def _name(self) -> str:
        if not self._names:
            return "nobody"
        name = self._names[self._next % len(self._names)]
        self._next += 1
        return name


def _fields(told: str) -> Iterator[tuple[str, str]]:
    """Yield name and what is told of each field of a map."""
    inside = told.partition("{")[2].rpartition("}")[0]
    depth, start = 0, 0
    for place, each in enumerate(f"{inside},"):
        depth += (each in "({[") - (each in ")}]")
        if each == "," and depth == 0:
            part = inside[start:place].strip()
            start = place + 1
            if found := re.match(r"(\w+)\s*(?:[(:]\s*(.*))?", part):
                yield found[1], (found[2] or "").rstrip(")")


class _TakenBackError(Exception):
    """Carries what a statement did out of a transaction that is taken back."""


def attempt(
    memory: Engram, statement: str, values: Mapping[str, Any], *, watched: Known | None = None
) -> tuple[list[Any], int, Any]:
    """Run a statement in the memory's space and take it back.

    Returns:
        Its rows, how much it changed, and what the watched nodes held before it was taken back.
    """
    done: list[tuple[list[Any], int, Any]] = []

    def work(transaction: Transaction) -> None:
        outcome = transaction.run(statement, space=memory.space, **values)
        done[:] = [(outcome.rows, outcome.changed, watched and held(transaction, watched))]
        raise _TakenBackError

    try:
        memory.graph.transact(work)
    except _TakenBackError:
        return done[0]
    raise AssertionError


def held(transaction: Transaction, known: Known) -> Any:
    """Return all that the nodes of a space hold and are linked to."""
    text = Path(__file__).with_name("isolation_read.cypher").read_text(encoding="utf-8")
    return transaction._transaction.run(text, elements=[*known.elements]).single(strict=True)["held"]
