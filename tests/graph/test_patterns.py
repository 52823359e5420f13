"""Patterns against a real Neo4j: what is evidenced again and again is promoted, once, within the ceilings, and back."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.beliefs.changes import ChangeKind, list_changes, undo
from engram.beliefs.promotion.approvals import ApprovalState, approve, list_approvals, refuse
from engram.beliefs.promotion.patterns import Evidence, Stage, rules, stage_of
from engram.errors import InvalidInputError, NotFoundError
from engram.memory import Engram
from engram.safety import Safety, SafetyEvent
from engram.scoring.weight import WEIGHT_CAP
from engram.testing import FixedClock
from engram.tuning import Tuning
from tests.graph.beside import another, everything, run
from tests.graph.test_learning import lesson_of

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.patterns:JOB")
DECAY: Any = resolve_name("engram.jobs.decay:JOB")
SAFETY: Any = resolve_name("engram.jobs.safety:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
change_lines: Callable[[Any], Iterable[str]] = resolve_name("engram.cli.changes:change_lines")
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
GOAL, IDENTITY = (rule.boost for rule in rules(Tuning()))


def job(memory: Engram, clock: FixedClock, **options: Any) -> Any:
    """Run the job over the memory's space."""
    assert memory.flush()
    return run_job(JOB, memory.graph, space=memory.space, clock=clock, **options)


def remember(memory: Engram, clock: FixedClock, days: Iterable[int] = (), **more: Any) -> str:
    """Remember something that nobody has said, with turns that it rests on, so many days ago."""
    text = f"Tea is what Ida drinks, {more.pop('text', '')}"
    stored = memory.remember(text, category="preference", source_tag="internal", **more)
    lay(memory, clock, stored.id, days)
    return stored.id


def lay(memory: Engram, clock: FixedClock, memory_id: str, days: Iterable[int], **more: Any) -> None:
    """Let a memory rest on turns of so many days ago."""
    turns = [clock.now - each * DAY for each in days]
    run(
        memory,
        "pattern_lay_evidence",
        id=memory_id,
        **{"turns": turns, "alike": [], "tag": "external_user"} | more,
    )


def put(memory: Engram, memory_id: str, **properties: Any) -> None:
    """Set properties by hand."""
    run(memory, "set_properties", id=memory_id, properties=properties)


def node(memory: Engram, memory_id: str) -> dict[str, Any]:
    """Return all properties of a memory's node."""
    nodes, _ = everything(memory)
    properties: dict[str, Any] = next(each["properties"] for each in nodes if each["id"] == memory_id)
    return properties


def stage(memory: Engram, memory_id: str) -> int:
    """Return how far a memory is promoted."""
    return int(node(memory, memory_id).get("pattern_stage", 0))


def alpha(memory: Engram, memory_id: str) -> float:
    """Return the evidence for its weight."""
    return memory.get(memory_id).weight_alpha


def fired(memory: Engram, ceiling: str) -> list[SafetyEvent]:
    """Return the events of one ceiling, the newest first."""
    record = Safety(memory.graph, space=memory.space, clock=memory.now)
    return [event for event in record.events() if event.ceiling == ceiling]


def promotions(memory: Engram) -> list[Any]:
    """Return the log's promotions, the newest first."""
    changes = list_changes(memory.graph, space=memory.space)
    return [each for each in changes if each.kind is ChangeKind.PROMOTED]


def weeks(count: int, *, every: int = 4) -> range:
    """Return so many days, some days apart, the last one now."""
    return range(0, count * every, every)


# ----- Stages


def test_both_stages(memory: Engram, clock: FixedClock) -> None:
    """5 days over 14 give 2.0, 10 over 30 give 5.0 more, each once; truth stays as it is, and the log tells why."""
    tea = remember(memory, clock, weeks(5))
    truth = memory.get(tea).truth_alpha, memory.get(tea).truth_beta
    assert job(memory, clock).changed == 1
    assert (stage(memory, tea), alpha(memory, tea)) == (Stage.GOAL, 1.0 + GOAL)
    assert job(memory, clock).changed == 0
    clock.advance(20 * DAY)
    lay(memory, clock, tea, weeks(5, every=3))
    job(memory, clock)
    assert (stage(memory, tea), alpha(memory, tea)) == (Stage.IDENTITY, 1.0 + GOAL + IDENTITY)
    assert (memory.get(tea).truth_alpha, memory.get(tea).truth_beta) == truth
    newest, oldest = promotions(memory)
    assert (oldest.reason, newest.reason) == ("evidence of 5 days over 16", "evidence of 10 days over 36")
    assert oldest.by == "job:patterns"


