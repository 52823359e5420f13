"""Energy and tiers over time: whenever the jobs look, a memory is what the formulas say, against a real Neo4j."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.energy import DECAY_PER_HOUR, TIERS, Course, energy_now, expires_at
from engram.errors import InvalidInputError
from engram.memory import Engram
from engram.records import Memory
from engram.testing import FixedClock
from engram.tuning import NUMBERS, Tuning, number_changes
from tests.graph.beside import run

pytestmark = pytest.mark.graph

JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
FACT = "The atlas of Zoë lies on the shelf"
IDLE = timedelta(minutes=Tuning()["session.idle_minutes"])


def work(memory: Engram, clock: FixedClock, *names: str) -> int:
    """Run jobs, by default decay and promote, and return how much they changed."""
    assert memory.flush()
    done = [
        run_job(JOBS[name], memory.graph, space=memory.space, clock=clock)
        for name in names or ("decay", "promote")
    ]
    return sum(each.changed for each in done)


def node(memory: Engram, fact: Memory) -> dict[str, Any]:
    """Return all properties of a memory's node."""
    assert memory.flush()
    held = run(memory, "read_space")[0]["nodes"]
    properties: dict[str, Any] = next(each["properties"] for each in held if each["id"] == fact.id)
    return properties


def history(memory: Engram, fact: Memory) -> list[tuple[str, str, datetime, float]]:
    """Return the tiers that a memory left: snapshot's tier, relationship, when, and with what energy."""
    held = run(memory, "read_space")[0]
    tiers = {
        each["id"]: each["properties"].get("tier") for each in held["nodes"] if "Archived" in each["labels"]
    }
    steps = {
        each["end"]: each
        for each in held["relationships"]
        if each["type"] in {"PROMOTED_TO", "CRYSTALLIZED_INTO"}
    }
    found: list[tuple[str, str, datetime, float]] = []
    at = fact.id
    while at in steps:
        step = steps[at]
        at = step["start"]
        found.insert(0, (tiers[at], step["type"], step["properties"]["at"], step["properties"]["energy"]))
    return found


def path_of(course: Course) -> list[tuple[str, str, datetime, Any]]:
    """Return the history that a course leaves behind in the graph."""
    names = {
        "working": ("archivedWorking", "PROMOTED_TO"),
        "shortTerm": ("archivedShortTerm", "CRYSTALLIZED_INTO"),
    }
    return [(*names[tier], at, pytest.approx(energy, abs=1e-9)) for tier, at, energy in course.promotions]


USES = st.tuples(st.sampled_from(["use", "use", "use", "end", "wait"]), st.floats(0.01, 40.0))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(USES, min_size=1, max_size=14), looks=st.integers(0, 2**14 - 1), data=st.data())
def test_it_does_not_matter_when_the_jobs_look(
    memory: Engram, clock: FixedClock, steps: list[tuple[str, float]], looks: int, data: st.DataObject
) -> None:
    """Over any life, with jobs at any moments of it, energy is exact to 1e-9 and tier and history are the same."""
    clock.now = datetime(2026, 1, 1, 12, tzinfo=UTC)
    one = Engram(memory.graph, memory.settings, space=uuid4().hex, embedder=memory.embedder, clock=clock)
    fact = one.remember(FACT)
    course = Course(at=clock.now)
    number, closes = 0, None
    for place, (kind, hours) in enumerate(steps):
        moment = clock.now + timedelta(hours=hours)
        if closes is not None and closes <= moment:  # nobody ended it in time
            course, closes, number = course.session_ended(closes), None, number + 1
        clock.now = moment
        if kind == "use":
            one.recall("atlas", 1, session=f"talk {number}")
            course, closes = course.used(moment), moment + IDLE
        elif kind == "end" and closes is not None:
            one.end_session(f"talk {number}")
            course, closes, number = course.session_ended(moment), None, number + 1
        if looks >> place & 1:
            work(one, clock, *data.draw(st.permutations(["decay", "promote"])))
    if closes is not None:
        clock.now = closes
        course = course.session_ended(closes)
    work(one, clock)
    held = one.get(fact.id)
    assert held.tier == course.tier
    now = clock.advance(timedelta(hours=data.draw(st.floats(0.0, 100.0))))
    assert energy_now(held.energy, held.energy_at, now, tier=held.tier) == pytest.approx(
        course.settled(now).energy, abs=1e-9
    )
    assert history(one, fact) == path_of(course)
    assert held.access_count == sum(kind == "use" for kind, _ in steps)
    assert work(one, clock, "promote") == 0


