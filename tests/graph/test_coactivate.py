"""The job that pairs what a session used, lets associations fade, and prunes the weakest."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import combinations
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.learning import Lesson, Use, new_recall_id
from engram.lifecycle import close_session
from engram.memory import Engram
from engram.scoring.relevance import COMPONENTS
from engram.testing import FixedClock
from engram.tuning import Tuning
from tests.graph.beside import another, everything, run

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.coactivate:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

Edges = dict[tuple[str, str], dict[str, Any]]
HALF = Tuning()["coactivate.half"]
DECAY = Tuning().edge_decay
WEEK_OF_MINUTES = 10_080

few = settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)


RECORDS = ("JobRun", "PrunedEdges")


def remember(memory: Engram, count: int) -> list[str]:
    """Store memories that are like no others; return their ids in ascending order."""
    return sorted(memory.remember(uuid4().hex).id for _ in range(count))


def use(memory: Engram, *ids: str, session: str | None, at: datetime) -> None:
    """Learn from a recall that returned these memories."""
    terms = dict.fromkeys(("base_level", "spreading", "partial_match"), 0.0)
    lesson = Lesson(
        id=new_recall_id(),
        query=None,
        mode="search",
        k=9,
        hops=1,
        session=session,
        active=(),
        partial=False,
        at=at,
        used=tuple(
            Use(id=each, rank=rank, score=0.5, activation=0.0, terms=terms, lift=[0.0] * len(COMPONENTS))
            for rank, each in enumerate(ids, start=1)
        ),
        missed=(),
    )
    memory.graph.write("write/learn_from_recall", **lesson.parameters(memory.space, memory.tuning()))


def use_apart(memory: Engram, ids: Iterable[str], *, session: str, at: datetime) -> None:
    """Use memories one by one, so that only the session joins them."""
    for each in ids:
        use(memory, each, session=session, at=at)


def lay(memory: Engram, weights: Mapping[tuple[str, str], float], *, at: datetime) -> None:
    """Lay associations of given weights."""
    rows = [{"from": low, "to": high, "weight": weight, "at": at} for (low, high), weight in weights.items()]
    run(memory, "coactivate_lay_edges", rows=rows)


def edges(memory: Engram) -> Edges:
    """Return the properties of the associations by the ids of their ends."""
    found = run(memory, "coactivate_read_edges")
    ends = [(each["start"], each["end"]) for each in found]
    assert len({*ends}) == len(ends), "an edge is doubled"
    return {(each["start"], each["end"]): each["properties"] for each in found}


def weight_at(edge: Mapping[str, Any], at: datetime) -> float:
    """Return what the weight of an edge is at a time that is not before it was settled."""
    return float(edge["weight"]) * left(at, edge["weight_at"])


def left(at: datetime, since: datetime) -> float:
    """Return the share of a weight that time leaves; time counts in whole seconds of the epoch."""
    seconds = math.floor(at.timestamp()) - math.floor(since.timestamp())
    return math.exp(-DECAY * seconds / 86_400)


def strengthened(weight: float) -> float:
    """Return a weight after one more joint use."""
    return weight + HALF / (HALF + weight)


def coactivate(memory: Engram, clock: FixedClock, **options: Any) -> Any:
    """Run the job over the memory's space."""
    return run_job(JOB, memory.graph, space=memory.space, clock=clock, **options)


def test_session_pairs_its_most_used_memories(memory: Engram, clock: FixedClock) -> None:
    """The most used memories of an ended session are paired, lower id to higher, as of its end; once."""
    memory.tune("coactivate.memories", 3)
    ids = remember(memory, 5)
    for count, each in enumerate(ids):
        use_apart(memory, [each] * count, session="talk", at=clock.now)
    ended = clock.advance(timedelta(minutes=5))
    memory.end_session("talk")
    clock.advance(timedelta(hours=1))
    assert coactivate(memory, clock).changed == 3
    expected = {"weight": 1.0, "count": 1, "weight_at": ended, "first_at": ended, "last_at": ended}
    assert edges(memory) == dict.fromkeys(combinations(ids[2:], 2), expected)
    before = everything(memory, leave_out=RECORDS)
    assert coactivate(memory, clock).changed == 0
    assert everything(memory, leave_out=RECORDS) == before


