"""Why a memory is believed: the graph around it, folded into a tree of evidence."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from engram.graph import Graph, Node, Row, Step
from engram.records import Evidence

DEPTH = 8
"""Steps from the memory: six between memories, one to a turn, one to its session."""
BREADTH = 20
"""Steps of one role that are shown from one node."""
WIDTH = 100
"""Steps of one role that the nodes of one level share; so many nodes show one at least, more are only counted on from."""
STATEMENT = "inspect/explain_memory"
_GROUNDS = {"DERIVED_FROM", "TENSION_BETWEEN"}
"""Roles of what a memory can rest on."""
_PRIOR = 2.0
"""What alpha and beta of a truth add up to before there is any evidence, a uniform Beta(1, 1)."""


def parameters(space: str, memory_id: str) -> Row:
    """Return what the statement is run with, the bounds included."""
    return {"space": space, "id": memory_id, "depth": DEPTH, "breadth": BREADTH, "width": WIDTH}


def explain(graph: Graph, *, space: str, memory_id: str) -> list[Evidence]:
    """Return the chain of evidence of a memory, depth first; nothing where there is no such memory."""
    return fold(graph.read(STATEMENT, **parameters(space, memory_id)))


def fold(rows: Sequence[Row]) -> list[Evidence]:
    """Return the tree that the rows of `inspect/explain_memory` span, depth first.

    A node that several steps lead to is listed under each, and opened where it is reached first, level by level.

    Args:
        rows: Maps {depth, role, total, link, node}, level by level, the memory itself first.
    """
    return list(_Tree(rows).walk()) if rows else []


class _Tree:
    """The rows, by the node that each leads on from."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._root = rows[0]
        self._first: dict[str, Row] = {}
        """The row that reaches a node first, by element id."""
        self._steps: defaultdict[str, list[Row]] = defaultdict(list)
        self._totals: defaultdict[str, dict[str, int]] = defaultdict(dict)
        """How many steps there are from a node, by role."""
        for row in rows:
            link: Step | None = row["link"]
            reached = row["node"].element_id
            self._first.setdefault(reached, row)
            if row is self._root:
                continue
            above = reached if link is None else link.start if link.end == reached else link.end
            self._totals[above][row["role"]] = row["total"]
            if link is not None:
                self._steps[above].append(row)

    def walk(self) -> Iterator[Evidence]:
        yield from self._open(self._root, 0, None)

    def _open(self, row: Row, depth: int, parent: str | None) -> Iterator[Evidence]:
        node: Node = row["node"]
        repeated = self._first[node.element_id] is not row
        yield self._evidence(row, depth, parent, repeated=repeated)
        if not repeated:
            for step in self._steps[node.element_id]:
                yield from self._open(step, depth + 1, str(node.properties["id"]))

    def _evidence(self, row: Row, depth: int, parent: str | None, *, repeated: bool) -> Evidence:
        node: Node = row["node"]
        properties = node.properties
        totals = self._totals[node.element_id]
        truth, evidence = _truth(properties)
        return Evidence(
            depth=depth,
            relationship=row["role"],
            parent=parent,
            id=str(properties["id"]),
            label=next((name for name in sorted(node.labels - {"Memory"})), "Memory"),
            text=str(properties.get("content") or properties.get("text") or properties["id"]),
            at=_when(properties),
            who=properties.get("speaker") or properties.get("source"),
            detail=row["link"].properties if row["link"] else {},
            status=properties.get("status"),
            truth=truth,
            evidence=evidence,
            repeated=repeated,
            broken="Memory" in node.labels and not repeated and not _GROUNDS & totals.keys(),
            left_out={} if repeated else self._left_out(node.element_id),
        )

    def _left_out(self, element_id: str) -> dict[str, int]:
        shown: defaultdict[str, int] = defaultdict(int)
        for step in self._steps[element_id]:
            shown[step["role"]] += 1
        return {
            role: total - shown[role]
            for role, total in self._totals[element_id].items()
            if total > shown[role]
        }


def _when(properties: Row) -> datetime | None:
    return properties.get("event_at") or properties.get("at") or properties.get("started_at")


def _truth(properties: dict[str, Any]) -> tuple[float | None, float | None]:
    alpha, beta = properties.get("truth_alpha"), properties.get("truth_beta")
    if alpha is None or beta is None:
        return None, None
    return alpha / (alpha + beta), max(0.0, alpha + beta - _PRIOR)