def test_both_steps_in_one_run(memory: Engram, clock: FixedClock) -> None:
    """What crossed both bars before anybody looked is long-term after one run, by a path of two snapshots."""
    fact = memory.remember(FACT)
    course = Course(at=clock.now)
    for day in range(2):
        for _ in range(4):
            memory.recall("atlas", 1, session=f"{day}")
            course = course.used(clock.now)
        clock.advance(timedelta(minutes=10))
    before = node(memory, fact)
    assert (before["tier"], before["due_tier"]) == ("working", "longTerm")
    assert work(memory, clock, "promote") == 1
    held = node(memory, fact)
    assert held["tier"] == "longTerm"
    assert history(memory, fact) == path_of(course)
    same = held.keys() & before.keys() - {"tier", "version"}
    assert {name: held[name] for name in same} == {name: before[name] for name in same}
    assert not {"due_tier", "promote_due_at", "promote_times", "promote_energies"} & held.keys()


@pytest.mark.parametrize(
    ("days", "apart", "tier"), [(5, 4, "longTerm"), (5, 3, "working"), (4, 30, "working"), (1, 0, "working")]
)
def test_a_habit_lasts(memory: Engram, clock: FixedClock, days: int, apart: int, tier: str) -> None:
    """Used on 5 days over 14 or more a memory becomes long-term; on fewer, in less time, or once it does not."""
    fact = memory.remember(FACT)
    clock.advance(timedelta(days=1))
    for _ in range(days):
        memory.recall("atlas", 1, session=f"{clock.now:%j}")
        work(memory, clock)
        clock.advance(timedelta(days=apart))
    work(memory, clock)
    assert memory.get(fact.id).tier == tier


def test_a_burst_is_short_term(memory: Engram, clock: FixedClock) -> None:
    """However often it is used in one session, a memory becomes short-term and no more."""
    fact = memory.remember(FACT)
    for _ in range(12):
        memory.recall("atlas", 1, session="talk")
        clock.advance(timedelta(seconds=30))
    memory.end_session("talk")
    work(memory, clock)
    assert memory.get(fact.id).tier == "shortTerm"


def test_a_day_is_a_day_in_utc(memory: Engram) -> None:
    """On a clock of another zone, through a change to summer time, the same instants lead to the same course."""
    zones = [timezone(timedelta(hours=hours)) for hours in (-11, 0, 14)]
    courses = []
    for zone in zones:
        clock = FixedClock(datetime(2026, 3, 27, 22, 30, tzinfo=UTC).astimezone(zone))
        one = Engram(memory.graph, memory.settings, space=uuid4().hex, embedder=memory.embedder, clock=clock)
        fact = one.remember(FACT)
        for hours in (1, 20, 30, 200, 150):
            clock.advance(timedelta(hours=hours))
            one.recall("atlas", 1, session="talk")
            work(one, clock)
        held = node(one, fact)
        courses.append([held[name] for name in ("tier", "energy", "energy_at", "days_used", "first_used_on")])
    assert courses[0] == courses[1] == courses[2]


@pytest.mark.parametrize(("minutes", "tier"), [(20, "shortTerm"), (40, "working")])
def test_a_session_end_has_a_lower_bar(memory: Engram, clock: FixedClock, minutes: int, tier: str) -> None:
    """Above 1.5 when the session ends a working memory is due for short-term; below it is not."""
    fact = memory.remember(FACT)
    clock.advance(timedelta(minutes=15))
    memory.recall("atlas", 1, session="talk")  # 0.88 + 1.0
    clock.advance(timedelta(minutes=minutes))
    assert memory.end_session("talk") == (tier == "shortTerm")
    assert memory.end_session("talk") == 0, "it has ended"
    clock.advance(timedelta(days=3))
    work(memory, clock)
    assert memory.get(fact.id).tier == tier


