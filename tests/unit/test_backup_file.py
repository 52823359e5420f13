"""The backup file: private, whole or refused, and the moves that put what was loaded in its place."""

import json
import shutil
import stat
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from engram.config import Settings
from engram.errors import BackupFileError, InvalidInputError, StartError
from engram.server import ManagedServer, archive
from engram.server.backup import backup
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


def forged(
    path: Path, manifest: Any, *, packed: int = zipfile.ZIP_STORED, described: int = zipfile.ZIP_STORED
) -> Path:
    """Write a zip that looks like a backup and says this of itself."""
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr(archive.DUMP, DUMPED, packed)
        zipped.writestr(archive.MANIFEST, json.dumps(manifest), described)
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
        (tmp_path / "missing.zip", "No such file.*right path"),
        (tmp_path, "Is a directory"),
        (forged(tmp_path / "1.zip", {"format": 2} | good | {"format": 2}), "format 2"),
        (forged(tmp_path / "2.zip", ["format"]), "not complete"),
        (forged(tmp_path / "3.zip", good | {"dump_bytes": "many"}), "not complete"),
        (forged(tmp_path / "4.zip", good | {"sha256": "0" * 64}), "damaged"),
        (forged(tmp_path / "5.zip", good, packed=zipfile.ZIP_DEFLATED), "dump is packed"),
        (forged(tmp_path / "6.zip", good | {"engram": "0" * 70_000}), "longer than"),
        (forged(tmp_path / "7.zip", good, described=zipfile.ZIP_DEFLATED), "json is packed"),
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


@pytest.fixture
def server(home: Home) -> ManagedServer:
    """Give the server of that home, which is not running."""
    return ManagedServer(Settings.load(data_dir=home.root.parent))


def test_the_old_database_can_be_taken_back(home: Home, server: ManagedServer, store: JarStore) -> None:
    """The new one is put in place beside the kept old one, and gives way to it again."""
    store.put_in_place()
    assert held(home) == "new"
    server.recover_held(print)
    assert held(home) == "old"
    server.recover_held(print)
    store.tidy()
    assert held(home) == "old"
    assert {path.name for path in home.root.iterdir()} == {"data"}


def test_what_was_not_proven_is_not_kept(home: Home, store: JarStore) -> None:
    """Tidying up never removes the old database while the new one has not proven itself."""
    store.put_in_place()
    store.tidy()
    assert held(home) == "old"
    assert {path.name for path in home.root.iterdir()} == {"data"}


def test_the_new_database_stays(home: Home, server: ManagedServer, store: JarStore) -> None:
    """Once proven it stays, whatever is begun before the old one is removed; then only the new one is left."""
    store.put_in_place()
    store.mark_proven()
    server.recover_held(print)
    assert held(home) == "new"
    store.tidy()
    assert held(home) == "new"
    assert {path.name for path in home.root.iterdir()} == {"data"}


def test_where_there_was_no_database_there_is_none_again(
    home: Home, server: ManagedServer, store: JarStore
) -> None:
    """A restore into an empty directory that fails leaves it empty, so that the next one needs no --replace."""
    shutil.rmtree(home.data)
    store.put_in_place()
    assert held(home) == "new"
    server.recover_held(print)
    assert not home.data.exists()
    assert store.size() == 0


def test_killed_between_the_moves_the_old_one_returns(
    home: Home, server: ManagedServer, store: JarStore
) -> None:
    """A process that ended with one database away and the other not there leaves the old one."""
    home.data.rename(home.before)
    server.recover_held(print)
    assert held(home) == "old"
    store.put_in_place()
    home.data.rename(home.draft / "data")
    store.tidy()
    assert held(home) == "old"


def test_what_cannot_be_taken_back_is_told_and_kept(home: Home, server: ManagedServer) -> None:
    """Where a folder cannot be moved, the error names the one that holds the old database, and it stays there."""
    home.data.rename(home.before)
    home.data.mkdir()
    with pytest.raises(StartError, match=r"data\.before"):
        server.recover_held(print)
    assert (home.before / "database").read_text() == "old"


def test_a_backup_needs_a_name_in_a_folder(tmp_path: Path) -> None:
    """A folder in the place of the file, and a folder that is missing, are told apart, each with what to do."""
    settings = Settings.load(data_dir=tmp_path / "home", neo4j_uri=None)
    with pytest.raises(InvalidInputError, match=r"is a folder.*Name a file in it"):
        backup(settings, tmp_path, print)
    with pytest.raises(InvalidInputError, match=r"no folder.*Make it first"):
        backup(settings, tmp_path / "missing" / "b.zip", print)
    assert not settings.data_dir.exists()
