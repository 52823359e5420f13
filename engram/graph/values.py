"""Plain values out of the driver's: what leaves this package is Python's own, or one of these."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from typing import Any

import neo4j
import neo4j.graph
import neo4j.time

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Node:
    """A node as a path holds it."""

    element_id: str
    labels: frozenset[str]
    properties: Row


@dataclass(frozen=True, slots=True)
class Step:
    """A relationship of a path, with the element ids of its ends."""

    type: str
    start: str
    end: str
    properties: Row


@dataclass(frozen=True, slots=True)
class Path:
    """A path: n nodes and the n - 1 relationships between them."""

    nodes: tuple[Node, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a write returned and how many things it changed."""

    rows: list[Row]
    changed: int
    """Nodes, relationships, labels and properties created, set or deleted."""


def operators(plan: Row) -> Iterator[str]:
    """Yield the operators of a plan, the first to run last."""
    yield plan["operatorType"].partition("@")[0]
    for child in plan.get("children", ()):
        yield from operators(child)


def changed(summary: neo4j.ResultSummary) -> int:
    """Return how many things a statement created, set or deleted."""
    counters = summary.counters
    return sum(
        (
            counters.nodes_created,
            counters.nodes_deleted,
            counters.relationships_created,
            counters.relationships_deleted,
            counters.properties_set,
            counters.labels_added,
            counters.labels_removed,
        )
    )


def plain_row(record: neo4j.Record) -> Row:
    """Return a record as a dict of plain values."""
    return {key: _plain(record[key]) for key in record.keys()}  # noqa: SIM118  (a Record iterates over values)


def _plain(value: Any) -> Any:  # noqa: PLR0911  (one case a type)
    match value:
        case neo4j.time.DateTime():
            return value.to_native().astimezone(UTC)
        case neo4j.graph.Path():
            return Path(tuple(map(_plain, value.nodes)), tuple(map(_plain, value.relationships)))
        case neo4j.graph.Node():
            return Node(value.element_id, frozenset(value.labels), _plain(dict(value)))
        case neo4j.graph.Relationship():
            ends = [node.element_id if node else "" for node in value.nodes]
            return Step(value.type, ends[0], ends[1], _plain(dict(value)))
        case dict():
            return {key: _plain(value[key]) for key in value}
        case list() if value and isinstance(value[0], float):
            return value  # an embedding: nothing inside to convert
        case list():
            return [_plain(item) for item in value]
        case _:
            return value