def test_a_session_that_nobody_ends_ends(memory: Engram, clock: FixedClock) -> None:
    """Unused for half an hour it has ended then, whenever that is noticed, and what it used is judged as of then."""
    fact = memory.remember(FACT)
    memory.recall("atlas", 1, session="talk")
    used = clock.now
    course = Course(at=clock.now).used(clock.now).session_ended(clock.now + IDLE)
    clock.advance(timedelta(hours=9))
    work(memory, clock, "decay")  # takes energy below the bar before anybody has looked at the session
    work(memory, clock, "promote")
    assert course.tier == memory.get(fact.id).tier == "shortTerm"
    assert history(memory, fact) == path_of(course)
    talk = next(each for each in run(memory, "read_space")[0]["nodes"] if each["labels"] == ["Session"])
    assert talk["properties"]["closed_at"] == used + IDLE
    assert "closes_at" not in talk["properties"]


def test_a_session_ends_no_later_than_by_itself(memory: Engram, clock: FixedClock) -> None:
    """Ended by somebody long after it had ended by itself, it ended then, and is judged as of then."""
    fact = memory.remember(FACT)
    clock.advance(timedelta(minutes=1))
    memory.recall("atlas", 1, session="talk")
    ended = clock.now + IDLE
    clock.advance(timedelta(hours=5))
    assert memory.end_session("talk") == 1
    assert node(memory, fact)["promote_due_at"] == ended


def test_decay_touches_only_what_moved(memory: Engram, clock: FixedClock) -> None:
    """What lost less than the tolerance is left as it is, and no time of expiry is ever moved by it."""
    fact = memory.remember(FACT)
    clock.advance(timedelta(minutes=1))
    assert work(memory, clock, "decay") == 0
    clock.advance(timedelta(minutes=1))
    assert work(memory, clock, "decay") == 1
    held = memory.get(fact.id)
    assert held.energy == pytest.approx(Course(at=fact.energy_at).settled(clock.now).energy, abs=1e-9)
    assert held.expires_at == fact.expires_at
    # To the microsecond that a datetime holds: the tolerance delays no expiry.
    assert abs(
        held.expires_at - expires_at(held.energy, held.energy_at, rate=DECAY_PER_HOUR["working"])
    ) <= timedelta(microseconds=2)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.floats(0.1, 400.0), max_size=6))
def test_idleness_weighs_by_elapsed_time(memory: Engram, clock: FixedClock, cuts: list[float]) -> None:
    """A hundredth a day, in whole weeks, and one for each quarter from the ninetieth day, in any partition of runs."""
    clock.now = start = datetime(2026, 1, 1, 12, tzinfo=UTC)
    one = Engram(memory.graph, memory.settings, space=uuid4().hex, embedder=memory.embedder, clock=clock)
    fact = one.remember(FACT)
    for cut in sorted(cuts):
        clock.now = start + timedelta(days=cut)
        work(one, clock, "decay")
    clock.now = start + timedelta(days=401)
    work(one, clock, "decay")
    assert one.get(fact.id).weight_beta == pytest.approx(4.0 + 57 * 7 * 0.01 + 4, abs=1e-9)
    assert one.get(fact.id).truth_beta == fact.truth_beta


@pytest.mark.parametrize("every", [3, 200])
def test_a_use_does_not_hide_the_idle_days_before_it(memory: Engram, clock: FixedClock, every: int) -> None:
    """A hundred idle days weigh the same whether a job looked during them or nobody did until the next use."""
    fact = memory.remember(FACT)
    for day in range(1, 101):
        clock.advance(timedelta(days=1))
        if day % every == 0:
            work(memory, clock, "decay")
    memory.recall("atlas", 1)
    work(memory, clock, "decay")
    assert memory.get(fact.id).weight_beta == pytest.approx(4.0 + 14 * 0.07 + 1.0, abs=1e-9)


