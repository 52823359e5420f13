"""Why: graph paths folded into a tree of evidence."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from engram.graph import Node, Path, Step
from engram.records import Evidence

_ROLE = {"SUPERSEDES": "SUPERSEDED_BY"}
"""What a relationship is called when the chain meets it from its end."""


def fold_paths(paths: Sequence[Path]) -> list[Evidence]:
    """Return the tree that the paths span, depth first; all paths begin at the same node.

    A node that several chains reach is listed under each parent once, and opened only the first time.
    """
    if not paths:
        return []
    root = paths[0].nodes[0]
    children: dict[str, dict[tuple[str, str], tuple[Step, Node]]] = {}
    for path in paths:
        for parent, step, child in zip(path.nodes, path.steps, path.nodes[1:], strict=False):
            name = step.type if step.start == parent.element_id else _ROLE.get(step.type, step.type)
            children.setdefault(parent.element_id, {})[name, child.element_id] = (step, child)
    evidence: list[Evidence] = []
    opened: set[str] = set()

    def visit(node: Node, depth: int, relationship: str, parent: str | None, detail: dict[str, Any]) -> None:
        evidence.append(_evidence(node, depth, relationship, parent, detail))
        if node.element_id in opened:
            return
        opened.add(node.element_id)
        for (name, _), (step, child) in sorted(
            children.get(node.element_id, {}).items(), key=lambda item: (item[0][0], _when(item[1][1]))
        ):
            visit(child, depth + 1, name, str(node.properties["id"]), step.properties)

    visit(root, 0, "", None, {})
    return evidence


def _evidence(
    node: Node, depth: int, relationship: str, parent: str | None, detail: dict[str, Any]
) -> Evidence:
    properties = node.properties
    label = next((name for name in sorted(node.labels - {"Memory"})), "Memory")
    return Evidence(
        depth=depth,
        relationship=relationship,
        parent=parent,
        id=str(properties["id"]),
        label=label,
        text=str(properties.get("content") or properties.get("text") or properties["id"]),
        at=properties.get("event_at") or properties.get("at") or properties.get("started_at"),
        who=properties.get("speaker") or properties.get("source"),
        detail=detail,
    )


def _when(node: Node) -> tuple[datetime | str, ...]:
    at = node.properties.get("event_at") or node.properties.get("at") or node.properties.get("started_at")
    return (at.isoformat() if isinstance(at, datetime) else "", str(node.properties["id"]))