def test_session_that_nobody_ends_is_paired_as_of_its_end(memory: Engram, clock: FixedClock) -> None:
    """A session that stays unused has ended when its idle time was over, whenever the job notices."""
    ids = remember(memory, 2)
    use_apart(memory, ids, session="talk", at=clock.now)
    ended = clock.now + timedelta(minutes=memory.tuning()["session.idle_minutes"])
    clock.advance(timedelta(days=1))
    coactivate(memory, clock)
    assert edges(memory)[ids[0], ids[1]]["weight_at"] == ended


def test_session_that_is_open_is_not_paired(memory: Engram, clock: FixedClock) -> None:
    """As long as a session goes on, nothing of it is paired."""
    use_apart(memory, remember(memory, 2), session="talk", at=clock.now)
    assert coactivate(memory, clock).changed == 0
    assert edges(memory) == {}


def test_session_that_goes_on_pairs_only_what_is_new(memory: Engram, clock: FixedClock) -> None:
    """A session that was opened again and ended again counts no pair for a second time."""
    ids = remember(memory, 3)
    use_apart(memory, ids[:2], session="talk", at=clock.now)
    memory.end_session("talk")
    assert coactivate(memory, clock).changed == 1
    clock.advance(timedelta(hours=1))
    use_apart(memory, ids, session="talk", at=clock.now)
    memory.end_session("talk")
    assert coactivate(memory, clock).changed == 2
    assert {pair: edge["count"] for pair, edge in edges(memory).items()} == dict.fromkeys(
        combinations(ids, 2), 1
    )
    clock.advance(timedelta(hours=1))
    use_apart(memory, ids, session="talk", at=clock.now)
    memory.end_session("talk")
    assert coactivate(memory, clock).changed == 0


def test_use_after_the_end_waits_for_the_next_end(memory: Engram, clock: FixedClock) -> None:
    """What a session that was opened again uses is not paired as of its first end."""
    ids = remember(memory, 3)
    use_apart(memory, ids[:2], session="talk", at=clock.now)
    memory.end_session("talk")
    clock.advance(timedelta(minutes=1))
    use_apart(memory, ids[2:], session="talk", at=clock.now)
    coactivate(memory, clock)
    assert edges(memory).keys() == {(ids[0], ids[1])}


def test_each_session_is_counted_once_by_many_workers(memory: Engram, clock: FixedClock) -> None:
    """Three runs at once pair each session once: counts and weights are those of one run."""
    ids, sessions = remember(memory, 5), [f"talk {n}" for n in range(12)]
    for session in sessions:
        use_apart(memory, ids, session=session, at=clock.now)
        memory.end_session(session)
    clock.advance(timedelta(minutes=1))
    with ThreadPoolExecutor(3) as pool:
        runs = [each.result() for each in [pool.submit(coactivate, memory, clock) for _ in range(3)]]
    pairs = list(combinations(ids, 2))
    assert sum(each.changed for each in runs) == len(sessions) * len(pairs)
    weight = 0.0
    for _ in sessions:
        weight = strengthened(weight)
    found = edges(memory)
    assert found.keys() == {*pairs}
    assert {edge["count"] for edge in found.values()} == {len(sessions)}
    assert [edge["weight"] for edge in found.values()] == [pytest.approx(weight, abs=1e-9)] * len(pairs)


@few
@given(
    steps=st.lists(
        st.tuples(
            st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=8)),
            st.sampled_from(["run", "learn", "session"]),
        ),
        max_size=6,
    )
)
def test_weight_is_a_function_of_elapsed_time(
    memory: Engram, clock: FixedClock, steps: list[tuple[timedelta, str]]
) -> None:
    """Whenever and however often the job runs, a weight is what its joint uses and the time since make it."""
    memory = another(memory, clock)
    low, high = remember(memory, 2)
    begun = clock.now
    lay(memory, {(low, high): 1.0}, at=begun)
    weight, uses = 1.0, 1
    for number, (gap, step) in enumerate(steps):
        before = clock.now
        clock.advance(gap)
        weight *= left(clock.now, before)
        if step == "learn":
            use(memory, low, high, session=None, at=clock.now)
        elif step == "session":
            session = f"{low} {number}"
            use_apart(memory, [low, high], session=session, at=clock.now)
            memory.end_session(session)
        if step != "learn":
            coactivate(memory, clock)
        if step != "run":
            weight, uses = strengthened(weight), uses + 1
    edge = edges(memory)[low, high]
    assert edge["count"] == uses
    assert weight_at(edge, clock.now) == pytest.approx(weight, abs=1e-9)