@pytest.mark.parametrize(
    "more",
    [
        {"immutable": True},
        {"status": "superseded"},
        {"category": None, "kind": "episodic"},
        {"kind": "tension"},
    ],
    ids=str,
)
def test_what_is_never_promoted(memory: Engram, clock: FixedClock, more: dict[str, Any]) -> None:
    """What is immutable, does not hold any more, is a turn as it was said, or a contradiction, keeps its weight."""
    tea = remember(memory, clock, weeks(12))
    put(memory, tea, **more)
    assert job(memory, clock).changed == 0
    assert alpha(memory, tea) == 1.0


def test_what_counts_as_evidence(memory: Engram, clock: FixedClock) -> None:
    """Days of turns, of like memories, of uses and the last saying count, each day once; the agent's words do not."""
    tea = remember(memory, clock)
    lay(memory, clock, tea, [40, 40])
    lay(memory, clock, tea, [30], alike=[clock.now - 20 * DAY])
    lay(memory, clock, tea, [15, 14, 13, 12], alike=[clock.now - 11 * DAY], tag="internal_reply")
    for _ in range(2):
        memory._learner.learn(replace(lesson_of("tea", tea, at=clock.now)))
    assert job(memory, clock).changed == 0
    put(memory, tea, seen_count=2, last_seen_at=clock.now + DAY)
    clock.advance(DAY)
    assert job(memory, clock).changed == 1


def test_stages_come_on_their_days_however_often_anybody_looks(memory: Engram, clock: FixedClock) -> None:
    """Over a year of evidence, whenever the job runs it finds each memory at the stage of that day, by that boost."""
    boosts = [0.0, GOAL, GOAL + IDENTITY]
    year = clock.now

    @settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        evidence=st.sets(st.integers(0, 364), min_size=4, max_size=16),
        looks=st.sets(st.integers(0, 365), min_size=1, max_size=3),
        often=st.booleans(),
    )
    def hold(evidence: set[int], looks: set[int], often: bool) -> None:  # noqa: FBT001
        clock.now = year
        space = another(memory, clock)
        tea = remember(space, clock)
        laid: set[int] = set()
        for day in sorted({*looks, 365}):
            clock.now = year + day * DAY
            due = {each for each in evidence if each <= day} - laid
            lay(space, clock, tea, [day - each for each in sorted(due)])
            laid |= due
            for _ in range(1 + often):
                run_job(JOB, space.graph, space=space.space, clock=clock)
            reached = stage_of(Evidence.of(laid), rules(Tuning()))
            assert stage(space, tea) == reached
            assert alpha(space, tea) == pytest.approx(1.0 + boosts[reached])

    hold()


def test_two_workers_promote_once(memory: Engram, clock: FixedClock) -> None:
    """However many jobs run at once, each stage is given once and stands in the log once."""
    teas = [remember(memory, clock, weeks(10), text=str(n)) for n in range(3)]
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: job(memory, clock), range(4)))
    assert sum(each.changed for each in runs) == 6
    assert {alpha(memory, tea) for tea in teas} == {1.0 + GOAL + IDENTITY}
    assert len(promotions(memory)) == 6


def test_a_dry_run_only_says(memory: Engram, clock: FixedClock) -> None:
    """It counts what would be promoted, and leaves the graph as it is."""
    tea = remember(memory, clock, weeks(10))
    before = everything(memory)
    dry = job(memory, clock, dry_run=True)
    assert (dry.changed, dry.examples[0]["id"], dry.examples[0]["stage"]) == (1, tea, "goal")
    assert everything(memory) == before


def test_another_space_is_another_matter(memory: Engram, clock: FixedClock) -> None:
    """A run changes nothing of another space, though everything is due there too."""
    remember(memory, clock, weeks(10))
    other = another(memory, clock)
    tea = remember(other, clock, weeks(10))
    before = everything(other)
    job(memory, clock)
    assert everything(other) == before
    change = promotions(memory)[0].id
    with pytest.raises(NotFoundError):
        undo(other.graph, space=other.space, change=change, now=clock.now)
    assert stage(other, tea) == Stage.NONE


