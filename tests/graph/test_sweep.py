"""The job `sweep` against a real Neo4j: what has ended is ended, and old records become counters, each once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

import pytest

from engram.memory import Engram
from engram.mind.readiness import readiness
from engram.testing import FixedClock
from engram.tuning import Tuning
from tests.graph.beside import run
from tests.graph.dreams import held

pytestmark = pytest.mark.graph

Counters = dict[tuple[str, str], dict[str, int]]
JOB: Any = resolve_name("engram.jobs.sweep:JOB")
RANK: Any = resolve_name("engram.jobs.rank:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
Work: Callable[..., Any] = resolve_name("engram.jobs.job:Work")

MONTH, KEPT = "2026-01", timedelta(days=30)
PAST, SOON = datetime(2026, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


def swept(memory: Engram, clock: FixedClock, **options: Any) -> Any:
    """Run the job."""
    return run_job(JOB, memory.graph, space=memory.space, clock=clock, **options)


def records(memory: Engram, *jobs: str) -> Any:
    """Return the space's records."""
    return run(memory, "read_records", jobs=jobs)[0]


def counters(memory: Engram, *jobs: str, space: str | None = None) -> Counters:
    """Return the numbers of the space's counters by kind and month."""
    wanted = memory.space if space is None else space
    return {
        (each.pop("kind"), each.pop("month")): each
        for each in records(memory, *jobs)["counters"]
        if each.pop("space") == wanted
    }


def asked(memory: Engram, times: int) -> int:
    """Recall so many times and return how many memories came back in all."""
    for n in range(3):
        memory.remember(f"Volume {n} of the atlas lies on the shelf")
    hits = sum(len(memory.recall(f"atlas {n}", 2)) for n in range(times))
    assert memory.flush()
    return hits


def test_old_recalls_become_a_counter(memory: Engram, clock: FixedClock) -> None:
    """Recalls older than `sweep.keep_days` are counted by month with their hits, and what they returned stays."""
    hits = asked(memory, 5)
    clock.advance(timedelta(days=20))
    later = asked(memory, 2)
    kept = [memory.get(node.id) for node in (hit.memory for hit in memory.recall("atlas", 3, read_only=True))]
    clock.advance(KEPT - timedelta(days=20))
    assert swept(memory, clock).changed == 0
    clock.advance(timedelta(seconds=1))
    assert swept(memory, clock).changed == 5
    assert counters(memory) == {("Recall", MONTH): {"count": 5, "hits": hits, "useful": 0}}
    held = records(memory)
    assert (held["recalls"], held["returned"]) == (2, later)
    assert [memory.get(each.id) for each in kept] == kept
    assert swept(memory, clock).changed == 0
    clock.advance(KEPT)
    swept(memory, clock)
    assert counters(memory)["Recall", MONTH] == {"count": 7, "hits": hits + later, "useful": 0}


def test_dry_run_sees_every_batch(memory: Engram, clock: FixedClock) -> None:
    """A dry run counts what all batches would delete, and leaves every record."""
    memory.tune("sweep.batch_size", 2)
    asked(memory, 5)
    clock.advance(KEPT + timedelta(days=1))
    before = records(memory)
    assert swept(memory, clock, dry_run=True).changed == 5
    assert records(memory) | {"runs": []} == before | {"runs": []}
    assert swept(memory, clock).changed == 5
    assert records(memory)["recalls"] == 0


