"""Walks over all that a database holds, space by space and batch by batch, each batch in a transaction of its own."""

from collections.abc import Iterator
from typing import Any

from engram.graph import Graph, Row

WALKED = 500
"""Nodes looked at in one batch."""


def spaces(graph: Graph) -> list[str]:
    """Return every space of the database, in order."""
    return sorted(row["space"] for row in graph.read("inspect/list_spaces"))


def walk(graph: Graph, name: str, space: str, /, *, writes: bool = True, **parameters: Any) -> Iterator[Row]:
    """Run a statement through a space, and yield the row of each batch.

    Args:
        graph: The database.
        name: The statement's; it takes `space`, `after` and `batch_size`, and returns one row with `last`, the id that
            the next batch comes after, or null at the end.
        space: Whose.
        writes: Whether it writes.
        parameters: What else it takes.
    """
    after: str | None = ""
    while after is not None:
        batch = {"space": space, "after": after, "batch_size": WALKED} | parameters
        row = (graph.write(name, **batch).rows if writes else graph.read(name, **batch))[0]
        after = row["last"]
        if after is not None:
            yield row
