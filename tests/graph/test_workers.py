"""Many processes on one graph, with deaths and wrong clocks: small runs of `tests.graph.scenarios`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.config import Settings
from engram.graph import Graph
from engram.server import ManagedServer
from tests.conftest import Address
from tests.graph import scenarios
from tests.graph.scenarios import Ground, Size
from tests.graph.workers import Crew

pytestmark = pytest.mark.graph

WORKERS = 4
SMALL = Size(
    workers=WORKERS,
    memories=400,
    numbers=(("promote.batch_size", 25), ("claim.batch_size", 20)),
    uses=40,
    rounds=20,
    talks=8,
)
MORTAL = Size(
    memories=150,
    numbers=(("promote.batch_size", 5), ("claim.batch_size", 5), ("claim.lease_seconds", 2)),
)


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    """Give processes that wait for work."""
    with Crew(WORKERS + 2, seconds=300) as crew:
        yield crew


@pytest.fixture
def ground(graph: Graph, neo4j_address: Address, tmp_path: Path) -> Ground:
    """Give a clean space."""
    return Ground(graph, neo4j_address, folder=tmp_path, size=SMALL)


@pytest.mark.parametrize("role", ["promote", "claimed"])
def test_many_workers_promote_each_memory_once(ground: Ground, crew: Crew, role: str) -> None:
    """Whether they lock or claim, workers on the same memories promote each once, with one snapshot of each step.

    No deadlock reaches them, no claim is left behind, and claims that came back empty are on the record.
    """
    scenarios.promotion(ground, crew, role=role)


def test_no_use_is_lost_among_many(ground: Ground, crew: Crew) -> None:
    """Energy after uses by many workers, settled and promoted meanwhile, is the sum of all to 1e-9; so are counts."""
    scenarios.uses(ground, crew)


def test_a_wrong_clock_does_no_harm(ground: Ground, crew: Crew) -> None:
    """A worker whose clock is ten minutes off, either way, does nothing early, late or in another's stead."""
    scenarios.wrong_clocks(ground, crew)


def test_talk_goes_on_while_jobs_run(ground: Ground, crew: Crew) -> None:
    """While promotion and decay run, those who remember and recall see no error and lose nothing."""
    scenarios.talk(ground, crew)


def test_deaths_of_workers_and_of_the_server(tmp_path: Path, crew: Crew) -> None:
    """Two workers killed in mid-batch and a server killed once: in the end all is promoted, and nothing twice."""
    server = ManagedServer(Settings.load(data_dir=tmp_path / "server", server_backend="maven"))
    address = server.start(print)
    try:
        with Graph(address.uri, address.user, address.password, address.database) as graph:
            grounds = {
                role: Ground(graph, address, folder=tmp_path, size=MORTAL) for role in ("promote", "claimed")
            }
            grounds["promote"].memory.ensure_schema()
            scenarios.deaths(grounds, crew, restart=lambda: scenarios.restarted(server))
    finally:
        server.stop()
