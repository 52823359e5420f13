"""Backup and restore for real: killed at the worst times, then restored into an empty directory and compared whole."""

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from engram.config import Settings
from engram.errors import BackupError, BackupFileError, ConfigurationError, InvalidInputError
from engram.graph import Graph
from engram.schema import apply_schema
from engram.server import Connection, ManagedServer
from engram.server.backup import backup, restore
from engram.testing import FixedClock

pytestmark = pytest.mark.graph

WORKER = """
import sys
from pathlib import Path
from engram.config import Settings
from engram.server.backup import backup, restore
if sys.argv[1] == "backup":
    backup(Settings.load(), Path(sys.argv[2]), print)
else:
    restore(Settings.load(), Path(sys.argv[2]), print, replace=True)
"""


def settings_for(folder: Path) -> Settings:
    """Return settings of a data directory of its own."""
    return Settings.load(data_dir=folder, server_backend="maven", neo4j_uri=None)


def ask(connection: Connection, name: str) -> list[dict[str, Any]]:
    """Run a statement that only this test runs."""
    text = Path(__file__).with_name(f"backup_{name}.cypher").read_text(encoding="utf-8")
    with GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as driver:
        return [record.data() for record in driver.execute_query(text, database_="neo4j").records]


def content(connection: Connection) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return all that a database holds, and its indexes."""
    return ask(connection, "read"), ask(connection, "indexes")


def kill_when(begun: Callable[[], bool], settings: Settings, verb: str, path: Path) -> None:
    """Run a backup or a restore in a process of its own, and kill that when it has got so far."""
    environment = os.environ | {"ENGRAM_DATA_DIR": str(settings.data_dir), "ENGRAM_SERVER_BACKEND": "maven"}
    worker = subprocess.Popen([sys.executable, "-c", WORKER, verb, str(path)], env=environment)
    while not begun():
        assert worker.poll() is None
        time.sleep(0.01)
    worker.send_signal(signal.SIGKILL)
    worker.wait()


def test_what_was_backed_up_comes_back_whole(tmp_path: Path, clock: FixedClock) -> None:
    """Killed while it dumps, loads or puts in place, it loses nothing; an empty directory gets all, to the bit."""
    old, new = settings_for(tmp_path / "old"), settings_for(tmp_path / "new dir")
    path, part = tmp_path / "b.zip", tmp_path / ".b.zip.part"
    server = ManagedServer(old)
    connection = server.start(print)
    try:
        with Graph(connection.uri, connection.user, connection.password, connection.database) as graph:
            apply_schema(graph, embed_model="hash", dimensions=384, now=clock.now)
        ask(connection, "lay")
        before = content(connection)
        kill_when(part.exists, old, "backup", path)
        assert not path.exists()
        assert server.running() is None
        receipt = backup(old, path, print, check=False)
    finally:
        server.stop()
    assert not part.exists()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert receipt.manifest.store_bytes > receipt.manifest.dump_bytes > 0
    with pytest.raises(InvalidInputError, match="is there already"):
        backup(old, path, print)

    restored = ManagedServer(new)
    kill_when(restored.home.draft.exists, new, "restore", path)
    assert not restored.home.data.exists()
    try:
        restore(new, path, print)
        again = restored.running()
        assert again is not None
        assert content(again) == before
        assert again.password != connection.password
        with pytest.raises(BackupError, match="There is a database"):
            restore(new, path, print)
        cut = tmp_path / "cut.zip"
        cut.write_bytes(path.read_bytes()[:-1])
        with pytest.raises(BackupFileError):
            restore(new, cut, print, replace=True)
        assert restored.running() == again
        assert not restored.home.draft.exists()
        assert not restored.home.before.exists()

        ask(again, "add")
        later = content(again)
        kill_when(restored.home.before.exists, new, "restore", path)
        assert restored.running() is None
        assert content(restored.start(print)) == later != before
    finally:
        restored.stop()


def test_there_must_be_something_of_ours_to_back_up(tmp_path: Path) -> None:
    """An empty data directory and a server of one's own are refused, and no file is left."""
    settings = settings_for(tmp_path / "empty")
    with pytest.raises(BackupError, match="no database"):
        backup(settings, tmp_path / "b.zip", print)
    own = settings.model_copy(update={"neo4j_uri": "bolt://127.0.0.1:7687"})
    with pytest.raises(ConfigurationError, match="neo4j_uri"):
        backup(own, tmp_path / "b.zip", print)
    with pytest.raises(ConfigurationError, match="neo4j_uri"):
        restore(own, tmp_path / "b.zip", print)
    assert [path.name for path in tmp_path.glob("*b.zip*")] == []
