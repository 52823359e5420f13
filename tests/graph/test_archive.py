"""What has had its time is put away, with a reason, and comes back; against a real Neo4j."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.beliefs.adapting.guidelines import ENOUGH, Outcomes, advise, guidelines
from engram.beliefs.policy.marking import mark, unmark
from engram.beliefs.policy.rules import PolicyClass, Reason, VerificationState, retrieval_effect
from engram.memory import Engram
from engram.records import Turn
from engram.scoring.relevance import edge_confidence, edge_confidence_after
from engram.testing import FixedClock
from tests.graph.beside import another, everything, run

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.archive:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
DAY = timedelta(days=1)
DULL = 0.1
"""The importance of what nobody misses."""
MARKS = {"archive_reason", "archived_at", "archived_run", "archived_state"}


def archive(memory: Engram, clock: FixedClock, **options: Any) -> Any:
    """Run the job over the memory's space."""
    assert memory.flush()
    return run_job(JOB, memory.graph, space=memory.space, clock=clock, **options)


def node(memory: Engram, memory_id: str) -> dict[str, Any]:
    """Return all properties of a memory's node."""
    nodes, _ = everything(memory)
    properties: dict[str, Any] = next(each["properties"] for each in nodes if each["id"] == memory_id)
    return properties


def put(memory: Engram, memory_id: str, **properties: Any) -> None:
    """Set properties by hand."""
    run(memory, "set_properties", id=memory_id, properties=properties)


def reasons(memory: Engram) -> dict[str, str | None]:
    """Return why each memory that is archived is."""
    nodes, _ = everything(memory)
    held = {each["id"]: each["properties"] for each in nodes if "Memory" in each["labels"]}
    return {key: each.get("archive_reason") for key, each in held.items() if each["status"] == "archived"}


def test_each_rule_puts_away_its_own(memory: Engram, clock: FixedClock) -> None:
    """Of a resolved commitment, a speculation, a dull fact and their like, those whose time has come go, with why."""
    promise, kept = (
        memory.remember(f"I will call {who}", category="commitment").id for who in ("Ida", "Ben")
    )
    guess, sure = (memory.remember(f"Ida plays the {what}", category="fact").id for what in ("oboe", "harp"))
    dull = memory.remember("Some shelf is grey", category="fact", importance=DULL).id
    wish = memory.remember("Grey shelves please", category="preference", importance=DULL).id
    fixed = memory.remember("Grey is dull", category="correction", importance=DULL).id
    bolted = memory.remember("Some wall is grey", category="fact", immutable=True, importance=DULL).id
    mark(memory.graph, space=memory.space, memory=promise, resolved_at=clock.now)
    put(memory, guess, source_confidence=0.3)
    clock.advance(31 * DAY)
    first = archive(memory, clock)
    assert reasons(memory) == {guess: Reason.SPECULATION}
    clock.advance(60 * DAY)
    archive(memory, clock)
    assert reasons(memory) == {
        guess: Reason.SPECULATION,
        promise: Reason.COMMITMENT,
        dull: Reason.UNUSED,
    }
    away = node(memory, guess)
    assert (away["archived_run"], away.get("archived_state")) == (first.id, None)
    assert away["lifecycle_state"] == "archived"
    assert {each.memory.id for each in memory.recall("Ida shelf wall grey call oboe harp", 20)} == {
        kept, sure, wish, fixed, bolted,
    }  # fmt: skip


def test_old_conversations_stay_what_they_were(memory: Engram, clock: FixedClock) -> None:
    """Turns of an old conversation get no state and are not put away, unless a number says so; then by their storing."""
    memory.remember_turns(
        Turn(text=f"The shelf is grey, I said {n}", speaker="Ida", at=clock.now - 3_000 * DAY, importance=0.1)
        for n in range(3)
    )
    before = everything(memory)
    clock.advance(200 * DAY)
    assert archive(memory, clock).changed == 0
    assert everything(memory) == before
    memory.tune("archive.raw_turns", 1)
    clock.now -= 150 * DAY
    assert archive(memory, clock).changed == 0
    clock.advance(150 * DAY)
    assert archive(memory, clock).changed == 3
    assert set(reasons(memory).values()) == {Reason.UNUSED}


def test_undo_brings_back_what_a_run_put_away(memory: Engram, clock: FixedClock) -> None:
    """Undone, a run's memories are found again in the state they had, and stay for as long as new ones would."""
    dull = memory.remember("Some shelf is grey", category="fact", importance=DULL).id
    archive(memory, clock)
    state = node(memory, dull)["lifecycle_state"]
    clock.advance(91 * DAY)
    done = archive(memory, clock)
    away = node(memory, dull)
    assert (away["status"], away["archived_state"]) == ("archived", state)
    assert archive(memory, clock, undoing=done.id, dry_run=True).changed == 1
    assert archive(memory, clock, undoing=done.id).changed == 1
    assert archive(memory, clock, undoing=done.id).changed == 0
    back = node(memory, dull)
    assert (back["status"], back["lifecycle_state"]) == ("active", state)
    assert not MARKS & back.keys()
    clock.advance(89 * DAY)
    archive(memory, clock)
    assert reasons(memory) == {}
    clock.advance(2 * DAY)
    archive(memory, clock)
    assert reasons(memory) == {dull: Reason.UNUSED}