def test_session_that_is_paired_late_counts_as_at_its_end(memory: Engram, clock: FixedClock) -> None:
    """An edge that was settled beyond a session's end gains from it what it would have gained in time."""
    memory.tune("session.idle_minutes", WEEK_OF_MINUTES)
    on_time, late = remember(memory, 2), remember(memory, 2)
    lay(memory, {(on_time[0], on_time[1]): 5.0, (late[0], late[1]): 5.0}, at=clock.now)
    use_apart(memory, on_time, session="on time", at=clock.now)
    use_apart(memory, late, session="late", at=clock.now)
    ended = clock.advance(timedelta(days=3))
    memory.end_session("on time")
    coactivate(memory, clock)
    clock.advance(timedelta(days=3))
    coactivate(memory, clock)
    close_session(
        memory.graph, space=memory.space, session="late", now=ended, tuning=memory.tuning(), explicit=True
    )
    coactivate(memory, clock)
    found = edges(memory)
    assert found[late[0], late[1]]["weight_at"] == clock.now
    assert found[late[0], late[1]]["weight"] == pytest.approx(
        weight_at(found[on_time[0], on_time[1]], clock.now), abs=1e-9
    )


def test_only_what_has_faded_is_written(memory: Engram, clock: FixedClock) -> None:
    """An edge is settled once it has lost more than the tolerated share, whatever the status of its ends."""
    ids = remember(memory, 3)
    started = clock.now
    lay(memory, {(ids[0], ids[1]): 4.0}, at=started)
    clock.advance(timedelta(days=2))
    lay(memory, {(ids[1], ids[2]): 4.0}, at=clock.now)
    memory.forget(ids[0])
    clock.advance(timedelta(days=1))
    assert coactivate(memory, clock).changed == 1
    found = edges(memory)
    assert found[ids[0], ids[1]]["weight"] == pytest.approx(4.0 * left(clock.now, started), abs=1e-9)
    assert found[ids[0], ids[1]]["weight_at"] == clock.now
    assert found[ids[1], ids[2]]["weight"] == 4.0


def test_learning_and_settling_at_once_lose_nothing(memory: Engram, clock: FixedClock) -> None:
    """Joint uses that are learned while the job settles the same edges all count, and the weight is exact."""
    memory.tune("coactivate.tolerance", 0)
    ids, rounds = remember(memory, 8), 10
    pairs = list(combinations(ids, 2))
    lay(memory, dict.fromkeys(pairs, 1.0), at=clock.now)
    weight = 1.0
    with ThreadPoolExecutor(4) as pool:
        for _ in range(rounds):
            before = clock.now
            clock.advance(timedelta(days=1))
            weight = strengthened(strengthened(weight * left(clock.now, before)))
            tasks = [
                pool.submit(coactivate, memory, clock),
                pool.submit(use, memory, *ids, session=None, at=clock.now),
                pool.submit(coactivate, memory, clock),
                pool.submit(use, memory, *ids, session=None, at=clock.now),
            ]
            for task in tasks:
                task.result()
    found = edges(memory)
    assert {edge["count"] for edge in found.values()} == {1 + 2 * rounds}
    assert [edge["weight"] for edge in found.values()] == [pytest.approx(weight, abs=1e-9)] * len(pairs)


def test_learning_and_pruning_at_once(memory: Engram, clock: FixedClock) -> None:
    """Recalls that pair what the job is pruning fail on neither side, and in the end no memory has too many."""
    memory.tune("coactivate.partners", 2)
    ids = remember(memory, 9)

    def learn(start: int) -> None:
        use(memory, *(ids[start % 9 :] + ids[: start % 9])[:6], session=None, at=clock.now)

    with ThreadPoolExecutor(4) as pool:
        learned = pool.map(learn, range(30))
        runs = [pool.submit(coactivate, memory, clock) for _ in range(8)]
        assert len(list(learned)) == 30
        assert sum(each.result().changed for each in runs) > 0
    coactivate(memory, clock)
    degrees = Counter(end for pair in edges(memory) for end in pair)
    assert max(degrees.values()) == 2
    assert coactivate(memory, clock).changed == 0


