"""The one reader of `.cypher` files: statements by name, with the contract their head comment states.

A database has two slots for vectors, so that those of a new model can be made beside the old ones. A file is written for
slot a; read for slot b, the names of the two slots' properties and indexes are exchanged, which is the only thing in a
statement that is not a parameter: an index's name cannot be one.
"""

import difflib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Literal

_PARAMETER_LINE = re.compile(r"^//\s*\$(\w+)\s*:")
_PARAMETER_USE = re.compile(r"\$(\w+)")

Slot = Literal["a", "b"]
"""Where vectors of one model are: a property of its own, with an index of its own."""
VECTORS: dict[Slot, str] = {"a": "embedding", "b": "embedding_b"}
"""The property that holds a node's own vector, by slot."""
CENTROIDS: dict[Slot, str] = {"a": "centroid", "b": "centroid_b"}
"""The property that holds the mean vector of what belongs to a node, by slot."""
# A map called row is a parameter's, and its names are the caller's.
_SLOTTED = re.compile(r"(memory_embedding|(?<!\brow)\.(?:embedding|centroid)|'(?:embedding|centroid))(_b)?\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One Cypher statement as it stands in its file."""

    name: str
    """`group/verb_noun`, the path below `cypher/` without its ending."""
    text: str
    declared: frozenset[str]
    """Parameters that the head comment lists."""

    @property
    def head(self) -> str:
        """The head comment without its slashes."""
        lines = [line for line in self.text.splitlines() if line.startswith("//")]
        return "\n".join(line.removeprefix("//").strip() for line in lines)

    @property
    def used(self) -> frozenset[str]:
        """Parameters that the statement itself uses."""
        code = "\n".join(line for line in self.text.splitlines() if not line.lstrip().startswith("//"))
        return frozenset(_PARAMETER_USE.findall(code))


@cache
def load(name: str, slot: Slot = "a") -> Statement:
    """Return the statement called `name`, e.g. `recall/find_candidates`, as it reads with that slot in use.

    Raises:
        KeyError: There is no such file; the message lists near names.
    """
    group, _, verb = name.partition("/")
    # One joinpath per step: a namespace's MultiplexedPath takes a single argument on Python 3.11.
    file = _root().joinpath(group).joinpath(f"{verb}.cypher")
    if not verb or not file.is_file():
        near = difflib.get_close_matches(name, names(), n=3, cutoff=0.4)
        raise KeyError(f"No statement {name!r}; near: {', '.join(near) or 'none'}")
    text = file.read_text(encoding="utf-8")
    declared = {found[1] for line in text.splitlines() if (found := _PARAMETER_LINE.match(line))}
    return Statement(
        name=name,
        text=text if slot == "a" else _SLOTTED.sub(_exchanged, text),
        declared=frozenset(declared),
    )


@cache
def names(group: str | None = None) -> tuple[str, ...]:
    """Return every statement's name in order, or those of one group."""
    found = [
        f"{folder.name}/{file.name.removesuffix('.cypher')}"
        for folder in _root().iterdir()
        if folder.is_dir() and group in (None, folder.name)
        for file in folder.iterdir()
        if file.name.endswith(".cypher")
    ]
    return tuple(sorted(found))


def other(slot: Slot) -> Slot:
    """Return the slot that is not this one."""
    return "b" if slot == "a" else "a"


def _exchanged(name: re.Match[str]) -> str:
    return name[1] + ("" if name[2] else "_b")


def _root() -> Traversable:
    return resources.files("engram.cypher")