# ----- The way back


def test_a_promotion_is_taken_back(memory: Engram, clock: FixedClock) -> None:
    """What it gave goes, what came since stays, the later stage first; it comes again with twice the evidence."""
    tea = remember(memory, clock, weeks(10))
    job(memory, clock)
    first, second = sorted(promotions(memory), key=lambda each: was(memory, each.id)["pattern_stage"])
    put(memory, tea, weight_alpha=alpha(memory, tea) + 0.5)
    with pytest.raises(InvalidInputError, match="promoted further"):
        undo(memory.graph, space=memory.space, change=first.id, now=clock.now)
    undo(memory.graph, space=memory.space, change=second.id, now=clock.now)
    assert stage(memory, tea) == Stage.GOAL
    assert alpha(memory, tea) == pytest.approx(1.5 + GOAL)
    assert job(memory, clock).changed == 0
    undo(memory.graph, space=memory.space, change=first.id, now=clock.now)
    assert stage(memory, tea) == Stage.NONE
    assert alpha(memory, tea) == pytest.approx(1.5)
    lay(memory, clock, tea, range(1, 18, 2))
    assert job(memory, clock).changed == 0
    lay(memory, clock, tea, [19])
    assert job(memory, clock).changed == 2


def was(memory: Engram, change: str) -> dict[str, Any]:
    """Return what a change noted on the memory that it touched."""
    _, relationships = everything(memory)
    found: dict[str, Any] = next(
        each["properties"] for each in relationships if (each["type"], each["start"]) == ("CHANGED", change)
    )
    return found


def test_a_run_is_taken_back(memory: Engram, clock: FixedClock) -> None:
    """Undone, a run's promotions are gone, both stages; the next run does not do them again."""
    tea = remember(memory, clock, weeks(10))
    done = job(memory, clock)
    assert job(memory, clock, undoing=done.id, dry_run=True).changed == 2
    assert job(memory, clock, undoing=done.id).changed == 2
    assert (stage(memory, tea), alpha(memory, tea)) == (Stage.NONE, 1.0)
    assert job(memory, clock, undoing=done.id).changed == 0
    assert job(memory, clock).changed == 0


def test_what_is_not_evidenced_any_more_fades(memory: Engram, clock: FixedClock) -> None:
    """A promoted memory that nobody comes back to loses weight with time, week by week, and more when it is stale."""
    tea = remember(memory, clock, weeks(10))
    job(memory, clock)
    centers = []
    for _ in range(4):
        found = memory.get(tea)
        centers.append(found.weight_alpha / (found.weight_alpha + found.weight_beta))
        clock.advance(95 * DAY)
        run_job(DECAY, memory.graph, space=memory.space, clock=clock)
        job(memory, clock)
    assert centers == sorted(centers, reverse=True)
    assert centers[-1] < 0.55 < centers[0]
    assert stage(memory, tea) == Stage.IDENTITY


# ----- Ceilings


def test_an_enforced_rate_gives_it_in_parts(memory: Engram, clock: FixedClock) -> None:
    """A tenth a cycle and no more; it goes on in later cycles until all of it is given, and goes back as a whole."""
    memory.tune("safety.enforced_phase", 2)
    memory.tune("safety.capacity", 10)
    tea = remember(memory, clock, weeks(5))
    run_job(SAFETY, memory.graph, space=memory.space, clock=clock)
    job(memory, clock)
    found = memory.get(tea)
    assert found.weight_alpha / (found.weight_alpha + found.weight_beta) == pytest.approx(0.22)
    (event,) = fired(memory, "rate_limit")
    assert event.enforced
    graph = everything(memory)
    assert job(memory, clock).changed == 0
    assert everything(memory) == graph
    for _ in range(9):
        clock.advance(HOUR)
        run_job(SAFETY, memory.graph, space=memory.space, clock=clock)
        job(memory, clock)
    assert alpha(memory, tea) == pytest.approx(1.0 + GOAL)
    assert "pattern_due" not in node(memory, tea)
    (change,) = promotions(memory)
    undo(memory.graph, space=memory.space, change=change.id, now=clock.now)
    assert alpha(memory, tea) == pytest.approx(1.0)


