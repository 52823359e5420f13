"""The job `health` against a real Neo4j: it sees what is wrong, and only that."""

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.energy import energy_now
from engram.llm import Models
from engram.memory import Engram
from engram.records import Turn
from engram.testing import FixedClock
from tests.graph.beside import run

pytestmark = pytest.mark.graph

Node = dict[str, Any]
JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
SUBJECTS: Sequence[Any] = resolve_name("engram.jobs.health:SUBJECTS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
Means: Callable[..., Any] = resolve_name("engram.jobs.means:Means")

CHECKS = {check.name: check for subject in SUBJECTS for check in subject.checks}
PAST, SOON = datetime(2026, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
VALUES: list[tuple[str, Node]] = [
    ("ids", {"id": None}),
    ("properties", {"contextualized": None}),
    ("properties", {"energy": 1}),
    ("properties", {"created_at": "yesterday"}),
    ("properties", {"embedding": None}),
    ("tier", {"tier": "archivedWorking"}),
    ("status", {"status": "expired"}),
    ("kind", {"kind": "preference"}),
    ("energy", {"energy": -0.1}),
    ("energy", {"energy": math.nan}),
    ("energy", {"energy": math.inf}),
    ("weights", {"weight_beta": 0.0}),
    ("weights", {"truth_alpha": math.nan}),
    ("uses", {"access_count": 1, "accessed_at": [PAST, PAST]}),
    ("uses", {"access_count": 65, "accessed_at": [PAST] * 65}),
    ("validity", {"valid_to": PAST, "valid_from": PAST}),
    ("promotion", {"due_tier": "shortTerm"}),
    (
        "promotion",
        {
            "due_tier": "longTerm",
            "promote_due_at": PAST,
            "promote_times": [PAST],
            "promote_energies": [9.0],
        },
    ),
    (
        "promotion",
        {
            "due_tier": "working",
            "promote_due_at": PAST,
            "promote_times": [PAST],
            "promote_energies": [9.0],
        },
    ),
    ("times ahead", {"energy_at": SOON}),
    ("times ahead", {"last_accessed_at": SOON}),
    ("scratch", {"_rank": 0.5}),
    ("successor", {"status": "superseded", "valid_to": SOON}),
    ("snapshots", {"tier": "shortTerm"}),
]
"""What is set by hand on a memory that is right, and the check that must see it."""


def complaints(memory: Engram) -> dict[str, int]:
    """Return how often each check complains or takes notice; those that hold are left out."""
    done = run_job(JOBS["health"], memory.graph, space=memory.space, clock=lambda: PAST)
    rows = [row for row in done.report if "check" in row]
    assert {row["check"] for row in rows} == CHECKS.keys()
    assert (done.changed, done.broken) == (0, sum(row["broken"] for row in rows))
    for row in rows:
        found = row["broken"] + row["noticed"]
        assert bool(row["noticed"]) <= CHECKS[row["check"]].notice
        assert min(found, 1) <= len(row["examples"]) <= min(found, 5)
        assert row["remedy"]
    return {row["check"]: found for row in rows if (found := row["broken"] + row["noticed"])}


def make(memory: Engram, label: str, **properties: Any) -> str:
    """Create a node by hand and return its id, which is its label and the space unless it is given."""
    node = {"id": f"{label}-{memory.space}"} | properties
    run(memory, "create_node", label=label, properties=node)
    return str(node["id"])


def link(memory: Engram, start: str, kind: str, end: str, **properties: Any) -> None:
    """Create a relationship by hand."""
    run(memory, "create_relationship", start=start, type=kind, end=end, properties=properties)


def two(memory: Engram) -> list[str]:
    """Remember two things and return their ids, ascending."""
    return sorted(memory.remember(f"thing {n}").id for n in range(2))


@pytest.mark.parametrize(("check", "properties"), VALUES)
def test_value_that_cannot_be(memory: Engram, check: str, properties: Node) -> None:
    """A property that is missing, of another type or out of its range is seen by its check and by no other."""
    _, wrong = two(memory)
    run(memory, "set_properties", id=wrong, properties=properties)
    assert complaints(memory) == {check: 1}


@pytest.mark.parametrize(
    ("check", "ends", "weights"),
    [
        ("edge direction", (1, 0), [1.0]),
        ("edge weight", (0, 1), [0.0]),
        ("edge weight", (0, 1), [None]),
        ("double edge", (0, 1), [1.0, 2.0]),
    ],
)
def test_edge_that_cannot_be(
    memory: Engram, check: str, ends: tuple[int, int], weights: list[float | None]
) -> None:
    """Associations lead from the lower id to the higher, once for a pair, and have a weight."""
    ids = two(memory)
    start, end = (ids[place] for place in ends)
    for weight in weights:
        link(memory, start, "CO_ACCESSED", end, weight=weight, last_at=PAST)
    assert complaints(memory) == {check: 1}


def test_edge_to_itself(memory: Engram) -> None:
    """No memory is associated with itself."""
    only = memory.remember("a thing").id
    link(memory, only, "CO_ACCESSED", only, weight=1.0, last_at=PAST)
    assert complaints(memory) == {"edge to itself": 1}


def test_relationship_into_another_space(memory: Engram) -> None:
    """What leads from one space into another is seen from both."""
    other = Engram(memory.graph, memory.settings, space=memory.space + "-b", embedder=memory.embedder)
    start, end = memory.remember("mine").id, other.remember("theirs").id
    link(memory, start, "REINFORCES", end, strength=0.9)
    assert complaints(memory) == complaints(other) == {"other space": 1}


def test_superseded_by_what_still_holds_it_open(memory: Engram) -> None:
    """What was superseded has an end."""
    old, new = (memory.remember(f"I live in {town}").id for town in ("Boston", "Berlin"))
    memory.supersede(old, new, "moved")
    assert complaints(memory) == {}
    run(memory, "set_properties", id=old, properties={"valid_to": datetime(9999, 12, 31, tzinfo=UTC)})
    assert complaints(memory) == {"superseded": 1}


def test_snapshots(memory: Engram) -> None:
    """A snapshot leads to one memory, and a memory has one of each tier that it left."""
    first, second = two(memory)
    for each in (first, second):
        run(memory, "set_properties", id=each, properties={"tier": "shortTerm"})
        make(memory, "Archived", id=f"{each}-working", tier="archivedWorking")
        link(memory, f"{each}-working", "PROMOTED_TO", each)
    assert complaints(memory) == {}
    make(memory, "Archived", tier="archivedWorking")
    assert complaints(memory) == {"stray snapshot": 1}
    link(memory, f"Archived-{memory.space}", "PROMOTED_TO", first)
    assert complaints(memory) == {"double snapshot": 1}
    run(memory, "set_properties", id=second, properties={"tier": "working"})
    assert complaints(memory) == {"double snapshot": 1, "snapshots": 1}


def test_claims(memory: Engram) -> None:
    """Of one memory there is one live claim, and a lease that is over is ended."""
    held = memory.remember("a thing").id
    for number, until in enumerate((SOON, SOON, PAST)):
        attempt = make(
            memory, "ConsolidationAttempt", id=f"{memory.space}-{number}", phase="test", lease_until=until
        )
        link(memory, held, "CONSOLIDATING", attempt)
        assert complaints(memory) == ({}, {"double claim": 1}, {"double claim": 1, "lapsed lease": 1})[number]


def test_clusters(memory: Engram) -> None:
    """A memory is in one active cluster, and a cluster has the size that it says."""
    member = memory.remember("a thing").id
    for number, status in enumerate(("active", "merged")):
        cluster = make(memory, "SemanticCluster", id=f"{memory.space}-{number}", size=1, status=status)
        link(memory, member, "BELONGS_TO", cluster)
    assert complaints(memory) == {}
    cluster = make(memory, "SemanticCluster", size=0, status="active")
    assert complaints(memory) == {}
    link(memory, member, "BELONGS_TO", cluster)
    assert complaints(memory) == {"double membership": 1, "cluster size": 1}


def test_every_batch_is_looked_at(memory: Engram) -> None:
    """What is broken is counted over all batches, with five examples at most."""
    memory.tune("health.batch_size", 2)
    ids = sorted(memory.remember(f"thing {n}").id for n in range(8))
    for each in ids[1:]:
        run(memory, "set_properties", id=each, properties={"energy": -1.0})
    assert complaints(memory) == {"energy": 7}
    done = run_job(JOBS["health"], memory.graph, space=memory.space, clock=lambda: PAST)
    assert [row["examples"] for row in done.report if row.get("check") == "energy"] == [ids[1:6]]


def test_energies_by_tier(memory: Engram, clock: FixedClock) -> None:
    """The report begins with count and energies of each tier, as they are at the time of the run."""
    kept = [memory.remember(f"thing {n}") for n in range(3)]
    run(memory, "set_properties", id=kept[0].id, properties={"energy": 3.0})
    later = clock.advance(timedelta(hours=2))
    done = run_job(JOBS["health"], memory.graph, space=memory.space, clock=clock)
    low, high = (energy_now(energy, kept[0].energy_at, later, tier="working") for energy in (1.0, 3.0))
    (tier,) = (row for row in done.report if "tier" in row)
    assert tier == {
        "tier": "working",
        "count": 3,
        "avg": pytest.approx((low + low + high) / 3),
        "max": pytest.approx(high),
        "min": pytest.approx(low),
    }


def test_lived_in_space_is_clean(memory: Engram, clock: FixedClock) -> None:
    """After weeks of use, with every job run and things superseded, forgotten and erased, no check complains."""
    shelf = [memory.remember(f"Volume {n} of the atlas of Zoë lies on the shelf").id for n in range(6)]
    old, new = (memory.remember(f"Zoë lives in {town}").id for town in ("Boston", "Berlin"))
    memory.supersede(old, new, "moved")
    memory.supersede(shelf[0], shelf[1], "a mistake")
    memory.restore(shelf[0])
    memory.forget(shelf[4])
    for day in range(3):
        memory.remember_turns(
            Turn(
                text=f"On day {day} I said {n} about the atlas", speaker="Ida", session=f"{day}", at=clock.now
            )
            for n in range(4)
        )
        for _ in range(5):
            memory.recall("atlas of Zoë", 5, session=f"{day}")
        memory.flush()
        clock.advance(timedelta(days=5))
        with Means(memory, models=Models) as means:
            for job in JOBS.values():
                run_job(job, memory.graph, space=memory.space, clock=clock, means=means)
    memory.forget(shelf[5], erase=True)
    run_job(JOBS["cluster"], memory.graph, space=memory.space, clock=clock)
    assert memory.stats().by_tier.keys() >= {"working", "shortTerm"}
    assert complaints(memory) == {}
