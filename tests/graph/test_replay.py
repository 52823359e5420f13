"""The job that strengthens the links of recent chains of episodes."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pkgutil import resolve_name
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.memory import Engram
from engram.records import Turn
from engram.testing import FixedClock
from tests.graph.beside import another, everything, run

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.replay:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)


def talk(memory: Engram, session: str, turns: int) -> None:
    """Store a conversation, whose turns follow one another."""
    memory.remember_turns(
        Turn(text=f"{session}: I said {n}", speaker="Ida", session=session, at=memory._clock())
        for n in range(turns)
    )


def links(memory: Engram) -> list[dict[str, Any]]:
    """Return the properties of the space's links between what followed one another."""
    return [each["properties"] for each in run(memory, "replay_read_links")]


def replay(memory: Engram, clock: FixedClock, **options: Any) -> Any:
    """Run the job over the memory's space."""
    return run_job(JOB, memory.graph, space=memory.space, clock=clock, **options)


def replayed(times: int, begun: datetime) -> dict[str, Any]:
    """Return what a link is after so many replays with the default numbers."""
    strength = 1.0 + sum(0.1 / 2**n for n in range(times))
    return {
        "strength": pytest.approx(strength, abs=1e-9),
        "replays": times,
        "replayed_at": begun + times * DAY,
    }


def test_link_is_replayed_at_set_times(memory: Engram, clock: FixedClock) -> None:
    """A link is first replayed a day after its later end was stored, to the microsecond, and daily for a week."""
    begun = clock.advance(timedelta(microseconds=345_678))
    talk(memory, "walk", 3)
    assert replay(memory, clock).changed == 0
    clock.now = begun + DAY - MICROSECOND
    assert replay(memory, clock).changed == 0
    assert links(memory) == [{}, {}]
    for times in range(1, 8):
        clock.now = begun + times * DAY
        assert replay(memory, clock).changed == 2
        assert links(memory) == [replayed(times, begun)] * 2
    before = everything(memory)
    clock.advance(DAY)
    assert replay(memory, clock).changed == 0
    assert everything(memory) == before


@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(gaps=st.lists(st.timedeltas(min_value=timedelta(0), max_value=3 * DAY), max_size=6))
def test_strength_is_a_function_of_elapsed_time(
    memory: Engram, clock: FixedClock, gaps: list[timedelta]
) -> None:
    """However late and however often the job runs, a link has been replayed as often as is due; again, nothing is."""
    memory = another(memory, clock)
    begun = clock.now
    talk(memory, "walk", 2)
    for gap in gaps:
        clock.advance(gap)
        replay(memory, clock)
    times = min(7, (clock.now - begun) // DAY)
    assert links(memory) == [replayed(times, begun) if times else {}]
    assert replay(memory, clock).changed == 0


def test_late_run_makes_up_for_what_is_due(memory: Engram, clock: FixedClock) -> None:
    """One run after a month leaves what daily runs would have left, each link counted once."""
    begun = clock.now
    talk(memory, "walk", 4)
    clock.advance(30 * DAY)
    assert replay(memory, clock).changed == 3
    assert links(memory) == [replayed(7, begun)] * 3


def test_each_link_is_replayed_once_by_many_workers(memory: Engram, clock: FixedClock) -> None:
    """Three runs at once replay each link once."""
    begun = clock.now
    memory.tune("replay.batch_size", 5)
    talk(memory, "walk", 31)
    clock.advance(2 * DAY)
    with ThreadPoolExecutor(3) as pool:
        runs = [each.result() for each in [pool.submit(replay, memory, clock) for _ in range(3)]]
    assert sum(each.changed for each in runs) == 30
    assert links(memory) == [replayed(2, begun)] * 30


def test_numbers_of_the_space_hold(memory: Engram, clock: FixedClock) -> None:
    """Interval, times and step are the space's own; with no times nothing is replayed."""
    talk(memory, "walk", 2)
    clock.advance(DAY)
    memory.tune("replay.times", 0)
    assert replay(memory, clock).changed == 0
    memory.tune("replay.times", 2)
    memory.tune("replay.hours", 6)
    memory.tune("replay.step", 1)
    assert replay(memory, clock).changed == 1
    assert links(memory)[0]["strength"] == pytest.approx(1.0 + 1.0 + 0.5, abs=1e-9)


def test_dry_run_and_other_spaces(memory: Engram, clock: FixedClock) -> None:
    """A dry run counts and changes nothing, and a run changes nothing of another space."""
    other = another(memory, clock)
    talk(memory, "walk", 3)
    talk(other, "walk", 3)
    clock.advance(DAY)
    mine, theirs = everything(memory), everything(other)
    dry = replay(memory, clock, dry_run=True)
    assert dry.changed == 2
    assert dry.examples
    assert everything(memory) == mine
    assert replay(memory, clock).changed == dry.changed
    assert everything(other) == theirs
