"""Tensions: they stay visible, tire, are resolved by a person or by evidence, and every way leads back."""

import math
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from engram.beliefs.changes import ChangeKind, list_changes, undo
from engram.beliefs.conflicts.behaviour import find_behavioural
from engram.beliefs.conflicts.judging import ConflictOutcome, Verdict, settle
from engram.beliefs.conflicts.outcomes import Disagreement, flag
from engram.beliefs.conflicts.tensions import (
    PREFIX,
    Tension,
    describe_missing,
    describe_tensions,
    detect_resolutions,
    disputes,
    list_tensions,
    resolve,
)
from engram.beliefs.truth import settle_truth
from engram.errors import InvalidInputError, NotFoundError
from engram.graph import Transaction
from engram.memory import Engram
from engram.records import Kind, Memory
from engram.testing import FixedClock, ScriptedModel
from engram.tuning import Tuning
from tests.graph.beside import another, everything, run

pytestmark = pytest.mark.graph


@pytest.fixture
def pair(memory: Engram, clock: FixedClock) -> tuple[Memory, Memory]:
    """Give two memories that contradict each other, the older first."""
    return contradict(memory, clock, "Anna lives in Leiden", "Anna lives in Utrecht")


def contradict(memory: Engram, clock: FixedClock, one: str, other: str) -> tuple[Memory, Memory]:
    """Remember two things and put them in tension."""
    older = memory.remember(one, speaker="Bob")
    clock.advance(timedelta(hours=1))
    newer = memory.remember(other, speaker="Carl")
    put_in_tension(memory, clock, older, newer)
    return older, newer


def put_in_tension(memory: Engram, clock: FixedClock, one: Memory, other: Memory) -> None:
    """Put two memories in tension."""
    found = Disagreement(one=one.id, other=other.id, why="another place", by="slots", reason="another value")

    def work(transaction: Transaction) -> None:
        flag(transaction, [found], space=memory.space, now=clock.now)
        ids = sorted((one.id, other.id))
        settle_truth(transaction, space=memory.space, ids=ids, tuning=Tuning())

    memory.graph.transact(work)


def state(memory: Engram, *leave_out: str) -> Any:
    """Return all of a space but the log of changes, how often memories were changed, and nodes of some labels."""
    nodes, relationships = everything(memory, leave_out=("JobRun", "BeliefChange", *leave_out))
    for node in nodes:
        node["properties"].pop("version", None)
    return nodes, [each for each in relationships if each["type"] != "CHANGED"]


def only(memory: Engram) -> Tension:
    """Return the one tension of the space, whatever its state."""
    (found,) = list_tensions(memory.graph, space=memory.space, closed=True)
    return found


def truth(memory: Engram, each: Memory) -> float:
    """Return the mean of a memory's truth as it is now."""
    held = memory.get(each.id)
    return held.truth_alpha / (held.truth_alpha + held.truth_beta)


def test_a_tension_is_said_once(memory: Engram, pair: tuple[Memory, Memory]) -> None:
    """One memory says a tension in words, points to both sides, and matters no more than any other new one."""
    assert only(memory).id is None
    assert describe_missing(memory) == 1
    assert describe_missing(memory) == 0
    said = memory.get(only(memory).id or "")
    assert said.content == f"{PREFIX}{pair[0].content} | {pair[1].content}"
    assert (said.kind, said.source_tag, said.truth_alpha) == (Kind.TENSION, "internal_consolidation", 1.0)
    assert said.weight_alpha / (said.weight_alpha + said.weight_beta) == pytest.approx(0.2)
    assert said.importance <= min(each.importance for each in pair)
    below = {step.id: step.relationship for step in memory.why(said.id) if step.depth == 1}
    assert below == dict.fromkeys((each.id for each in pair), "TENSION_BETWEEN")
    around = {step.relationship: step.id for step in memory.why(pair[0].id) if step.depth == 1}
    assert around["IN_TENSION_WITH"] == pair[1].id
    assert around["DISPUTED_IN"] == said.id


def test_long_sides_are_cut(memory: Engram, clock: FixedClock) -> None:
    """The memory of a tension stays short however long its sides are."""
    contradict(memory, clock, "Anna lives in Leiden. " * 60, "Anna lives in Utrecht. " * 60)
    describe_missing(memory)
    assert len(memory.get(only(memory).id or "").content) <= 400


