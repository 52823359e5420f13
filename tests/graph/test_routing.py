"""Clusters: reads go to followers, writes to the leader, and both outlive a member."""

from collections.abc import Callable, Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.errors import DatabaseError, DatabaseUnavailableError
from engram.graph import Graph
from engram.memory import Engram
from engram.testing import FixedClock, HashEmbedder
from tests.conftest import DIMENSIONS, Address
from tests.protocol.cluster import Cluster, Member

pytestmark = pytest.mark.graph

JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")


@pytest.fixture
def cluster(neo4j_address: Address, _schema: None) -> Iterator[Cluster]:
    """Give a cluster of three over the run's Neo4j."""
    with Cluster(neo4j_address.uri) as members:
        yield members


@pytest.fixture
def routed(cluster: Cluster, neo4j_address: Address) -> Iterator[Graph]:
    """Give a connection to that cluster."""
    with connect(cluster.uri, neo4j_address) as graph:
        yield graph


def connect(uri: str, address: Address) -> Graph:
    """Return a connection to the run's database by another address."""
    return Graph(uri, address.user, address.password, address.database)


def remembering(graph: Graph, address: Address, space: str, clock: FixedClock, folder: Path) -> Engram:
    """Return a memory over a connection."""
    settings = address.settings(data_dir=folder / "data")
    return Engram(graph, settings, space=space, embedder=HashEmbedder(DIMENSIONS), clock=clock)


def asked(*members: Member) -> set[tuple[str, str]]:
    """Return how and what those members were asked."""
    return {(each.access, each.statement) for member in members for each in member.requests}


def test_one_server_refuses_what_a_follower_would(graph: Graph, space: str) -> None:
    """A write that is sent as a read fails here too, so that every test of this suite is one of routing."""
    with pytest.raises(DatabaseError, match=r"(?i)read access mode"):
        graph.read("write/lay_default_numbers", space=space, numbers={})


@pytest.mark.usefixtures("_schema")
def test_a_single_server_answers_to_a_routed_address(
    neo4j_address: Address, space: str, clock: FixedClock, tmp_path: Path
) -> None:
    """A server without a cluster hands out an address of its own that leads back to it."""
    uri = "neo4j://" + neo4j_address.uri.partition("://")[2]
    with connect(uri, neo4j_address) as graph:
        assert graph.check()
        memory = remembering(graph, neo4j_address, space, clock, tmp_path)
        kept = memory.remember("Noor lives in Utrecht.")
        assert [hit.memory.id for hit in memory.recall("Where does Noor live?")] == [kept.id]
        assert memory.flush()


def test_reads_go_to_followers_and_writes_to_the_leader(
    cluster: Cluster, routed: Graph, neo4j_address: Address, space: str, clock: FixedClock, tmp_path: Path
) -> None:
    """A memory's life sends the leader nothing to read and a follower nothing to write."""
    memory = remembering(routed, neo4j_address, space, clock, tmp_path)
    old = memory.remember("Noor lives in Utrecht.")
    new = memory.remember("Noor lives in Ghent.", supersedes=old.id, reason="moved")
    assert memory.recall("Where does Noor live?")
    assert memory.flush()
    memory.why(new.id)
    memory.forget(new.id)
    memory.stats()
    for name in ("decay", "promote"):
        run_job(JOBS[name], routed, space=space, clock=clock)
    leader = cluster.members[0]
    assert {access for access, _ in asked(leader)} == {"w"}
    assert {access for access, _ in asked(*cluster.followers)} == {"r"}
    assert {"write/remember_memories", "write/learn_from_recall"} <= {name for _, name in asked(leader)}
    assert {"recall/find_candidates", "inspect/count_space"} <= {
        name for _, name in asked(*cluster.followers)
    }
    assert not any(member.refused for member in cluster.members)


def test_who_reads_waits_for_what_this_process_wrote(
    cluster: Cluster, routed: Graph, neo4j_address: Address, space: str
) -> None:
    """A read names the last write, by another connection to the same address too; so no follower answers too early."""
    routed.write("write/lay_default_numbers", space=space, numbers={})
    routed.read("inspect/count_space", space=space)
    with connect(cluster.uri, neo4j_address) as another:
        another.read("inspect/count_space", space=space)
    reads = [each for member in cluster.followers for each in member.requests]
    assert len(reads) == 2
    # The address is this test's own, so that any bookmark is one that this process was given there. Which one differs:
    # an answer to a read names the newest that the server knows, and other tests write to the same server.
    assert all(each.bookmarks for each in reads)


def test_a_dead_follower_is_passed_over(cluster: Cluster, routed: Graph, space: str) -> None:
    """Reads that were to go to a member that is gone are answered by another."""
    first, second = cluster.followers
    while not (first.requests and second.requests):
        routed.read("inspect/count_space", space=space)
    first.die()
    before = len(second.requests)
    for _ in range(6):
        assert routed.read("inspect/count_space", space=space)[0]["memories"] == 0
    assert len(second.requests) == before + 6


def test_writes_follow_the_leader(cluster: Cluster, routed: Graph, space: str) -> None:
    """Who was the leader refuses, and the write is carried out once, by who is it now."""
    numbers = {"space": space, "numbers": {}}
    old, new = cluster.members[0], cluster.members[1]
    routed.write("write/lay_default_numbers", **numbers)
    cluster.leader = new
    routed.write("write/lay_default_numbers", **numbers)
    assert (old.refused, len(new.requests)) == (1, 1)
    cluster.leader = old
    routed.keep("write/lay_default_numbers", **numbers)
    assert (new.refused, len(old.requests)) == (1, 2)


def test_a_leader_that_dies_is_followed_by_another(cluster: Cluster, routed: Graph, space: str) -> None:
    """A write whose leader is gone, and with it the address that the connection was opened with, finds the next one."""
    old, new = cluster.members[0], cluster.members[1]
    routed.keep("write/lay_default_numbers", space=space, numbers={})
    old.die()
    cluster.leader = new
    routed.keep("write/lay_default_numbers", space=space, numbers={})
    assert [each.access for each in new.requests] == ["w"]


def test_without_a_leader_writing_ends(
    cluster: Cluster, routed: Graph, neo4j_address: Address, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no member leads, a write is tried some times and then fails, and says that it is the cluster's fault."""
    cluster.leader, cluster.told = None, cluster.members[0]
    with pytest.raises(DatabaseUnavailableError, match="no leader"):
        routed.keep("write/lay_default_numbers", space=space, numbers={})
    assert cluster.members[0].refused == 6
    monkeypatch.setattr("engram.graph.connection.PATIENCE", 0.5)
    with connect(cluster.uri, neo4j_address) as hasty:
        with pytest.raises(DatabaseUnavailableError, match="no leader"):
            hasty.write("write/lay_default_numbers", space=space, numbers={})
        assert 6 < cluster.members[0].refused < 12
        assert hasty.read("inspect/count_space", space=space)
