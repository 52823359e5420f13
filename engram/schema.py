"""The database's schema: applied in order, recorded, and compared on every opening."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from engram import statements
from engram.errors import EmbedderMismatchError, SchemaError
from engram.graph import Graph
from engram.tuning import DEFAULTS_SPACE, default_numbers

VERSION = 5
"""Raised whenever a file is added to `cypher/schema/`."""
_INDEX_SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRecord:
    """What a database says of its own set-up."""

    version: int
    embed_model: str
    dimensions: int


def read_schema(graph: Graph) -> SchemaRecord | None:
    """Return the recorded schema, or None for a database that Engram has not used yet.

    Raises:
        SchemaError: A newer Engram wrote the database.
    """
    rows = graph.read("inspect/read_schema")
    if not rows:
        return None
    record = SchemaRecord(**rows[0])
    if record.version > VERSION:
        raise SchemaError(
            f"The database has schema {record.version}; this Engram knows schemas up to {VERSION}.",
            remedy="A newer Engram wrote it: upgrade with `pip install -U engram-neo4j`. Nothing was changed.",
        )
    return record


def apply_schema(
    graph: Graph,
    *,
    embed_model: str,
    dimensions: int,
    now: datetime,
    progress: Callable[[str], None] | None = None,
) -> SchemaRecord:
    """Create what is missing, wait until the indexes are online, and record the version.

    Running it again changes nothing. Several processes may run it at once.

    Args:
        graph: The database.
        embed_model: The embedder's name.
        dimensions: The length of its vectors.
        now: The time to record.
        progress: Called with the name of each statement before it runs.

    Raises:
        SchemaError: A newer Engram wrote the database.
        EmbedderMismatchError: Its vectors come from another model.
    """
    record = read_schema(graph)
    if record is not None:
        check_embedder(record, embed_model=embed_model, dimensions=dimensions)
    for name in statements.names("schema"):
        if progress is not None:
            progress(name)
        declared = statements.load(name).declared
        graph.apply(name, **({"dimensions": dimensions} if "dimensions" in declared else {}))
    graph.read("inspect/await_indexes", seconds=_INDEX_SECONDS)
    graph.write("write/lay_default_numbers", space=DEFAULTS_SPACE, numbers=default_numbers())
    graph.write(
        "write/record_schema", version=VERSION, embed_model=embed_model, dimensions=dimensions, now=now
    )
    applied = read_schema(graph)
    if applied is None:  # another process wiped the database in between
        raise SchemaError(
            "The schema was applied but its record is gone.", remedy="Run `engram schema apply`."
        )
    check_embedder(applied, embed_model=embed_model, dimensions=dimensions)
    return applied


def check_embedder(record: SchemaRecord, *, embed_model: str, dimensions: int) -> None:
    """Refuse an embedder whose vectors cannot be compared with the stored ones.

    Raises:
        EmbedderMismatchError: Model or dimension differ.
    """
    if (record.embed_model, record.dimensions) != (embed_model, dimensions):
        raise EmbedderMismatchError(
            f"The database's vectors come from {record.embed_model} ({record.dimensions} dimensions); "
            f"the configured embedder is {embed_model} ({dimensions}).",
            remedy="Configure that model again (ENGRAM_EMBEDDER, ENGRAM_EMBED_MODEL), "
            "or use another database for the new one.",
        )