def test_tensions_of_a_settlement_are_said(memory: Engram, clock: FixedClock) -> None:
    """What a settlement found is said after its commit; other changes, and none, are passed over."""
    older, other = contradict(memory, clock, "Anna lives in Leiden", "Anna lives in Utrecht")
    newer = memory.remember("Anna lives in Ghent", speaker="Dora")
    disagrees = Verdict(outcome=ConflictOutcome.TENSION, reason="another value", by="slots")

    def work(transaction: Transaction) -> tuple[str, ...]:
        transaction.run("write/lock_memories", space=memory.space, ids=sorted((older.id, newer.id)))
        verdicts = [(older.id, disagrees)]
        return settle(transaction, space=memory.space, new=newer.id, verdicts=verdicts, now=clock.now)

    changes = memory.graph.transact(work)
    assert describe_tensions(memory, [*changes, "f" * 32]) == 1
    assert describe_tensions(memory, []) == 0
    said = {
        frozenset(side.id for side in each.sides): each.id
        for each in list_tensions(memory.graph, space=memory.space)
    }
    assert said[frozenset((older.id, newer.id))] is not None
    assert said[frozenset((older.id, other.id))] is None


def test_each_recall_that_learns_surfaces_a_tension_once(memory: Engram, pair: tuple[Memory, Memory]) -> None:
    """One or both sides returned count once; so often without a resolution, a tension is acknowledged."""
    assert Tuning().whole("tension.fatigue") == 5
    memory.tune("tension.fatigue", 2)
    for k, surfaced, condition in ((1, 1, "open"), (5, 2, "acknowledged"), (5, 3, "acknowledged")):
        memory.recall("where does Anna live", k)
        assert memory.flush()
        assert (only(memory).surfaced, only(memory).state) == (surfaced, condition)
    memory.recall("where does Anna live", read_only=True)
    resolve(memory, pair[0].id, "both")
    memory.recall("where does Anna live")
    assert memory.flush()
    assert only(memory).surfaced == 3


def test_what_disputes_a_memory_is_found(memory: Engram, pair: tuple[Memory, Memory]) -> None:
    """Whoever shows memories learns what they are in unresolved tension with."""
    ids = [each.id for each in pair]
    assert disputes(memory.graph, space=memory.space, ids=ids) == {
        ids[0]: [(ids[1], pair[1].content)],
        ids[1]: [(ids[0], pair[0].content)],
    }
    resolve(memory, ids[0], "both")
    assert disputes(memory.graph, space=memory.space, ids=ids) == {}


def test_keeping_one_side_retires_the_other(memory: Engram, pair: tuple[Memory, Memory]) -> None:
    """The side that is kept supersedes the other, whose truth falls; the tension rests."""
    describe_missing(memory)
    said = only(memory).id or ""
    open_truth = truth(memory, pair[0])
    change = resolve(memory, said[:8], "a")
    assert [memory.get(each.id).status for each in pair] == ["active", "superseded"]
    found = only(memory)
    assert (found.state, found.kept, found.how) == ("resolved", pair[0].id, "resolved by user")
    assert memory.get(said).status == "archived"
    assert truth(memory, pair[1]) == pytest.approx(0.5)
    assert truth(memory, pair[0]) >= open_truth
    roles = {row["id"]: row["role"] for row in change.touched}
    assert roles == {pair[0].id: "kept", pair[1].id: "refused", said: "tension"}
    assert change.kind is ChangeKind.RESOLVED
    assert [step.relationship for step in memory.why(pair[1].id) if step.depth == 1 and step.id == pair[0].id]
    with pytest.raises(NotFoundError):
        resolve(memory, pair[0].id, "both")


def test_both_and_neither(memory: Engram, clock: FixedClock) -> None:
    """`both` closes a tension for good and retires nothing; `neither` forgets both."""
    one, other = contradict(memory, clock, "Anna lives in Leiden", "Anna lives in Utrecht")
    resolve(memory, one.id, "both")
    put_in_tension(memory, clock, one, other)
    assert (only(memory).state, only(memory).kept) == ("resolved", "both")
    assert [memory.get(each.id).status for each in (one, other)] == ["active", "active"]
    third, fourth = contradict(memory, clock, "Anna has two cats", "Anna has three cats")
    resolve(memory, third.id, "neither")
    assert [memory.get(each.id).status for each in (third, fourth)] == ["archived", "archived"]
    assert [truth(memory, each) for each in (third, fourth)] == [pytest.approx(0.5)] * 2


def side_id(each: tuple[Memory, Memory]) -> str:
    """Return the beginning of the newer side's id."""
    return each[1].id[:12]


@pytest.mark.parametrize("keep", [lambda _: "A", side_id, lambda _: "both", lambda _: "neither"])
def test_a_resolution_can_be_taken_back(
    memory: Engram, clock: FixedClock, pair: tuple[Memory, Memory], keep: Callable[[Any], str]
) -> None:
    """Taken back, everything is as it was: statuses, intervals, truths, the tension and the memory that says it."""
    describe_missing(memory)
    before = state(memory)
    change = resolve(memory, pair[1].id, keep(pair))
    assert state(memory) != before
    clock.advance(timedelta(days=1))
    undo(memory.graph, space=memory.space, change=change.id[:8], now=clock.now)
    assert state(memory) == before
    resolve(memory, pair[1].id, keep(pair))


