"""The cache of vectors: right, bounded, private, and never in the way."""

import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.config import child_environment
from engram.embedding import CachedEmbedder, Task, VectorCache, Vectors, prefixed
from engram.embedding.protocol import UnusableVectorError
from engram.errors import EmbeddingError, InvalidInputError
from engram.records import Kind
from engram.testing import HashEmbedder

Opener = Callable[..., CachedEmbedder]


def asked(embedder: CachedEmbedder) -> list[list[str]]:
    """Return the batches that reached the model."""
    assert isinstance(embedder.embedder, RecordingEmbedder)
    return embedder.embedder.asked


class RecordingEmbedder(HashEmbedder):
    """A hash embedder that keeps what it was asked, and can be told that tasks matter."""

    def __init__(self, dimensions: int = 16, *, name: str = "recording", uses_tasks: bool = False) -> None:
        super().__init__(dimensions)
        self.name = name
        self.uses_tasks = uses_tasks
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Embed and take down the batch."""
        self.asked.append(list(texts))
        return super().embed([f"{task if self.uses_tasks else ''} {text}" for text in texts])


class BrokenEmbedder(RecordingEmbedder):
    """An embedder whose model fails on one text."""

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Fail as `unit_rows` does, with the index within this batch."""
        if "bad" in texts:
            raise UnusableVectorError(list(texts).index("bad"), "NaN or infinity")
        return super().embed(texts, task)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    """Return a function that opens a cached embedder on one file; all are closed at the end."""
    made: list[CachedEmbedder] = []

    def open_one(inner: HashEmbedder | None = None, **options: Any) -> CachedEmbedder:
        made.append(CachedEmbedder(inner or RecordingEmbedder(), VectorCache(tmp_path / "cache", **options)))
        return made[-1]

    yield open_one
    for embedder in made:
        embedder.close()


@given(
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=12),
    again=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=12),
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cached_vectors_are_the_same_to_the_bit(tmp_path: Path, texts: list[str], again: list[str]) -> None:
    """What comes from the cache is bit-equal to what was put there, in any order and mixture."""
    fresh = RecordingEmbedder()
    for wanted in (texts, again + texts):
        embedder = CachedEmbedder(RecordingEmbedder(), VectorCache(tmp_path))
        np.testing.assert_array_equal(embedder.embed(wanted), fresh.embed(wanted))
        assert embedder.hits + embedder.misses == len(set(wanted))
        embedder.close()


def test_a_text_is_embedded_once_by_any_number_of_openings(opened: Opener) -> None:
    """The second opening asks the model nothing."""
    first, second = opened(), opened()
    first.embed(["a", "b", "a"])
    assert (first.hits, first.misses) == (0, 2)
    assert asked(first) == [["a", "b"]]
    second.embed(["b", "a"])
    assert (second.hits, second.misses) == (2, 0)
    assert asked(second) == []


def test_no_texts_give_no_rows(opened: Opener) -> None:
    """An empty list gives shape (0, d) and asks neither model nor file."""
    embedder = opened()
    assert embedder.embed([]).shape == (0, 16)
    assert not embedder.cache.path.exists()


def test_the_model_is_asked_for_at_most_a_hundred_texts(opened: Opener) -> None:
    """A long list reaches the model in batches of 100."""
    embedder = opened()
    rows = embedder.embed([f"text {n}" for n in range(250)])
    assert [len(part) for part in asked(embedder)] == [100, 100, 50]
    np.testing.assert_array_equal(rows[205], embedder.embed(["text 205"])[0])


def test_a_failure_keeps_the_batches_before_it_and_names_the_text(opened: Opener) -> None:
    """The index in the error is the caller's, and finished batches are not embedded again."""
    texts = [f"text {n}" for n in range(150)]
    embedder = opened(BrokenEmbedder())
    embedder.embed(texts[:10])
    with pytest.raises(UnusableVectorError, match=r"for text 150") as caught:
        embedder.embed([*texts, "bad"])
    assert caught.value.index == 150
    after = opened()
    after.embed(texts[:100])
    assert after.misses == 0


@pytest.mark.parametrize(
    "other",
    [RecordingEmbedder(name="another model"), RecordingEmbedder(32)],
    ids=["model", "dimensions"],
)
def test_models_and_lengths_do_not_share_vectors(opened: Opener, other: HashEmbedder) -> None:
    """A vector of another model or length is never returned."""
    opened().embed(["a"])
    embedder = opened(other)
    assert embedder.embed(["a"]).shape == (1, other.dimensions)
    assert embedder.misses == 1


