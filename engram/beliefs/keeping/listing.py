"""Listing facts: what is held about whom, by attribute."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from engram.beliefs.facts import Category, slot_key
from engram.beliefs.names.resolution import canonical_keys
from engram.entities import entity_key
from engram.graph import Graph, Row

BATCH = 5_000
"""Memories looked at by one statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFact:
    """One fact as it stands in a list."""

    id: str
    subject: str | None
    """Key of whose it is; of names that mean the same, the one that stands for all."""
    name: str | None
    """The subject's name."""
    slot: str | None
    value: str | None
    negated: bool
    category: str
    content: str
    status: str
    valid_from: datetime
    valid_to: datetime
    truth: float
    """Mean of its truth, 0 to 1."""
    sources: int
    """How many turns and memories it rests on."""


def list_facts(
    graph: Graph,
    *,
    space: str,
    now: datetime,
    subject: str | None = None,
    slot: str | None = None,
    replaced: bool = False,
) -> list[ListedFact]:
    """Return the facts of a space by subject and slot, those without one last; of each slot the newest first.

    Args:
        graph: Where.
        space: Whose.
        now: What had ended by then holds no longer.
        subject: The name of the one whose they are; None for anybody's.
        slot: The attribute or its beginning, e.g. `likes` for `likes:tea` too; None for any.
        replaced: Whether those that no longer hold are listed too.
    """
    wanted = slot_key(slot) if slot else None
    found = [
        fact
        for fact in _walk(graph, space, subject, replaced=replaced)
        if (replaced or fact.valid_to > now)
        and (wanted is None or fact.slot == wanted or (fact.slot or "").startswith(f"{wanted}:"))
    ]
    # Two stable sorts: dates descend, names ascend.
    found.sort(key=lambda fact: (fact.valid_from, fact.id), reverse=True)
    return sorted(
        found, key=lambda fact: (fact.subject is None, fact.subject or "", fact.slot is None, fact.slot or "")
    )


def _walk(graph: Graph, space: str, subject: str | None, *, replaced: bool) -> Iterator[ListedFact]:
    key = entity_key(subject) if subject else None
    if key is not None:
        key = canonical_keys(graph, space=space, keys=[key])[key]
    after: str | None = ""
    while after is not None:
        batch: Row = graph.read(
            "believe/fact_list",
            space=space,
            after=after,
            batch_size=BATCH,
            categories=[category.value for category in Category],
            subject=key,
            replaced=replaced,
        )[0]
        yield from (ListedFact(**row | {"negated": bool(row["negated"])}) for row in batch["facts"])
        after = batch["last"]