def test_the_cap_holds(memory: Engram, clock: FixedClock) -> None:
    """No promotion lifts a weight over 0.95, approved or not."""
    memory.tune("approve.trust_level", 3)
    tea = remember(memory, clock, weeks(5))
    put(memory, tea, weight_alpha=18.0, weight_beta=1.0)
    job(memory, clock)
    found = memory.get(tea)
    assert found.weight_alpha / (found.weight_alpha + found.weight_beta) == pytest.approx(WEIGHT_CAP)
    assert [event.enforced for event in fired(memory, "weight_cap")] == [True]
    assert job(memory, clock).changed == 0


def test_what_was_of_no_use_does_not_pass_the_gates(memory: Engram, clock: FixedClock) -> None:
    """In shadow the gates only note it; enforced, a memory that recalls found useless waits for further evidence."""
    tea, rum = (remember(memory, clock, weeks(5), text=name) for name in ("black", "green"))
    for each in (tea, rum):
        lesson = lesson_of("tea", each, at=clock.now)
        memory._learner.learn(lesson)
        memory.judge(lesson.id, useful=False)
    memory.tune("safety.capacity", 10)
    put(memory, rum, status="dormant")
    assert job(memory, clock).changed == 1
    assert [(event.subject, event.enforced) for event in fired(memory, "two_gate")] == [(tea, False)]
    memory.tune("safety.enforced_phase", 2)
    put(memory, rum, status="active")
    stopped = job(memory, clock)
    assert stopped.changed == 0
    assert "stopped by a ceiling" in stopped.notes[0]
    assert stage(memory, rum) == Stage.NONE
    assert {event.enforced for event in fired(memory, "two_gate")} == {False, True}
    assert job(memory, clock).notes == ()


def test_promotions_lend_no_more_than_a_share(memory: Engram, clock: FixedClock) -> None:
    """The load is what all promotions have lent, as a share of what memories have of their own."""
    remember(memory, clock, weeks(5))
    job(memory, clock)
    (event,) = fired(memory, "two_gate")
    own = alpha(memory, event.subject) - GOAL
    assert event.before == 0.0
    assert event.after == pytest.approx(GOAL / own)


def test_a_promotion_that_breaks_the_whole_is_rolled_back(memory: Engram, clock: FixedClock) -> None:
    """What would stand for identity and is disputed stays as it was, an event tells, and it is not tried at once again."""
    tea = remember(memory, clock, weeks(10))
    held = memory.remember("Rum is what Ida drinks")
    put(memory, tea, weight_alpha=4.0)
    run(memory, "pattern_lay_tension", one=tea, other=held.id)
    before = memory.get(tea)
    done = job(memory, clock)
    assert (done.changed, promotions(memory)) == (0, [])
    assert "rolled back" in done.notes[0]
    assert memory.get(tea) == before
    (event,) = fired(memory, "coherence")
    assert (event.subject, event.enforced, event.before, event.after) == (tea, True, 1.0, 0.0)
    graph = everything(memory)
    assert job(memory, clock).notes == ()
    assert everything(memory) == graph


# ----- A person's word


def weighty(memory: Engram, clock: FixedClock, count: int = 5) -> str:
    """Remember something that a promotion would lift above 0.85."""
    tea = remember(memory, clock, weeks(count))
    put(memory, tea, weight_alpha=24.0, weight_beta=4.0)
    return tea


def asked(memory: Engram, **options: Any) -> list[Any]:
    """Return what waits for a person's word."""
    return list_approvals(memory.graph, space=memory.space, **options)


def test_a_person_is_asked_and_approves(memory: Engram, clock: FixedClock) -> None:
    """Above 0.85 it waits, asked for once with what it rests on; approved, by its id or the memory's, it is promoted."""
    tea = weighty(memory, clock)
    assert job(memory, clock).changed == 1
    assert job(memory, clock).changed == 0
    (question,) = asked(memory)
    assert (question.memory, question.stage, question.days, question.span_days) == (tea, Stage.GOAL, 5, 16)
    assert question.weight == pytest.approx(24 / 28)
    assert question.center == pytest.approx(26 / 30)
    assert alpha(memory, tea) == 24.0
    done = approve(memory.graph, space=memory.space, approval=tea[:8], by="Ida", now=clock.now)
    assert done.center == pytest.approx(26 / 30)
    assert alpha(memory, tea) == 26.0
    assert asked(memory) == []
    (answered,) = asked(memory, states=[ApprovalState.APPROVED])
    assert (answered.by, answered.decided_at) == ("Ida", clock.now)
    assert promotions(memory)[0].by == "Ida"
    with pytest.raises(NotFoundError):
        approve(memory.graph, space=memory.space, approval=question.id, by="Ida", now=clock.now)


