"""The jobs against a real Neo4j."""

from collections.abc import Callable
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.energy import energy_now
from engram.memory import Engram
from engram.testing import FixedClock

pytestmark = pytest.mark.graph

JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")


@pytest.mark.parametrize("name", list(JOBS))
def test_second_run_changes_nothing(memory: Engram, clock: FixedClock, name: str) -> None:
    """Any job run again at the same instant finds nothing left to do."""
    for n in range(5):
        memory.remember(f"thing {n}")
    clock.advance(timedelta(hours=1))
    first = run_job(JOBS[name], memory.graph, space=memory.space, clock=clock)
    assert first.changed > 0
    assert run_job(JOBS[name], memory.graph, space=memory.space, clock=clock).changed == 0


@pytest.mark.parametrize("name", list(JOBS))
def test_dry_run_counts_and_changes_nothing(memory: Engram, clock: FixedClock, name: str) -> None:
    """A dry run says what a run would change, and leaves every memory as it is."""
    kept = [memory.remember(f"thing {n}") for n in range(5)]
    clock.advance(timedelta(hours=1))
    dry = run_job(JOBS[name], memory.graph, space=memory.space, clock=clock, dry_run=True)
    assert [memory.get(each.id) for each in kept] == kept
    assert run_job(JOBS[name], memory.graph, space=memory.space, clock=clock).changed == dry.changed
    assert dry.examples


def test_decay_is_a_function_of_elapsed_time(memory: Engram, clock: FixedClock) -> None:
    """Settled once or sixty times within the hour, energy is what the formula says, to 1e-9."""
    started, first = clock.now, memory.remember("a thing")
    for _ in range(60):
        clock.advance(timedelta(minutes=1))
        run_job(JOBS["decay"], memory.graph, space=memory.space, clock=clock)
    settled = memory.get(first.id)
    expected = energy_now(1.0, started, clock.now, tier="working")
    assert energy_now(settled.energy, settled.energy_at, clock.now, tier="working") == pytest.approx(
        expected, abs=1e-9
    )
    assert settled.expires_at == first.expires_at


def test_job_keeps_to_its_space(memory: Engram, clock: FixedClock) -> None:
    """A job over one space leaves the memories of another as they are."""
    other = Engram(
        memory.graph, memory.settings, space=memory.space + "-b", embedder=memory.embedder, clock=clock
    )
    memory.remember("mine")
    theirs = other.remember("theirs")
    clock.advance(timedelta(hours=5))
    for job in JOBS.values():
        run_job(job, memory.graph, space=memory.space, clock=clock)
    assert other.get(theirs.id) == theirs