def test_two_sweeps_at_once_count_once(memory: Engram, clock: FixedClock) -> None:
    """However many sweep at once, each record is counted by one of them."""
    memory.tune("sweep.batch_size", 2)
    hits = asked(memory, 12)
    clock.advance(KEPT + timedelta(days=1))
    for n in range(6):
        run(
            memory,
            "create_node",
            label="Archived",
            properties={"id": f"{memory.space}-{n}", "tier": "archivedWorking"},
        )
    job = uuid4().hex
    started = {
        "job": job,
        "started_at": PAST,
        "ended_at": PAST,
        "changed": 1,
        "failed": 0,
        "dry_run": False,
    }
    runs = [started | {"id": uuid4().hex, "space": memory.space} for _ in range(6)]
    run(memory, "create_runs", runs=runs)
    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(lambda _: swept(memory, clock), range(3)))
    assert sum(each.changed for each in done) == 12 + 6 + 6
    assert counters(memory) == {
        ("Recall", MONTH): {"count": 12, "hits": hits, "useful": 0},
        ("JobRun:" + job, MONTH): {"count": 6, "changed": 6, "failed": 0},
    }
    assert (records(memory)["recalls"], records(memory)["pruned"]) == (0, 0)


def test_old_verdicts_become_a_counter(memory: Engram, clock: FixedClock) -> None:
    """The changes of the blend are counted and go; the blend itself stays as it was learned."""
    asked(memory, 1)
    for number in range(3):
        memory.recall(f"atlas {number}", 1)[0].useful()
    assert records(memory)["changes"] == 3
    learned = memory.blend().learned
    clock.advance(KEPT + timedelta(days=1))
    swept(memory, clock)
    assert records(memory)["changes"] == 0
    assert counters(memory)["BlendChange", MONTH] == {"count": 3}
    assert memory.blend().learned == learned


def test_old_runs_become_counters(memory: Engram, clock: FixedClock) -> None:
    """Runs, those that died too, are counted by job, with what they changed for good, and go with what they pruned.

    A run over all spaces belongs to none: a sweep of all counts it under the empty space, after the days that hold there.
    """
    job = uuid4().hex
    ran = {"job": job, "space": memory.space, "started_at": clock.now, "ended_at": clock.now, "failed": 0}
    rows = [
        ran | {"changed": 5, "dry_run": False},
        ran | {"changed": 7, "failed": 1, "dry_run": False},
        ran | {"changed": 9, "dry_run": True},
        ran | {"changed": 2, "dry_run": False, "space": None},
        ran | {"changed": 0, "dry_run": False, "ended_at": None},
    ]
    ids = [uuid4().hex for _ in rows]
    run(memory, "create_runs", runs=[row | {"id": each} for row, each in zip(rows, ids, strict=True)])
    memory.tune("sweep.keep_days", 3)
    clock.advance(timedelta(days=4))
    first = swept(memory, clock)
    assert counters(memory, job) == {("JobRun:" + job, MONTH): {"count": 4, "changed": 12, "failed": 1}}
    assert {*records(memory, job)["runs"]} == {ids[3], first.id}
    assert records(memory)["pruned"] == 1
    clock.advance(KEPT)
    swept(memory, clock)
    assert counters(memory, job, space="") == {}, "a sweep of one space leaves it"
    of_none = Work(
        graph=memory.graph, space="", now=clock.now, tuning=Tuning(), run=uuid4().hex, dry_run=False
    )
    for step in JOB.overall:
        step(of_none)
    assert counters(memory, job, space="") == {
        ("JobRun:" + job, MONTH): {"count": 1, "changed": 2, "failed": 0}
    }
    assert records(memory)["pruned"] == 0


