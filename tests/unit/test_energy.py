"""Energy as a function of elapsed time."""

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.energy import DECAY_PER_HOUR, EXPIRY_ENERGY, Course, energy_now, expires_at, hours_between
from engram.energy import TIERS as TIERS_IN_ORDER

TIERS = st.sampled_from(sorted(DECAY_PER_HOUR))
ENERGIES = st.floats(0.0, 50.0)
START = datetime(2026, 3, 28, 23, 30, tzinfo=UTC)
SPANS = st.timedeltas(timedelta(0), timedelta(days=400))


@given(energy=ENERGIES, tier=TIERS, cuts=st.lists(SPANS, max_size=12))
def test_any_partition_of_the_time_gives_the_same_energy(
    energy: float, tier: str, cuts: list[timedelta]
) -> None:
    """Settled at any moments on the way, the energy at the end is the same to 1e-9."""
    times = sorted(START + cut for cut in cuts)
    end = times[-1] if times else START
    at, settled = START, energy
    for time in times:
        settled, at = energy_now(settled, at, time, tier=tier), time
    assert settled == pytest.approx(energy_now(energy, START, end, tier=tier), abs=1e-9)


@given(energy=ENERGIES, tier=TIERS, span=SPANS)
def test_decay_never_raises_energy(energy: float, tier: str, span: timedelta) -> None:
    """Time alone takes energy away and never below zero."""
    assert 0.0 <= energy_now(energy, START, START + span, tier=tier) <= energy


@given(energy=st.floats(EXPIRY_ENERGY, 50.0), tier=TIERS)
def test_expiry_is_when_energy_reaches_the_bar(energy: float, tier: str) -> None:
    """At `expires_at` the energy is the bar, to the microsecond that a datetime can hold."""
    then = expires_at(energy, START, rate=DECAY_PER_HOUR[tier])
    assert energy_now(energy, START, then, tier=tier) == pytest.approx(EXPIRY_ENERGY, rel=1e-6)


@given(hours=st.integers(-12, 14), span=SPANS)
def test_the_time_zone_does_not_matter(hours: int, span: timedelta) -> None:
    """The same instants in another zone are the same hours apart."""
    zone = timezone(timedelta(hours=hours))
    assert hours_between(START.astimezone(zone), START + span) == hours_between(START, START + span)


def test_hours_are_whole_time_and_not_components() -> None:
    """Two and a half days are 60 hours, and half an hour is half an hour."""
    assert hours_between(START, START + timedelta(hours=60, minutes=30)) == 60.5


def test_an_untouched_working_memory_expires_after_4_6_hours() -> None:
    """ln(1 / 0.1) / 0.5 hours after its creation."""
    lived = expires_at(1.0, START, rate=DECAY_PER_HOUR["working"]) - START
    assert lived / timedelta(hours=1) == pytest.approx(math.log(10) / 0.5, abs=1e-6)


def test_a_clock_that_goes_back_changes_nothing() -> None:
    """Before `energy_at` the energy is what it is at that time."""
    assert energy_now(2.0, START, START - timedelta(hours=9), tier="working") == 2.0


LIVES = st.lists(
    st.tuples(st.sampled_from(["use", "gain", "end"]), st.timedeltas(timedelta(0), timedelta(days=3))),
    max_size=15,
)


def lived(life: list[tuple[str, timedelta]], *, looks: int) -> Course:
    """Return the course after a life, looked at so many times between any two events."""
    course = Course(at=START)
    for kind, wait in life:
        then = course.at + wait
        for look in range(looks):
            course = course.settled(course.at + (then - course.at) * (look + 1) / (looks + 1))
        if kind == "use":
            course = course.used(then)
        elif kind == "gain":
            course = course.boosted(then, 0.4)
        else:
            course = course.session_ended(then).settled(then)
    return course


@given(life=LIVES)
def test_no_look_changes_a_course(life: list[tuple[str, timedelta]]) -> None:
    """Settled often or never, a memory ends in the same tier with the same energy and the same promotions."""
    seldom, often = lived(life, looks=0), lived(life, looks=5)
    assert often.tier == seldom.tier
    assert often.energy == pytest.approx(seldom.energy, abs=1e-9)
    assert [step[:2] for step in often.promotions] == [step[:2] for step in seldom.promotions]


@given(life=LIVES, boost=st.floats(0.0, 5.0), wait=SPANS)
def test_a_gain_never_lowers_energy_or_tier(
    life: list[tuple[str, timedelta]], boost: float, wait: timedelta
) -> None:
    """After a gain there is as much more as was gained, in the same tier or one that lasts longer."""
    course = lived(life, looks=0)
    before = course.settled(course.at + wait)
    after = course.boosted(course.at + wait, boost)
    assert after.energy == pytest.approx(before.energy + boost, abs=1e-12)
    assert TIERS_IN_ORDER.index(after.tier) >= TIERS_IN_ORDER.index(before.tier)
    assert len(after.promotions) - len(before.promotions) == TIERS_IN_ORDER.index(
        after.tier
    ) - TIERS_IN_ORDER.index(before.tier)


def test_a_course_through_all_tiers() -> None:
    """Used once a day for two weeks a fact is long-term by habit; used five times in a row it is by energy."""
    daily = Course(at=START)
    for day in range(1, 15):
        daily = daily.used(START + timedelta(days=day))
        assert daily.tier == "working"
    assert daily.used(START + timedelta(days=15)).tier == "longTerm"
    row = Course(at=START)
    for _ in range(5):
        row = row.used(START)
    assert [tier for tier, *_ in row.promotions] == ["working", "shortTerm"]
