"""The exchange of the databases in Docker's volume, cut off at every step: a scripted `docker` runs the real scripts."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engram.config import Settings
from engram.errors import BackupError, StartError
from engram.server import archive
from engram.server.backup import restore
from engram.server.docker import DockerServer
from engram.server.docker_store import DockerStore
from engram.server.files import NEO4J_VERSION

# Runs what is to be run in a container here, with a folder for the volume; `up`, `stop` and `ps` do as told.
DOCKER = """#!/bin/sh
case "$*" in
  "info "*) echo 28 ;;
  *" run "*) for script; do :; done; eval "$RUN"; exec sh -c "$(echo "$script" | sed "s|/data\\b|$VOLUME|g")" ;;
  *" up "*) touch "$STARTED"; eval "$UP" ;;
  *" stop "*) eval "$STOP" ;;
  *" ps "*) eval "$PS" ;;
esac
"""
# `load` lays a new database.
ADMIN = """#!/bin/sh
case "$*" in *" load "*)
  cat > /dev/null
  for part in databases transactions; do
    mkdir -p "$VOLUME/restoring/$part/neo4j"; echo new > "$VOLUME/restoring/$part/neo4j/content"
  done ;;
esac
"""
# Fails at one move, and ends the shell that has many.
MOVE = """#!/bin/sh
echo "$@" >> "$MOVES"
[ "$(wc -l < "$MOVES")" -ne "$CUT" ] || exit 1
exec /bin/mv "$@"
"""
FULL = "echo 'No space left on device' >&2; exit 1"
WORKER = """
import sys
from pathlib import Path
from engram.config import Settings
from engram.server.backup import restore
restore(Settings.load(), Path(sys.argv[1]), print, replace=True)
"""
PARTS = ("databases", "transactions")


@pytest.fixture
def volume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an empty volume, the scripted programs, and nothing from the person's own settings."""
    tools, volume = tmp_path / "tools", tmp_path / "volume"
    for folder in (tools, volume):
        folder.mkdir()
    for name, text in (("docker", DOCKER), ("neo4j-admin", ADMIN), ("mv", MOVE)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    for name in [name for name in os.environ if name.startswith("ENGRAM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("VOLUME", str(volume))
    monkeypatch.setenv("STARTED", str(tmp_path / "started"))
    monkeypatch.setenv("MOVES", str(tmp_path / "moves"))
    monkeypatch.setenv("CUT", "0")
    return volume


@pytest.fixture
def server(volume: Path, tmp_path: Path) -> DockerServer:
    """Return the server whose volume that is."""
    return DockerServer(Settings.load(data_dir=tmp_path / "home", server_backend="docker"))


@pytest.fixture
def store(server: DockerServer) -> DockerStore:
    """Return that server's store."""
    server.home.prepare()
    return DockerStore(server, server.planned())


@pytest.fixture
def backup_file(tmp_path: Path) -> Path:
    """Return a backup that can be read, of a dump that only the scripted tool takes."""

    def dump(sink: archive.Sink) -> None:
        sink.write(b"dump")

    path = tmp_path / "b.zip"
    made = "2026-11-21T12:00:00+00:00"
    archive.write(path, dump, engram="0.1.0", neo4j=NEO4J_VERSION, made_at=made, store_bytes=5)
    return path


def lay(folder: Path, text: str) -> None:
    """Make a database, or a loaded one in `restoring`."""
    for part in PARTS:
        (folder / part / "neo4j").mkdir(parents=True)
        (folder / part / "neo4j" / "content").write_text(text)


def held(folder: Path) -> list[str]:
    """Return what lies where the server looks for its database."""
    return [path.read_text().strip() for part in PARTS for path in (folder / part).rglob("content")]


def cut_at(move: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let the move of this number, counted from now, fail; none if 0."""
    (tmp_path / "moves").unlink(missing_ok=True)
    monkeypatch.setenv("CUT", str(move))


@pytest.mark.parametrize("old", [["old", "old"], []])
@pytest.mark.parametrize("move", [1, 2, 3, 4, 0])
def test_a_cut_exchange_is_undone_before_the_server_starts(
    server: DockerServer,
    store: DockerStore,
    volume: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    move: int,
    old: list[str],
) -> None:
    """Cut off anywhere before it was proven, the old database, or none, is in its place when the server starts."""
    lay(volume / "restoring", "new")
    if old:
        lay(volume, "old")
    cut_at(move, monkeypatch, tmp_path)
    if move in range(1, 3 + len(old)):
        with pytest.raises(StartError):
            store.put_in_place()
    else:
        store.put_in_place()
    cut_at(0, monkeypatch, tmp_path)
    server.start_held(print)
    assert held(volume) == old
    store.tidy()
    assert held(volume) == old
    assert {path.name for path in volume.iterdir()} <= set(PARTS)


@pytest.mark.parametrize("move", [1, 2, 3, 4])
def test_an_undo_that_is_cut_off_is_begun_again(
    server: DockerServer,
    store: DockerStore,
    volume: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    move: int,
) -> None:
    """The server does not start on half a database, and the next try finishes what the first began."""
    lay(volume / "restoring", "new")
    lay(volume, "old")
    store.put_in_place()
    cut_at(move, monkeypatch, tmp_path)
    with pytest.raises(StartError, match="No database was removed"):
        server.start_held(print)
    assert not (tmp_path / "started").exists()
    server.start_held(print)
    assert held(volume) == ["old", "old"]


def test_an_empty_database_of_a_start_by_hand_gives_way(store: DockerStore, volume: Path) -> None:
    """Where a server made an empty database after the cut, the old one still comes back and is not removed."""
    lay(volume / "restoring", "new")
    lay(volume / "before", "old")
    lay(volume, "empty")
    store.tidy()
    assert held(volume) == ["old", "old"]


def test_a_proven_database_stays(server: DockerServer, store: DockerStore, volume: Path) -> None:
    """Marked as proven, the new one stays through the next start, and only then what it replaced is removed."""
    lay(volume / "restoring", "new")
    lay(volume, "old")
    store.put_in_place()
    store.mark_proven()
    server.start_held(print)
    assert held(volume) == ["new", "new"]
    assert held(volume / "replaced") == ["old", "old"]
    store.tidy()
    assert held(volume) == ["new", "new"]
    assert {path.name for path in volume.iterdir()} == set(PARTS)


def test_a_trial_is_not_found_by_others(server: DockerServer, store: DockerStore) -> None:
    """A server that tries an unproven database is known, so that it can be stopped, and not ready for others."""
    server.start_held(print, trial=True)
    state = server.home.read_state()
    assert state is not None
    assert not state.ready


@pytest.mark.parametrize(
    "run", ["echo 'no such image' >&2; exit 1", "exit 0", "echo nothing; exit 0", "cd /nowhere || exit 2"]
)
def test_a_size_that_docker_does_not_say_is_not_nought(
    server: DockerServer,
    store: DockerStore,
    volume: Path,
    backup_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: str,
) -> None:
    """Where Docker fails to say how large the database is, a restore without --replace ends and touches nothing."""
    lay(volume, "old")
    assert store.size() > 0
    monkeypatch.setenv("RUN", f'case "$script" in *du*) {run} ;; esac')
    with pytest.raises(BackupError, match=r"how large.*docker info"):
        store.size()
    with pytest.raises(BackupError, match="how large"):
        restore(server.settings, backup_file, print)
    assert held(volume) == ["old", "old"]


def test_an_empty_volume_has_no_database(store: DockerStore) -> None:
    """Nought is an answer too; what is free is asked with more patience, for there not to know is no harm."""
    assert store.size() == 0
    assert (store.free() or 0) > 0


@pytest.mark.parametrize(
    ("old", "move", "up"), [(["old", "old"], 2, ""), (["old", "old"], 0, FULL), ([], 0, FULL)]
)
def test_a_restore_that_fails_leaves_what_was(
    server: DockerServer,
    volume: Path,
    backup_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    old: list[str],
    move: int,
    up: str,
) -> None:
    """Whether the exchange or the new database fails, the database is what it was, or there is none as before."""
    if old:
        lay(volume, "old")
    cut_at(move, monkeypatch, tmp_path)
    monkeypatch.setenv("UP", up)
    for _ in range(2):  # the second try is not told that there is a database
        with pytest.raises(BackupError, match="The database is what it was"):
            restore(server.settings, backup_file, print, replace=bool(old))
        assert held(volume) == old
        assert {path.name for path in volume.iterdir()} <= set(PARTS)
        cut_at(move, monkeypatch, tmp_path)


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGKILL])
def test_a_restore_that_is_ended_leaves_what_was(
    server: DockerServer,
    volume: Path,
    backup_file: Path,
    tmp_path: Path,
    ended_by: signal.Signals,
) -> None:
    """Ended while the new database starts, by Ctrl-C or a kill, the old one is there when the server starts next."""
    lay(volume, "old")
    environment = os.environ | {
        "ENGRAM_DATA_DIR": str(server.settings.data_dir),
        "ENGRAM_SERVER_BACKEND": "docker",
        "UP": f"kill -{ended_by.name[3:]} $PPID; sleep 0.3",
    }
    worker = [sys.executable, "-c", WORKER, str(backup_file)]
    ended = subprocess.run(worker, env=environment, check=False, capture_output=True, text=True)
    assert ended.returncode == -ended_by, ended.stderr
    assert (tmp_path / "started").exists()
    assert server.running() is None
    server.start_held(print)
    assert held(volume) == ["old", "old"]


@pytest.mark.parametrize("runs", [True, False])
def test_a_container_that_does_not_stop_is_told(
    server: DockerServer, store: DockerStore, monkeypatch: pytest.MonkeyPatch, *, runs: bool
) -> None:
    """A stop that Docker refuses is an error that says what to do, unless no container runs anyway."""
    server.start_held(print, trial=True)
    monkeypatch.setenv("STOP", "echo 'permission denied' >&2; exit 1")
    monkeypatch.setenv("PS", "echo 0123" if runs else "")
    if runs:
        with pytest.raises(StartError, match=r"permission denied.*docker stop"):
            server.stop_held(print)
    else:
        assert not server.stop_held(print)
