"""Settling contradictions in the graph: each outcome once, logged, and taken back without a trace."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.beliefs.changes import ChangeKind, list_changes, undo
from engram.beliefs.conflicts.judging import ConflictOutcome, Verdict, settle
from engram.errors import InvalidInputError
from engram.graph import Transaction
from engram.memory import Engram
from engram.records import FOREVER, Memory
from engram.testing import FixedClock
from tests.graph.beside import another, everything, run

pytestmark = pytest.mark.graph
SUPERSEDE, TENSION, UNRELATED = ConflictOutcome


def verdict(outcome: ConflictOutcome, **more: Any) -> Verdict:
    """Return what becomes of a pair."""
    return Verdict(outcome=outcome, reason="another value", by="slots", **more)


def decide(
    memory: Engram, new: str, verdicts: Sequence[tuple[str, Verdict]], now: datetime
) -> tuple[str, ...]:
    """Settle in a transaction of its own, in which all are locked first."""

    def work(transaction: Transaction) -> tuple[str, ...]:
        ids = sorted({new, *(each for each, _ in verdicts)})
        transaction.run("write/lock_memories", space=memory.space, ids=ids)
        return settle(transaction, space=memory.space, new=new, verdicts=verdicts, now=now)

    return memory.graph.transact(work)


def state(memory: Engram) -> Any:
    """Return all of a space but the log of changes, and how often memories were changed."""
    nodes, relationships = everything(memory, leave_out=("JobRun", "BeliefChange"))
    for node in nodes:
        node["properties"].pop("version", None)
    return nodes, [each for each in relationships if each["type"] != "CHANGED"]


def homes(memory: Engram, clock: FixedClock, *places: str) -> list[Memory]:
    """Remember where Anna lived, a month apart."""
    found = []
    for place in places:
        found.append(memory.remember(f"I live in {place}", speaker="Anna"))
        clock.advance(timedelta(days=30))
    return found


def tensions(memory: Engram) -> list[dict[str, Any]]:
    """Return the tensions of the space."""
    return run(memory, "read_tensions")


def test_a_change_closes_the_older_memory(memory: Engram, clock: FixedClock) -> None:
    """What was replaced ends when the newer began, keeps its content, and is found as of its own time."""
    old, new = homes(memory, clock, "Leiden", "Utrecht")
    (change,) = decide(memory, new.id, [(old.id, verdict(SUPERSEDE))], clock.now)
    retired = memory.get(old.id)
    assert (retired.status, retired.valid_to, retired.content) == ("superseded", new.valid_from, old.content)
    assert memory.get(new.id).status == "active"
    then = memory.recall("where do I live", as_of=old.valid_from + timedelta(days=1), read_only=True)
    assert [hit.memory.id for hit in then] == [old.id]
    now = memory.recall("where do I live", as_of=new.valid_from + timedelta(days=1), read_only=True)
    assert [hit.memory.id for hit in now] == [new.id]
    (entry,) = list_changes(memory.graph, space=memory.space)
    assert (entry.id, entry.kind, entry.by) == (change, ChangeKind.SUPERSEDED, "slots")
    assert [(row["role"], row["id"]) for row in entry.touched] == [("new", new.id), ("old", old.id)]


def test_told_late_the_older_value_is_closed(memory: Engram, clock: FixedClock) -> None:
    """An older value that is told late retires nothing: it ends where the first of the later ones began."""
    second, third = homes(memory, clock, "Utrecht", "Ghent")
    began = second.valid_from - timedelta(days=90)
    late = memory.remember("I live in Leiden", speaker="Anna", event_at=began)
    closing = verdict(SUPERSEDE, newer_loses=True)
    changes = decide(memory, late.id, [(third.id, closing), (second.id, closing)], clock.now)
    assert len(changes) == 1
    assert memory.get(late.id).valid_to == second.valid_from
    assert [memory.get(each.id).status for each in (late, second, third)] == [
        "superseded",
        "active",
        "active",
    ]
    then = memory.recall("where do I live", as_of=third.valid_from + timedelta(days=1), read_only=True)
    assert late.id not in {hit.memory.id for hit in then}


def test_what_is_immutable_is_not_retired(memory: Engram, clock: FixedClock) -> None:
    """A supersession of an immutable memory becomes a tension."""
    old = memory.remember("I live in Leiden", speaker="Anna", immutable=True)
    new = memory.remember("I live in Utrecht", speaker="Anna")
    decide(memory, new.id, [(old.id, verdict(SUPERSEDE))], clock.now)
    assert memory.get(old.id).status == "active"
    assert [each["properties"]["state"] for each in tensions(memory)] == ["open"]


def test_what_was_retired_meanwhile_is_left_alone(memory: Engram, clock: FixedClock) -> None:
    """What is superseded or forgotten by the time of writing is not retired again, and no change says so."""
    old, forgotten, new = homes(memory, clock, "Leiden", "Delft", "Utrecht")
    memory.supersede(old.id, forgotten.id, "moved")
    memory.forget(forgotten.id)
    found = [(each.id, verdict(SUPERSEDE)) for each in (old, forgotten)]
    assert decide(memory, new.id, [*found, ("f" * 32, verdict(TENSION))], clock.now) == ()
    assert memory.get(forgotten.id).status == "archived"


def test_unrelated_memories_are_not_touched(memory: Engram, clock: FixedClock) -> None:
    """Unrelated is an outcome that writes nothing."""
    old, new = homes(memory, clock, "Leiden", "Utrecht")
    before = state(memory)
    assert decide(memory, new.id, [(old.id, verdict(UNRELATED))], clock.now) == ()
    assert state(memory) == before
    assert list_changes(memory.graph, space=memory.space) == []


OUTCOMES = st.lists(
    st.sampled_from(
        [
            verdict(SUPERSEDE),
            verdict(SUPERSEDE, correction=True),
            verdict(SUPERSEDE, newer_loses=True),
            verdict(TENSION),
            verdict(UNRELATED),
        ]
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(outcomes=OUTCOMES)
def test_every_outcome_can_be_taken_back(memory: Engram, clock: FixedClock, outcomes: list[Verdict]) -> None:
    """Taken back, last first, the changes of a settlement leave the graph as it was, truths included."""
    space = another(memory, clock)
    *held, new = homes(space, clock, "Leiden", "Delft", "Ghent", "Utrecht")
    before = state(space)
    verdicts = [(each.id, outcome) for each, outcome in zip(held, outcomes, strict=False)]
    changes = decide(space, new.id, verdicts, clock.now)
    for change in reversed(changes):
        undo(space.graph, space=space.space, change=change, now=clock.now)
    assert state(space) == before
    assert all(each.undone_at for each in list_changes(space.graph, space=space.space))


def test_undo_says_what_stands_in_the_way(memory: Engram, clock: FixedClock) -> None:
    """A supersession that a later one builds on, or that was undone otherwise, is not taken back; nothing moves."""
    first, second, third = homes(memory, clock, "Leiden", "Utrecht", "Ghent")
    (one,) = decide(memory, second.id, [(first.id, verdict(SUPERSEDE))], clock.now)
    clock.advance(timedelta(days=1))
    (two,) = decide(memory, third.id, [(second.id, verdict(SUPERSEDE))], clock.now)
    before = state(memory)
    with pytest.raises(InvalidInputError, match="was replaced since"):
        undo(memory.graph, space=memory.space, change=one, now=clock.now)
    assert state(memory) == before
    undo(memory.graph, space=memory.space, change=two, now=clock.now)
    with pytest.raises(InvalidInputError, match="already"):
        undo(memory.graph, space=memory.space, change=two, now=clock.now)
    memory.restore(first.id)
    with pytest.raises(InvalidInputError, match="brought back"):
        undo(memory.graph, space=memory.space, change=one, now=clock.now)


def test_a_dormant_memory_is_dormant_again(memory: Engram, clock: FixedClock) -> None:
    """Undo gives back the status that a memory had, and the end that it had."""
    old, new = homes(memory, clock, "Leiden", "Utrecht")
    memory.graph.write(
        "write/set_status", **{"space": memory.space, "id": old.id, "from": ["active"], "to": "dormant"}
    )
    (change,) = decide(memory, new.id, [(old.id, verdict(SUPERSEDE))], clock.now)
    undo(memory.graph, space=memory.space, change=change, now=clock.now)
    assert (memory.get(old.id).status, memory.get(old.id).valid_to) == ("dormant", FOREVER)


def test_two_writers_make_one_tension(memory: Engram, clock: FixedClock) -> None:
    """However many settle the same pair at once, from either side, there is one tension and one change."""
    one, other = homes(memory, clock, "Leiden", "Utrecht")
    pairs = [(one.id, other.id), (other.id, one.id)] * 4
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(lambda pair: decide(memory, pair[0], [(pair[1], verdict(TENSION))], clock.now), pairs)
        )
    assert len(tensions(memory)) == 1
    assert sum(map(len, found)) == len(list_changes(memory.graph, space=memory.space)) == 1


def test_settling_keeps_to_its_space(memory: Engram, clock: FixedClock) -> None:
    """Memories of another space are neither retired nor put in tension."""
    elsewhere = another(memory, clock)
    mine, theirs = memory.remember("I live in Utrecht"), elsewhere.remember("I live in Leiden")
    before = state(elsewhere)
    for outcome in (SUPERSEDE, TENSION):
        assert decide(memory, mine.id, [(theirs.id, verdict(outcome))], clock.now) == ()
    assert state(elsewhere) == before
    assert tensions(memory) == []