def test_what_is_used_is_not_stale(memory: Engram, clock: FixedClock) -> None:
    """Three uses save a memory from staleness, a use begins its idle days anew, and immutable ones keep their weight."""
    fact = memory.remember(FACT)
    for n in range(3):
        memory.recall("atlas", 1, session=f"{n}")
    clock.advance(timedelta(days=100))
    work(memory, clock, "decay")
    assert memory.get(fact.id).weight_beta == pytest.approx(4.0 + 14 * 0.07, abs=1e-9)
    memory.recall("atlas", 1)
    clock.advance(timedelta(days=8))
    work(memory, clock, "decay")
    assert memory.get(fact.id).weight_beta == pytest.approx(4.0 + 15 * 0.07, abs=1e-9)
    run(memory, "set_immutable", id=fact.id)
    clock.advance(timedelta(days=80))
    work(memory, clock, "decay")
    assert memory.get(fact.id).weight_beta == pytest.approx(4.0 + 15 * 0.07, abs=1e-9)


def test_new_memories_reinforce_what_they_are_like(memory: Engram, clock: FixedClock) -> None:
    """A short-term memory gains half of the similarity from a like new one; a working one gains nothing."""
    fact, other = memory.remember(FACT), memory.remember("Felix bakes bread on Sundays")
    course = Course(at=clock.now)
    for _ in range(2):
        memory.recall("atlas", 1, session="talk")
        course = course.used(clock.now)
    work(memory, clock)
    now = clock.advance(timedelta(hours=7))
    newer = memory.remember("The atlas of Zoë lies on a shelf")
    memory.flush()
    links = [each for each in run(memory, "read_space")[0]["relationships"] if each["type"] == "REINFORCES"]
    assert [(each["start"], each["end"]) for each in links] == [(newer.id, fact.id)]
    strength = links[0]["properties"]["strength"]
    assert 0.7 < strength < 1.0
    assert links[0]["properties"]["at"] == now
    held = memory.get(fact.id)
    assert held.energy == pytest.approx(course.boosted(now, 0.5 * strength).energy, abs=1e-9)
    assert memory.get(other.id).energy == other.energy
    assert memory.get(fact.id).access_count == 2
    assert [each.id for each in memory.why(newer.id)] == [newer.id, fact.id]
    assert work(memory, clock, "reinforce") == 0


def test_an_import_reinforces_as_of_its_time(memory: Engram, clock: FixedClock) -> None:
    """What an import leaves to the job gives the same energy hours later, and at most five older memories gain."""
    shelf = [memory.remember(f"Volume {n} of the atlas of Zoë") for n in range(8)]
    for _ in range(3):
        memory.recall("atlas of Zoë", 8, session="talk")
    work(memory, clock)
    clock.advance(timedelta(hours=2))
    memory._learner.close()  # nobody is left to do it at once, as after an import
    memory.remember("Volume 20 of the atlas of Zoë")
    stored = clock.now
    clock.advance(timedelta(hours=30))
    work(memory, clock, "decay")
    assert run_job(JOBS["reinforce"], memory.graph, space=memory.space, clock=clock).changed == 5
    links = [each for each in run(memory, "read_space")[0]["relationships"] if each["type"] == "REINFORCES"]
    gained = {each["end"]: each["properties"]["strength"] for each in links}
    assert len(gained) == 5
    for each in shelf:
        held = memory.get(each.id)
        course = Course(at=each.energy_at)
        for _ in range(3):
            course = course.used(each.energy_at)
        if each.id in gained:
            course = course.boosted(stored, 0.5 * gained[each.id])
        assert energy_now(held.energy, held.energy_at, clock.now, tier="shortTerm") == pytest.approx(
            course.settled(clock.now).energy, abs=1e-9
        )


@pytest.mark.parametrize("late", [False, True])
def test_reinforcement_is_judged_as_of_its_time(memory: Engram, clock: FixedClock, late: bool) -> None:  # noqa: FBT001
    """A gain that crosses a bar makes promotion due then, whether it is carried out at once or after days of decay."""
    fact = memory.remember(FACT)
    course = Course(at=clock.now)
    for talk, uses in (("one", 4), ("two", 1)):
        for _ in range(uses):
            memory.recall("atlas", 1, session=talk)
            course = course.used(clock.now)
        stored = clock.advance(timedelta(hours=3))
    memory.flush()
    if late:
        memory._learner.close()  # as after an import
    memory.remember("The atlas of Zoë lies on a shelf")
    for _ in range(2):
        clock.advance(timedelta(days=1))
        work(memory, clock, "decay", *([] if late else ["promote"]))
    work(memory, clock, "reinforce", "promote")
    links = [each for each in run(memory, "read_space")[0]["relationships"] if each["type"] == "REINFORCES"]
    course = course.boosted(stored, 0.5 * links[0]["properties"]["strength"])
    assert memory.get(fact.id).tier == course.tier == "longTerm"
    assert history(memory, fact) == path_of(course)


def test_a_long_talk_is_one_experience(memory: Engram, clock: FixedClock) -> None:
    """However many like memories a day brings, four of them add energy; all of them leave their link."""
    fact = memory.remember(FACT)
    course = Course(at=clock.now)
    for _ in range(2):
        memory.recall("atlas", 1, session="talk")
        course = course.used(clock.now)
    for n in range(6):
        memory.remember(f"The atlas of Zoë lies on a shelf, {n}")
        memory.flush()
    links = [each for each in run(memory, "read_space")[0]["relationships"] if each["type"] == "REINFORCES"]
    assert len(links) == node(memory, fact)["reinforced_count"] + 2 == 6
    gained = memory.get(fact.id).energy - course.energy
    assert 4 * 0.5 * 0.7 < gained < 4 * 0.5
    clock.advance(timedelta(days=1))
    memory.remember("The atlas of Zoë lies on a high shelf")
    memory.flush()
    assert node(memory, fact)["reinforced_today"] == 1


def test_what_was_working_then_gains_nothing_later(memory: Engram, clock: FixedClock) -> None:
    """What left the working tier after a new memory was stored is not strengthened by it, however late that is done."""
    fact = memory.remember(FACT)
    memory._learner.close()
    clock.advance(timedelta(hours=1))
    memory.remember("The atlas of Zoë lies on a shelf")
    other = Engram(memory.graph, memory.settings, space=memory.space, embedder=memory.embedder, clock=clock)
    clock.advance(timedelta(hours=1))
    for _ in range(3):
        other.recall(FACT, 1)
    assert work(other, clock, "promote") == 1
    assert memory.get(fact.id).tier == "shortTerm"
    assert work(other, clock, "reinforce") == 0


def test_undoing_a_promotion(memory: Engram, clock: FixedClock) -> None:
    """Undone, everything is as it was before the run but for what was used since, and that is said."""
    facts = [memory.remember(f"{name} bakes bread") for name in ("Felix", "Ida", "Noor")]
    for fact in facts:
        for n in range(7):
            memory.recall(fact.content, 1, session=f"{n % 2}")
    memory.recall("Felix bakes bread", 1, session="more")

    def state() -> Any:
        held = run(memory, "read_space")[0]
        nodes = [
            (each["id"], {k: v for k, v in each["properties"].items() if k != "version"})
            for each in held["nodes"]
            if each["labels"] != ["JobRun"]
        ]
        return nodes, held["relationships"]

    memory.flush()
    before = state()
    first = run_job(JOBS["promote"], memory.graph, space=memory.space, clock=clock)
    assert first.changed == 3
    clock.advance(timedelta(hours=1))
    undone = run_job(JOBS["promote"], memory.graph, space=memory.space, clock=clock, undoing=first.id)
    assert (undone.changed, undone.notes) == (3, ())
    assert state() == before
    again = run_job(JOBS["promote"], memory.graph, space=memory.space, clock=clock)
    assert again.changed == 3
    memory.recall("Ida bakes bread", 1)
    memory.flush()
    undone = run_job(JOBS["promote"], memory.graph, space=memory.space, clock=clock, undoing=again.id)
    assert (undone.changed, len(undone.notes)) == (2, 1)
    assert "1 stay" in undone.notes[0]
    assert memory.get(facts[1].id).tier != "working"
    assert (
        run_job(JOBS["promote"], memory.graph, space=memory.space, clock=clock, undoing=again.id).changed == 0
    )


