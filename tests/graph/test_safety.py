"""The ceilings against a real Neo4j: what a recall may do to a weight, what a cycle notices, and what is kept of it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.memory import Engram
from engram.safety import CEILINGS, Change, Phase, Safety, SafetyEvent
from engram.safety.measures import FEWEST
from engram.scoring.weight import CAP_ODDS, WEIGHT_CAP, damped
from engram.testing import FixedClock
from engram.tuning import Tuning
from tests.graph.beside import another, run
from tests.graph.test_learning import lesson_of

pytestmark = pytest.mark.graph

run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
JOB: Any = resolve_name("engram.jobs.safety:JOB")
SWEEP: Any = resolve_name("engram.jobs.sweep:JOB")
STEP = Tuning().access["weight"]


def safety(memory: Engram) -> Safety:
    """Return the record of the memory's space, by the test's clock."""
    return Safety(memory.graph, space=memory.space, clock=memory._clock)


def fired(memory: Engram, ceiling: str) -> list[SafetyEvent]:
    """Return the events of one ceiling, the newest first."""
    return [event for event in safety(memory).events() if event.ceiling == ceiling]


def put(memory: Engram, memory_id: str, **properties: Any) -> None:
    """Set properties by hand."""
    run(memory, "set_properties", id=memory_id, properties=properties)


def weight(memory: Engram, memory_id: str) -> tuple[float, float]:
    """Return alpha and beta."""
    found = memory.get(memory_id)
    return found.weight_alpha, found.weight_beta


def use(memory: Engram, memory_id: str, session: str = "talk") -> None:
    """Let a recall in some session have returned this memory and nothing else."""
    lesson = replace(lesson_of("atlas", memory_id, at=memory._clock()), session=session)
    memory._learner.learn(lesson)
    assert memory.flush()
    assert memory.learning.dropped == 0


def cycle(memory: Engram, clock: FixedClock) -> Any:
    """Let an hour go by and run the job."""
    clock.advance(timedelta(hours=1))
    return run_job(JOB, memory.graph, space=memory.space, clock=clock)


# ----- Steps of a recall


@pytest.mark.parametrize("phase", [0, 1])
def test_a_weight_over_the_cap(memory: Engram, phase: int) -> None:
    """A recall that would lift a weight over 0.95 leaves it there where that is enforced; else it is only noted."""
    memory.tune("safety.enforced_phase", phase)
    stored = memory.remember("The atlas lies on the shelf")
    put(memory, stored.id, weight_alpha=CAP_ODDS * 4.0 - 0.001)
    use(memory, stored.id)
    alpha, beta = weight(memory, stored.id)
    wanted = CAP_ODDS * 4.0 - 0.001 + damped(STEP, CAP_ODDS * 4.0 - 0.001 + 4.0)
    assert alpha == pytest.approx(CAP_ODDS * beta if phase else wanted, abs=1e-12)
    (event,) = fired(memory, "weight_cap")
    assert (event.subject, event.enforced, event.phase) == (stored.id, bool(phase), Phase.A)
    assert event.before < WEIGHT_CAP < event.after
    assert event.after == pytest.approx(wanted / (wanted + beta), abs=1e-12)


def test_what_stands_above_the_cap_stays(memory: Engram) -> None:
    """A weight above the cap is not lowered by a recall, only not raised; an immutable one fires nothing."""
    above, fixed = memory.remember("The atlas lies on the shelf"), memory.remember("Never lie")
    for each in (above, fixed):
        put(memory, each.id, weight_alpha=50.0, weight_beta=1.0)
    put(memory, fixed.id, immutable=True)
    for each in (above, fixed):
        use(memory, each.id)
        assert weight(memory, each.id) == (50.0, 1.0)
    assert [event.subject for event in safety(memory).events()] == [above.id]


def test_the_graph_follows_the_formula(memory: Engram) -> None:
    """Whatever the weight, the phase and the cycle before, a step is the pure function's, cut at the lowest ceiling."""
    stored = memory.remember("The atlas lies on the shelf")

    @settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        alpha=st.floats(0.1, 200.0),
        beta=st.floats(0.1, 20.0),
        rise=st.floats(0.8, 1.2),
        phase=st.integers(0, 3),
        paused=st.booleans(),
    )
    def hold(alpha: float, beta: float, rise: float, phase: int, paused: bool) -> None:  # noqa: FBT001
        seen = alpha / (alpha + beta) / rise  # what the last cycle saw
        put(memory, stored.id, weight_alpha=alpha, weight_beta=beta, weight_paused=paused or None)
        put(memory, stored.id, weight_alpha_seen=min(seen, 0.999), weight_beta_seen=1.0 - min(seen, 0.999))
        lesson = replace(lesson_of("atlas", stored.id, at=memory._clock()), session=None)
        tuning = Tuning({"safety.enforced_phase": phase, "boost.session_cap": 1_000})
        (row,) = memory.graph.write("write/learn_from_recall", **lesson.parameters(memory.space, tuning)).rows
        most = alpha + float(damped(STEP, alpha + beta))
        bounds = [CAP_ODDS * beta] if phase >= 1 else []
        highest = 1.1 * min(seen, 0.999)
        bounds += [highest / (1.0 - highest) * beta] if phase >= 2 and highest < 1.0 else []
        bounds += [alpha] if phase >= 3 and paused else []
        assert weight(memory, stored.id)[0] == pytest.approx(max(alpha, min([most, *bounds])), rel=1e-9)
        for each in row["over"]:
            assert each["after"] == pytest.approx(most / (most + beta), rel=1e-9)
            assert most > each["alpha"]

    hold()


