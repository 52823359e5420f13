"""The one reader of `.cypher` files: statements by name, with the contract their head comment states."""

import difflib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

_PARAMETER_LINE = re.compile(r"^//\s*\$(\w+)\s*:")
_PARAMETER_USE = re.compile(r"\$(\w+)")


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
def load(name: str) -> Statement:
    """Return the statement called `name`, e.g. `recall/find_candidates`.

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
        text=text,
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


def _root() -> Traversable:
    return resources.files("engram.cypher")
