"""The database: whether it is there, safe to talk to, right about the time, and set up for this version."""

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from urllib.parse import urlsplit

from engram import statements
from engram.config import Settings
from engram.doctor import upkeep
from engram.doctor.finding import Finding, guarded, problem
from engram.embedding import open_embedder
from engram.errors import DatabaseError, EngramError
from engram.graph import Graph
from engram.graph.address import is_loopback
from engram.schema import VERSION, SchemaRecord, check_embedder, read_schema
from engram.server import Connection, running
from engram.server.connection import configured

SKEW_NOTED, SKEW_WRONG = 5.0, 300.0
"""Seconds between this machine's clock and the database's that are worth a word, and that make memories wrong."""
_MADE = re.compile(r"^CREATE .*?(?:INDEX|CONSTRAINT) (\w+)", re.MULTILINE)


def check_transport(settings: Settings) -> Iterator[Finding]:
    """Look whether password and memories cross a network in the clear."""
    if settings.neo4j_uri is None:
        return
    address = urlsplit(settings.neo4j_uri.strip())
    host = address.hostname or ""
    if is_loopback(host):
        return
    if address.scheme.endswith("+ssc"):
        yield Finding(
            name="transport",
            state="note",
            detail=f"encrypted, but nobody checks that {host} is who it says",
            remedy="Set ENGRAM_NEO4J_CA_FILE to its certificate, and use +s.",
        )
    elif address.scheme.endswith("+s") or settings.neo4j_ca_file is not None:
        yield Finding(name="transport", state="ok", detail=f"encrypted, to {host}")
    else:
        yield Finding(
            name="transport",
            state="note",
            detail=f"{address.scheme}:// to {host} is not encrypted: whoever is in between reads the password",
            remedy="Use bolt+s:// or neo4j+s://, unless the network is your own (containers of one machine, a VPN).",
        )


def check_server(settings: Settings) -> Iterator[Finding]:
    """Find the server, and look at everything in it; none is started."""
    connection = configured(settings) or running(settings)
    if connection is None:
        yield Finding(
            name="server", state="note", detail="not running; the next command that needs it starts it"
        )
        return
    with _open(connection) as graph:
        version = graph.check()
        yield Finding(
            name="server", state="ok", detail=f"Neo4j {version} at {connection.uri} ({connection.origin})"
        )
        yield from _check_clock(graph)
        record = read_schema(graph)
        if record is None:
            yield Finding(name="schema", state="note", detail="empty database; the first use sets it up")
            return
        yield from _check_schema(record)
        yield from _check_indexes(graph)
        yield from _check_vectors(settings, record)
        for check in (upkeep.check_jobs, upkeep.check_workers, upkeep.check_graph):
            yield from guarded("upkeep", lambda check=check: check(graph, settings.space))  # type: ignore[misc]


def _open(connection: Connection) -> Graph:
    return Graph(
        connection.uri,
        connection.user,
        connection.password,
        connection.database,
        ca_file=connection.ca_file,
    )


def _check_clock(graph: Graph) -> Iterator[Finding]:
    before = datetime.now(UTC)
    there = graph.now()
    after = datetime.now(UTC)
    # Whatever the answer's way took is no difference.
    skew = max((before - there).total_seconds(), (there - after).total_seconds(), 0.0)
    if skew < SKEW_NOTED:
        yield Finding(name="clock", state="ok", detail=f"within {SKEW_NOTED:.0f} s of the database's")
        return
    yield Finding(
        name="clock",
        state="note" if skew < SKEW_WRONG else "problem",
        detail=f"{skew:,.0f} s {'behind' if after < there else 'ahead of'} the database's",
        remedy="Set both clocks by NTP: memories are stamped with this one, and jobs go by the database's.",
    )


def _check_schema(record: SchemaRecord) -> Iterator[Finding]:
    current = record.version == VERSION
    yield Finding(
        name="schema",
        state="ok" if current else "note",
        detail=f"version {record.version}, for {record.embed_model}",
        remedy=None if current else f"The next command that opens it brings it to version {VERSION}.",
    )


def _check_indexes(graph: Graph) -> Iterator[Finding]:
    states = {index["name"]: index["state"] for index in graph.read("inspect/list_indexes")}
    waiting = [f"{name} {state.lower()}" for name, state in states.items() if state != "ONLINE"]
    missing = sorted(_wanted() - states.keys())
    if waiting:
        yield Finding(
            name="indexes",
            state="problem" if any("failed" in name for name in waiting) else "note",
            detail=", ".join(waiting),
            remedy="POPULATING ones get ready by themselves; for failed ones see `engram server logs`.",
        )
    if missing:
        yield Finding(
            name="indexes",
            state="problem",
            detail=f"missing: {', '.join(missing)}",
            remedy="`engram schema apply` creates them.",
        )
    if not waiting and not missing:
        yield Finding(name="indexes", state="ok", detail=f"{len(states)} online")


def _wanted() -> set[str]:
    """Return the names of the indexes and constraints that the schema's statements create."""
    made = (_MADE.search(statements.load(name).text) for name in statements.names("schema"))
    return {found[1] for found in made if found}


def _check_vectors(settings: Settings, record: SchemaRecord) -> Iterator[Finding]:
    """Hold the embedder's name against the one that the stored vectors come from."""
    try:
        with closing(open_embedder(settings)) as embedder:
            check_embedder(record, embed_model=embedder.name, dimensions=embedder.dimensions)
    except DatabaseError as error:
        yield problem("embedder", error)
    except EngramError:
        return  # the embedder's own check reports it
