"""Looking at tensions: which there are, what a memory is disputed by, and which one a person means."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from engram.errors import InvalidInputError, NotFoundError
from engram.graph import Graph
from engram.memory import Engram
from engram.text import MIN_PREFIX, short

State = Literal["open", "acknowledged", "resolved"]
Disputes = Mapping[str, Sequence[tuple[str, str]]]
"""By a memory's id, the ids and contents of what it is in unresolved tension with."""
UNRESOLVED = ("open", "acknowledged")
LISTED = 1_000
"""Most tensions that are listed at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two memories."""

    id: str
    content: str
    speaker: str | None
    at: datetime
    """When it was said or happened."""
    status: str
    truth: float
    """Mean of its truth, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tension:
    """Two memories that cannot both hold."""

    id: str | None
    """Of the memory that says so; None where none does yet."""
    sides: tuple[Side, Side]
    """A and B, the older first."""
    at: datetime
    """Since when."""
    surfaced: int
    """How many recalls brought one of them back."""
    state: State
    why: str | None
    """What is opposed, in a few words."""
    kept: str | None = None
    """Id of the side that holds, `both` or `neither`; None where it is not resolved, or nothing was decided."""
    how: str | None = None
    """What resolved it."""
    resolved_at: datetime | None = None


def list_tensions(
    graph: Graph, *, space: str, closed: bool = False, memory: str | None = None, limit: int = LISTED
) -> list[Tension]:
    """Return the tensions of a space, the newest first.

    Args:
        graph: Where.
        space: Whose.
        closed: Whether those that are resolved are listed too.
        memory: Id of one of the two, or of the memory that says it; None for all.
        limit: How many at most.
    """
    rows = graph.read(
        "believe/tension_list",
        space=space,
        states=[*UNRESOLVED, "resolved"] if closed else [*UNRESOLVED],
        memory=memory,
        limit=min(limit, LISTED),
    )
    return [Tension(**row | {"sides": tuple(Side(**side) for side in row["sides"])}) for row in rows]


def disputes(graph: Graph, *, space: str, ids: Iterable[str]) -> Disputes:
    """Return what each of some memories is in unresolved tension with, the newest tension first."""
    found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in graph.read("believe/tension_disputes", space=space, ids=sorted(set(ids))):
        found[row["id"]].append((row["other"], row["content"]))
    return found


def find_tension(memory: Engram, tension: str) -> Tension:
    """Return the one unresolved tension that an id fits.

    Args:
        memory: Whose.
        tension: Id of the memory that says it, or of one of the two; or the beginning of one.

    Raises:
        NotFoundError: There is no such memory, or it is in no unresolved tension.
        InvalidInputError: It is in several, or the beginning fits several memories.
    """
    named = memory.get(tension)
    found = list_tensions(memory.graph, space=memory.space, memory=named.id, limit=3)
    if not found:
        raise NotFoundError(
            f"The memory {short(named.id)} is in no tension that waits to be resolved.",
            remedy="`engram tensions --all` lists all of them.",
        )
    if len(found) > 1:
        raise InvalidInputError(
            f"The memory {short(named.id)} is in several tensions.",
            remedy="Give the id of the tension; `engram tensions` lists them.",
        )
    return found[0]


def side_of(tension: Tension, keep: str) -> str:
    """Return the id of the side that is kept, `both` or `neither`.

    Raises:
        InvalidInputError: `keep` is neither a side nor one of these words.
    """
    wanted = keep.strip().lower()
    one, other = (side.id for side in tension.sides)
    words = {"a": one, "b": other, "both": "both", "neither": "neither"}
    if wanted in words:
        return words[wanted]
    found = [side for side in (one, other) if len(wanted) >= MIN_PREFIX and side.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    raise InvalidInputError(
        f"{keep!r} is no side of this tension.",
        remedy=f"Say A ({short(one)}), B ({short(other)}), both or neither.",
    )
