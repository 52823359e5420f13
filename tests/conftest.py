"""One real Neo4j for the whole run, one space for each test."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import hypothesis
import pytest

from engram.config import Settings
from engram.graph import Graph
from engram.learning import flush_all
from engram.loop.gatekeeper import wait_all
from engram.memory import Engram
from engram.server import ManagedServer, docker_engine
from engram.server.files import shipped
from engram.testing import FixedClock, HashEmbedder

# A person's own settings must not leak into the tests; the test server's address is read before.
_TEST_SERVER = {
    name: os.environ.get(f"ENGRAM_TEST_NEO4J_{name}") for name in ("URI", "USER", "PASSWORD", "DATABASE")
}
_KEPT = {"ENGRAM_CACHE_DIR", "ENGRAM_TEST_NEO4J_IMAGE", "ENGRAM_TEST_PYTHON_IMAGE"}
for _name in [*os.environ]:
    if _name.startswith("ENGRAM_") and _name not in _KEPT:
        del os.environ[_name]
for _name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY"):
    os.environ.pop(_name, None)
os.environ["ENGRAM_CONFIG_FILE"] = os.devnull

# No example may fail for the time that it took: the machine may be busy.
hypothesis.settings.register_profile("engram", deadline=None)
hypothesis.settings.load_profile("engram")

DIMENSIONS = 384
"""The default model's, so that one database serves the library's tests and the installed command."""
NEO4J_IMAGE = os.environ.get("ENGRAM_TEST_NEO4J_IMAGE", "neo4j:2026.09.0-community")


@dataclass(frozen=True, slots=True)
class Address:
    """Where the run's Neo4j is."""

    uri: str
    user: str
    password: str
    database: str
    origin: str

    def settings(self, **more: Any) -> Settings:
        """Return settings that use this server."""
        return Settings.load(
            neo4j_uri=self.uri,
            neo4j_user=self.user,
            neo4j_password=self.password,
            neo4j_database=self.database,
            **more,
        )


@pytest.fixture(scope="session")
def neo4j_address(request: pytest.FixtureRequest) -> Iterator[Address]:
    """Give the configured server, else a container where Docker answers, else the managed one.

    All processes of one run share it: statements are planned and Java warms up once.
    """
    given: dict[str, str] | None = getattr(request.config, "workerinput", {}).get("neo4j")
    if given is not None:
        yield Address(**given)
        return
    with ExitStack() as ends:
        yield _server(ends)


_UNIT = Path(__file__).with_name("unit")
_SHARED = pytest.StashKey[tuple[Address, ExitStack]]()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Start the Neo4j that the processes of pytest-xdist share, before the first of them; unit tests want none."""
    stash = node.config.stash
    if all(Path(each).resolve().is_relative_to(_UNIT) for each in node.config.args):
        return
    if _SHARED not in stash:
        ends = ExitStack()
        stash[_SHARED] = (_server(ends), ends)
    node.workerinput["neo4j"] = asdict(stash[_SHARED][0])


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the shared Neo4j after the last process."""
    if _SHARED in config.stash:
        config.stash[_SHARED][1].close()


def _server(ends: ExitStack) -> Address:
    if uri := _TEST_SERVER["URI"]:
        return Address(
            uri,
            _TEST_SERVER["USER"] or "neo4j",
            _TEST_SERVER["PASSWORD"] or "",
            _TEST_SERVER["DATABASE"] or "neo4j",
            "configured",
        )
    if docker_engine() and (container := _container()):
        ends.callback(container.stop)
        return Address(container.get_connection_url(), "neo4j", container.password, "neo4j", "container")
    folder = ends.enter_context(TemporaryDirectory(prefix="engram-neo4j-"))
    server = ManagedServer(Settings.load(data_dir=folder, server_backend="maven"))
    ends.callback(server.stop)
    found = server.start(print)
    return Address(found.uri, found.user, found.password, found.database, found.origin)


def _container() -> Any:
    from testcontainers.community.neo4j import Neo4jContainer

    container = Neo4jContainer(NEO4J_IMAGE, password=uuid4().hex)
    container.with_volume_mapping(str(shipped("neo4j.conf")), "/conf/neo4j.conf")
    # Inside the container loopback would shut out the published port.
    container.with_env("NEO4J_server_default__listen__address", "0.0.0.0")
    try:
        container.start()
    except Exception as error:  # noqa: BLE001  (whatever keeps the image away, the managed server is next)
        print(f"no container, so the managed server: {error}")
        container.stop()
        return None
    return container


@pytest.fixture(scope="session")
def _schema(neo4j_address: Address) -> None:
    # With the default model's name, so that the installed command finds its own embedder's record.
    with Engram.open(neo4j_address.settings(), space="schema"):
        pass


@pytest.fixture
def space() -> str:
    """Give a space that no other test uses."""
    return f"test-{uuid4().hex[:12]}"


@pytest.fixture
def graph(neo4j_address: Address, _schema: None) -> Iterator[Graph]:
    """Give a connection to the run's Neo4j, its schema applied."""
    address = neo4j_address
    with Graph(address.uri, address.user, address.password, address.database) as opened:
        yield opened
        wait_all()
        flush_all()  # a test may have opened further memories on it, which write behind its back


@pytest.fixture
def clock() -> FixedClock:
    """Give a clock that stands still."""
    return FixedClock()


@pytest.fixture
def memory(
    neo4j_address: Address, graph: Graph, space: str, clock: FixedClock, tmp_path: Path
) -> Iterator[Engram]:
    """Give a memory on a clean space, with an embedder that needs no model."""
    embedder = HashEmbedder(DIMENSIONS)
    settings = neo4j_address.settings(data_dir=tmp_path / "data")
    opened = Engram(graph, settings, space=space, embedder=embedder, clock=clock)
    yield opened
    opened.flush()  # what it learned is written behind the test's back, and the graph is closed next


@pytest.fixture
def engram_env(neo4j_address: Address, _schema: None, space: str, tmp_path: Path) -> dict[str, str]:
    """Give the environment that points the installed `engram` command at the run's Neo4j and a clean space."""
    address = neo4j_address
    return dict(os.environ) | {
        "ENGRAM_NEO4J_URI": address.uri,
        "ENGRAM_NEO4J_USER": address.user,
        "ENGRAM_NEO4J_PASSWORD": address.password,
        "ENGRAM_NEO4J_DATABASE": address.database,
        "ENGRAM_SPACE": space,
        "ENGRAM_DATA_DIR": str(tmp_path / "data"),
        "ENGRAM_CONFIG_FILE": str(tmp_path / "config.toml"),
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }
