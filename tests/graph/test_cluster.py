"""Clusters against a real Neo4j."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import combinations, count, pairwise
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from engram.clusters import connected_parts
from engram.memory import Engram
from engram.testing import FixedClock
from tests.graph.beside import everything, run

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.cluster:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

STRONG, WEAK = 8.0, 3.5
"""Weights that bind; four weak edges are not as strong as two strong ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A cluster as the graph holds it."""

    id: str
    status: str
    size: int
    formed_at: datetime
    updated_at: datetime
    members: dict[str, float]
    into: str | None
    origin: str | None
    # What is drawn from the members goes with them.
    label: str = ""
    cohesion: float = 0.0
    centroid: list[float] = field(default_factory=list)


def clusters(memory: Engram, status: str = "active") -> list[Cluster]:
    """Return the clusters of that status, the largest first."""
    found = []
    for row in run(memory, "read_clusters"):
        held = dict(row["cluster"])
        assert held.pop("space") == memory.space
        found.append(Cluster(**held, members=dict(row["members"]), into=row["into"], origin=row["origin"]))
    return sorted((each for each in found if each.status == status), key=lambda each: (-each.size, each.id))


def groups(memory: Engram) -> list[list[str]]:
    """Return the members of the active clusters, in order."""
    return sorted(sorted(each.members) for each in clusters(memory))


def roses(
    memory: Engram, number: int, text: str = "The roses in the garden want water, says note"
) -> list[str]:
    """Remember things that are alike; return their ids in order."""
    return sorted(memory.remember(f"{text} {uuid4().hex[:4]}").id for _ in range(number))


def tie(memory: Engram, pairs: Iterable[Sequence[str]], weight: float = STRONG) -> None:
    """Let memories have been recalled together."""
    run(memory, "tie_cluster_edges", pairs=[list(each) for each in pairs], weight=weight, now=memory._clock())


def form(memory: Engram, clock: FixedClock, **options: Any) -> Any:
    """Run the job."""
    return run_job(JOB, memory.graph, space=memory.space, clock=clock, **options)


def scratch(memory: Engram) -> int:
    """Return how much of label propagation's scratch there is."""
    left: int = run(memory, "count_cluster_scratch")[0]["left"]
    return left


def test_weakly_joined_cliques_are_two_clusters(memory: Engram, clock: FixedClock) -> None:
    """Two groups that are used together, and with each other only a little, are two clusters."""
    ids = roses(memory, 9)
    tie(memory, combinations(ids[:5], 2))
    tie(memory, combinations(ids[5:], 2))
    tie(memory, [(ids[0], ids[8])], WEAK)
    done = form(memory, clock)
    assert groups(memory) == [ids[:5], ids[5:]]
    assert done.changed == len(ids) + 2
    assert done.notes == ()
    assert scratch(memory) == 0


def test_chain_is_not_one_cluster_per_pair(memory: Engram, clock: FixedClock) -> None:
    """Of a chain each memory is in one cluster only, so there are half as many as links at most."""
    ids = roses(memory, 12)
    tie(memory, pairwise(ids))
    form(memory, clock)
    found = groups(memory)
    assert sorted(each for group in found for each in group) == ids
    assert 1 <= len(found) <= len(ids) // 2


def test_second_run_changes_nothing(memory: Engram, clock: FixedClock) -> None:
    """At one instant, the second run finds every label where it would put it."""
    ids = roses(memory, 10)
    tie(memory, combinations(ids[:4], 2))
    tie(memory, pairwise(ids[3:]))
    assert form(memory, clock).changed > 0
    before = everything(memory)
    assert form(memory, clock).changed == 0
    assert everything(memory) == before