def test_a_strong_cue_brings_it_back_and_a_weak_one_does_not(memory: Engram, clock: FixedClock) -> None:
    """Above a cosine of 0.9 what a job has put away is found and active again; below, and by partners, it is not."""
    dull = memory.remember("Some shelf is grey and stands by the wall", category="fact", importance=DULL).id
    memory.remember("Another wall is white", category="preference")
    clock.advance(91 * DAY)
    archive(memory, clock)
    for weak in ("Which shelf?", "white wall"):
        assert dull not in {each.memory.id for each in memory.recall(weak, 10)}
    strong = "Some shelf is grey and stands by the wall"
    assert memory.recall(strong, 5, read_only=True)[0].memory.id == dull
    assert node(memory, dull)["status"] == "archived"
    assert memory.recall(strong, 5)[0].memory.id == dull
    back = node(memory, dull)
    assert (back["status"], back["access_count"]) == ("active", 1)
    assert not MARKS & back.keys()
    archive(memory, clock)
    assert reasons(memory) == {}


def test_what_a_person_put_away_stays_away(memory: Engram, clock: FixedClock) -> None:
    """No cue and no job brings back what a person has forgotten; what a person restores, no job puts away."""
    gone = memory.remember("Some shelf is grey", category="fact", importance=DULL).id
    memory.forget(gone)
    before = node(memory, gone)
    assert memory.recall("Some shelf is grey", 5) == []
    clock.advance(200 * DAY)
    assert archive(memory, clock).changed == 0
    assert node(memory, gone) == before
    memory.restore(gone)
    assert archive(memory, clock).changed == 1
    assert reasons(memory) == {gone: Reason.UNUSED}
    memory.restore(gone)
    assert not MARKS & node(memory, gone).keys()
    clock.advance(1_000 * DAY)
    archive(memory, clock)
    assert reasons(memory) == {}
    assert node(memory, gone)["policy_class"] == "protected"


def test_states_follow_the_evidence_and_hands(memory: Engram, clock: FixedClock) -> None:
    """A dispute, use and a person's word show in the states; a mark taken back gives them to the job again."""
    tea, coffee = (memory.remember(f"Ada drinks only {what}").id for what in ("tea", "coffee"))
    archive(memory, clock)
    fresh = node(memory, tea)
    assert (fresh["lifecycle_state"], fresh["verification_state"]) == ("candidate", "unverified")
    assert (fresh["policy_class"], fresh["memory_kind"]) == ("durable", "episode")
    low, high = sorted((tea, coffee))
    memory.graph.write(
        "write/flag_tensions",
        space=memory.space,
        ids=[low, high],
        pairs=[{"low": low, "high": high, "why": "both only"}],
        now=clock.now,
    )
    mark(memory.graph, space=memory.space, memory=coffee, verification=VerificationState.USER_CONFIRMED)
    mark(memory.graph, space=memory.space, memory=coffee, policy_class=PolicyClass.EPHEMERAL)
    archive(memory, clock)
    assert node(memory, tea)["verification_state"] == "disputed"
    held = node(memory, coffee)
    assert (held["verification_state"], held["policy_class"]) == ("user_confirmed", "ephemeral")
    unmark(memory.graph, space=memory.space, memory=coffee)
    archive(memory, clock)
    freed = node(memory, coffee)
    assert (freed["verification_state"], freed["policy_class"]) == ("disputed", "durable")


def test_states_move_a_score_by_their_share(memory: Engram, clock: FixedClock) -> None:
    """A memory without states scores as it did before there were any, and one with states by their share of that."""
    tea = memory.remember("Ada drinks tea").id

    def score() -> tuple[float, float]:
        hit = memory.recall("What does Ada drink?", 1, explain=True, read_only=True)[0]
        assert hit.terms is not None
        assert sum(hit.terms.values()) == pytest.approx(hit.score)
        return hit.score, hit.terms["trust"]

    plain, trust = score()
    assert trust == 0.0
    for lifecycle, verification in (("active", "user_confirmed"), ("stale", "disputed"), (None, "disputed")):
        put(memory, tea, lifecycle_state=lifecycle, verification_state=verification)
        effect = retrieval_effect(lifecycle, verification)
        assert score() == pytest.approx((plain * (1.0 + effect), plain * effect))


