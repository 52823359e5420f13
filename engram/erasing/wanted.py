"""What a person wants gone: one memory, all about somebody or something, or a whole space."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engram.beliefs.names.merging import nearest
from engram.entities import entity_key
from engram.errors import InvalidInputError, NotFoundError
from engram.validation import check_name

if TYPE_CHECKING:
    from engram.graph import Graph

_LOOKED_AT = 2_000
"""Names of a space that are looked through for near ones."""


@dataclass(frozen=True, slots=True)
class One:
    """One memory."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Whatever mentions somebody or something, or is about it, under any of its names."""

    names: tuple[str, ...]
    """As they are known; of an unknown one, as it was asked for."""
    keys: tuple[str, ...]
    """Of those that are known, ascending."""
    ids: tuple[str, ...]
    """Of the memories that are linked to them, ascending."""


@dataclass(frozen=True, slots=True)
class Whole:
    """All of the space."""


Wanted = One | About | Whole


def about(graph: "Graph", *, space: str, name: str, is_said: Callable[[str], bool]) -> About:
    """Return who or what goes by a name, with the other names that are known to be one with it.

    Args:
        graph: Where.
        space: Whose.
        name: As a person writes it.
        is_said: Says whether a name that nothing is known by stands somewhere all the same.

    Raises:
        NotFoundError: It is not known and stands nowhere; near names are offered.
        InvalidInputError: It is a part of several names; they are listed.
    """
    written = check_name(name, "The name")
    key = entity_key(written)
    if known := _known(graph, space, written, key):
        return known
    names = {
        row["key"]: row["name"] for row in graph.read("believe/entity_list", space=space, limit=_LOOKED_AT)
    }
    longer = [names[each] for each in names if key and f" {key} " in f" {each} "]
    if len(longer) > 1:
        raise InvalidInputError(
            f"{written!r} may be several: {', '.join(longer)}.", remedy="Give one of these names."
        )
    if longer and (known := _known(graph, space, longer[0], entity_key(longer[0]))):
        return known
    if key and is_said(written):
        return About(names=(written,), keys=(), ids=())
    near = ", ".join(names[each] for each in nearest(key, [*names]))
    raise NotFoundError(
        f"Nobody and nothing is known by the name {written!r}.",
        remedy=f"Near: {near}." if near else "`engram entities` lists the names.",
    )


def _known(graph: "Graph", space: str, written: str, key: str) -> About | None:
    found = graph.read("inspect/find_about", space=space, keys=[key])[0]
    if not found["names"]:
        return None
    names = [each["name"] for each in found["names"]]
    return About(
        # Asked for in other letters than it is known by, it may stand in those too.
        names=tuple(dict.fromkeys([written, *names])),
        keys=tuple(each["key"] for each in found["names"]),
        ids=tuple(found["ids"]),
    )
