"""The style sheet of Neo4j Browser, which is also the palette of every other picture: `style.grass` beside this file."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

FILE = "style.grass"
_RULE = re.compile(r"^(node|relationship)(?:\.(\w+))? \{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_PROPERTY = re.compile(r"([\w-]+)\s*:\s*(?:'([^']*)'|([^;']+));")
_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a label or a relationship type is drawn."""

    color: str
    """`#RRGGBB`."""
    text_color: str
    """Of what is written inside a node."""
    caption: str
    """A template: `{content}` stands for the property of that name."""
    size: int
    """A node's diameter or a relationship's width, in pixels."""

    def written(self, properties: Mapping[str, Any]) -> str:
        """Return the caption for something with these properties."""
        return _FIELD.sub(lambda field: _shown(properties.get(field[1])), self.caption).strip()


def sheet() -> str:
    """Return the style sheet, in Neo4j Browser's own format."""
    return (resources.files("engram.explore") / FILE).read_text(encoding="utf-8")


@cache
def nodes() -> dict[str, Look]:
    """Return the look of each label, in the order in which the rules apply."""
    return _looks("node", "diameter")


@cache
def relationships() -> dict[str, Look]:
    """Return the look of each relationship type."""
    return _looks("relationship", "shaft-width")


def node_label(labels: Collection[str]) -> str:
    """Return the label that decides how a node looks: as in Browser, the last rule that fits."""
    return next((label for label in reversed(nodes()) if label in labels), "")


def node_look(labels: Collection[str]) -> Look:
    """Return how a node with these labels looks."""
    return nodes()[node_label(labels)]


def relationship_look(kind: str) -> Look:
    """Return how a relationship of this type looks; one that the sheet does not know is named by its type."""
    known = relationships()
    plain = known[""]
    return known.get(kind) or Look(
        color=plain.color,
        text_color=plain.text_color,
        caption=kind.lower().replace("_", " "),
        size=plain.size,
    )


def _looks(tag: str, size: str) -> dict[str, Look]:
    looks: dict[str, Look] = {}
    plain: dict[str, str] = {}
    for found, name, body in _RULE.findall(sheet()):
        if found != tag:
            continue
        rule = plain | {key: quoted or bare.strip() for key, quoted, bare in _PROPERTY.findall(body)}
        plain = plain or rule
        looks[name] = Look(
            color=rule["color"],
            text_color=rule["text-color-internal"],
            caption=rule.get("caption", ""),
            size=int(rule[size].removesuffix("px")),
        )
    return looks


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case list():
            return ", ".join(map(str, value))
        case _:
            return str(value)
