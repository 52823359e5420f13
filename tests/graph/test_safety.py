"""The ceilings against a real Neo4j: what may lift a weight and how far, what a cycle notices, and what is kept."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.llm import Models
from engram.loop.agent import Agent
from engram.memory import Engram
from engram.safety import CEILINGS, Change, Phase, Safety, SafetyEvent
from engram.safety.measures import FEWEST
from engram.scoring.weight import CAP_ODDS, WEIGHT_CAP, damped
from engram.testing import FixedClock, ScriptedModel
from engram.tuning import Tuning
from tests.graph.beside import another, run
from tests.graph.test_exit_gate import carry, confirming
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


# ----- Evidence from outside


def amounts(memory: Engram, memory_id: str) -> list[tuple[float, float]]:
    """Return what of each verdict is in a memory's weights, for and against, as the records keep it."""
    rows = run(memory, "read_verdicts", id=memory_id)
    return [(row["weight_for"], row["weight_against"]) for row in rows]


def moved(
    weights: tuple[float, float], step: tuple[float, float], bounds: list[float]
) -> tuple[float, float]:
    """Return alpha and beta after a step, where these bounds on alpha / beta are enforced."""
    (alpha, beta), (up, down) = weights, step
    most = max(alpha / beta, min(bounds, default=float("inf")))
    after = beta + down if down >= 0 else max(beta + down, alpha / most)
    return min(alpha + up, max(alpha, most * after)), after


def test_evidence_follows_the_formula(memory: Engram) -> None:
    """Whatever the weight, the phase and the cycle before, evidence counts in full up to the lowest ceiling."""
    stored = memory.remember("The atlas lies on the shelf")

    @settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        weights=st.tuples(st.floats(1.0, 200.0), st.floats(1.0, 20.0)),
        step=st.sampled_from([(1.0, 0.0), (1.0, -0.5), (0.0, 0.5), (-1.0, 0.5), (4.0, 0.0), (0.0, -0.5)]),
        rise=st.floats(0.8, 1.2),
        phase=st.integers(0, 3),
        paused=st.booleans(),
    )
    def hold(
        weights: tuple[float, float],
        step: tuple[float, float],
        rise: float,
        phase: int,
        paused: bool,  # noqa: FBT001
    ) -> None:
        alpha, beta = weights
        seen = min(alpha / (alpha + beta) / rise, 0.999)
        put(memory, stored.id, weight_alpha=alpha, weight_beta=beta, weight_paused=paused or None)
        put(memory, stored.id, weight_alpha_seen=seen, weight_beta_seen=1.0 - seen)
        (row,) = memory.graph.write(
            "write/move_weights",
            space=memory.space,
            rows=[{"id": stored.id, "alpha": step[0], "beta": step[1]}],
            recall=None,
            safety=Tuning({"safety.enforced_phase": phase}).safety,
        ).rows
        limits = [("weight_cap", CAP_ODDS)] if phase >= 1 else []
        limits += [("rate_limit", 1.1 * seen / (1.0 - 1.1 * seen))] if phase >= 2 and 1.1 * seen < 1.0 else []
        limits += [("circuit_breaker", alpha / beta)] if phase >= 3 and paused else []
        found = weight(memory, stored.id)
        assert found == pytest.approx(moved(weights, step, [odds for _, odds in limits]), rel=1e-9)
        wanted = (alpha + step[0]) / (beta + step[1])
        if wanted > alpha / beta * (1 + 1e-9):
            stopped = {each["ceiling"] for each in row["over"] if each["phase"] <= phase}
            assert stopped == {name for name, odds in limits if wanted > odds}
            assert all(each["after"] == pytest.approx(wanted / (1 + wanted)) for each in row["over"])
        else:
            assert row["over"] == []

    hold()


def test_nothing_lifts_a_weight_over_the_cap(memory: Engram, clock: FixedClock) -> None:
    """No course of uses, verdicts, changed verdicts and confirmations does; what each loses to the cap is an event."""
    stored = memory.remember("The atlas lies on the shelf")

    @settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        room=st.floats(0.0, 2.0),
        course=st.lists(
            st.sampled_from(["use", "told", *((one, good) for one in (0, 1) for good in (True, False))]),
            min_size=2,
            max_size=6,
        ),
    )
    def hold(room: float, course: list[str | tuple[int, bool]]) -> None:
        recalls = [str(memory.recall("atlas", 1).recall) for _ in range(2)]
        assert memory.flush()
        put(memory, stored.id, weight_alpha=CAP_ODDS * 4.0 - room, weight_beta=4.0)
        judged: dict[int, bool] = {}
        for each in course:
            before, known = weight(memory, stored.id), len(fired(memory, "weight_cap"))
            full = 0.0
            if each == "use":
                clock.advance(timedelta(seconds=1))
                use(memory, stored.id, session=clock.now.isoformat())
            elif isinstance(each, tuple):
                one, good = each
                full = 1.0 if good and judged.get(one) is not True else 0.0
                judged[one] = good
                memory.judge(recalls[one], useful=good)
            else:
                full = 1.0
                clock.advance(timedelta(days=1))
                carry(memory, confirming(stored.id, clock), at=clock.now)
            alpha, beta = weight(memory, stored.id)
            assert alpha <= CAP_ODDS * beta * (1 + 1e-9)
            assert beta >= 4.0 - 1e-9
            if full and alpha - before[0] < full - 1e-9:
                assert len(fired(memory, "weight_cap")) == known + 1
        assert all(0.0 <= good <= 1.0 and 0.0 <= bad <= 0.5 for good, bad in amounts(memory, stored.id))

    hold()
    assert all(event.enforced for event in fired(memory, "weight_cap"))


