"""The database's schema: applied in order, recorded, and compared on every opening."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from engram import statements
from engram.errors import EmbedderMismatchError, SchemaError
from engram.graph import Graph
from engram.migrations import pending
from engram.statements import Slot
from engram.tuning import DEFAULTS_SPACE, default_numbers

VERSION = 7
"""Raised whenever a file is added to `cypher/schema/` or a migration to `engram.migrations`."""
VECTOR_INDEX = "schema/12_memory_embedding"
_INDEX_SECONDS = 300

OtherState = Literal["filling", "returning", "settling", "kept", "clearing"]
"""Of the slot that is not in use: a new model's vectors are made there, or made up to date to go back to them; the other
model has just come into use; these are kept until somebody confirms it; they are being removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherVectors:
    """What the slot holds that is not in use."""

    state: OtherState
    embed_model: str
    dimensions: int
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRecord:
    """What a database says of its own set-up."""

    version: int
    embed_model: str
    dimensions: int
    slot: Slot = "a"
    """Where the vectors in use are."""
    generation: int = 0
    """Of those vectors: each reindex begins another."""
    migration: int = 0
    """Number of the last migration that was carried out."""
    due: bool = False
    """Whether some memory lacks a vector."""
    other: OtherVectors | None = None


def read_schema(graph: Graph) -> SchemaRecord | None:
    """Return the recorded schema, or None for a database that Engram has not used yet.

    Raises:
        SchemaError: A newer Engram wrote the database.
    """
    rows = graph.read("inspect/read_schema")
    if not rows:
        return None
    row = rows[0]
    record = SchemaRecord(**row | {"other": None if row["other"] is None else OtherVectors(**row["other"])})
    if record.version > VERSION:
        raise SchemaError(
            f"The database has schema {record.version}; this Engram knows schemas up to {VERSION}.",
            remedy="A newer Engram wrote it: upgrade with `pip install -U engram-neo4j`. Nothing was changed.",
        )
    return record


def work_with(graph: Graph, record: SchemaRecord) -> None:
    """Let a graph's statements read and write the vectors that were in use when the record was read.

    They go on with them after a switch, as their embedder does.
    """
    graph.slot, graph.generation = record.slot, record.generation


def apply_schema(
    graph: Graph,
    *,
    embed_model: str,
    dimensions: int,
    now: datetime,
    notify: Callable[[str], None] | None = None,
) -> SchemaRecord:
    """Create what is missing, wait until the indexes are online, migrate what is there, and record the version.

    Running it again changes nothing. Several processes may run it at once. One that dies leaves the old version recorded,
    so that the next opening goes on with the migration that was under way.

    Args:
        graph: The database.
        embed_model: The embedder's name.
        dimensions: The length of its vectors.
        now: The time to record.
        notify: Told in a line of each migration before it is carried out.

    Raises:
        SchemaError: A newer Engram wrote the database.
        EmbedderMismatchError: Its vectors come from another model.
    """
    record = read_schema(graph)
    if record is not None:
        check_embedder(record, embed_model=embed_model, dimensions=dimensions)
    for name in statements.names("schema"):
        if name == VECTOR_INDEX:
            graph.apply(name, slot="a" if record is None else record.slot, dimensions=dimensions)
        else:
            graph.apply(name)
    await_indexes(graph)
    graph.write("write/lay_default_numbers", space=DEFAULTS_SPACE, numbers=default_numbers())
    if record is not None:
        _migrate(graph, record, now, notify)
    graph.write(
        "write/record_schema",
        version=VERSION,
        embed_model=embed_model,
        dimensions=dimensions,
        now=now,
    )
    applied = read_schema(graph)
    if applied is None:  # another process wiped the database in between
        raise SchemaError(
            "The schema was applied but its record is gone.", remedy="Run `engram schema apply`."
        )
    check_embedder(applied, embed_model=embed_model, dimensions=dimensions)
    return applied


def _migrate(graph: Graph, record: SchemaRecord, now: datetime, notify: Callable[[str], None] | None) -> None:
    for migration in pending(version=record.version, done=record.migration):
        if notify is not None:
            notify(f"Migrating the database: {migration.title}.")
        migration.carry_out(graph, now)
        graph.write("migrate/record_migration", migration=migration.number)
    # A migration may have made the index of the vectors anew.
    graph.apply(VECTOR_INDEX, slot=record.slot, dimensions=record.dimensions)
    await_indexes(graph)


def await_indexes(graph: Graph) -> None:
    """Wait until every index is online, five minutes at most."""
    graph.read("inspect/await_indexes", seconds=_INDEX_SECONDS)


def check_embedder(record: SchemaRecord, *, embed_model: str, dimensions: int) -> None:
    """Refuse an embedder whose vectors cannot be compared with the stored ones.

    Raises:
        EmbedderMismatchError: Model or dimension differ.
    """
    if (record.embed_model, record.dimensions) != (embed_model, dimensions):
        raise EmbedderMismatchError(
            f"The database's vectors come from {record.embed_model} ({record.dimensions} dimensions); "
            f"the configured embedder is {embed_model} ({dimensions}).",
            remedy="Configure that model again (`engram config set embed_model …`, and `embedder` if it is of another "
            "kind), or change the database's with `engram reindex`.",
        )


def check_generation(graph: Graph) -> None:
    """Refuse to go on where the vectors that this process compares with have been replaced since it opened the database.

    Raises:
        EmbedderMismatchError: They have.
    """
    rows = graph.read("inspect/read_schema")
    current = [row["generation"] for row in rows] + [
        row["other"]["generation"] for row in rows if row["other"]
    ]
    if graph.generation not in current:
        raise EmbedderMismatchError(
            "The database has been switched to another embedding model since this process opened it"
            + (f": {rows[0]['embed_model']}." if rows else "."),
            remedy="Open it again with that model configured (`engram config set embed_model …`).",
        )