FACTS = st.lists(
    st.tuples(
        st.sampled_from(["fact", "commitment", "preference", "moment", None]),
        st.floats(0.0, 1.0),
        st.floats(0.0, 1.0),
        st.integers(0, 200),
    ),
    min_size=1,
    max_size=5,
)


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(facts=FACTS)
def test_again_and_undone(memory: Engram, clock: FixedClock, facts: list[Any]) -> None:
    """Run again, the job changes nothing; undone, all that it put away is active, and nothing else has changed."""
    memory = another(memory, clock)
    begun = clock.now
    for number, (category, importance, confidence, age) in enumerate(facts):
        clock.now = begun - age * DAY
        stored = memory.remember(f"Fact {number} on the shelf", category=category, importance=importance)
        put(memory, stored.id, source_confidence=confidence)
    clock.now = begun
    done = archive(memory, clock)
    away = reasons(memory)
    before = everything(memory)
    assert archive(memory, clock).changed == 0
    assert everything(memory) == before
    assert archive(memory, clock, undoing=done.id).changed == len(away)
    assert reasons(memory) == {}


def test_two_workers_put_each_away_once(memory: Engram, clock: FixedClock) -> None:
    """Three runs at once archive each fact once, and leave nothing undone."""
    memory.tune("archive.batch_size", 4)
    for number in range(12):
        memory.remember(f"Shelf {number} is grey", category="fact", importance=DULL)
    clock.advance(91 * DAY)
    with ThreadPoolExecutor(3) as pool:
        runs = [each.result() for each in [pool.submit(archive, memory, clock) for _ in range(3)]]
    assert sum(each.changed for each in runs) == 12
    assert set(reasons(memory).values()) == {Reason.UNUSED}


def test_another_space_is_left_alone(memory: Engram, clock: FixedClock) -> None:
    """Neither a run nor its undoing nor a mark reaches into another space."""
    other = another(memory, clock)
    mine, theirs = (
        each.remember("Some shelf is grey", category="fact", importance=DULL).id for each in (memory, other)
    )
    clock.advance(91 * DAY)
    before = everything(other)
    done = archive(memory, clock)
    rows = memory.graph.read(
        "consolidate/archive_find_archived", space=other.space, run=done.id, after="", batch_size=9
    )
    assert rows == [{"ids": []}]
    memory.graph.write(
        "consolidate/archive_restore_facts", space=other.space, ids=[mine], run=done.id, now=clock.now
    )
    assert reasons(memory) == {mine: Reason.UNUSED}
    with pytest.raises(Exception, match="no memory"):
        mark(memory.graph, space=memory.space, memory=theirs, policy_class=PolicyClass.EPHEMERAL)
    assert everything(other) == before


def test_confidence_of_an_association(memory: Engram, clock: FixedClock) -> None:
    """An edge is sure until it has been idle for long; then it loses by the day, and a joint use gives some back."""
    shelf = [memory.remember(f"Volume {n} of the atlas").id for n in range(2)]

    def use() -> float | None:
        assert len(memory.recall("atlas volume", 2)) == 2
        _, relationships = everything(memory)
        (edge,) = [each["properties"] for each in relationships if each["type"] == "CO_ACCESSED"]
        value: float | None = edge.get("confidence")
        return value

    def followed() -> list[float]:
        row = memory._recaller.find(question("atlas", 5)).candidates.edges
        return sorted(row.weights.tolist())

    question = resolve_name("engram.recall:question")
    assert use() is None
    held: float | None = None
    for days in (29, 120, 200):
        clock.advance(days * DAY)
        expected = edge_confidence_after(held, days)
        held = use()
        assert held == (None if expected >= 1.0 else pytest.approx(expected))
    sure = followed()
    clock.advance(60 * DAY)
    doubted = edge_confidence(held, 60)
    assert followed() == pytest.approx([weight / (held or 1.0) * doubted for weight in sure])
    clock.advance(400 * DAY)
    assert followed() == []
    assert set(shelf) <= {each.memory.id for each in memory.recall("atlas volume", 2, read_only=True)}


def test_guidelines_learn_from_enough_verdicts(memory: Engram, clock: FixedClock) -> None:
    """Where short lines help less than whole texts, longer ones are advised, once; with few verdicts nothing is."""
    told = memory.remember("A long story about the grey shelf, and what became of it")
    whole = memory.remember("Grey shelf")
    put(memory, told.id, compressed="A story")
    put(memory, whole.id, compressed="Grey shelf")
    assert guidelines(memory.graph, space=memory.space).lines == ()
    archive(memory, clock)
    assert guidelines(memory.graph, space=memory.space).version == 0
    for _ in range(ENOUGH):
        hits = memory.recall("grey shelf", 2)
        for hit in hits:
            hit.useful(hit.memory.id == whole.id)
    archive(memory, clock)
    learned = guidelines(memory.graph, space=memory.space)
    expected = advise(Outcomes(line_judged=ENOUGH, whole_judged=ENOUGH, whole_useful=ENOUGH))
    assert (learned.version, learned.lines, learned.longest) == (1, expected.lines, expected.longest)
    archive(memory, clock)
    assert guidelines(memory.graph, space=memory.space) == learned
    assert guidelines(memory.graph, space=another(memory, clock).space).version == 0
