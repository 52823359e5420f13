"""Every check of `engram doctor`: each looks at one thing, none stops the others, none starts anything."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from engram.config import Settings
from engram.embedding import open_embedder
from engram.errors import DatabaseError, EngramError
from engram.graph import Graph
from engram.learning import lost_file, lost_lessons
from engram.llm import open_model
from engram.reranking import RERANKERS, Reranker
from engram.schema import VERSION, check_embedder, read_schema
from engram.server import Connection, docker_engine, find_java, find_maven, installed, managed, running
from engram.server.connection import configured

_LOW_DISK = 1 << 30
"""Under this many free bytes a growing database fails soon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found."""

    name: str
    state: Literal["ok", "note", "problem"]
    """`note`: not as good as it could be, or not needed yet."""
    detail: str
    remedy: str | None = None


def examine(settings: Settings) -> Iterator[Finding]:
    """Yield the findings of all checks, in the order in which things depend on each other."""
    own = settings.neo4j_uri is not None
    for check in (_check_java, _check_maven, _check_docker, _check_installation):
        if not own:
            yield from _guarded(check, settings)
    connection: Connection | None = None
    try:
        connection = configured(settings) or running(settings)
    except EngramError as error:
        yield _problem("server", error)
    else:
        if connection is None:
            yield Finding(
                name="server", state="note", detail="not running; the next command that needs it starts it"
            )
    if connection is not None:
        yield from _check_database(settings, connection)
    for check in (
        _check_learning,
        _check_reranker,
        _check_embedder,
        _check_language_model,
        _check_disk,
        _check_memory,
    ):
        yield from _guarded(check, settings)


def _guarded(check: Callable[[Settings], Iterator[Finding]], settings: Settings) -> Iterator[Finding]:
    name = check.__name__.removeprefix("_check_").replace("_", " ")
    try:
        yield from check(settings)
    except EngramError as error:
        yield _problem(name, error)
    except OSError as error:
        yield Finding(name=name, state="problem", detail=str(error))


def _problem(name: str, error: EngramError) -> Finding:
    return Finding(name=name, state="problem", detail=error.message, remedy=error.remedy)


def _check_java(settings: Settings) -> Iterator[Finding]:
    java = find_java(settings)
    if java is None:
        yield Finding(
            name="java",
            state="problem" if docker_engine() is None else "note",
            detail="no Java 21 or newer found",
            remedy="Install a JDK 25, or `pip install 'engram-neo4j[embedded]'`.",
        )
    elif java.has_vector_module:
        yield Finding(name="java", state="ok", detail=f"{java.full_version} at {java.home}")
    else:
        yield Finding(
            name="java",
            state="note",
            detail=f"{java.full_version} at {java.home}, without the vector module",
            remedy="A full JDK 25 halves the time of a vector search.",
        )


def _check_maven(settings: Settings) -> Iterator[Finding]:
    maven = find_maven()
    if maven is not None:
        yield Finding(name="maven", state="ok", detail=maven)
    elif installed(settings) is not None:
        yield Finding(name="maven", state="note", detail="not found; not needed, Neo4j is installed already")
    else:
        yield Finding(
            name="maven",
            state="problem" if docker_engine() is None else "note",
            detail="not found; it fetches Neo4j",
            remedy="Install Maven (`apt install maven`, `brew install maven`), or Docker.",
        )


def _check_docker(settings: Settings) -> Iterator[Finding]:
    engine = docker_engine()
    needed = settings.server_backend == "docker"
    if engine is not None:
        yield Finding(name="docker", state="ok", detail=f"engine {engine}")
    else:
        yield Finding(
            name="docker",
            state="problem" if needed else "note",
            detail="no engine answers" + ("" if needed else "; not needed"),
            remedy="Start Docker, or set ENGRAM_SERVER_BACKEND=maven." if needed else None,
        )


def _check_installation(settings: Settings) -> Iterator[Finding]:
    there = installed(settings)
    if there is not None:
        yield Finding(name="neo4j", state="ok", detail=f"installed at {there}")
    elif managed(settings).status().backend != "docker":
        yield Finding(
            name="neo4j",
            state="note",
            detail="not installed; the first start fetches about 160 MB",
            remedy="`engram server install` does it now.",
        )


def _check_database(settings: Settings, connection: Connection) -> Iterator[Finding]:
    try:
        graph = Graph(connection.uri, connection.user, connection.password, connection.database)
    except EngramError as error:
        yield _problem("server", error)
        return
    with graph:
        try:
            version = graph.check()
            yield Finding(
                name="server", state="ok", detail=f"Neo4j {version} at {connection.uri} ({connection.origin})"
            )
            yield from _check_schema(settings, graph)
            yield from _check_jobs(graph)
        except DatabaseError as error:
            yield _problem("server", error)


def _check_schema(settings: Settings, graph: Graph) -> Iterator[Finding]:
    record = read_schema(graph)
    if record is None:
        yield Finding(name="schema", state="note", detail="empty database; the first use sets it up")
        return
    state: Literal["ok", "note"] = "ok" if record.version == VERSION else "note"
    yield Finding(name="schema", state=state, detail=f"version {record.version}, for {record.embed_model}")
    indexes = graph.read("inspect/list_indexes")
    waiting = [f"{index['name']} {index['state'].lower()}" for index in indexes if index["state"] != "ONLINE"]
    if waiting:
        yield Finding(
            name="indexes",
            state="problem" if any("failed" in name for name in waiting) else "note",
            detail=", ".join(waiting),
            remedy="POPULATING ones get ready by themselves; for failed ones see `engram server logs`.",
        )
    else:
        yield Finding(name="indexes", state="ok", detail=f"{len(indexes)} online")
    try:
        with closing(open_embedder(settings)) as embedder:
            check_embedder(record, embed_model=embedder.name, dimensions=embedder.dimensions)
    except DatabaseError as error:
        yield _problem("embedder", error)
    except EngramError:
        return  # the embedder's own check reports it


def _check_jobs(graph: Graph) -> Iterator[Finding]:
    failed = [
        row for row in graph.read("inspect/list_job_runs", space=None, job=None, limit=100) if row["failed"]
    ]
    if failed:
        last = failed[0]
        yield Finding(
            name="jobs",
            state="note",
            detail=f"{len(failed)} of the last runs failed; {last['job']} at {last['started_at']:%Y-%m-%d %H:%M}: "
            f"{last['error']}",
            remedy="`engram jobs history` lists them.",
        )


def _check_reranker(settings: Settings) -> Iterator[Finding]:
    if settings.reranker:
        Reranker.open(settings.reranker, settings.cache_dir)
        there = (settings.cache_dir / RERANKERS / settings.reranker).is_dir()
        yield Finding(
            name="reranker",
            state="ok" if there else "note",
            detail=settings.reranker + ("" if there else ", not here yet; the first recall fetches it"),
        )


def _check_learning(settings: Settings) -> Iterator[Finding]:
    count, reason = lost_lessons(lost_file(settings))
    if count:
        yield Finding(
            name="learning",
            state="note",
            detail=f"{count:,} recalls taught nothing, the last one because: {reason}",
            remedy=f"No memory is lost by that. Delete {lost_file(settings)} to start counting again.",
        )


def _check_embedder(settings: Settings) -> Iterator[Finding]:
    embedder = open_embedder(settings)
    try:
        vectors = embedder.embed(["Does the embedder work?"])
    finally:
        embedder.close()
    yield Finding(
        name="embedder",
        state="ok",
        detail=f"{settings.embedder}: {embedder.name}, {vectors.shape[1]} dimensions",
    )


def _check_language_model(settings: Settings) -> Iterator[Finding]:
    model = open_model(settings)
    if model is None:
        yield Finding(
            name="language model",
            state="note",
            detail="none; chat answers by quoting what it remembers",
            remedy="Set ENGRAM_GEMINI_API_KEY or ENGRAM_ANTHROPIC_API_KEY.",
        )
    else:
        yield Finding(name="language model", state="ok", detail=f"{model.name} (the key was not tried)")


def _check_disk(settings: Settings) -> Iterator[Finding]:
    for name, folder in (("data", settings.data_dir), ("cache", settings.cache_dir)):
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        if not existing.is_dir():
            yield Finding(
                name=f"{name} folder",
                state="problem",
                detail=f"{existing} is not a folder",
                remedy=f"Move it away, or set ENGRAM_{name.upper()}_DIR.",
            )
            continue
        trouble = _write_trouble(existing)
        if trouble is not None:
            yield Finding(
                name=f"{name} folder",
                state="problem",
                detail=f"{existing} cannot be written: {trouble}",
                remedy=f"Change its owner or rights, or set ENGRAM_{name.upper()}_DIR.",
            )
            continue
        free = shutil.disk_usage(existing).free
        yield Finding(
            name=f"{name} folder",
            state="ok" if free > _LOW_DISK else "problem",
            detail=f"{folder}, {free / 1e9:.1f} GB free",
            remedy=None if free > _LOW_DISK else f"Make room, or set ENGRAM_{name.upper()}_DIR.",
        )


def _write_trouble(folder: Path) -> str | None:
    probe = folder / ".engram-doctor"
    try:
        probe.touch()
        probe.unlink()
    except OSError as error:
        return error.strerror or str(error)
    return None


def _check_memory(settings: Settings) -> Iterator[Finding]:
    own = psutil.Process().memory_info().rss
    parts = [f"this process with the embedder {own / 1e6:.0f} MB"]
    server = managed(settings).status().rss_bytes
    if server is not None:
        parts.append(f"server {server / 1e6:.0f} MB")
    available = psutil.virtual_memory().available
    yield Finding(
        name="memory",
        state="ok" if available > _LOW_DISK else "note",
        detail=", ".join(parts) + f"; {available / 1e9:.1f} GB available",
    )