def test_a_tension_can_be_taken_back(memory: Engram, clock: FixedClock) -> None:
    """Taken back, the tension is gone, and the memory that said it is put away and not deleted."""
    one = memory.remember("Anna lives in Leiden", speaker="Bob")
    other = memory.remember("Anna lives in Utrecht", speaker="Carl")
    before = state(memory)
    put_in_tension(memory, clock, one, other)
    describe_missing(memory)
    said = only(memory).id or ""
    (change,) = list_changes(memory.graph, space=memory.space)
    assert [row["role"] for row in change.touched] == ["one", "other", "tension"]
    resolution = resolve(memory, one.id, "both")
    with pytest.raises(InvalidInputError, match="resolved since"):
        undo(memory.graph, space=memory.space, change=change.id, now=clock.now)
    undo(memory.graph, space=memory.space, change=resolution.id, now=clock.now)
    undo(memory.graph, space=memory.space, change=change.id, now=clock.now)
    assert memory.get(said).status == "archived"
    nodes, relationships = state(memory, "Tension")
    known = {node["id"] for node in nodes}
    assert (nodes, [each for each in relationships if each["start"] in known]) == (
        before[0],
        before[1],
    )
    clock.advance(timedelta(days=1))
    put_in_tension(memory, clock, one, other)
    assert describe_missing(memory) == 1
    assert only(memory).id != said


def test_a_resolution_that_was_built_on_stays(
    memory: Engram, clock: FixedClock, pair: tuple[Memory, Memory]
) -> None:
    """Where the side that was kept was replaced since, or the other brought back, undo says so and moves nothing."""
    change = resolve(memory, pair[0].id, "A")
    clock.advance(timedelta(days=1))
    newest = memory.remember("Anna lives in Ghent", supersedes=pair[0].id)
    before = state(memory)
    with pytest.raises(InvalidInputError, match="was replaced since"):
        undo(memory.graph, space=memory.space, change=change.id, now=clock.now)
    assert state(memory) == before
    memory.restore(pair[0].id)
    memory.forget(newest.id)
    memory.restore(pair[1].id)
    with pytest.raises(InvalidInputError, match="brought back"):
        undo(memory.graph, space=memory.space, change=change.id, now=clock.now)


def test_what_can_be_named(memory: Engram, clock: FixedClock, pair: tuple[Memory, Memory]) -> None:
    """A side in two tensions names neither, a stranger none, and nonsense is no side."""
    other = memory.remember("Anna lives in Ghent")
    put_in_tension(memory, clock, pair[0], other)
    with pytest.raises(InvalidInputError, match="several"):
        resolve(memory, pair[0].id, "A")
    with pytest.raises(NotFoundError):
        resolve(memory, memory.remember("Nobody disputes this").id, "A")
    for nonsense in ("", "c", pair[1].id[:5], other.id):
        with pytest.raises(InvalidInputError, match="no side"):
            resolve(memory, pair[1].id, nonsense)


@pytest.mark.parametrize(
    ("settle_it", "how"),
    [
        (
            lambda memory, one: memory.remember("Anna lives in Ghent", supersedes=one.id),
            "one of them was replaced",
        ),
        (lambda memory, one: memory.forget(one.id), "one of them was forgotten"),
    ],
)
def test_what_settles_a_tension_is_noticed(
    memory: Engram,
    clock: FixedClock,
    pair: tuple[Memory, Memory],
    settle_it: Callable[[Engram, Memory], object],
    how: str,
) -> None:
    """Once one side is replaced or forgotten, its tension is resolved, once, and without a side."""
    assert detect_resolutions(memory) == 0
    clock.advance(timedelta(days=1))
    settle_it(memory, pair[0])
    assert detect_resolutions(memory) == 1
    assert detect_resolutions(memory) == 0
    assert (only(memory).how, only(memory).kept) == (how, None)
    assert list_changes(memory.graph, space=memory.space)[0].by == "evidence"
    assert memory.get(pair[1].id).status == "active"


