"""The machine: Java, Maven, Docker, memory, disk."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil

from engram.config import Settings
from engram.doctor.finding import Finding
from engram.server import docker_engine, find_java, find_maven, installed, managed
from engram.server.configuration import byte_count

LOW = 1 << 30
"""Under this many free bytes, of disk or of memory, a growing database fails soon."""
JAVA_OVERHEAD = 300 << 20
"""Bytes that the server takes beside heap and page cache; see docs/memory-budget.md."""
_CGROUP = Path("/sys/fs/cgroup/memory.max")


def check_java(settings: Settings) -> Iterator[Finding]:
    """Look for the Java that the managed server runs on."""
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


def check_maven(settings: Settings) -> Iterator[Finding]:
    """Look for what fetches the managed server."""
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


def check_docker(settings: Settings) -> Iterator[Finding]:
    """Ask whether a Docker engine answers."""
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


def check_installation(settings: Settings) -> Iterator[Finding]:
    """Look for Neo4j's jars."""
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


def check_limits(settings: Settings) -> Iterator[Finding]:
    """Hold what the managed server may take against what the machine has."""
    wanted = byte_count(settings.server_heap) + byte_count(settings.server_page_cache) + JAVA_OVERHEAD
    total = machine_bytes()
    fits = wanted <= total
    detail = f"server up to {_gigabytes(wanted)} of {_gigabytes(total)}"
    if fits and wanted <= 0.75 * total:
        yield Finding(name="memory limits", state="ok", detail=detail)
    else:
        yield Finding(
            name="memory limits",
            state="note" if fits else "problem",
            detail=detail + "; that leaves little for the indexes and for everything else",
            remedy="Lower ENGRAM_SERVER_HEAP or ENGRAM_SERVER_PAGE_CACHE, and start the server anew.",
        )


def machine_bytes() -> int:
    """Return the memory that this process can have at all: the machine's, or its container's if that is less."""
    total = psutil.virtual_memory().total
    try:
        return min(total, int(_CGROUP.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no container, or one without a limit
        return total


def check_memory(settings: Settings) -> Iterator[Finding]:
    """Say what is resident, and what is left."""
    own = psutil.Process().memory_info().rss
    parts = [f"this process with the embedder {own / 1e6:.0f} MB"]
    server = managed(settings).status().rss_bytes
    if server is not None:
        parts.append(f"server {server / 1e6:.0f} MB")
    available = psutil.virtual_memory().available
    yield Finding(
        name="memory",
        state="ok" if available > LOW else "note",
        detail=", ".join(parts) + f"; {_gigabytes(available)} available",
    )


def check_folders(settings: Settings) -> Iterator[Finding]:
    """Look whether the folders can be written, and whether there is room."""
    for name, folder in (("data", settings.data_dir), ("cache", settings.cache_dir)):
        yield _folder(f"{name} folder", folder, f"set ENGRAM_{name.upper()}_DIR")


def _folder(name: str, folder: Path, otherwise: str) -> Finding:
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir():
        return Finding(
            name=name,
            state="problem",
            detail=f"{existing} is not a folder",
            remedy=f"Move it away, or {otherwise}.",
        )
    if not os.access(existing, os.W_OK | os.X_OK):
        return Finding(
            name=name,
            state="problem",
            detail=f"{existing} cannot be written",
            remedy=f"Change its owner or rights, or {otherwise}.",
        )
    free = shutil.disk_usage(existing).free
    return Finding(
        name=name,
        state="ok" if free > LOW else "problem",
        detail=f"{folder}, {_gigabytes(free)} free",
        remedy=None if free > LOW else f"Make room, or {otherwise}.",
    )


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
