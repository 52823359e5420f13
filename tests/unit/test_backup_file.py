"""The backup file: private, whole or refused, and the moves that put what was loaded in its place."""

import json
import stat
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from engram.errors import BackupFileError
from engram.server import archive
from engram.server.files import Home
from engram.server.java import Java
from engram.server.store import JarStore

DUMPED = bytes(range(256)) * 1000


def written(path: Path) -> archive.Manifest:
    """Write a backup of some bytes."""

    def dump(sink: archive.Sink) -> None:
        sink.write(DUMPED)

    return archive.write(
        path,
        dump,
        engram="0.1.0",
        neo4j="2026.09.0",
        made_at="2026-11-21T12:00:00+00:00",
        store_bytes=5,
    )


def forged(path: Path, manifest: Any, *, packed: int = zipfile.ZIP_STORED) -> Path:
    """Write a zip that looks like a backup and says this of itself."""
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr(archive.DUMP, DUMPED, packed)
        zipped.writestr(archive.MANIFEST, json.dumps(manifest))
    return path


def test_a_backup_is_private_and_reads_back(tmp_path: Path) -> None:
    """What was dumped is what is read, only the owner can read it, and a file that is there is not overwritten."""
    path = tmp_path / "b.zip"
    manifest = written(path)
    assert archive.verify(path) == manifest
    assert manifest.dump_bytes == len(DUMPED)
    with archive.opened(path) as dump:
        assert dump.read() == DUMPED
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        written(path)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99, 0.9999])
def test_a_cut_backup_is_refused(tmp_path: Path, share: float) -> None:
    """A file of which the end is missing is no backup, wherever it was cut."""
    path = tmp_path / "b.zip"
    written(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(BackupFileError, match="cut or damaged"):
        archive.verify(path)


@pytest.mark.parametrize("part", [DUMPED[:9], DUMPED[-9:], b'"neo4j"', b'"store_bytes"'])
def test_a_changed_bit_is_noticed(tmp_path: Path, part: bytes) -> None:
    """One bit that is not what was written, in the dump or in what describes it, and the file is refused."""
    path = tmp_path / "b.zip"
    written(path)
    changed = bytearray(path.read_bytes())
    changed[changed.index(part) + 5] ^= 4
    path.write_bytes(changed)
    with pytest.raises(BackupFileError):
        archive.verify(path)


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    """Neither a text, nor a missing file, nor another zip, nor a dump that is not the one described is taken."""
    good = asdict(written(tmp_path / "good.zip"))
    text = tmp_path / "notes.txt"
    text.write_text("not a backup")
    for path, words in (
        (text, "not a backup"),
        (tmp_path / "missing.zip", "No such file"),
        (tmp_path, "Is a directory"),
        (forged(tmp_path / "1.zip", {"format": 2} | good | {"format": 2}), "format 2"),
        (forged(tmp_path / "2.zip", ["format"]), "not complete"),
        (forged(tmp_path / "3.zip", good | {"dump_bytes": "many"}), "not complete"),
        (forged(tmp_path / "4.zip", good | {"sha256": "0" * 64}), "damaged"),
        (forged(tmp_path / "5.zip", good, packed=zipfile.ZIP_DEFLATED), "packed"),
    ):
        with pytest.raises(BackupFileError, match=words):
            archive.verify(path)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Give a home whose database is one file, and another loaded beside it."""
    home = Home(root=tmp_path / "server")
    for folder, text in ((home.data, "old"), (home.draft / "data", "new")):
        folder.mkdir(parents=True)
        (folder / "database").write_text(text)
    return home


@pytest.fixture
def store(home: Home) -> JarStore:
    """Give that home's store."""
    java = Java(home=home.root, version=25, full_version="25", has_vector_module=True, vendor="", origin="")
    return JarStore(home, java, home.root, "512m")


def held(home: Home) -> str:
    """Return what the database in its place holds."""
    return (home.data / "database").read_text()


def test_the_old_database_can_be_taken_back(home: Home, store: JarStore) -> None:
    """The new one is put in place beside the kept old one, and gives way to it again."""
    store.put_in_place()
    assert held(home) == "new"
    home.recover()  # what is in its place stays there
    assert held(home) == "new"
    store.put_back()
    store.tidy()
    assert held(home) == "old"
    assert {path.name for path in home.root.iterdir()} == {"data"}


def test_the_new_database_stays(home: Home, store: JarStore) -> None:
    """Once tidied up, only the new one is left."""
    store.put_in_place()
    store.tidy()
    assert held(home) == "new"
    assert {path.name for path in home.root.iterdir()} == {"data"}


def test_killed_between_the_renames_the_old_one_returns(home: Home, store: JarStore) -> None:
    """A process that ended with the old database away and the new one not there leaves the old one."""
    home.data.rename(home.before)
    home.recover()
    assert held(home) == "old"
    home.data.rename(home.before)
    store.tidy()
    assert held(home) == "old"