def test_lapsed_claims_are_given_up(memory: Engram, clock: FixedClock) -> None:
    """What a worker that died held is free, and its attempt says so; a live claim stays."""
    ids = sorted(memory.remember(f"thing {n}").id for n in range(3))
    for name, until in (("dead", PAST), ("alive", SOON)):
        attempt = {"id": f"{memory.space}-{name}", "phase": "test", "lease_until": until}
        run(memory, "create_node", label="ConsolidationAttempt", properties=attempt)
        for each in ids[:2]:
            link = {"start": each, "type": "CONSOLIDATING", "end": attempt["id"], "properties": {}}
            run(memory, "create_relationship", **link)
    assert swept(memory, clock, dry_run=True).changed == 1
    assert records(memory)["claims"] == 4
    done = swept(memory, clock)
    assert [(row["phase"], row["released"]) for row in done.examples] == [("test", 2)]
    held = records(memory)
    assert held["claims"] == 2
    assert {each["id"].rpartition("-")[2]: (each["outcome"], each["ended"]) for each in held["attempts"]} == {
        "dead": ("lapsed", True),
        "alive": (None, False),
    }
    assert swept(memory, clock).changed == 0
    # Leases run by the database's clock, so the attempt ended at its time.
    clock.now = memory.graph.now() + KEPT + timedelta(days=1)
    swept(memory, clock)
    assert [each["id"].rpartition("-")[2] for each in records(memory)["attempts"]] == ["alive"]
    counted = [numbers for (kind, _), numbers in counters(memory).items() if kind == "ConsolidationAttempt"]
    assert counted == [{"count": 1}]


def test_lease_of_a_killed_ranking_is_taken_again(memory: Engram, clock: FixedClock) -> None:
    """A lease that was swept is free, and whoever takes it next has it."""
    run(memory, "give_lease", until=PAST)
    assert swept(memory, clock).changed == 1
    assert run_job(RANK, memory.graph, space=memory.space, clock=clock).empty == 0
    assert records(memory)["attempts"] == []


def test_stray_snapshots_go(memory: Engram, clock: FixedClock) -> None:
    """Of an erased memory no snapshot stays, by itself or in a chain; those of living memories do."""
    living = memory.remember("a thing").id
    chains = {
        f"{memory.space}-a": None,
        f"{memory.space}-b": f"{memory.space}-a",
        f"{memory.space}-c": living,
    }
    for snapshot, leads_to in chains.items():
        run(memory, "create_node", label="Archived", properties={"id": snapshot, "tier": "archivedWorking"})
        if leads_to is not None:
            link = {"start": snapshot, "type": "PROMOTED_TO", "end": leads_to, "properties": {}}
            run(memory, "create_relationship", **link)
    memory.tune("sweep.batch_size", 1)
    assert swept(memory, clock, dry_run=True).changed == 2
    assert swept(memory, clock).changed == 2
    assert records(memory)["snapshots"] == [f"{memory.space}-c"]


def test_sessions_left_open_are_closed(memory: Engram, clock: FixedClock) -> None:
    """A session that nobody has used for long enough is closed, and a dry run only says so."""
    memory.remember("a thing")
    for name in ("monday", "tuesday"):
        memory.recall("thing", 1, session=name)
        assert memory.flush()
        clock.advance(memory.tuning().minutes("session.idle_minutes") - timedelta(minutes=1))
    dry = swept(memory, clock, dry_run=True)
    assert (dry.changed, [row["session"] for row in dry.examples]) == (1, ["monday"])
    assert swept(memory, clock).changed == 1
    clock.advance(timedelta(minutes=1))
    assert [row["session"] for row in swept(memory, clock, dry_run=True).examples] == ["tuesday"]


def test_changes_of_numbers_stay(memory: Engram, clock: FixedClock) -> None:
    """What was changed of the numbers is kept for ever."""
    memory.tune("sweep.keep_days", 1)
    clock.advance(timedelta(days=300))
    swept(memory, clock)
    changes = memory.graph.read(
        "inspect/list_number_changes", spaces=[memory.space], key="sweep.keep_days", limit=9
    )
    assert [row["after"] for row in changes] == [1]


def test_the_first_recall_of_use_outlives_its_record(memory: Engram, clock: FixedClock) -> None:
    """A milestone that is reached stays reached: the counter names the first recall of which a person said that it helped."""
    memory.remember("Noor lives in Utrecht", speaker="Noor")
    hits = memory.recall("Where does Noor live?")
    assert memory.flush()
    first = clock.now
    hits[0].useful()
    assert memory.flush()
    clock.advance(KEPT + timedelta(days=1))
    assert swept(memory, clock).changed
    reached = readiness(memory.graph, space=memory.space)[1]
    assert (reached.at, reached.evidence[0].id) == (first, hits[0].memory.id)