def test_twenty_reinforcements_bring_less_and_less(memory: Engram, clock: FixedClock) -> None:
    """In twenty sessions a memory gains `0.1 / log2(n + 1)` each, ever less, and every step is told by its recall."""
    stored = memory.remember("The atlas lies on the shelf")
    alpha, told = 1.0, []
    for n in range(20):
        use(memory, stored.id, session=f"s{n}")
        told.append((alpha / (alpha + 4.0), (alpha := alpha + damped(STEP, alpha + 4.0)) / (alpha + 4.0)))
        clock.advance(timedelta(minutes=1))
    assert weight(memory, stored.id) == pytest.approx((alpha, 4.0), abs=1e-12)
    held = run(memory, "read_space")[0]["relationships"]
    steps = sorted(
        (each["properties"]["weight_before"], each["properties"]["weight_after"])
        for each in held
        if each["type"] == "RETURNED"
    )
    assert steps == [pytest.approx(each, abs=1e-12) for each in told]
    assert safety(memory).events() == ()


# ----- Cycles


def test_a_cycle_notices_what_moved_too_fast(memory: Engram, clock: FixedClock) -> None:
    """What rose by more than a tenth since the last cycle is noted once, in shadow; what is new is not measured."""
    fast, slow = memory.remember("The atlas lies on the shelf"), memory.remember("The boat is red")
    for each in (fast, slow):
        use(memory, each.id)
    cycle(memory, clock)
    assert safety(memory).events() == ()
    put(memory, fast.id, weight_alpha=2.0)
    put(memory, slow.id, weight_alpha=1.11)
    cycle(memory, clock)
    (event,) = safety(memory).events()
    assert (event.ceiling, event.subject, event.enforced) == ("rate_limit", fast.id, False)
    assert (event.before, event.after) == pytest.approx((1.1 / 5.1, 2.0 / 6.0))
    cycle(memory, clock)
    assert len(safety(memory).events()) == 1
    # A user's verdicts, say: no recall went over the cap, so there was nothing to stop.
    put(memory, slow.id, weight_alpha=100.0)
    cycle(memory, clock)
    (event,) = fired(memory, "weight_cap")
    assert (event.subject, event.enforced) == (slow.id, False)


def test_enforced_a_recall_keeps_to_the_rate(memory: Engram, clock: FixedClock) -> None:
    """In phase B, recalls lift a weight by a tenth of what the last cycle saw and no further, until the next one."""
    memory.tune("safety.enforced_phase", 2)
    stored = memory.remember("The atlas lies on the shelf")
    cycle(memory, clock)
    center = 0.2
    for n in range(3):
        for use_of in range(4):
            use(memory, stored.id, session=f"{n} {use_of}")
        center *= 1.1
        alpha, beta = weight(memory, stored.id)
        assert alpha / (alpha + beta) == pytest.approx(center, abs=1e-9)
        assert all(event.enforced for event in fired(memory, "rate_limit"))
        cycle(memory, clock)
    assert {event.ceiling for event in safety(memory).events()} == {"rate_limit"}


def test_the_breaker_trips_on_use_without_evidence(memory: Engram, clock: FixedClock) -> None:
    """Used in three cycles running with nothing new said for it, a memory trips; one that is said again does not."""
    memory.tune("safety.breaker_cycles", 3)
    memory.tune("safety.enforced_phase", 3)
    memory.tune("safety.rate", 10)
    stuck, told = memory.remember("The atlas lies on the shelf"), memory.remember("The boat is red")
    cycle(memory, clock)
    for n in range(3):
        assert fired(memory, "circuit_breaker") == []
        for each in (stuck, told):
            use(memory, each.id, session=str(n))
        if n == 1:
            memory.remember("The boat is red")
        cycle(memory, clock)
    (event,) = fired(memory, "circuit_breaker")
    assert (event.subject, event.enforced, event.after) == (stuck.id, True, 3.0)
    before = weight(memory, stuck.id)
    use(memory, stuck.id, session="paused")
    assert weight(memory, stuck.id) == before
    assert [each.enforced for each in fired(memory, "circuit_breaker")] == [True] * 2
    cycle(memory, clock)
    cycle(memory, clock)  # unused for a cycle: it goes on
    use(memory, stuck.id, session="again")
    assert weight(memory, stuck.id) > before


def test_a_verdict_is_evidence(memory: Engram, clock: FixedClock) -> None:
    """What was judged within the cycle, however, is not used without new evidence."""
    memory.tune("safety.breaker_cycles", 2)
    memory.remember("The atlas lies on the shelf")
    cycle(memory, clock)
    for n in range(4):
        clock.advance(timedelta(minutes=1))
        hits = memory.recall("atlas", 1, session=str(n))
        memory.flush()
        if n % 2:
            hits[0].useful()
        cycle(memory, clock)
    assert fired(memory, "circuit_breaker") == []