def test_a_verdict_takes_back_what_it_gave(memory: Engram) -> None:
    """What the cap left of a verdict is what a changed one takes back, as often as it changes; all cuts are kept."""
    stored = memory.remember("The atlas lies on the shelf")
    hits = memory.recall("atlas", 1)
    memory.flush()
    start = CAP_ODDS * 4.0 - 0.4
    put(memory, stored.id, weight_alpha=start, weight_beta=4.0)
    for n in range(2):
        hits[0].useful()
        assert weight(memory, stored.id) == pytest.approx((CAP_ODDS * 4.0, 4.0))
        assert amounts(memory, stored.id) == [pytest.approx((0.4, 0.0))]
        hits[0].useful(verdict=False)
        assert weight(memory, stored.id) == pytest.approx((start, 4.5))
        assert amounts(memory, stored.id) == [pytest.approx((0.0, 0.5))]
        assert len(fired(memory, "weight_cap")) == n + 1
    # Lifted meanwhile as far as what the verdict says against it allows: taken back, it would be over the cap.
    put(memory, stored.id, weight_alpha=CAP_ODDS * 4.3)
    hits[0].useful()
    assert weight(memory, stored.id) == pytest.approx((CAP_ODDS * 4.3, 4.3))
    assert amounts(memory, stored.id) == [pytest.approx((0.0, 0.3))]
    hits[0].useful(verdict=False)
    assert weight(memory, stored.id) == pytest.approx((CAP_ODDS * 4.3, 4.5))
    (event, *_) = fired(memory, "weight_cap")
    assert (event.subject, event.enforced) == (stored.id, True)
    assert event.reason.startswith("a verdict would have lifted the weight to 0.95")


def test_an_old_verdict_is_taken_back_in_full(memory: Engram) -> None:
    """Of a verdict from before the amounts were kept, all is in the weights."""
    stored = memory.remember("The atlas lies on the shelf")
    hits = memory.recall("atlas", 1)
    memory.flush()
    before = weight(memory, stored.id)
    for verdict, step in ((True, (1.0, 0.0)), (False, (0.0, 0.5)), (True, (1.0, 0.0))):
        hits[0].useful(verdict=verdict)
        assert weight(memory, stored.id) == pytest.approx((before[0] + step[0], before[1] + step[1]))
        run(memory, "forget_verdict_amounts")


@pytest.mark.parametrize("phase", [0, 1])
def test_a_person_says_it_again(memory: Engram, clock: FixedClock, phase: int) -> None:
    """What is said again and again ends at the cap where that is enforced; else it goes over and is only noted."""
    stored = memory.remember("The atlas lies on the shelf")
    put(memory, stored.id, weight_alpha=CAP_ODDS * 4.0 - 0.5)
    tuning = Tuning({"safety.enforced_phase": phase})
    carry(memory, *[confirming(stored.id, clock, number=n) for n in range(3)], at=clock.now, tuning=tuning)
    expected = CAP_ODDS * 4.0 if phase else CAP_ODDS * 4.0 + 2.5
    assert weight(memory, stored.id) == pytest.approx((expected, 4.0))
    (event,) = safety(memory).events()
    assert (event.ceiling, event.subject, event.enforced) == ("weight_cap", stored.id, bool(phase))
    assert event.before < WEIGHT_CAP < event.after


@pytest.mark.parametrize("phase", [1, 2, 3])
def test_evidence_keeps_to_what_is_enforced(memory: Engram, clock: FixedClock, phase: int) -> None:
    """A verdict lifts a weight by a tenth in B and a paused one not at all in C; in full before, and noted then."""
    memory.tune("safety.enforced_phase", phase)
    stored = memory.remember("The atlas lies on the shelf")
    hits = memory.recall("atlas", 1)
    memory.flush()
    put(memory, stored.id, weight_alpha=1.0)
    cycle(memory, clock)
    put(memory, stored.id, weight_paused=True if phase == 3 else None)
    hits[0].useful()
    alpha, beta = weight(memory, stored.id)
    assert alpha / (alpha + beta) == pytest.approx({1: 2 / 6, 2: 0.22, 3: 0.2}[phase])
    if phase == 1:
        cycle(memory, clock)
    names = {
        event.ceiling: event.enforced for event in safety(memory).events() if event.ceiling != "two_gate"
    }
    enforced = {"rate_limit": phase > 1} | ({"circuit_breaker": True} if phase == 3 else {})
    assert names == enforced


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
    # By somebody's hand, say: nothing of the engine's went over the cap, so there was nothing to stop.
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


@pytest.mark.parametrize("phase", [2, 3])
def test_a_fall_of_entropy_broadens(memory: Engram, clock: FixedClock, phase: int) -> None:
    """Enforced, memories that weigh less come to mind as the identity until the next cycle; in shadow they do not."""
    memory.tune("safety.enforced_phase", phase)
    facts = [memory.remember(f"Volume {n} of the atlas shows country {n}") for n in range(8)]
    certain = {"weight_alpha": 5e5, "weight_beta": 5e5}  # drawn at 0.5: between 0.45 and 0.6
    put(memory, facts[0].id, **certain)
    chat = Agent(
        memory,
        Models(system1=ScriptedModel("Hm.", "Hm.", "Hm.")),
        session="evening",
        clock=clock,
        generator=np.random.default_rng(1),
    )
    told = []
    for low in (4.0, 4e3, 4e3):
        for each in facts[1:]:
            put(memory, each.id, weight_beta=low)
        cycle(memory, clock)
        chat._knowing.look()
        list(chat.say("Tell me a story"))
        assert chat.assembled is not None
        told.append([each.id for each in chat.assembled.identity])
    chat.finish()
    assert told == [[], [facts[0].id] if phase == 3 else [], []]


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