def pruned(weights: Mapping[tuple[str, str], float], *, floor: float, partners: int) -> set[tuple[str, str]]:
    """Return the edges that are left: above the floor, and of each memory in ascending id the strongest."""
    kept = {pair: weight for pair, weight in weights.items() if weight >= floor}
    for each in sorted({end for pair in kept for end in pair}):
        own = [pair for pair in kept if each in pair]
        own.sort(key=lambda pair: (-kept[pair], pair[0] if pair[1] == each else pair[1]))
        for pair in own[partners:]:
            del kept[pair]
    return {*kept}


@few
@given(data=st.data(), partners=st.integers(1, 4), batch_size=st.integers(1, 8))
def test_the_strongest_edges_are_kept(
    memory: Engram, clock: FixedClock, data: st.DataObject, partners: int, batch_size: int
) -> None:
    """What is below the floor goes, then each memory's weakest beyond its share, in whatever batches it is done."""
    memory = another(memory, clock)
    ids = remember(memory, 6)
    strengths = st.sampled_from([0.05, 0.5, 1.0, 2.0, 3.0])
    weights = data.draw(st.dictionaries(st.sampled_from(list(combinations(ids, 2))), strengths))
    memory.tune("coactivate.partners", partners)
    memory.tune("coactivate.batch_size", batch_size)
    lay(memory, weights, at=clock.now)
    expected = pruned(weights, floor=0.1, partners=partners)
    assert coactivate(memory, clock).changed == len(weights) - len(expected)
    assert edges(memory).keys() == expected
    assert coactivate(memory, clock).changed == 0


def test_weights_are_compared_as_they_are_now(memory: Engram, clock: FixedClock) -> None:
    """A strong edge that has faded for months is weaker than a fresh one, though its stored weight is higher."""
    memory.tune("coactivate.partners", 1)
    low, old, new = remember(memory, 3)
    lay(memory, {(low, old): 8.0}, at=clock.now)
    clock.advance(timedelta(days=120))
    lay(memory, {(low, new): 1.0}, at=clock.now)
    coactivate(memory, clock)
    assert edges(memory).keys() == {(low, new)}


def prunable(memory: Engram, clock: FixedClock) -> list[str]:
    """Lay associations of which two have faded and three are too many for one memory; return the ids."""
    ids = remember(memory, 7)
    memory.tune("coactivate.partners", 3)
    memory.tune("coactivate.tolerance", 1)  # nothing is settled: what a run changes, its undoing takes back
    lay(memory, {(ids[0], each): float(n) for n, each in enumerate(ids[1:], start=2)}, at=clock.now)
    lay(memory, {(ids[4], ids[5]): 0.05, (ids[4], ids[6]): 0.06}, at=clock.now)
    clock.advance(timedelta(days=1))
    return ids


def test_undo_puts_back_what_was_pruned(memory: Engram, clock: FixedClock) -> None:
    """After a run and its undoing, all that the space holds is what it was; a second undoing changes nothing."""
    prunable(memory, clock)
    memory.tune("coactivate.batch_size", 2)  # several records
    before = everything(memory, leave_out=RECORDS)
    done = coactivate(memory, clock)
    assert done.changed == 5
    records = [node for node in run(memory, "read_space")[0]["nodes"] if node["labels"] == ["PrunedEdges"]]
    assert sorted(len(node["properties"]["from"]) for node in records) == [1, 2, 2]
    clock.advance(timedelta(hours=1))
    undone = coactivate(memory, clock, undoing=done.id)
    assert (undone.changed, undone.notes) == (5, ())
    assert everything(memory, leave_out=RECORDS) == before
    assert coactivate(memory, clock, undoing=done.id).changed == 0
    assert everything(memory, leave_out=RECORDS) == before
    assert not [node for node in run(memory, "read_space")[0]["nodes"] if node["labels"] == ["PrunedEdges"]]