@pytest.mark.parametrize("phase", [1, 3])
def test_a_space_is_measured_as_a_whole(memory: Engram, clock: FixedClock, phase: int) -> None:
    """When a few take over and much is disputed, entropy and coherence fall, which is an alarm, in shadow or not."""
    memory.tune("safety.enforced_phase", phase)
    facts = [memory.remember(f"Volume {n} of the atlas shows country {n}") for n in range(8)]
    cycle(memory, clock)
    state = safety(memory).state()
    assert state.cycle is not None
    assert state.cycle.entropy == pytest.approx(1.0)
    assert (state.cycle.memories, state.cycle.coherence, state.cycle.epistemic) == (8, 1.0, 1.0)
    for each in facts[1:]:
        put(memory, each.id, weight_alpha=0.01, truth_alpha=1.0, truth_beta=3.0)
    cycle(memory, clock)
    state = safety(memory).state()
    assert state.cycle is not None
    assert state.cycle.entropy_before == pytest.approx(1.0)
    assert state.cycle.entropy is not None
    assert state.cycle.entropy < 0.5
    assert state.cycle.epistemic == 1 / 8
    assert state.cycle.action is None
    assert state.cycle.value == 1.0
    assert state.broaden is (phase == 3)
    whole = {event.ceiling: event.enforced for event in safety(memory).events() if not event.subject}
    assert whole == {"entropy": phase == 3, "coherence": phase == 3}


def test_a_cycle_lasts_as_long_as_its_interval(memory: Engram, clock: FixedClock) -> None:
    """A second run soon after the first is none: what was used stays to be looked at by the next cycle."""
    stored = memory.remember("The atlas lies on the shelf")
    assert cycle(memory, clock).changed == 1
    use(memory, stored.id)
    clock.advance(timedelta(minutes=20))
    assert run_job(JOB, memory.graph, space=memory.space, clock=clock).changed == 0
    clock.advance(timedelta(minutes=36))
    assert run_job(JOB, memory.graph, space=memory.space, clock=clock).changed == 1


# ----- Parameters


@pytest.mark.parametrize("phase", [1, 2])
def test_a_blend_that_cannot_be_validated(memory: Engram, phase: int) -> None:
    """The first verdicts move the blend on no other evidence, which is noted; enforced, they do not move it yet."""
    memory.tune("safety.enforced_phase", phase)
    for n in range(4):
        memory.remember(f"Volume {n} of the atlas shows country {n}")
    for n in range(FEWEST):
        memory.recall(f"atlas volume {n}", 2)[0].useful()
    noted = fired(memory, "two_gate")
    assert len(noted) == FEWEST
    assert all(event.enforced is (phase == 2) and event.subject.startswith("blend.") for event in noted)
    assert "too little" in noted[0].reason
    assert len(memory.blend().changes) == (0 if phase == 2 else FEWEST)
    hits = memory.recall("atlas volume 1", 2)
    hits[0].useful()
    later = fired(memory, "two_gate")
    assert not [event for event in later if event not in noted and "too little" in event.reason]


# ----- What is kept


def event(clock: FixedClock, subject: str = "m") -> SafetyEvent:
    """Return an event."""
    found = CEILINGS["weight_cap"].fired(Change(subject=subject, before=0.9, after=0.96), at=clock.now)
    assert found is not None
    return found


def test_events_are_kept_once_and_by_space(memory: Engram, clock: FixedClock) -> None:
    """An event is kept once however often it is recorded, is read back as it was, and no other space sees it."""
    other = another(memory, clock)
    first = event(clock)
    clock.advance(timedelta(days=2))
    second = event(clock, "n")
    for _ in range(2):
        safety(memory).record([first, second])
    assert safety(memory).events() == (second, first)
    assert safety(memory).events(days=1) == (second,)
    (tally,) = safety(memory).tallies(newest=1)
    assert (tally.ceiling, tally.phase, tally.enforced, tally.count) == ("weight_cap", Phase.A, True, 2)
    assert tally.newest == (second,)
    assert safety(other).events() == ()
    assert safety(other).tallies() == ()
    assert safety(other).state().cycle is None


def test_old_events_become_a_counter(memory: Engram, clock: FixedClock) -> None:
    """Events are rolled up by month after `sweep.keep_days`, and counted once."""
    safety(memory).record([event(clock, str(n)) for n in range(3)])
    clock.advance(timedelta(days=31))
    kept = event(clock)
    safety(memory).record([kept])
    for _ in range(2):
        run_job(SWEEP, memory.graph, space=memory.space, clock=clock)
    assert safety(memory).events(days=100) == (kept,)
    (counter,) = (
        each for each in run(memory, "read_records", jobs=[])[0]["counters"] if each["kind"] == "SafetyEvent"
    )
    assert (counter["month"], counter["count"], counter["enforced"]) == ("2026-01", 3, 3)
