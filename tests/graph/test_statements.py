"""Every statement file against the server that runs it."""

import pytest

from engram import statements
from engram.errors import SchemaError
from engram.graph import Graph
from engram.schema import VERSION, apply_schema, read_schema
from engram.testing import FixedClock

pytestmark = pytest.mark.graph

SCHEMA = statements.names("schema")
# Commands cannot be explained; test_schema_is_idempotent runs them.
COMMANDS = {"inspect/list_indexes", "inspect/await_indexes"}
OTHERS = [name for name in statements.names() if not name.startswith("schema/") and name not in COMMANDS]


@pytest.mark.parametrize("name", OTHERS)
def test_statement_compiles(graph: Graph, name: str) -> None:
    """Each file is exactly one statement that the server can plan."""
    graph.explain(name, **dict.fromkeys(statements.load(name).declared))


WALKS = [name for name in OTHERS if {"after", "batch_size"} <= statements.load(name).declared]


@pytest.mark.parametrize("name", WALKS)
def test_walk_reads_no_more_than_its_batch(graph: Graph, name: str) -> None:
    """A statement that walks a space takes its batch from an index in order: it never sorts all that is left."""
    plan = graph.explain(name, **dict.fromkeys(statements.load(name).declared))
    wasteful = [operator for operator in plan if operator.startswith(("Top", "NodeByLabelScan"))]
    assert not wasteful or name in SORTING, plan


SORTING = {
    "consolidate/find_due_promotions": "what is due is few, and comes by the time at which it is",
    "consolidate/find_promoted": "what one run promoted",
    "consolidate/find_unreinforced": "new memories are few, and come by the time at which they were stored",
    "inspect/check_cluster_sizes": "clusters are few",
}
"""Walks that sort what an index has made few, and why that is right."""


def test_schema_is_idempotent(graph: Graph, clock: FixedClock) -> None:
    """Applying the schema again changes nothing, and all its indexes are online."""
    before = graph.read("inspect/list_indexes")
    record = read_schema(graph)
    assert record is not None
    again = apply_schema(graph, embed_model=record.embed_model, dimensions=record.dimensions, now=clock.now)
    assert again == record
    after = graph.read("inspect/list_indexes")
    assert after == before
    assert {index["state"] for index in after} == {"ONLINE"}
    assert len(after) == len(SCHEMA)


def test_newer_schema_is_refused(graph: Graph, clock: FixedClock) -> None:
    """A database that a newer Engram wrote is left alone, with a message that says what to do."""
    record = read_schema(graph)
    assert record is not None

    def stamp(version: int) -> None:
        graph.write(
            "write/record_schema",
            version=version,
            embed_model=record.embed_model,
            dimensions=record.dimensions,
            now=clock.now,
        )

    stamp(VERSION + 1)
    try:
        with pytest.raises(SchemaError, match="upgrade"):
            read_schema(graph)
    finally:
        stamp(VERSION)
