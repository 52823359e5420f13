"""Energy as a function of elapsed time."""

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.energy import DECAY_PER_HOUR, EXPIRY_ENERGY, energy_now, expires_at, hours_between

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