def test_undoing_the_second_step_keeps_the_first(memory: Engram, clock: FixedClock) -> None:
    """A memory promoted by two runs goes back one tier, and its earlier snapshot leads to it again."""
    fact = memory.remember(FACT)
    for _ in range(4):
        memory.recall("atlas", 1, session="talk")
    work(memory, clock, "promote")
    short = history(memory, fact)
    memory.recall("atlas", 1, session="more")
    memory.flush()
    second = run_job(JOBS["promote"], memory.graph, space=memory.space, clock=clock)
    first = next(
        row["id"]
        for row in memory.graph.read("inspect/list_job_runs", space=None, job="promote", limit=10_000)
        if row["space"] == memory.space and row["id"] != second.id
    )
    undone = run_job(JOBS["promote"], memory.graph, space=memory.space, clock=clock, undoing=first)
    assert (undone.changed, len(undone.notes)) == (0, 1), "the later step stands on it"
    assert [memory.get(fact.id).tier, len(history(memory, fact))] == ["longTerm", 2]
    run_job(JOBS["promote"], memory.graph, space=memory.space, clock=clock, undoing=second.id)
    assert memory.get(fact.id).tier == "shortTerm"
    assert history(memory, fact) == short


def test_a_changed_rate_does_not_reach_back(memory: Engram, clock: FixedClock) -> None:
    """Energy fades at the old rate until the number changes and at the new one from then on; the change is kept."""
    fact = memory.remember(FACT)
    then = clock.advance(timedelta(hours=1))
    assert memory.tune("decay.working", "0.25", by="ida") == 0.25
    clock.advance(timedelta(hours=4))
    work(memory, clock)
    held = memory.get(fact.id)
    assert held.energy == pytest.approx(2.718281828459045 ** -(0.5 * 1 + 0.25 * 4), abs=1e-9)
    assert held.expires_at > fact.expires_at
    assert memory.tuning()["decay.working"] == 0.25
    assert memory.tune("decay.working", None) == 0.5
    newer = memory.remember("Felix bakes bread")
    assert newer.expires_at == expires_at(1.0, clock.now, rate=0.5)
    memory.tune("decay.expiry", 0.2)
    newest = memory.remember("Ida bakes bread")
    assert newest.expires_at == expires_at(1.0, clock.now, rate=0.5, expiry=0.2)
    changes = number_changes(memory.graph, space=memory.space, key="decay.working", limit=5)
    assert [(row["before"], row["after"], row["at"]) for row in changes] == [
        (0.25, None, clock.now),
        (None, 0.25, then),
    ]
    assert changes[1]["by"] == "ida"


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("decay.working", "-1", "1e-06 to 10"),
        ("decay.working", "nan", "a number"),
        ("promote.days", "2.5", "a whole number"),
        ("promote.working", "6", "ascend"),
        ("decay.wroking", "1", "decay.working"),
        ("boost.access", "lots", "a number"),
    ],
)
def test_numbers_out_of_range_are_refused(memory: Engram, key: str, value: str, says: str) -> None:
    """A number that makes no sense is refused with its range, and nothing changes."""
    before = dict(memory.tuning())
    with pytest.raises(InvalidInputError) as refused:
        memory.tune(key, value)
    assert says in f"{refused.value.message} {refused.value.remedy}"
    assert dict(memory.tuning()) == before == {key: number.default for key, number in NUMBERS.items()}


def test_the_tiers_are_in_order() -> None:
    """Each tier fades more slowly than the one before."""
    rates = [Tuning()[f"decay.{tier}"] for tier in TIERS]
    assert rates == sorted(rates, reverse=True)