def thought(memory: Engram, at: datetime, *surfaced: str, channel: str = "insight", **more: Any) -> str:
    """Lay a thought of the idle mind and return its id."""
    name = uuid4().hex
    given = {"channel": channel, "state": "offered"} | more
    run(memory, "readiness_lay_thought", id=name, at=at, thought=given, surfaced=[*surfaced], goal=None)
    return name


def test_old_thoughts_become_a_counter(memory: Engram, clock: FixedClock) -> None:
    """Thoughts are counted by month and go; milestones stay: what was acted upon, and the first association."""
    memory.tune("sweep.batch_size", 2)
    pair = [memory.remember(each).id for each in ("Kayaks float", "The piano is out of tune")]
    old = clock.now
    thought(memory, old, pair[0])
    first = thought(memory, old + timedelta(seconds=1), *pair)
    thought(memory, old + timedelta(seconds=2), *pair, state="weighed", weighed_at=old)
    thought(memory, old + timedelta(seconds=3), pair[0], channel="identity")
    acted = thought(memory, old, pair[0], channel="goal", state="thought", acted_at=old)
    clock.advance(KEPT + timedelta(days=1))
    new = thought(memory, clock.now, *pair)
    assert swept(memory, clock, dry_run=True).changed == 3
    assert {each["id"] for each in held(memory, "Thought")} > {first, acted, new}
    assert swept(memory, clock).changed == 3
    assert {each["id"] for each in held(memory, "Thought")} == {first, acted, new}
    assert counters(memory) == {("Thought", MONTH): {"count": 3, "weighed": 1}}
    reached = readiness(memory.graph, space=memory.space)[7]
    assert (reached.at, reached.evidence[0].id) == (old + timedelta(seconds=1), first)
    assert [memory.get(each).id for each in pair] == pair
    assert swept(memory, clock).changed == 0


def test_connections_that_are_over_go(memory: Engram, clock: FixedClock) -> None:
    """A connection goes with its goal or episode, and a while after its goal was reached or dropped; others stay."""
    memory.tune("sweep.batch_size", 1)
    now = clock.now
    ended, standing = {"changed_at": now - KEPT - timedelta(days=1)}, {"changed_at": now}
    goals = {
        "reached": {"state": "done"} | ended,
        "dropped": {"state": "dropped"} | ended,
        "lately": {"state": "done"} | standing,
        "active": {"state": "active"} | ended,
    }
    box = f"{memory.space}:box"
    run(memory, "create_node", label="MemoryBox", properties={"id": box})
    for name, values in goals.items():
        goal = f"{memory.space}:{name}"
        run(memory, "create_node", label="Goal", properties={"id": goal, "text": name, **values})
        connect(memory, now, name, goal, box)
    # The goal of one was erased, and the episode of another.
    connect(memory, now, "no goal", box)
    connect(memory, now + timedelta(seconds=1), "no episode", f"{memory.space}:active")
    assert swept(memory, clock, dry_run=True).changed == 4
    assert len(held(memory, "Connection")) == 6
    assert swept(memory, clock).changed == 4
    left = {each["id"].rpartition(":")[2] for each in held(memory, "Connection")}
    assert left == {"lately", "active"}
    assert (len(held(memory, "Goal")), len(held(memory, "MemoryBox"))) == (4, 1)
    assert swept(memory, clock).changed == 0


def connect(memory: Engram, at: datetime, name: str, *ends: str) -> None:
    """Lay a connection with what it connects."""
    node = f"{memory.space}:connection:{name}"
    run(memory, "create_node", label="Connection", properties={"id": node, "first_at": at, "strength": 0.5})
    for end in ends:
        run(memory, "create_relationship", start=node, type="CONNECTS", end=end, properties={})