def test_undo_leaves_settled_weights_equal(memory: Engram, clock: FixedClock) -> None:
    """A run that also settles is undone to the same edges, each of the same weight at any one time."""
    prunable(memory, clock)
    memory.tune("coactivate.tolerance", 0)
    before = edges(memory)
    done = coactivate(memory, clock)
    assert coactivate(memory, clock, undoing=done.id).changed == 5
    after = edges(memory)
    assert {pair: weight_at(edge, clock.now) for pair, edge in after.items()} == {
        pair: pytest.approx(weight_at(edge, clock.now), abs=1e-9) for pair, edge in before.items()
    }


def test_dry_undo_changes_nothing(memory: Engram, clock: FixedClock) -> None:
    """Rehearsing to undo says how much would come back, and leaves the edges and the records as they are."""
    prunable(memory, clock)
    done = coactivate(memory, clock)
    before = everything(memory, leave_out=RECORDS)
    assert coactivate(memory, clock, undoing=done.id, dry_run=True).changed == 5
    assert everything(memory, leave_out=RECORDS) == before
    assert coactivate(memory, clock, undoing=done.id).changed == 5


def test_undo_says_what_it_cannot_put_back(memory: Engram, clock: FixedClock) -> None:
    """An edge that lost an end stays pruned, and one that was made anew stays as it is; both are told."""
    ids = prunable(memory, clock)
    done = coactivate(memory, clock)
    assert edges(memory).keys() == {(ids[0], each) for each in ids[4:]}
    memory.forget(ids[1], erase=True)
    use(memory, ids[4], ids[5], session=None, at=clock.now)
    anew = edges(memory)[ids[4], ids[5]]
    undone = coactivate(memory, clock, undoing=done.id)
    assert undone.changed == 3
    assert undone.notes == (
        "not put back, since a memory at one end is gone: 1",
        "not put back, since they were made anew: 1",
    )
    assert edges(memory)[ids[4], ids[5]] == anew
    assert edges(memory).keys() == {
        *((ids[0], each) for each in ids[2:]),
        (ids[4], ids[5]),
        (ids[4], ids[6]),
    }


def test_other_spaces_are_left_alone(memory: Engram, clock: FixedClock) -> None:
    """A run and its undoing change not one byte of another space that has the same things to do."""
    other = another(memory, clock)
    for each in (memory, other):
        each.tune("coactivate.tolerance", 0)
        each.tune("coactivate.partners", 2)
        ids = remember(each, 4)
        lay(each, {(ids[0], high): 1.0 for high in ids[1:]}, at=clock.now)
        use_apart(each, ids, session="talk", at=clock.now)
        each.end_session("talk")
    clock.advance(timedelta(days=1))
    before = everything(other, leave_out=RECORDS)
    done = coactivate(memory, clock)
    assert done.changed > 0
    assert coactivate(memory, clock, undoing=done.id).changed > 0
    assert everything(other, leave_out=RECORDS) == before
    assert coactivate(other, clock, undoing=done.id).changed == 0
    assert everything(other, leave_out=RECORDS) == before


def test_dry_run_leaves_everything_as_it_was(memory: Engram, clock: FixedClock) -> None:
    """A dry run pairs, settles and prunes nothing, and says how much it would."""
    memory.tune("coactivate.tolerance", 0)
    memory.tune("coactivate.partners", 1)
    memory.tune("coactivate.batch_size", 2)
    ids = remember(memory, 5)
    lay(memory, {(ids[0], high): 1.0 for high in ids[1:4]}, at=clock.now)
    use_apart(memory, ids[3:], session="ended", at=clock.now)
    memory.end_session("ended")
    use_apart(memory, [ids[1], ids[4]], session="left", at=clock.now)
    clock.advance(timedelta(days=1))
    before = everything(memory, leave_out=RECORDS)
    dry = coactivate(memory, clock, dry_run=True)
    assert everything(memory, leave_out=RECORDS) == before
    # Two sessions of one pair each, two edges too many, and all three faded: each rehearsed by itself.
    assert dry.changed == 2 + 2 + 3
    assert dry.examples