def test_a_person_refuses(memory: Engram, clock: FixedClock) -> None:
    """Refused, it stays and is not asked for before there is twice the evidence; a refusal may be thought better of."""
    tea = weighty(memory, clock)
    job(memory, clock)
    (question,) = asked(memory)
    refuse(memory.graph, space=memory.space, approval=question.id[:8], by="Ida", now=clock.now)
    lay(memory, clock, tea, [1, 2, 3])
    assert job(memory, clock).changed == 0
    assert (asked(memory), alpha(memory, tea)) == ([], 24.0)
    lay(memory, clock, tea, [5, 6])
    assert job(memory, clock).changed == 1
    (again,) = asked(memory)
    assert again.id != question.id
    refuse(memory.graph, space=memory.space, approval=again.id, by="Ida", now=clock.now)
    approve(memory.graph, space=memory.space, approval=again.id, by="Ida", now=clock.now)
    assert alpha(memory, tea) == 26.0


def test_one_of_two_words_counts(memory: Engram, clock: FixedClock) -> None:
    """Two people who approve the same at once promote it once; the other is told."""
    tea = weighty(memory, clock)
    job(memory, clock)

    def say(by: str) -> bool:
        try:
            approve(memory.graph, space=memory.space, approval=tea, by=by, now=clock.now)
        except (InvalidInputError, NotFoundError):
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(say, ["Ida", "Ben"])) == [False, True]
    assert alpha(memory, tea) == 26.0


def test_the_trusted_are_not_asked(memory: Engram, clock: FixedClock) -> None:
    """At a trust level of 3 it is promoted at once, what waited too."""
    tea = weighty(memory, clock)
    job(memory, clock)
    memory.tune("approve.trust_level", 3)
    assert job(memory, clock).changed == 1
    assert (alpha(memory, tea), asked(memory)) == (26.0, [])


def test_what_does_not_hold_any_more_is_not_asked_for(memory: Engram, clock: FixedClock) -> None:
    """A question about a memory that was forgotten is not shown, and cannot be approved."""
    tea = weighty(memory, clock)
    job(memory, clock)
    memory.forget(tea)
    assert asked(memory) == []
    with pytest.raises(NotFoundError):
        approve(memory.graph, space=memory.space, approval=tea, by="Ida", now=clock.now)


# ----- Outcomes


def test_what_came_of_it_is_noted(memory: Engram, clock: FixedClock) -> None:
    """After a week the verdicts of the week before and of the week after stand with the promotion, whenever anybody looks."""
    tea = remember(memory, clock, weeks(5))

    def judged(verdicts: str) -> None:
        for verdict in verdicts:
            lesson = lesson_of("tea", tea, at=clock.now)
            memory._learner.learn(lesson)
            memory.judge(lesson.id, useful=verdict == "+")
            clock.advance(HOUR)

    judged("+-")
    job(memory, clock)
    (change,) = promotions(memory)
    clock.advance(DAY)
    judged("++-")
    job(memory, clock)
    assert "outcome_at" not in node(memory, change.id)
    clock.advance(6 * DAY)
    judged("+")
    assert job(memory, clock).changed == 1
    clock.advance(DAY)
    assert job(memory, clock).changed == 0
    found = node(memory, change.id)
    names = ("before_useful", "before_useless", "outcome_useful", "outcome_useless")
    assert [found[name] for name in names] == [1, 1, 2, 1]
    assert found["outcome_at"] == change.at + 7 * DAY
    (told,) = promotions(memory)
    assert (told.useful, told.useless) == (2, 1)
    assert [*change_lines(told)][-1].strip() == "verdicts since: 2 useful, 1 useless"
    assert not any("verdicts" in line for line in change_lines(change))
