"""The job `rank` against a real Neo4j, held to PageRank by networkx."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import combinations, count
from pkgutil import resolve_name
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.memory import Engram
from engram.testing import FixedClock
from tests.graph.beside import run

pytestmark = pytest.mark.graph

Edge = tuple[int, int, float, int]
"""Places of the lower and the higher memory, a weight, and how many days ago it weighed that."""
JOB: Any = resolve_name("engram.jobs.rank:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

MEMORIES = 8
PAST, SOON = datetime(2026, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


def remembered(memory: Engram, count: int) -> list[str]:
    """Store things and return their ids, ascending."""
    return sorted(memory.remember(f"thing {n}").id for n in range(count))


def lay(memory: Engram, clock: FixedClock, ids: Sequence[str], edges: Iterable[Edge]) -> None:
    """Lay these associations instead of those that there are."""
    rows = [
        {"low": ids[low], "high": ids[high], "weight": weight, "at": clock.now - timedelta(days=days)}
        for low, high, weight, days in edges
    ]
    run(memory, "lay_associations", edges=rows)


def ring(count: int) -> list[Edge]:
    """Return a circle of associations, some stronger."""
    return [(n, n + 1, 1.0 + n % 3, 0) for n in range(count - 1)] + [(0, count - 1, 2.0, 0)]


def ranked(memory: Engram, clock: FixedClock, **options: Any) -> Any:
    """Run the job."""
    return run_job(JOB, memory.graph, space=memory.space, clock=clock, **options)


def centrality(memory: Engram) -> dict[str, float]:
    """Return the centrality of every memory that has one; nothing else of ranking may be left."""
    held = run(memory, "read_ranks")[0]
    assert not held["leases"]
    assert all(node[name] is None for node in held["memories"] for name in ("_rank", "_strength", "_lock"))
    return {node["id"]: value for node in held["memories"] if (value := node["centrality"]) is not None}


def expected(memory: Engram, ids: Sequence[str], edges: Iterable[Edge]) -> dict[str, float]:
    """Return the stationary distribution of networkx's Google matrix of the same associations, at the run's time.

    It is what `networkx.pagerank` approaches, which needs scipy.
    """
    tuning = memory.tuning()
    graph = nx.Graph()
    for low, high, weight, days in edges:
        graph.add_edge(ids[low], ids[high], weight=weight * np.exp(-tuning.edge_decay * days))
    if not graph:
        return {}
    google = nx.google_matrix(graph, alpha=tuning["rank.damping"])
    # x(G - 1) = 0 and x adds up to 1.
    equations = np.vstack([google.T - np.eye(len(graph)), np.ones(len(graph))])
    solution = np.linalg.lstsq(equations, np.append(np.zeros(len(graph)), 1.0))[0]
    return dict(zip(graph, solution.tolist(), strict=True))


@st.composite
def associations(draw: st.DrawFn) -> list[Edge]:
    """Make associations of up to `MEMORIES` memories, in any number of pieces."""
    pairs = draw(st.lists(st.sampled_from([*combinations(range(MEMORIES), 2)]), unique=True))
    weights, days = st.floats(0.1, 50.0), st.integers(0, 400)
    return [(low, high, draw(weights), draw(days)) for low, high in pairs]


def test_centrality_is_pagerank(memory: Engram, clock: FixedClock) -> None:
    """On any associations centrality is their PageRank, begun from any earlier centrality.

    What has no association has none; a second run changes nothing.
    """
    memory.tune("rank.batch_size", 3)
    ids = remembered(memory, MEMORIES)

    @settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.nested_given])
    @given(edges=associations())
    def hold(edges: list[Edge]) -> None:
        lay(memory, clock, ids, edges)
        assert not ranked(memory, clock).notes
        assert centrality(memory) == pytest.approx(expected(memory, ids, edges), abs=1e-6)
        assert ranked(memory, clock).changed == 0

    hold()


def test_groups_settle_within_the_rounds(memory: Engram, clock: FixedClock) -> None:
    """Groups that hang together by few associations, where rank flows slowly, settle with the default numbers."""
    generator = np.random.default_rng(3)
    size, groups = 10, 6
    ids = remembered(memory, size * groups)
    edges = [
        (group * size + low, group * size + high, float(generator.pareto(1.5) + 0.1), 0)
        for group in range(groups)
        for low, high in combinations(range(size), 2)
        if generator.random() < 0.4
    ] + [(n * size, n * size + size, 0.2, 0) for n in range(groups - 1)]
    lay(memory, clock, ids, edges)
    done = ranked(memory, clock)
    found = centrality(memory)
    assert (done.changed, done.notes) == (len(found), ())
    assert found == pytest.approx(expected(memory, ids, edges), abs=1e-6)
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-9)
    assert ranked(memory, clock).changed == 0


def test_what_lost_its_associations_loses_its_centrality(memory: Engram, clock: FixedClock) -> None:
    """A memory that nothing is associated with any more is not central, and the others share what it had."""
    ids = remembered(memory, 4)
    lay(memory, clock, ids, ring(4))
    ranked(memory, clock)
    assert centrality(memory).keys() == set(ids)
    lay(memory, clock, ids, ring(3))
    ranked(memory, clock)
    assert centrality(memory) == pytest.approx(expected(memory, ids, ring(3)), abs=1e-6)
    lay(memory, clock, ids, [])
    assert ranked(memory, clock).changed == 3
    assert centrality(memory) == {}


def test_time_alone_changes_nothing(memory: Engram, clock: FixedClock) -> None:
    """All associations fade alike, so as long as none is used the ranks stay."""
    ids = remembered(memory, 5)
    lay(memory, clock, ids, ring(5))
    ranked(memory, clock)
    clock.advance(timedelta(days=500))
    assert ranked(memory, clock).changed == 0


def test_what_a_killed_run_left_does_no_harm(memory: Engram, clock: FixedClock) -> None:
    """Ranks in the making of a run that was killed are overwritten or removed; its lease ends by itself."""
    ids = remembered(memory, 5)
    lay(memory, clock, ids, ring(4))
    for each in ids:
        run(memory, "set_properties", id=each, properties={"_rank": 7.0, "_strength": 0.5})
    run(memory, "give_lease", until=PAST)
    assert ranked(memory, clock).changed == 4
    assert centrality(memory) == pytest.approx(expected(memory, ids, ring(4)), abs=1e-6)


def test_rounds_that_do_not_suffice_are_said(memory: Engram, clock: FixedClock) -> None:
    """Where the ranks have not settled within the rounds, the run says so and the next ones go on."""
    ids = remembered(memory, 9)
    lay(memory, clock, ids, ring(9))
    memory.tune("rank.iterations", 4)
    runs = 1
    while ranked(memory, clock).notes:
        runs += 1
    assert 1 < runs < 10
    assert centrality(memory) == pytest.approx(expected(memory, ids, ring(9)), abs=1e-6)


def test_one_worker_ranks_a_space(memory: Engram, clock: FixedClock) -> None:
    """Who finds a space's lease taken leaves it alone and counts that it came for nothing."""
    ids = remembered(memory, 4)
    lay(memory, clock, ids, ring(4))
    run(memory, "give_lease", until=SOON)
    before = run(memory, "read_ranks")
    done = ranked(memory, clock)
    assert (done.changed, done.empty) == (0, 1)
    assert run(memory, "read_ranks") == before


