"""The backup file: a zip of the server's own dump, stored as it is, and of what is known about it."""

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Protocol, Self

from pydantic import TypeAdapter, ValidationError

from engram.errors import BackupFileError

FORMAT = 1
"""Raised when an older Engram could not restore what a newer one writes."""
DUMP = "neo4j.dump"
"""The entry that `neo4j-admin database load` takes."""
MANIFEST = "backup.json"
_CHUNK = 1 << 20
_MANIFEST_LIMIT = 65_536


class Sink(Protocol):
    """Whatever takes bytes."""

    def write(self, data: bytes, /) -> int:
        """Take all of `data` and return its length."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a backup says of itself."""

    format: int
    engram: str
    """The version of Engram that made it."""
    neo4j: str
    """The version of Neo4j that wrote the dump."""
    made_at: str
    """ISO 8601, UTC."""
    store_bytes: int
    """The space that the database took, and will take once restored."""
    dump_bytes: int
    sha256: str
    """Of the dump, in hex."""

    @classmethod
    def parse(cls, text: bytes) -> Self:
        """Return the manifest in this JSON.

        Raises:
            ValueError: It is none, or a newer Engram's.
        """
        raw = json.loads(text)
        newest = raw.get("format") if isinstance(raw, dict) else None
        if isinstance(newest, int) and newest > FORMAT:
            raise ValueError(f"it has format {newest}, and this Engram knows {FORMAT}")
        try:
            return TypeAdapter(cls).validate_json(text, strict=True)
        except ValidationError:
            raise ValueError("what it says of itself is not complete") from None


class _Hashed:
    """Passes bytes on, counted and hashed."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self._hash.update(data)
        self.size += len(data)
        return self._sink.write(data)

    @property
    def hex(self) -> str:
        return self._hash.hexdigest()


def write(
    path: Path, dump: Callable[[Sink], None], *, engram: str, neo4j: str, made_at: str, store_bytes: int
) -> Manifest:
    """Write a backup of what `dump` writes; only its owner can read the file, which must not exist.

    Raises:
        OSError: It cannot be written; a part may be there.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w+b") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            when = datetime.fromisoformat(made_at).timetuple()
            with archive.open(zipfile.ZipInfo(DUMP, when[:6]), "w", force_zip64=True) as entry:
                hashed = _Hashed(entry)
                dump(hashed)
            manifest = Manifest(
                format=FORMAT,
                engram=engram,
                neo4j=neo4j,
                made_at=made_at,
                store_bytes=store_bytes,
                dump_bytes=hashed.size,
                sha256=hashed.hex,
            )
            archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return manifest


def verify(path: Path) -> Manifest:
    """Read a backup from end to end and return what it says of itself, if its dump is what was written.

    Raises:
        BackupFileError: It is no backup, it is cut or damaged, or a newer Engram made it.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _read_manifest(archive)
            with _entry(archive, DUMP) as entry:
                hashed = _Hashed(_Nowhere())
                shutil.copyfileobj(entry, hashed, _CHUNK)
    except OSError as error:
        raise BackupFileError(
            f"{path} cannot be read: {error.strerror or error}.",
            remedy="Is it the right path, and may you read it? The database was not touched.",
        ) from error
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise BackupFileError(
            f"{path} is not a backup that Engram made, or it is cut or damaged.",
            remedy="Use another copy of it. The database was not touched.",
        ) from error
    except (ValueError, NotImplementedError, RuntimeError) as error:
        raise BackupFileError(
            f"{path} cannot be restored: {error}.",
            remedy="A newer Engram may have made it: `pip install -U engram-neo4j`. The database was not touched.",
        ) from error
    if (hashed.size, hashed.hex) != (manifest.dump_bytes, manifest.sha256):
        raise BackupFileError(
            f"{path} is damaged: its dump is not the one that was written.",
            remedy="Use another copy of it. The database was not touched.",
        )
    return manifest


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open the dump in a backup for reading.

    Raises:
        BackupFileError: It has become unreadable since it was verified.
    """
    try:
        with zipfile.ZipFile(path) as archive, archive.open(DUMP) as entry:
            yield entry
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        raise BackupFileError(
            f"{path} changed while it was read.", remedy="Use a copy of it that nothing writes to."
        ) from error


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    if archive.getinfo(MANIFEST).file_size > _MANIFEST_LIMIT:
        raise ValueError(f"what it says of itself is longer than {_MANIFEST_LIMIT} bytes")
    with _entry(archive, MANIFEST) as entry:
        return Manifest.parse(entry.read(_MANIFEST_LIMIT))


def _entry(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    """Open an entry; a packed one is not ours, and could unpack to more than there is room for."""
    if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"its {name} is packed a second time")
    return archive.open(name)


class _Nowhere:
    def write(self, data: bytes) -> int:
        return len(data)
