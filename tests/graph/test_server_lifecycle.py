"""The managed server for real: started, shared, killed, brought back, and failing with a reason."""

import os
import signal
import socket
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from neo4j import GraphDatabase

from engram.config import Settings
from engram.errors import StartError
from engram.server import Connection, ManagedServer

pytestmark = pytest.mark.graph

STARTER = """
from engram.config import Settings
from engram.server import ManagedServer, start
settings = Settings.load()
connection = start(settings, lambda line: None)
print(ManagedServer(settings).status().pid, connection.uri)
"""


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings with a data directory of their own (with a space in its name) and the shared jars."""
    return Settings.load(
        data_dir=tmp_path / "data dir",
        server_backend="maven",
        java_home=None,
        neo4j_uri=None,
        bolt_port=free_port(),
        http_port=free_port(),
    )


@pytest.fixture
def server(settings: Settings) -> Iterator[ManagedServer]:
    """Return a managed server that does not outlive the test."""
    managed = ManagedServer(settings)
    yield managed
    managed.stop()


def ask(connection: Connection, statement: str) -> list[object]:
    """Run one statement and return its first column."""
    with GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password)) as driver:
        return [
            record[0] for record in driver.execute_query(statement, database_=connection.database).records
        ]


def test_two_starts_at_once_give_one_server(settings: Settings, server: ManagedServer) -> None:
    """Two processes that start at once share one server, on the next ports when one is taken; stop ends it."""
    environment = {
        **os.environ,
        "ENGRAM_DATA_DIR": str(settings.data_dir),
        "ENGRAM_BOLT_PORT": str(settings.bolt_port),
        "ENGRAM_HTTP_PORT": str(settings.http_port),
        "ENGRAM_SERVER_BACKEND": "maven",
    }
    with socket.create_server(("127.0.0.1", settings.bolt_port)):
        starters = [
            subprocess.Popen(
                [sys.executable, "-c", STARTER], env=environment, stdout=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        first, second = (starter.communicate()[0] for starter in starters)
    assert first == second != ""

    status = server.status()
    assert status.running
    assert f"{status.pid} {status.uri}\n" == first
    assert status.uri is not None
    assert int(status.uri.rpartition(":")[2]) > settings.bolt_port
    assert (status.rss_bytes or 0) > 100_000_000

    connection = server.start()
    assert connection.uri == status.uri
    assert ask(connection, "RETURN 1") == [1]
    assert connection.browser_url is not None
    with urllib.request.urlopen(connection.browser_url) as page:
        assert b"<html" in page.read().lower()

    home = server.home
    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700
    for path in (home.password_file, home.root / "server.json", home.conf / "neo4j.conf"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert connection.password not in " ".join(psutil.Process(status.pid).cmdline())

    assert server.stop() is True
    assert server.stop() is False
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(connection.browser_url)
    assert not server.status().running
    # Remembered although the ports first asked for are free again.
    state = home.read_state()
    assert state is not None
    assert f":{state.bolt_port}" in status.uri


def test_a_killed_server_comes_back_with_its_data(server: ManagedServer) -> None:
    """What was committed survives SIGKILL, the stale state is recognised, and the store allows one server only."""
    said: list[str] = []
    connection = server.start(said.append)
    assert any("Starting Neo4j" in line for line in said)
    assert any("ready after" in line for line in said)
    ask(connection, "CREATE (:Kept {word: 'still here'})")

    record = server.home.root / "server.json"
    saved = record.read_text()
    record.unlink()
    with pytest.raises(StartError, match="another server has this database open"):
        server.start()
    record.write_text(saved)

    killed = server.status().pid or 0
    os.kill(killed, signal.SIGKILL)
    while server.running():
        pass
    again = server.start()
    assert again.uri == connection.uri
    assert server.status().pid != killed
    assert ask(again, "MATCH (k:Kept) RETURN k.word") == ["still here"]


def test_a_crash_at_start_shows_the_log_and_a_remedy(server: ManagedServer) -> None:
    """A server that cannot open its database is ended at once; the error has the log's lines and what to do."""
    server.home.prepare()
    (server.home.root / "data").mkdir()
    (server.home.root / "data" / "transactions").write_text("a file where a folder belongs")
    with pytest.raises(StartError, match="cannot write to its data directory") as caught:
        server.start()
    assert "data/transactions" in caught.value.message
    assert "ENGRAM_DATA_DIR" in (caught.value.remedy or "")
    assert server.running() is None


def test_two_servers_starting_at_once_get_ports_of_their_own(tmp_path: Path, settings: Settings) -> None:
    """Servers of two data directories that begin with the same free port both get ready, on different ones."""
    others = settings.model_copy(update={"data_dir": tmp_path / "other"})
    pair = [ManagedServer(settings), ManagedServer(others)]
    try:
        with ThreadPoolExecutor(2) as pool:
            connections = list(pool.map(lambda server: server.start(print), pair))
        assert connections[0].uri != connections[1].uri
        for connection in connections:
            assert ask(connection, "RETURN 1") == [1]
    finally:
        for server in pair:
            server.stop()
