"""Material: what of a space is dreamed of.

People's words and what was drawn from them. What the agent answered is left out, since what it recalled would come back
as new; so are tensions and narratives. An insight may be a source of another, and that one of none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from engram.entities import entity_key
from engram.graph import Graph, Row
from engram.loop.fencing import LONGEST_NAME
from engram.loop.inputs import Source
from engram.records import Kind
from engram.text import inert

DEEPEST = 2
"""Insights above what was not dreamed: an insight of insights is the last."""
OWN_TAGS = tuple(source.value for source in Source if source is not Source.USER)
"""Source tags of what the agent thought or said itself."""
NEVER = (Kind.NARRATIVE.value, Kind.TENSION.value, Kind.CORRECTION.value)
"""Kinds that are not dreamed of."""
LONGEST_SHOWN = 400
"""Characters of a memory that a model is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """What a memory belongs to."""

    id: str
    label: str | None
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """A memory as a dream sees it."""

    id: str
    content: str
    kind: str
    source_tag: str
    event_at: datetime
    category: str | None = None
    speaker: str | None = None
    subject: str | None = None
    """Key of the subject's entity, of a fact."""
    importance: float = 0.5
    depth: int = 0
    """0 of what was not dreamed, 1 of an insight, 2 of an insight of insights."""
    names: tuple[tuple[str, str], ...] = ()
    """Key and name of each entity that it mentions, its speaker among them."""
    cluster: Cluster | None = None
    quoted: frozenset[str] = frozenset()
    """Ids of the insights that cite it and that were worded without a model: they quote one of what they cite."""
    merged: frozenset[str] = frozenset()
    """Ids of the insights that it was merged into."""
    refused: frozenset[str] = frozenset()
    """Ids of insights that cited it and were taken back."""

    @classmethod
    def from_row(cls, row: Row) -> "Material":
        """Return the material in a row of `believe/dream_read_memories`."""
        sets = {name: frozenset(row[name]) for name in ("quoted", "merged", "refused")}
        names = tuple((key, name) for key, name in row["names"])
        cluster = Cluster(**row["cluster"]) if row["cluster"] else None
        return cls(**row | sets | {"names": names, "cluster": cluster})

    @property
    def about(self) -> frozenset[str]:
        """Keys of whom and what it is about: its subject, its speaker and what it mentions."""
        given = {self.subject, entity_key(self.speaker or ""), *(key for key, _ in self.names)}
        return frozenset(key for key in given if key)

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """Key and name of each entity that it mentions, its speaker aside."""
        speaker = entity_key(self.speaker or "")
        return tuple((key, name) for key, name in self.names if key != speaker)

    @property
    def usable(self) -> bool:
        """Whether something may be drawn from it."""
        if self.kind in NEVER:
            return False
        dreamed = self.source_tag == Source.CONSOLIDATION.value and 0 < self.depth < DEEPEST
        return dreamed or self.source_tag not in OWN_TAGS


def newest(graph: Graph, *, space: str, limit: int) -> list[Material]:
    """Return the newest memories that may be dreamed of, insights aside, the newest first."""
    rows = graph.read(
        "believe/dream_list_newest", space=space, tags=list(OWN_TAGS), kinds=list(NEVER), limit=limit
    )
    return read(graph, space=space, ids=rows[0]["ids"])


def near(graph: Graph, *, space: str, ids: Sequence[str], width: int, least: float) -> list[Material]:
    """Return what is near any of some memories by vector, themselves included.

    Args:
        graph: Where.
        space: Whose.
        ids: The memories'.
        width: How many of each are looked at.
        least: The least cosine of the stored vectors.
    """
    rows = graph.read(
        "believe/dream_find_alike",
        space=space,
        ids=list(ids),
        tags=list(OWN_TAGS),
        kinds=list(NEVER),
        width=width,
        least=least,
    )
    return read(graph, space=space, ids=sorted({*ids, *rows[0]["ids"]}))


def read(graph: Graph, *, space: str, ids: Sequence[str]) -> list[Material]:
    """Return the active and usable memories among these, in their order."""
    rows = graph.read("believe/dream_read_memories", space=space, ids=list(ids))
    found = {row["id"]: Material.from_row(row) for row in rows}
    return [found[each] for each in ids if each in found and found[each].usable]


def lines(materials: Iterable[Material]) -> list[str]:
    """Return memories as numbered lines of a prompt's fenced section: `1. date who: text`."""
    return [f"{number}. {line(each)}" for number, each in enumerate(materials, start=1)]


def line(material: Material) -> str:
    """Return a memory as one inert line."""
    who = inert(material.speaker, LONGEST_NAME) if material.speaker else "noted"
    return f"{material.event_at:%Y-%m-%d} {who}: {inert(material.content, LONGEST_SHOWN)}"