def test_evidence_of_two_days_settles_a_tension(
    memory: Engram, clock: FixedClock, pair: tuple[Memory, Memory]
) -> None:
    """One side said again on two days settles it, the same day twice or both sides do not; nothing is superseded."""
    started = clock.now
    clock.advance(timedelta(days=9))

    def told(each: Memory, *days: int) -> int:
        times = [started + timedelta(days=day) for day in days]
        run(memory, "rest_on_turns", id=each.id, times=times, at=clock.now)
        return detect_resolutions(memory)

    assert told(pair[0], 1, 1) == 0
    assert told(pair[0], 2) == 1
    assert (only(memory).kept, only(memory).how) == (pair[0].id, "only one of them was said again")
    assert [memory.get(each.id).status for each in pair] == ["active", "active"]
    assert truth(memory, pair[0]) > truth(memory, pair[1])
    (change, _) = list_changes(memory.graph, space=memory.space)
    undo(memory.graph, space=memory.space, change=change.id, now=clock.now)
    assert only(memory).state == "open"
    assert detect_resolutions(memory) == 0, "a person took it back"


def test_evidence_for_both_settles_nothing(
    memory: Engram, clock: FixedClock, pair: tuple[Memory, Memory]
) -> None:
    """Where both sides were said again, the tension stays."""
    clock.advance(timedelta(days=9))
    for each in pair:
        times = [clock.now - timedelta(days=day) for day in (1, 2)]
        run(memory, "rest_on_turns", id=each.id, times=times, at=clock.now)
    assert detect_resolutions(memory) == 0


def value(memory: Engram, text: str, weight: float = 0.8) -> Memory:
    """Remember something that is valued so much."""
    held = memory.remember(text, speaker="Anna", kind=Kind.PREFERENCE, category="principle")
    properties = {"weight_alpha": 10.0 * weight, "weight_beta": 10.0 * (1.0 - weight)}
    run(memory, "set_properties", id=held.id, properties=properties)
    return held


def deed(memory: Engram, text: str, speaker: str = "Anna") -> Memory:
    """Remember something that somebody did."""
    return memory.remember(text, speaker=speaker, kind=Kind.EPISODIC)


def test_deeds_against_a_value_are_found_in_words(memory: Engram, clock: FixedClock) -> None:
    """Without a model, a deed whose words oppose a weighty value of the same speaker is a tension; others are not."""
    prized = value(memory, "I always lock the door at night")
    value(memory, "I always feed the cat at night", weight=0.5)
    against = deed(memory, "I never lock the door at night")
    deed(memory, "I never lock the door at night", speaker="Bob")
    deed(memory, "I never feed the cat at night")
    assert find_behavioural(memory, None) == 1
    found = only(memory)
    assert {side.id for side in found.sides} == {prized.id, against.id}
    assert found.id is not None
    clock.advance(timedelta(days=1))
    assert find_behavioural(memory, None) == 0


def test_a_model_holds_deeds_against_a_value(memory: Engram, clock: FixedClock) -> None:
    """One isolated call for a value: what it names becomes a tension, other numbers nothing; garbage is asked again."""
    prized = value(memory, "I eat no meat, whatever the occasion")
    clock.advance(timedelta(hours=1))
    deed(memory, "Whatever the occasion, I eat with friends")
    clock.advance(timedelta(hours=1))
    against = deed(memory, "I eat a steak on this occasion")
    assert find_behavioural(memory, ScriptedModel("They do.")) == 0
    model = ScriptedModel(respond=lambda asked: answer(asked.messages[0].text))
    assert find_behavioural(memory, model) == 1
    assert len(model.asked) == 1
    assert {side.id for side in only(memory).sides} == {prized.id, against.id}
    assert find_behavioural(memory, model) == 0
    assert len(model.asked) == 1, "without a new deed nobody is asked again"


def answer(question: str) -> str:
    """Return an answer that names the steak, and two deeds that nobody asked about."""
    (line,) = [each for each in question.splitlines() if "steak" in each]
    return f'{{"contradicting": [{line.partition(".")[0]}, 0, 99]}}'


def test_other_spaces_have_tensions_of_their_own(
    memory: Engram, clock: FixedClock, pair: tuple[Memory, Memory]
) -> None:
    """Nothing here reads or changes another space."""
    elsewhere = another(memory, clock)
    before = state(memory)
    assert list_tensions(elsewhere.graph, space=elsewhere.space, closed=True) == []
    assert (
        describe_missing(elsewhere) == detect_resolutions(elsewhere) == find_behavioural(elsewhere, None) == 0
    )
    assert disputes(memory.graph, space=elsewhere.space, ids=[pair[0].id]) == {}
    with pytest.raises(NotFoundError):
        resolve(elsewhere, pair[0].id, "A")
    (change,) = list_changes(memory.graph, space=memory.space)
    with pytest.raises(NotFoundError):
        undo(memory.graph, space=elsewhere.space, change=change.id, now=clock.now)
    assert state(memory) == before
    assert math.isclose(only(memory).sides[0].truth, truth(memory, pair[0]))