def test_two_workers_at_once(memory: Engram, clock: FixedClock) -> None:
    """Two who come at once rank a space once: one does it, and the other finds it taken or done."""
    ids = remembered(memory, 20)
    lay(memory, clock, ids, ring(20))
    memory.tune("rank.batch_size", 2)
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda _: ranked(memory, clock), range(2)))
    assert sum(done.changed for done in runs) == 20
    assert centrality(memory) == pytest.approx(expected(memory, ids, ring(20)), abs=1e-6)


def test_lost_lease_ends_the_run(memory: Engram, clock: FixedClock) -> None:
    """A worker whose lease went to another stops at once: it stores nothing, and what stands there is the other's."""
    ids = remembered(memory, 6)
    lay(memory, clock, ids, ring(6))
    asked = count()

    def stop() -> bool:
        if next(asked) == 4:
            run(memory, "give_lease", until=SOON)
        return False

    done = ranked(memory, clock, stop=stop)
    assert (done.changed, done.empty, done.error) == (0, 1, None)
    held = run(memory, "read_ranks")[0]
    assert all(node["_strength"] and node["centrality"] is None for node in held["memories"])
    assert [lease["run"] for lease in held["leases"]] == ["another"]


@pytest.mark.parametrize("dry_run", [False, True])
def test_stopped_run_leaves_nothing(memory: Engram, clock: FixedClock, dry_run: bool) -> None:  # noqa: FBT001
    """A run that is stopped stores nothing and clears away what it had begun; so does one that only rehearses."""
    ids = remembered(memory, 6)
    lay(memory, clock, ids, ring(6))
    asked = count()
    ranked(memory, clock, dry_run=dry_run, stop=lambda: next(asked) > 3)
    assert centrality(memory) == {}
    assert ranked(memory, clock, dry_run=True).changed == 6
    assert centrality(memory) == {}
