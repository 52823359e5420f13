"""Backup and restore of the managed server, by the server's own dump.

Neo4j's Community edition dumps a database that is stopped. So a backup stops the server, dumps, starts it again if it
ran, and then checks the file by loading it beside the database. A restore loads and checks beside the database too,
and stops the server only to put the new one in the place of the old. Both hold the home's lock, so that nobody starts
the server meanwhile.
"""

import contextlib
import dataclasses
import importlib.metadata
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engram.config import Settings
from engram.errors import BackupError, BackupFileError, ConfigurationError, EngramError, InvalidInputError
from engram.graph import Graph
from engram.private import sync_folder
from engram.schema import read_schema
from engram.server import archive
from engram.server.archive import Manifest
from engram.server.choice import managed, server_to_start
from engram.server.connection import Connection
from engram.server.docker import DockerServer
from engram.server.docker_store import DockerStore
from engram.server.files import DISTRIBUTION, NEO4J_VERSION
from engram.server.managed import ManagedServer, Notify
from engram.server.store import JarStore, Store

_LOCK_SECONDS = 1800.0
_INDEX_SECONDS = 600
_SPARE = 64 * 1024 * 1024  # for logs and what else writes to the disk meanwhile

Server = ManagedServer | DockerServer


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a backup or a restore did."""

    path: Path
    manifest: Manifest
    seconds_away: float
    """How long no server answered; 0 if none ran."""


def backup(
    settings: Settings, path: Path, notify: Notify, *, overwrite: bool = False, check: bool = True
) -> Receipt:
    """Write the managed server's database to one file, whole or not at all.

    The server is stopped for the dump and started again if it ran. `check` loads the file beside the database
    afterwards and lets Neo4j's consistency checker read it.

    Args:
        settings: Which server.
        path: The file; its owner alone can read it.
        notify: Called with a line for each step.
        overwrite: Replace a file that is there, once the new one is complete.
        check: Try the file before it gets its name.

    Raises:
        InvalidInputError: The file is there, or its folder is not, or it is a folder.
        BackupError: There is no database, no room, or the dump or its check failed.
        StartError: The server cannot be stopped or started.
    """
    _refuse_configured(settings)
    path = path.expanduser().absolute()
    _refuse_place(path, overwrite=overwrite)
    server = managed(settings)
    part = path.with_name(f".{path.name}.part")
    with server.home.locked(_LOCK_SECONDS, notify), _writing(part):
        store = _clean_store(server, notify)
        size = store.size()
        if not size:
            raise BackupError(
                f"There is no database in {server.home.root} to back up.", remedy="Is ENGRAM_DATA_DIR right?"
            )
        _check_room(path.parent, size)
        with _stopped(server, notify) as away:
            notify("Dumping the database …")
            manifest = archive.write(
                part,
                store.dump,
                engram=importlib.metadata.version(DISTRIBUTION),
                neo4j=NEO4J_VERSION,
                made_at=datetime.now(UTC).isoformat(timespec="seconds"),
                store_bytes=size,
            )
        if check:
            _load(store, part, archive.verify(part), notify)
            store.tidy()
        part.replace(path)
        sync_folder(path.parent)
    return Receipt(path=path, manifest=manifest, seconds_away=away.seconds)


def restore(settings: Settings, path: Path, notify: Notify, *, replace: bool = False) -> Receipt:
    """Put a backup in the place of the managed server's database, and leave the server running.

    Everything is verified, loaded and checked first. The old database is kept until the new one has started.

    Args:
        settings: Which server.
        path: A file that `backup` wrote.
        notify: Called with a line for each step.
        replace: Replace a database that is there.

    Raises:
        BackupFileError: The file is no backup, is damaged, or comes from a newer version. Nothing was touched.
        BackupError: There is a database and `replace` is not set, there is no room, or it did not load or start;
            the database is what it was.
        StartError: The server cannot be stopped or started.
    """
    _refuse_configured(settings)
    path = path.expanduser().absolute()
    notify(f"Reading {path} …")
    manifest = archive.verify(path)
    _check_version(path, manifest)
    server = server_to_start(settings, notify)
    with server.home.locked(_LOCK_SECONDS, notify):
        store = _clean_store(server, notify)
        if store.size() and not replace:
            raise BackupError(
                f"There is a database in {server.home.root} already.",
                remedy="`engram restore --replace` puts the backup in its place; or set ENGRAM_DATA_DIR.",
            )
        _load(store, path, manifest, notify)
        ran = server.running() is not None
        began = time.monotonic()
        server.stop_held(notify)
        _exchange(server, store, notify, ran=ran)
        seconds = time.monotonic() - began if ran else 0.0
        store.tidy()
    return Receipt(path=path, manifest=manifest, seconds_away=seconds)


class _Away:
    seconds = 0.0


@contextlib.contextmanager
def _stopped(server: Server, notify: Notify) -> Iterator[_Away]:
    """Stop the server and, if it ran, start it again, whatever happens between."""
    away = _Away()
    began = time.monotonic()
    ran = server.stop_held(notify)
    try:
        yield away
    finally:
        if ran:
            server.start_held(notify)
            away.seconds = time.monotonic() - began


@contextlib.contextmanager
def _writing(part: Path) -> Iterator[None]:
    """Let a file be written under its temporary name, and remove it if that fails."""
    try:
        part.unlink(missing_ok=True)  # of one that was killed
        yield
    except OSError as error:
        raise BackupError(
            f"{part} cannot be written: {error.strerror or error}.",
            remedy="Free some space, or name a file elsewhere.",
        ) from error
    finally:
        part.unlink(missing_ok=True)


def _load(store: Store, path: Path, manifest: Manifest, notify: Notify) -> None:
    """Load a backup beside the database and check what was loaded; leave nothing if that fails."""
    free = store.free()
    if free is not None and free < manifest.store_bytes + _SPARE:
        raise _no_room("beside the database", manifest.store_bytes, free)
    notify("Loading the backup beside the database and checking it …")
    try:
        with archive.opened(path) as dump:
            store.load_draft(dump)
        store.check_draft()
    except BaseException:
        store.tidy()
        raise


def _exchange(server: Server, store: Store, notify: Notify, *, ran: bool) -> None:
    """Put the loaded database in place, and take the old one back unless the new one proves to work."""
    try:
        store.put_in_place()
        _prove(server.start_held(notify, trial=True))
        store.mark_proven()
    except BaseException as error:  # Ctrl-C too: the old database is safe only once it is back
        _take_back(server, store, notify, ran=ran)
        if isinstance(error, OSError):
            raise BackupError(
                f"The backup cannot be put in place: {error}. The database is what it was.",
                remedy="Free some space, or repair the data directory's permissions.",
            ) from error
        if isinstance(error, EngramError):
            raise BackupError(
                f"The backup does not work: {error.message} The database is what it was.",
                remedy=error.remedy,
            ) from error
        raise
    if (state := server.home.read_state()) is not None:
        server.home.write_state(dataclasses.replace(state, ready=True))


def _take_back(server: Server, store: Store, notify: Notify, *, ran: bool) -> None:
    """Undo the exchange. What this leaves undone when it fails or is cut off, the next start does."""
    server.recover_held(notify)
    store.tidy()
    if ran:
        server.start_held(notify)


def _prove(there: Connection) -> None:
    """Ask a server for its schema's version, and wait for its indexes."""
    with Graph(there.uri, there.user, there.password, there.database, ca_file=there.ca_file) as graph:
        graph.check()
        read_schema(graph)
        graph.read("inspect/await_indexes", seconds=_INDEX_SECONDS)


