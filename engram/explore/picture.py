"""A part of the graph as it is drawn: nodes and edges with short captions, and nothing of a vector in it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engram.explore.style import Look, node_label, node_look, relationship_look
from engram.graph import Node, Path, Row, Step
from engram.text import inert

CAPTION = 60
"""Characters of a caption."""
_DETAIL = 2_000
"""Characters of a detail."""
_TOLD = ("content", "text", "name", "query", "speaker", "kind", "status", "tier", "event_at", "at", "id")
"""Properties of a node that are worth reading."""
_SAID_OF_EDGES = ("reason", "citation", "state", "why", "weight", "rank", "score", "at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A node as it is drawn."""

    id: str
    label: str
    """The label that it is coloured by."""
    caption: str
    look: Look
    details: dict[str, str]
    """What else can be read of it, by property."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A relationship as it is drawn."""

    start: str
    end: str
    kind: str
    caption: str
    look: Look
    details: dict[str, str]


@dataclass(frozen=True, slots=True)
class Picture:
    """Nodes, and the lines between them."""

    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]


def picture(rows: Iterable[Row]) -> Picture:
    """Return what a statement returned, each node and each relationship once, in the order of the rows."""
    dots: dict[str, Dot] = {}
    lines: dict[tuple[str, str, str], Line] = {}
    for thing in _things(rows):
        match thing:
            case Node():
                dots.setdefault(thing.element_id, _dot(thing))
            case Step():
                lines.setdefault((thing.start, thing.type, thing.end), _line(thing))
    return Picture(tuple(dots.values()), tuple(lines.values()))


def _things(rows: Iterable[Row]) -> Iterator[Node | Step]:
    for row in rows:
        for value in row.values():
            match value:
                case Path():
                    yield from value.nodes
                    yield from value.steps
                case Node():
                    yield value
                case _:
                    pass


def _dot(node: Node) -> Dot:
    look = node_look(node.labels)
    label = node_label(node.labels) or min(node.labels, default="")
    return Dot(
        id=node.element_id,
        label=label,
        caption=inert(look.written(node.properties) or label, CAPTION),
        look=look,
        details=_details(node.properties, _TOLD),
    )


def _line(step: Step) -> Line:
    look = relationship_look(step.type)
    return Line(
        start=step.start,
        end=step.end,
        kind=step.type,
        caption=look.caption,
        look=look,
        details=_details(step.properties, _SAID_OF_EDGES),
    )


def _details(properties: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
    return {name: _readable(properties[name]) for name in names if properties.get(name) is not None}


def _readable(value: object) -> str:
    match value:
        case datetime():
            return f"{value:%Y-%m-%d %H:%M}"
        case float():
            return f"{value:.3g}"
        case _:
            return inert(str(value), _DETAIL)
