"""A server that dies under a write: what was acknowledged is there, what was not is not half there."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engram.config import Settings
from engram.errors import (
    AuthenticationError,
    DatabaseUnavailableError,
    EngramError,
    IndexPopulatingError,
    SchemaError,
)
from engram.graph import Graph
from engram.memory import Engram
from engram.records import Turn
from engram.server import Connection, ManagedServer
from engram.testing import HashEmbedder
from tests.graph.beside import run

pytestmark = pytest.mark.graph

BATCH = 5
DIMENSIONS = 64


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Give settings with a data directory of their own."""
    return Settings.load(data_dir=tmp_path_factory.mktemp("faults"), server_backend="maven", batch_size=BATCH)


@pytest.fixture(scope="module")
def server(settings: Settings) -> Iterator[ManagedServer]:
    """Give a managed server that may be killed."""
    server = ManagedServer(settings)
    server.start(print)
    yield server
    server.stop()


def opened(settings: Settings, connection: Connection) -> Engram:
    """Return a memory on that server."""
    graph = Graph(connection.uri, connection.user, connection.password, connection.database)
    memory = Engram(graph, settings, space="faults", embedder=HashEmbedder(DIMENSIONS))
    memory.ensure_schema()
    return memory


def kill(server: ManagedServer) -> None:
    """End the server's process without a warning."""
    pid = server.status().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def turns(count: int) -> list[Turn]:
    """Return a conversation."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        Turn(
            text=f"turn number {n}", speaker="Ann", at=start + timedelta(seconds=n), session="long", id=str(n)
        )
        for n in range(count)
    ]


def test_first_use_by_many_at_once_sets_up_one_schema(settings: Settings, server: ManagedServer) -> None:
    """On an empty database four processes' worth of first openings all succeed and leave one record."""
    connection = server.start(print)
    with ThreadPoolExecutor(4) as pool:
        memories = list(pool.map(lambda _: opened(settings, connection), range(4)))
    assert len({memory.ensure_schema() for memory in memories}) == 1
    assert len(memories[0].graph.read("inspect/read_schema")) == 1
    for memory in memories:
        memory.close()


@dataclass
class Writers:
    """Two threads that write until the server is gone: an import in batches and single facts."""

    memory: Engram
    acknowledged: int = 0
    """Turns of batches that returned."""
    kept: list[str] = field(default_factory=list)
    """Ids of facts that returned."""
    failures: list[EngramError] = field(default_factory=list)
    under_way: threading.Event = field(default_factory=threading.Event)

    def start(self) -> list[threading.Thread]:
        """Start both."""
        threads = [
            threading.Thread(target=self._until_it_fails, args=[work]) for work in (self._all, self._facts)
        ]
        for thread in threads:
            thread.start()
        return threads

    def _until_it_fails(self, work: Callable[[], None]) -> None:
        try:
            work()
        except EngramError as error:
            self.failures.append(error)

    def _all(self) -> None:
        self.memory.remember_turns(turns(100_000), progress=self._count)

    def _count(self, done: int) -> None:
        self.acknowledged += done
        if self.acknowledged >= 8 * BATCH:
            self.under_way.set()

    def _facts(self) -> None:
        for n in range(100_000):
            self.kept.append(self.memory.remember(f"single fact {n}").id)


def test_killed_server_loses_nothing_acknowledged(settings: Settings, server: ManagedServer) -> None:
    """After SIGKILL in the middle of an import and of remembering, a restart has all that was acknowledged.

    Batches are whole or absent, and the same import run again completes it without doubles.
    """
    writers = Writers(opened(settings, server.start(print)))
    threads = writers.start()
    assert writers.under_way.wait(60)
    kill(server)
    for thread in threads:
        thread.join(90)
    assert [type(error) for error in writers.failures] == [DatabaseUnavailableError] * 2
    writers.memory.close()

    memory = opened(settings, server.start(print))
    stats = memory.stats()
    singles, episodes = stats.by_kind["semantic"], stats.by_kind["episodic"]
    for memory_id in writers.kept:
        memory.get(memory_id)
    # At most the one write under way was committed without its answer getting through.
    assert len(writers.kept) <= singles <= len(writers.kept) + 1
    assert writers.acknowledged <= episodes <= writers.acknowledged + BATCH
    assert episodes % BATCH == 0
    assert stats.turns == episodes
    # DERIVED_FROM and MENTIONS each, FOLLOWS between neighbours: no memory without its links.
    assert stats.relationships == 3 * episodes - 1
    done = memory.remember_turns(turns(episodes + BATCH))
    assert (done.seen, done.stored) == (episodes, BATCH)
    memory.close()


def test_database_gone_is_said_in_words(settings: Settings, server: ManagedServer) -> None:
    """A reader whose server went away gets the address and what to do, and reads again after a restart."""
    memory = opened(settings, server.start(print))
    memory.remember("the lighthouse is red")
    kill(server)
    with pytest.raises(DatabaseUnavailableError, match="server start"):
        memory.recall("lighthouse")
    server.start(print)
    assert memory.recall("lighthouse", 1)[0].memory.content == "the lighthouse is red"
    memory.close()


def test_an_index_that_is_away_or_not_ready_is_said_in_words(
    settings: Settings, server: ManagedServer
) -> None:
    """Without its vector index recall names the command that makes it; while that is built, it says to wait."""
    memory = opened(settings, server.start(print))
    memory.remember("the lighthouse is red")
    run(memory, "drop_vector_index")
    with pytest.raises(SchemaError, match="schema apply"):
        memory.recall("lighthouse", read_only=True)
    memory.remember_turns(turns(600))
    memory.graph.apply("schema/12_memory_embedding", dimensions=DIMENSIONS)
    for _ in range(100):
        try:
            found = memory.recall("lighthouse", 1, read_only=True)
            break
        except IndexPopulatingError as waiting:
            assert "Wait" in str(waiting)  # noqa: PT017  (it may well be ready at once)
            memory.graph.read("inspect/await_indexes", seconds=60)
    assert found[0].memory.content == "the lighthouse is red"
    memory.close()


def test_wrong_password_is_said_in_words(settings: Settings, server: ManagedServer) -> None:
    """A refused password names the settings to look at, and never shows the password."""
    connection = server.start(print)
    wrong = Settings.load(neo4j_uri=connection.uri, neo4j_password="swordfish", data_dir=settings.data_dir)
    with pytest.raises(AuthenticationError, match="ENGRAM_NEO4J_PASSWORD") as caught:
        Engram.open(wrong)
    assert "swordfish" not in str(caught.value)


def test_nobody_there_is_said_in_words(tmp_path: Path) -> None:
    """An address where nobody listens is named in the error."""
    nowhere = Settings.load(neo4j_uri="bolt://127.0.0.1:1", neo4j_password="x", data_dir=tmp_path)
    with pytest.raises(DatabaseUnavailableError, match=r"bolt://127\.0\.0\.1:1"):
        Engram.open(nowhere)