def test_tasks_are_kept_apart_only_where_they_matter(opened: Opener) -> None:
    """A symmetric model's vector serves all tasks; another model's only its own."""
    symmetric = opened()
    symmetric.embed(["a"], Task.DOCUMENT)
    symmetric.embed(["a"], Task.QUERY)
    assert (symmetric.hits, symmetric.misses) == (1, 1)
    asymmetric = opened(RecordingEmbedder(name="tasks", uses_tasks=True))
    documents, queries = asymmetric.embed(["a"], Task.DOCUMENT), asymmetric.embed(["a"], Task.QUERY)
    assert asymmetric.misses == 2
    assert not np.array_equal(documents, queries)


def test_a_forgotten_text_is_a_miss_for_every_model_task_and_prefix(opened: Opener) -> None:
    """After forget, nothing of the text is in the file, and other texts still are."""
    text = "the unforgettable number 4711"
    tasks = opened(RecordingEmbedder(name="tasks", uses_tasks=True))
    plain = opened()
    for task in Task:
        tasks.embed([text, prefixed(Kind.EPISODIC, text)], task)
    plain.embed([text, "other"])
    vector = plain.embed([text]).tobytes()
    assert plain.forget([text]) == 9
    assert plain.forget([text]) == 0
    again = opened()
    again.embed([text, "other"])
    assert (again.hits, again.misses) == (1, 1)
    assert again.forget([text]) == 1
    for path in again.cache.path.parent.iterdir():
        assert vector not in path.read_bytes()


def test_the_file_never_holds_a_text_and_is_the_owners_alone(opened: Opener) -> None:
    """Neither the file nor its log contains the text, and others cannot read them."""
    text = "a secret that only vectors know"
    embedder = opened()
    embedder.embed([text])
    for path in embedder.cache.path.parent.iterdir():
        assert text.encode() not in path.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_forgetting_without_a_cache_is_nothing_to_do(opened: Opener) -> None:
    """No file, no vectors, no error, and no file afterwards."""
    embedder = opened()
    assert embedder.forget(["a"]) == 0
    assert not embedder.cache.path.exists()


def test_forgetting_refuses_what_is_no_text(opened: Opener) -> None:
    """A lone surrogate is refused by its index."""
    with pytest.raises(InvalidInputError, match=r"Text 0"):
        opened().forget(["\ud800"])


def test_a_damaged_file_is_begun_anew(opened: Opener) -> None:
    """Garbage in place of the database costs one miss, then the cache works again."""
    path = opened().cache.path
    path.parent.mkdir()
    path.write_bytes(b"this is not a database, it is only a sentence " * 100)
    embedder = opened()
    wanted = RecordingEmbedder().embed(["a"])
    np.testing.assert_array_equal(embedder.embed(["a"]), wanted)
    assert "NOTADB" in str(embedder.cache.failure) or "not a database" in str(embedder.cache.failure)
    embedder.embed(["b"])
    embedder.embed(["b"])
    assert embedder.hits == 1


def test_forgetting_in_a_damaged_file_removes_the_file(opened: Opener) -> None:
    """What cannot be read is erased as a whole rather than left."""
    path = opened().cache.path
    path.parent.mkdir()
    path.write_bytes(b"this is not a database, it is only a sentence " * 100)
    assert opened().forget(["a"]) == 0
    assert not path.exists()


def test_a_vector_cut_short_or_spoilt_is_a_miss(opened: Opener) -> None:
    """A row of the wrong length, or no longer of length 1, is embedded anew and mended."""
    opened().embed(["a", "b", "c"])
    embedder = opened()
    wanted = RecordingEmbedder().embed(["a", "b", "c"])
    with sqlite3.connect(embedder.cache.path) as database:
        rowids = [row[0] for row in database.execute("SELECT rowid FROM vector ORDER BY rowid")]
        database.execute("UPDATE vector SET value = x'00112233' WHERE rowid = ?", rowids[:1])
        database.execute("UPDATE vector SET value = zeroblob(64) WHERE rowid = ?", rowids[1:2])
    database.close()
    np.testing.assert_array_equal(embedder.embed(["a", "b", "c"]), wanted)
    assert (embedder.hits, embedder.misses) == (1, 2)
    embedder.embed(["a", "b", "c"])
    assert embedder.hits == 4


def test_a_locked_file_is_passed_by_and_used_again_later(opened: Opener) -> None:
    """While another process holds the file, embedding works without it; afterwards with it."""
    embedder = opened(patience=0.05)
    embedder.embed(["a"])
    holder = sqlite3.connect(embedder.cache.path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    np.testing.assert_array_equal(embedder.embed(["b"]), RecordingEmbedder().embed(["b"]))
    assert "locked" in str(embedder.cache.failure)
    with pytest.raises(EmbeddingError, match=r"could not be deleted.*Delete"):
        embedder.forget(["a"])
    holder.execute("ROLLBACK")
    holder.close()
    embedder.embed(["c"])
    embedder.embed(["c", "a"])
    assert embedder.hits == 2


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """A cache folder that cannot be made costs the cache, not the vectors."""
    (tmp_path / "file").write_text("in the way")
    embedder = CachedEmbedder(RecordingEmbedder(), VectorCache(tmp_path / "file" / "cache"))
    for _ in range(2):
        np.testing.assert_array_equal(embedder.embed(["a"]), RecordingEmbedder().embed(["a"]))
    assert (embedder.hits, embedder.misses) == (0, 2)
    assert embedder.cache.failure
    embedder.close()


def test_a_full_disk_is_no_error(opened: Opener) -> None:
    """When nothing more can be written, vectors still come."""
    embedder = opened()
    embedder.embed(["a"])
    assert embedder.cache._connection is not None
    embedder.cache._connection.execute("PRAGMA max_page_count = 1")
    texts = [f"text {n}" for n in range(300)]
    assert embedder.embed(texts).shape == (300, 16)
    assert "full" in str(embedder.cache.failure)


def test_the_file_is_bounded_and_keeps_what_was_used_last(opened: Opener) -> None:
    """Past its size the cache drops the vectors that were used longest ago, and stays below it."""
    embedder = opened(RecordingEmbedder(256), max_bytes=400_000)
    embedder.embed(["kept"])
    for start in range(0, 1500, 100):
        embedder.embed([f"text {n}" for n in range(start, start + 100)])
        with sqlite3.connect(embedder.cache.path) as database:
            # As if every batch had been embedded a day after the one before, and "kept" used each day.
            database.execute("UPDATE vector SET day = day - 1")
        database.close()
        embedder.embed(["kept"])
    hits = embedder.hits
    embedder.embed(["kept", "text 1499"])
    assert embedder.hits == hits + 2
    embedder.embed(["text 0"])
    assert embedder.hits == hits + 2
    embedder.close()
    assert embedder.cache.path.stat().st_size < 700_000


def test_many_processes_share_one_file(tmp_path: Path) -> None:
    """Processes that embed the same texts at once all get right vectors and leave a sound file."""
    program = (
        "import sys; from pathlib import Path; import numpy as np\n"
        "from engram.embedding import CachedEmbedder, VectorCache\n"
        "from engram.testing import HashEmbedder\n"
        "texts = [f'text {n}' for n in range(200)]\n"
        "embedder = CachedEmbedder(HashEmbedder(16), VectorCache(Path(sys.argv[1])))\n"
        "for first in range(0, 200, 10):\n"
        "    part = texts[first:first + 10]\n"
        "    assert np.array_equal(embedder.embed(part), HashEmbedder(16).embed(part))\n"
        "embedder.close()\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], env=child_environment())
        for _ in range(4)
    ]
    assert [process.wait() for process in started] == [0, 0, 0, 0]
    with sqlite3.connect(tmp_path / "embeddings.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert 0 < database.execute("SELECT count(*) FROM vector").fetchone()[0] <= 200
    database.close()


def test_a_hit_marks_the_day_of_use(opened: Opener) -> None:
    """Being read counts as being used, once a day."""
    embedder = opened()
    embedder.embed(["a"])
    with sqlite3.connect(embedder.cache.path) as database:
        database.execute("UPDATE vector SET day = 0")
        database.commit()
        embedder.embed(["a"])
        (day,) = database.execute("SELECT day FROM vector").fetchone()
    database.close()
    assert abs(day - time.time() // 86_400) <= 1
