"""Migrations: what older versions wrote, brought to what this one expects.

They are carried out in order when a database of an older schema is opened, after the indexes are there and before the
new version is recorded. Each works in batches, each batch in one transaction, and changes nothing the second time; which
one was done last is recorded, so that an opening after a crash goes on from there. Two openings at once do the same
work twice, to no harm.

Nothing that a memory says is changed or deleted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engram.entities import mentions, names_in
from engram.graph import Graph, Row, Transaction
from engram.records import FOREVER, USER_TAG
from engram.walking import spaces, walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step from what older versions wrote."""

    number: int
    since: int
    """Schema version from which on nothing is written that needs it."""
    title: str
    carry_out: Callable[[Graph, datetime], None]


def pending(*, version: int, done: int) -> list[Migration]:
    """Return the migrations that a database needs, in order.

    Args:
        version: The schema version that it records.
        done: The number of the last migration that was carried out on it, 0 for none.
    """
    return [each for each in MIGRATIONS if each.since > version and each.number > done]


def _walk(name: str, **parameters: Any) -> Callable[[Graph, datetime], None]:
    def carry_out(graph: Graph, now: datetime) -> None:
        del now
        for space in spaces(graph):
            for _ in walk(graph, name, space, **parameters):
                pass

    return carry_out


def _drop_rounded_index(graph: Graph, now: datetime) -> None:
    """Drop a vector index that rounds its vectors: a search in one fails where a filter leaves little.

    The schema makes it anew, from the vectors as they are.
    """
    del now
    if any(row["quantized"] for row in graph.read("migrate/read_quantization")):
        graph.apply("reindex/drop_index")


def _link_names(graph: Graph, now: datetime) -> None:
    """Link memories to who said them and what they name, for questions that name it."""
    for space in spaces(graph):
        for batch in walk(graph, "migrate/list_unnamed", space, writes=False):
            if entities := _named(batch["memories"]):
                _link_entities(graph, space, entities, now)


def _named(memories: Sequence[Row]) -> list[Row]:
    """Return who said memories and what they name, as `write/link_entities` takes it."""
    entities: dict[str, Row] = {}
    for memory in memories:
        for key, name, role in mentions(memory["speaker"], names_in(memory["content"])):
            entity = entities.setdefault(key, {"key": key, "name": name, "mentions": []})
            entity["mentions"].append({"id": memory["id"], "role": role})
    return [entities[key] for key in sorted(entities)]


def _link_entities(graph: Graph, space: str, entities: list[Row], now: datetime) -> None:
    ids = sorted({mention["id"] for entity in entities for mention in entity["mentions"]})

    def work(transaction: Transaction) -> None:
        transaction.run("write/lock_memories", space=space, ids=ids)
        transaction.run("write/link_entities", space=space, entities=entities, now=now)

    graph.transact(work)


MIGRATIONS = (
    Migration(number=1, since=2, title="vector index without rounding", carry_out=_drop_rounded_index),
    Migration(
        number=2,
        since=3,
        title="since when superseded memories are not believed",
        carry_out=_walk("migrate/end_supersessions", forever=FOREVER),
    ),
    Migration(
        number=3,
        since=3,
        title="what due promotions lead to",
        carry_out=_walk("migrate/complete_promotions"),
    ),
    Migration(
        number=4,
        since=3,
        title="days on which memories were used",
        carry_out=_walk("migrate/count_days_used"),
    ),
    Migration(
        number=5,
        since=5,
        title="turns that facts are drawn from",
        carry_out=_walk("migrate/complete_turns", user_tag=USER_TAG),
    ),
    Migration(number=6, since=2, title="who said and is named by what", carry_out=_link_names),
    Migration(
        number=7,
        since=2,
        title="vectors of what was said together with its context",
        carry_out=_walk("migrate/mark_vectors"),
    ),
)
"""All of them, in order."""
