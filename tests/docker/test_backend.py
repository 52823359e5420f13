"""`server_backend = docker` and the tests' own container, on a real engine."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.config import Settings
from engram.errors import BackupError
from engram.memory import Engram
from engram.server import DockerServer
from engram.server.backup import backup, restore
from engram.testing import HashEmbedder
from tests.docker.stack import IMAGES, ROOT, docker, free_port

pytestmark = pytest.mark.docker


@pytest.fixture(autouse=True)
def _image(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAM_NEO4J_IMAGE", IMAGES[0])


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[DockerServer]]:
    """Give two servers of two data directories, whose volumes do not outlive the test."""
    both = [
        DockerServer(
            Settings.load(
                data_dir=tmp_path / name,
                server_backend="docker",
                bolt_port=free_port(),
                http_port=free_port(),
            )
        )
        for name in ("one", "two")
    ]
    yield both
    for server in both:
        server.compose(server.planned(), "down", "--volumes", limit=120)


def open_memory(settings: Settings) -> Engram:
    """Open the memory of a data directory; its server is started."""
    return Engram.open(settings, space="docker", embedder=HashEmbedder(384), notify=print)


def test_the_managed_server_runs_in_docker(servers: list[DockerServer], tmp_path: Path) -> None:
    """It starts by itself, stops, comes back with its memories, and a backup moves them to another data directory."""
    server, other = servers
    with open_memory(server.settings) as memory:
        written = memory.remember("The tide mill grinds twice a day.")
    status = server.status()
    assert status.running
    assert status.backend == "docker"
    password = server.home.password_file.read_text().strip()
    assert password not in subprocess.run(["ps", "axww"], capture_output=True, text=True, check=True).stdout
    assert server.stop(print)
    assert not server.stop(print)
    assert server.running() is None
    with open_memory(server.settings) as memory:
        assert memory.get(written.id).content == "The tide mill grinds twice a day."
        receipt = backup(server.settings, tmp_path / "b.zip", print)
    assert receipt.seconds_away > 0
    assert server.running()

    restore(other.settings, tmp_path / "b.zip", print)
    with open_memory(other.settings) as memory:
        assert memory.get(written.id).content == "The tide mill grinds twice a day."
        memory.remember("Written after the backup.")
    with pytest.raises(BackupError, match="There is a database"):
        restore(other.settings, tmp_path / "b.zip", print)
    restore(other.settings, tmp_path / "b.zip", print, replace=True)
    with open_memory(other.settings) as memory:
        assert memory.stats().memories == 1
    assert other.home.password_file.read_text().strip() != password
    left = other.compose(other.planned(), "exec", "-T", "neo4j", "ls", "/data")
    assert left is not None
    assert {"restoring", "before", "replaced"}.isdisjoint(left.stdout.split())


def test_the_tests_can_run_on_a_container() -> None:
    """Without a configured server the fixture starts a container with the shipped neo4j.conf, and tests pass on it."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("ENGRAM_TEST_NEO4J_")
    }
    environment |= {"ENGRAM_TEST_NEO4J_IMAGE": IMAGES[0], "TESTCONTAINERS_RYUK_DISABLED": "true"}
    run = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/graph/test_sessions.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        env=environment,
    )
    seen: set[str] = set()
    while run.poll() is None:
        seen |= {*docker("ps", "-q", "--filter", "label=org.testcontainers=true").split()}
        time.sleep(0.5)
    said, _ = run.communicate()
    assert run.returncode == 0, said
    assert "passed" in said
    assert len(seen) == 1
    assert seen.isdisjoint(docker("ps", "-a", "-q").split())
