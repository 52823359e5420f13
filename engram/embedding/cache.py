"""Vectors that were computed before, in one SQLite file that any number of processes share.

The file holds hashes of texts, never the texts. Whatever is wrong with it, embedding goes on without it;
only forgetting reports a failure, because a person asked for it.
"""

import hashlib
import json
import logging
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from engram.embedding.protocol import (
    MEMORY_TYPE_PREFIXES,
    Embedder,
    Task,
    UnusableVectorError,
    Vectors,
    batches,
    checked_texts,
)
from engram.errors import EmbeddingError
from engram.private import make_private

MAX_BYTES = 384 * 1024 * 1024
"""Largest size of the file: about 200,000 vectors of 384."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vector (
    text BLOB NOT NULL, variant BLOB NOT NULL, day INTEGER NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (text, variant)
);
CREATE INDEX IF NOT EXISTS vector_day ON vector (day);
"""

_log = logging.getLogger(__name__)


class VectorCache:
    """A bounded store of vectors by text, model, length and task; safe for threads and processes."""

    def __init__(self, cache_dir: Path, *, max_bytes: int = MAX_BYTES, patience: float = 2.0) -> None:
        """Name the file `embeddings.sqlite` in `cache_dir`; it is opened when it is first needed.

        Args:
            cache_dir: Folder of the file.
            max_bytes: Size above which the vectors that were used longest ago are dropped.
            patience: Seconds to wait for other processes before going on without the file.
        """
        self.path = cache_dir / "embeddings.sqlite"
        self.failure: str | None = None
        """What last went wrong with the file, if anything did."""
        self._max_bytes = max_bytes
        self._patience = patience
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._given_up = False

    def load(self, texts: Sequence[str], variant: bytes, dimensions: int) -> dict[str, NDArray[np.float32]]:
        """Return the vectors, each of shape (d,), of those texts that are there and sound."""
        found: dict[str, NDArray[np.float32]] = {}
        today = _today()
        with self._database() as database:
            if database is None:
                return {}
            for part in batches(texts):
                keys = {_text_key(text): text for text in part}
                marks = ",".join("?" * len(part))
                rows = database.execute(
                    f"SELECT text, day, value FROM vector WHERE variant = ? AND text IN ({marks})",  # noqa: S608  (question marks only)
                    [variant, *keys],
                ).fetchall()
                for key, _, value in rows:
                    if (vector := _sound(value, dimensions)) is not None:
                        found[keys[key]] = vector
                # A day is fine enough to tell what is in use, and keeps most reads from writing.
                used = [(today, key, variant) for key, day, _ in rows if day != today]
                if used:
                    database.executemany("UPDATE vector SET day = ? WHERE text = ? AND variant = ?", used)
        return found

    def store(self, texts: Sequence[str], vectors: Vectors, variant: bytes) -> None:
        """Keep the vectors, shape (n, d), of the texts."""
        today = _today()
        rows = [
            (_text_key(text), variant, today, vector.astype("<f4").tobytes())
            for text, vector in zip(texts, vectors, strict=True)
        ]
        with self._database() as database:
            if database is not None:
                database.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?, ?)", rows)
                self._prune(database)

    def forget(self, texts: Sequence[str]) -> int:
        """Delete the texts' vectors of every model and task, with and without prefix; return how many.

        Raises:
            EmbeddingError: The file could not be changed, so the vectors are still there.
        """
        keys = [_text_key(prefix + text) for text in texts for prefix in ("", *MEMORY_TYPE_PREFIXES.values())]
        with self._lock:
            if not self.path.exists():
                return 0
            try:
                with self._opened() as database:
                    before = database.total_changes
                    database.executemany("DELETE FROM vector WHERE text = ?", [(key,) for key in keys])
                    deleted = database.total_changes - before
                # The write-ahead log still holds the old pages until it is emptied.
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            except (sqlite3.Error, OSError) as error:
                if _is_damaged(error):
                    self._discard()
                    if not self.path.exists():
                        return 0
                raise EmbeddingError(
                    f"The cached vectors in {self.path} could not be deleted: {error}.",
                    remedy=f"Delete {self.path} and the files beside it that begin with its name.",
                ) from error
            return deleted

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection | None]:
        """Give the database in a transaction, or None where there is none; never raise for its sake."""
        with self._lock:
            if self._given_up:
                yield None
                return
            try:
                database = self._opened()
            except (sqlite3.Error, OSError) as error:
                self._note(error)
                yield None
                return
            try:
                with database:
                    yield database
            except (sqlite3.Error, OSError) as error:
                self._note(error)

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            make_private(self.path.parent)
            # Vectors tell something of what was said: for the owner's eyes only.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            connection = sqlite3.connect(self.path, timeout=self._patience, check_same_thread=False)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute("PRAGMA secure_delete = ON")
                connection.executescript(_SCHEMA)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _note(self, error: Exception) -> None:
        """Take down a failure: a busy file may do better next time, a damaged one is begun anew."""
        self.failure = f"{type(error).__name__}: {error}"
        _log.debug("the embedding cache %s is not used: %s", self.path, self.failure)
        if _is_damaged(error):
            self._discard()
        elif getattr(error, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            self._given_up = True
            with suppress(sqlite3.Error):
                self.close()

    def _discard(self) -> None:
        with suppress(sqlite3.Error):
            self.close()
        self._connection = None
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _prune(self, database: sqlite3.Connection) -> None:
        """Delete what was used longest ago, a tenth at a time, once the file is full; its pages are used again."""
        while _bytes_in_use(database) > self._max_bytes:
            deleted = database.execute(
                "DELETE FROM vector WHERE rowid IN (SELECT rowid FROM vector ORDER BY day, rowid "
                "LIMIT 1 + (SELECT count(*) FROM vector) / 10)"
            ).rowcount
            if deleted <= 0:
                return


class CachedEmbedder:
    """An embedder that asks its cache first."""

    def __init__(self, embedder: Embedder, cache: VectorCache) -> None:
        self.embedder = embedder
        """The one that does the work."""
        self.cache = cache
        self.hits = 0
        """Texts whose vector was in the cache."""
        self.misses = 0
        """Texts that were embedded anew."""

    @property
    def name(self) -> str:
        """The model's name."""
        return self.embedder.name

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return self.embedder.dimensions

    @property
    def uses_prefixes(self) -> bool:
        """Whether memories should be embedded with their kind's prefix."""
        return self.embedder.uses_prefixes

    @property
    def uses_tasks(self) -> bool:
        """Whether the same text has different vectors for different tasks."""
        return self.embedder.uses_tasks

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text, shape (n, d); what was embedded before is the same to the bit.

        Each batch of 100 is kept as soon as it is there, so an interrupted run does not start over.

        Raises:
            InvalidInputError: A text cannot be encoded; the message has its index.
            EmbeddingError: The model gave no usable vector.
        """
        checked = checked_texts(texts)
        if not checked:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        variant = self._variant(task)
        distinct = list(dict.fromkeys(checked))
        known = self.cache.load(distinct, variant, self.dimensions)
        missing = [text for text in distinct if text not in known]
        for part in batches(missing):
            try:
                vectors = self.embedder.embed(part, task)
            except UnusableVectorError as error:
                raise UnusableVectorError(checked.index(part[error.index]), error.fault) from error
            self.cache.store(part, vectors, variant)
            known |= dict(zip(part, vectors, strict=True))
        self.hits += len(distinct) - len(missing)
        self.misses += len(missing)
        return np.stack([known[text] for text in checked])

    def forget(self, texts: Sequence[str]) -> int:
        """Delete the texts' cached vectors of every model and task; return how many there were.

        Raises:
            EmbeddingError: They could not be deleted.
        """
        return self.cache.forget(checked_texts(texts))

    def close(self) -> None:
        """Close the embedder and the cache."""
        self.embedder.close()
        self.cache.close()

    def _variant(self, task: Task) -> bytes:
        facts = [self.name, self.dimensions, task.value if self.embedder.uses_tasks else ""]
        return hashlib.sha256(json.dumps(facts).encode()).digest()[:16]


def _text_key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _today() -> int:
    """Return the day's number; it orders what may be deleted and is no part of any memory."""
    return int(time.time() // 86_400)


def _sound(value: bytes, dimensions: int) -> NDArray[np.float32] | None:
    """Return a stored vector, unless it is cut off or no longer of length 1."""
    if not isinstance(value, bytes) or len(value) != 4 * dimensions:
        return None
    vector = np.frombuffer(value, dtype="<f4").astype(np.float32)
    return vector if abs(float(vector @ vector) - 1) < 1e-3 else None


def _bytes_in_use(database: sqlite3.Connection) -> int:
    size, pages, free = (
        int(database.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_size", "page_count", "freelist_count")
    )
    return size * (pages - free)


def _is_damaged(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