def test_cluster_describes_its_members(memory: Engram, clock: FixedClock) -> None:
    """Centroid: unit mean of unit vectors. Strength: cosine to it. Cohesion: their mean. Label: what is typical."""
    boats = roses(memory, 3, "Tomasz sails his boat around the island in the north wind, log")
    flowers = roses(memory, 4, "The roses in the garden of Ana want water in the evening, note")
    tie(memory, combinations(boats, 2))
    tie(memory, combinations(flowers, 2))
    form(memory, clock)
    garden, boat = clusters(memory)
    assert (garden.size, boat.size) == (4, 3)
    assert garden.members.keys() == {*flowers}
    vectors = np.array([run(memory, "read_vector", id=each)[0]["embedding"] for each in garden.members])
    mean = vectors.mean(axis=0)
    cohesion = float(np.linalg.norm(mean))
    np.testing.assert_allclose(garden.centroid, mean / cohesion, atol=1e-6)
    np.testing.assert_allclose(list(garden.members.values()), vectors @ mean / cohesion, atol=1e-5)
    assert garden.cohesion == pytest.approx(cohesion, abs=1e-6)
    assert np.mean(list(garden.members.values())) == pytest.approx(cohesion, abs=1e-5)
    assert {*garden.label.split(", ")} <= {"roses", "garden", "Ana", "water", "evening", "note"}
    assert {*boat.label.split(", ")} <= {"Tomasz", "sails", "boat", "island", "north", "wind", "log"}
    assert garden.formed_at == garden.updated_at == clock.now


def test_cluster_that_grows_is_the_same(memory: Engram, clock: FixedClock) -> None:
    """New members join the cluster that their neighbours are in; others are not rewritten."""
    ids = roses(memory, 9)
    tie(memory, combinations(ids[:3], 2))
    tie(memory, combinations(ids[5:], 2))
    form(memory, clock)
    other, first = clusters(memory)
    clock.advance(timedelta(days=1))
    tie(memory, combinations(ids[:5], 2))
    done = form(memory, clock)
    grown, unchanged = clusters(memory)
    assert (grown.id, grown.formed_at, grown.updated_at) == (first.id, first.formed_at, clock.now)
    assert sorted(grown.members) == ids[:5]
    assert unchanged == other
    assert done.changed == 2


def test_clusters_that_grow_together_merge(memory: Engram, clock: FixedClock) -> None:
    """The larger one survives, and the other leads to it and has no members."""
    ids = roses(memory, 7)
    tie(memory, combinations(ids[:4], 2))
    tie(memory, combinations(ids[4:], 2))
    form(memory, clock)
    large, small = clusters(memory)
    clock.advance(timedelta(hours=1))
    tie(memory, combinations(ids, 2))
    done = form(memory, clock)
    (survivor,) = clusters(memory)
    assert survivor.id == large.id
    assert sorted(survivor.members) == ids
    (merged,) = clusters(memory, "merged")
    assert (merged.id, merged.into, merged.members, merged.size) == (small.id, large.id, {}, 0)
    assert merged.formed_at < merged.updated_at == clock.now
    assert done.changed == len(small.members) + 1
    assert form(memory, clock).changed == 0


def test_cluster_that_falls_in_two_splits(memory: Engram, clock: FixedClock) -> None:
    """A label whose holders are not connected is two communities; the larger part keeps the identity."""
    ids = roses(memory, 7)
    tie(memory, combinations(ids, 2))
    form(memory, clock)
    (whole,) = clusters(memory)
    tie(memory, ((a, b) for a in ids[:4] for b in ids[4:]), 1.0)
    done = form(memory, clock)
    kept, part = clusters(memory)
    assert (kept.id, kept.origin, sorted(kept.members)) == (whole.id, None, ids[:4])
    assert (part.origin, sorted(part.members)) == (whole.id, ids[4:])
    assert done.changed == len(part.members) + 1
    assert form(memory, clock).changed == 0


