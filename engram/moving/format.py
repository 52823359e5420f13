"""The lines of a file: a header, nodes, relationships, a trailer."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, BinaryIO

import numpy as np

from engram.moving.labels import BY_CONTENT, KEYS
from engram.moving.values import Temporal, Value, Vector, floats_to_json

FORMAT = "export"
VERSION = 1
"""Raised when an older Engram could not read what is written."""
PROPERTY = re.compile(r"[^\W\d]\w{0,99}")
"""What a property may be called."""

Key = tuple[str | int, ...]
"""What tells a node of a space from all others: its label, then the values of the label's key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a file says of itself."""

    space: str
    schema: int
    """The schema's version of the database that it is from."""
    embed_model: str
    dimensions: int
    embeddings: bool
    """Whether it holds the vectors."""
    exported_at: str
    version: int = VERSION


@dataclass(slots=True)
class Counts:
    """How many nodes and relationships there are, by label and type."""

    nodes: Counter[str] = field(default_factory=Counter)
    relationships: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """Of both."""
        return self.nodes.total() + self.relationships.total()

    def as_json(self) -> dict[str, dict[str, int]]:
        """Return the numbers, sorted by name."""
        return {
            "nodes": dict(sorted(self.nodes.items())),
            "relationships": dict(sorted(self.relationships.items())),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One node."""

    line: int
    labels: tuple[str, ...]
    """The main one first."""
    key: Key
    properties: dict[str, Value]
    vectors: dict[str, Vector | None]
    """None: it had one that is not in the file."""

    @property
    def label(self) -> str:
        """The main label."""
        return self.labels[0]

    def split_vectors(self) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
        """Return the vectors that the engine keeps as 32-bit floats, and those that are properties like others."""
        there = {name: each for name, each in self.vectors.items() if each is not None}
        single = {
            name: each.components for name, each in there.items() if each.single and self.label == "Memory"
        }
        return single, {name: each.components for name, each in there.items() if name not in single}


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One relationship."""

    line: int
    type: str
    start: Key
    end: Key
    nth: int
    """How many of its type there are before it between the same two nodes."""
    properties: dict[str, Value]


class LineWriter:
    """Writes lines and keeps count and checksum of them."""

    def __init__(self, file: BinaryIO) -> None:
        self.counts = Counts()
        self._file = file
        self._checksum = hashlib.sha256()

    def header(self, header: Header) -> None:
        """Write the first line."""
        self._write({"engram": FORMAT} | asdict(header))

    def node(self, labels: Sequence[str], properties: Mapping[str, Any], vectors: Mapping[str, Any]) -> None:
        """Write a node; its properties and vectors are JSON."""
        self.counts.nodes[labels[0]] += 1
        line: dict[str, Any] = {"node": labels, "properties": properties}
        self._write(line | ({"vectors": vectors} if vectors else {}))

    def relationship(self, type_: str, start: Key, end: Key, properties: Mapping[str, Any]) -> None:
        """Write a relationship; its properties are JSON."""
        self.counts.relationships[type_] += 1
        self._write({"relationship": type_, "from": start, "to": end, "properties": properties})

    def trailer(self) -> str:
        """Write the last line and return the checksum of the others, in hex."""
        checksum = self._checksum.hexdigest()
        self._write({"end": self.counts.as_json() | {"sha256": checksum}})
        return checksum

    def _write(self, line: object) -> None:
        data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self._checksum.update(data)
        self._file.write(data)


def as_json(value: Value) -> Any:
    """Return a property as it stands in a file."""
    if isinstance(value, Temporal):
        return {value.type: [*value.texts] if value.list else value.texts[0]}
    if isinstance(value, float) or (isinstance(value, list) and value and isinstance(value[0], float)):
        return floats_to_json(value)
    return value


def canonical(properties: Mapping[str, Any], *, without: Sequence[str] = ()) -> str:
    """Return properties, as JSON, in the one form in which equal ones are equal."""
    kept = {name: value for name, value in properties.items() if name not in without}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


class Keys:
    """Gives nodes their keys; those of one label that hold the same are numbered."""

    def __init__(self) -> None:
        self._alike: Counter[Key] = Counter()

    def of(self, label: str, properties: Mapping[str, Any]) -> Key:
        """Return the key of a node.

        Args:
            label: Its main label.
            properties: As JSON.

        Raises:
            KeyError: It lacks a property that its label is told apart by.
        """
        if label not in BY_CONTENT:
            return (label, *(properties[name] for name in KEYS[label]))
        digest = hashlib.sha256(canonical(properties, without=("space",)).encode()).hexdigest()[:32]
        key = (label, digest)
        self._alike[key] += 1
        return (*key, self._alike[key] - 1)


class KeySet:
    """The keys of all nodes of a file in eight bytes each: first all are added, then it is asked."""

    def __init__(self) -> None:
        self._salt = np.random.default_rng().bytes(16)  # so that nobody makes up two keys that look alike
        self._recent: list[int] = []
        self._digests = np.empty(0, dtype=np.uint64)
        self._order: np.ndarray[Any, np.dtype[np.int64]] | None = None

    def add(self, key: Key) -> None:
        """Add a key."""
        self._recent.append(self._digest(key))
        if len(self._recent) >= 65_536:
            self._gather()

    def first_double(self) -> int | None:
        """Return which key, counted from 0, had been added before, or None where all differ."""
        order = self._sorted()
        ordered = self._digests[order]
        doubles = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
        return int(order[doubles].min()) if len(doubles) else None

    def __contains__(self, key: Key) -> bool:
        order = self._sorted()
        digest = np.uint64(self._digest(key))
        place = int(np.searchsorted(self._digests, digest, sorter=order))
        return place < len(order) and bool(self._digests[order[place]] == digest)

    def _sorted(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        if self._recent or self._order is None:
            self._gather()
            self._order = np.argsort(self._digests, kind="stable")
        return self._order

    def _gather(self) -> None:
        self._digests = np.concatenate([self._digests, np.array(self._recent, dtype=np.uint64)])
        self._recent.clear()
        self._order = None

    def _digest(self, key: Key) -> int:
        data = json.dumps(key).encode()
        return int.from_bytes(hashlib.blake2b(data, digest_size=8, key=self._salt).digest())
