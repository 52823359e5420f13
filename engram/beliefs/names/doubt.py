"""Doubt: names that a job took for one, and that a name which came later puts in question.

When `Anna` became another name of `Anna Schmidt`, nobody else was known whom it fitted. Once there is an `Anna Weber`, the
same merge would not be made, so the job takes its own back. What a person has merged, or somebody has said, stands.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engram.beliefs.names.naming import fit, parse
from engram.beliefs.names.resolution import Named, ambiguous
from engram.beliefs.names.surroundings import Group
from engram.graph import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A merge that would not be made any more."""

    change: str
    """Its id in the log."""
    alias: str
    """The name that became an alias, as it is written."""
    into: str
    """The name that stands for it."""


def doubtful(rows: Sequence[Row], groups: Mapping[str, Group]) -> Iterator[Doubt]:
    """Yield the merges of jobs whose alias fits others by now than the name that stands for it.

    Args:
        rows: What `believe/entity_walk` returned of each name of the space.
        groups: The names of the space, those together that are one, each with its rivals.
    """
    own = {row["key"] for row in rows if not _by_itself(row)}
    for row in rows:
        if not _by_itself(row):
            continue
        group = groups[row["canonical"]]
        rest = tuple(name for key, name in zip(group.keys, group.names, strict=True) if key in own)
        rivals = tuple(each for each in group.rivals if _fits(row["name"], each))
        alias = Named(key=row["key"], names=(row["name"],), rivals=rivals)
        if rest and ambiguous(alias, Named(key=group.key, names=rest)):
            yield Doubt(change=row["merge"]["change"], alias=row["name"], into=group.names[0])


def _by_itself(row: Row) -> bool:
    """Return whether a job took a name for another without anybody having said so."""
    return row["merge"] is not None and row["merge"]["run"] is not None and not row["merge"]["said"]


def _fits(one: str, other: str) -> bool:
    names = parse(one), parse(other)
    return None not in names and fit(*names) is not None  # type: ignore[arg-type]