def test_archived_memory_is_no_member(memory: Engram, clock: FixedClock) -> None:
    """A forgotten memory leaves its cluster at the next run; a cluster of one is dissolved."""
    ids = roses(memory, 3)
    tie(memory, combinations(ids, 2))
    form(memory, clock)
    (first,) = clusters(memory)
    memory.forget(ids[1])
    assert form(memory, clock).changed == 1
    (smaller,) = clusters(memory)
    assert (smaller.id, smaller.size, sorted(smaller.members)) == (first.id, 2, [ids[0], ids[2]])
    memory.forget(ids[0])
    assert form(memory, clock).changed == 3
    assert clusters(memory) == []
    (gone,) = clusters(memory, "dissolved")
    assert (gone.id, gone.members, gone.size, gone.into) == (first.id, {}, 0, None)


def test_erased_memory_leaves_nothing_in_its_cluster(memory: Engram, clock: FixedClock) -> None:
    """After one was erased, size, centroid and label are taken anew from those that are left."""
    ids = roses(memory, 3)
    secret = memory.remember("The roses in the garden want water, says Wilhelmina").id
    tie(memory, combinations([*ids, secret], 2))
    form(memory, clock)
    (before,) = clusters(memory)
    memory.forget(secret, erase=True)
    form(memory, clock)
    (after,) = clusters(memory)
    assert (after.id, after.size, sorted(after.members)) == (before.id, 3, ids)
    assert "Wilhelmina" not in after.label
    assert after.centroid != before.centroid


def test_unlike_memories_are_no_cluster(memory: Engram, clock: FixedClock) -> None:
    """Being used together is not enough."""
    ids = [
        memory.remember(text).id
        for text in ("Roses want water", "My bicycle is at the shop", "Ines lives in Graz")
    ]
    tie(memory, combinations(ids, 2), 1_000.0)
    assert form(memory, clock).changed == 0
    assert clusters(memory) == []


def test_unused_edges_bind_no_more(memory: Engram, clock: FixedClock) -> None:
    """An edge's weight halves in 30 days on its own, whether anything has settled it or not."""
    ids = roses(memory, 3)
    tie(memory, combinations(ids, 2))
    clock.advance(timedelta(days=42))
    form(memory, clock)
    assert groups(memory) == [ids]
    clock.advance(timedelta(days=1))
    form(memory, clock)
    assert groups(memory) == []


def test_space_beside_is_untouched(memory: Engram, clock: FixedClock) -> None:
    """Clusters are formed of one space's memories, and every byte of another stays."""
    other = Engram(
        memory.graph, memory.settings, space=memory.space + "-b", embedder=memory.embedder, clock=clock
    )
    for each in (memory, other):
        ids = roses(each, 3)
        tie(each, combinations(ids, 2))
    form(other, clock)
    tie(other, [(ids[0], each) for each in roses(other, 2)])
    run(other, "lay_cluster_scratch", lease=None, seconds=0)
    before = everything(other)
    form(memory, clock)
    assert everything(other) == before
    assert len(clusters(memory)) == 1


def test_run_after_a_killed_one_starts_clean(memory: Engram, clock: FixedClock) -> None:
    """Labels, marks and a lease that is over, left behind by another run, decide nothing and are gone."""
    ids = roses(memory, 7)
    tie(memory, combinations(ids[:3], 2))
    tie(memory, combinations(ids[3:6], 2))
    tie(memory, [(ids[0], ids[6]), (ids[2], ids[3])], 1.0)
    memory.forget(ids[5])
    run(memory, "lay_cluster_scratch", lease=f"{memory.space}:cluster", seconds=-1)
    form(memory, clock)
    assert groups(memory) == [ids[:3], ids[3:5]]
    assert scratch(memory) == 0


def test_one_worker_at_a_time(memory: Engram, clock: FixedClock) -> None:
    """While another worker holds the lease, a run does nothing, and says so."""
    ids = roses(memory, 3)
    tie(memory, combinations(ids, 2))
    run(memory, "lay_cluster_scratch", lease=f"{memory.space}:cluster", seconds=600)
    before = everything(memory)
    done = form(memory, clock)
    assert (done.changed, done.empty, len(done.notes)) == (0, 1, 1)
    assert everything(memory) == before