def _clean_store(server: Server, notify: Notify) -> Store:
    """Return the server's store, without what a backup or a restore that was cut off left in it."""
    server.recover_held(notify)
    store = _store(server, notify)
    store.tidy()
    return store


def _store(server: Server, notify: Notify) -> Store:
    if isinstance(server, DockerServer):
        return DockerStore(server, server.home.read_state() or server.planned())
    java, jars = server.runtime(notify)
    return JarStore(server.home, java, jars, server.settings.server_heap)


def _refuse_configured(settings: Settings) -> None:
    if settings.neo4j_uri is not None:
        raise ConfigurationError(
            f"neo4j_uri is {settings.neo4j_uri}, and only the server that Engram runs itself can be stopped for this.",
            remedy="Use that server's `neo4j-admin database dump`, or `engram export`; or unset ENGRAM_NEO4J_URI.",
        )


def _refuse_place(path: Path, *, overwrite: bool) -> None:
    if path.is_dir():
        raise InvalidInputError(
            f"{path} is a folder.", remedy=f"Name a file in it, such as {path / 'memory.zip'}."
        )
    if not path.parent.is_dir():
        raise InvalidInputError(
            f"There is no folder {path.parent}.", remedy="Make it first, or name a file elsewhere."
        )
    if path.exists() and not overwrite:
        raise InvalidInputError(f"{path} is there already.", remedy="Name another file, or use --overwrite.")


def _check_version(path: Path, manifest: Manifest) -> None:
    if _numbers(manifest.neo4j) > _numbers(NEO4J_VERSION):
        raise BackupFileError(
            f"{path} was written by Neo4j {manifest.neo4j}; this Engram runs {NEO4J_VERSION}, which cannot read it.",
            remedy=f"Upgrade Engram; {manifest.engram} made the backup. The database was not touched.",
        )


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _check_room(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < size + _SPARE:
        raise _no_room(f"at {folder}", size, free)


def _no_room(where: str, needed: int, free: int) -> BackupError:
    return BackupError(
        f"{free / 1e6:.0f} MB are free {where}, and up to {(needed + _SPARE) / 1e6:.0f} MB are needed.",
        remedy="Free some space, or use another disk.",
    )