def test_lost_lease_ends_the_run(memory: Engram, clock: FixedClock) -> None:
    """A worker that was away for too long leaves the labels to the one that has taken over, and forms nothing."""
    ids = roses(memory, 3)
    tie(memory, combinations(ids, 2))

    def away() -> bool:
        run(memory, "steal_cluster_lease")
        return False

    done = form(memory, clock, stop=away)
    assert (done.changed, len(done.notes)) == (0, 1)
    assert clusters(memory) == []
    assert scratch(memory) == 1


def test_workers_at_once_form_what_one_does(memory: Engram, clock: FixedClock) -> None:
    """Of several workers one forms the clusters; each community has one identity in the end."""
    ids = roses(memory, 8)
    tie(memory, combinations(ids[:4], 2))
    tie(memory, combinations(ids[4:], 2))
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: form(memory, clock), range(4)))
    assert groups(memory) == [ids[:4], ids[4:]]
    assert sum(each.changed for each in done) == len(ids) + 2
    assert scratch(memory) == 0


def test_dry_run_leaves_nothing_behind(memory: Engram, clock: FixedClock) -> None:
    """A dry run counts as a run does, shows examples, and leaves neither clusters nor scratch."""
    ids = roses(memory, 8)
    tie(memory, combinations(ids[:4], 2))
    tie(memory, combinations(ids[4:], 2))
    form(memory, clock)
    tie(memory, combinations(ids, 2))
    before = everything(memory)
    dry = form(memory, clock, dry_run=True)
    assert everything(memory) == before
    assert dry.examples
    assert form(memory, clock).changed == dry.changed > 0


def test_run_stopped_anywhere_is_finished_by_the_next(memory: Engram, clock: FixedClock) -> None:
    """However far a run came before it was stopped, the next one ends where an undisturbed one would."""
    memory.tune("cluster.batch_size", 3)
    ids = roses(memory, 8)
    tie(memory, combinations(ids[:3], 2))
    tie(memory, combinations(ids[3:5], 2))
    form(memory, clock)
    identity = clusters(memory)[0].id
    tie(memory, combinations(ids[:5], 2))
    tie(memory, combinations(ids[5:], 2))
    asked = count()
    form(memory, clock, dry_run=True, stop=lambda: next(asked) < 0)
    for batches in range(next(asked) - 12, next(asked), 2):  # from the end of labelling on
        asked = count()
        form(memory, clock, stop=lambda asked=asked, batches=batches: next(asked) >= batches)
        assert scratch(memory) == 0
        # Nobody is ever between two clusters.
        assert {*ids[:5]} <= {each for group in groups(memory) for each in group}
    form(memory, clock)
    assert groups(memory) == [ids[:5], ids[5:]]
    assert clusters(memory)[0].id == identity
    (merged,) = clusters(memory, "merged")
    assert (merged.into, merged.label, merged.centroid) == (identity, "", [])
    assert form(memory, clock).changed == 0


@given(
    edges=st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda e: e[0] < e[1]), min_size=1),
    batch_size=st.integers(1, 12),
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_clusters_of_any_graph(
    memory: Engram, clock: FixedClock, edges: set[tuple[int, int]], batch_size: int
) -> None:
    """Of any edges: a memory is in one cluster at most, clusters are connected, and a second run changes none."""
    fresh = Engram(
        memory.graph,
        memory.settings,
        space=f"{memory.space}-{uuid4().hex[:8]}",
        embedder=memory.embedder,
        clock=clock,
    )
    fresh.tune("cluster.batch_size", batch_size)
    ids = roses(fresh, 10)
    tied = [(ids[a], ids[b]) for a, b in edges]
    tie(fresh, tied)
    form(fresh, clock)
    found = groups(fresh)
    members = [each for group in found for each in group]
    assert sorted(members) == sorted({each for pair in tied for each in pair})
    for group in found:
        assert connected_parts(pair for pair in tied if {*pair} <= {*group}) == [group]
    assert form(fresh, clock).changed == 0
    assert groups(fresh) == found
