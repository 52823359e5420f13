"""What holds of every job, against a real Neo4j."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.errors import DatabaseError
from engram.llm import Models
from engram.memory import Engram
from engram.records import Turn
from engram.testing import FixedClock
from tests.graph.beside import everything, run

pytestmark = pytest.mark.graph

JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
Means: Callable[..., Any] = resolve_name("engram.jobs.means:Means")
READING = {"health"}
"""Jobs that look and change nothing."""
SELDOM = {"adapt", "dream", "entities", "patterns"}
"""Jobs that a day gives little or nothing to do; their own tests live through what does."""


def run_in(memory: Engram, name: str, clock: FixedClock, **options: Any) -> Any:
    """Run a job over the memory's space, with an embedder and without a model."""
    with Means(memory, models=Models) as means:
        return run_job(JOBS[name], memory.graph, space=memory.space, clock=clock, means=means, **options)


def live(memory: Engram, clock: FixedClock) -> None:
    """Live through a day that gives every job something to do."""
    shelf = [f"Volume {n} of the atlas of Zoë lies on the shelf" for n in range(6)]
    for content in shelf:
        memory.remember(content)
    for _ in range(6):
        memory.recall("atlas of Zoë", 4, session="library")
    clock.advance(timedelta(minutes=20))
    memory.remember_turns(
        Turn(text=f"{content}, I said at {n}", speaker="Ida", session="desk", at=clock.now)
        for n, content in enumerate(shelf * 2)
    )
    memory.remember_turns([Turn(text="I live in Ghent.", speaker="Ida", session="desk", at=clock.now)])
    memory.recall("Who said where the volume lies?", 3, session="desk")
    memory.flush()
    clock.advance(timedelta(days=1))


@pytest.mark.parametrize("name", sorted(JOBS.keys() - READING))
def test_second_run_changes_nothing(memory: Engram, clock: FixedClock, name: str) -> None:
    """Any job run again at the same instant finds nothing left to do, and leaves all as it was."""
    live(memory, clock)
    first = run_in(memory, name, clock)
    assert first.changed > 0 or name in SELDOM
    before = everything(memory)
    assert run_in(memory, name, clock).changed == 0
    assert everything(memory) == before


@pytest.mark.parametrize("name", sorted(JOBS))
def test_dry_run_counts_and_changes_nothing(memory: Engram, clock: FixedClock, name: str) -> None:
    """A dry run says what a run would change, with examples, and leaves the graph as it is."""
    live(memory, clock)
    before = everything(memory)
    dry = run_in(memory, name, clock, dry_run=True)
    assert everything(memory) == before
    if name not in READING | SELDOM:
        assert dry.changed > 0
        assert dry.examples


@pytest.mark.parametrize("name", sorted(JOBS))
def test_job_keeps_to_its_space(memory: Engram, clock: FixedClock, name: str) -> None:
    """A job over one space leaves every byte of another as it is."""
    other = Engram(
        memory.graph, memory.settings, space=memory.space + "-b", embedder=memory.embedder, clock=clock
    )
    live(memory, clock)
    clock.now -= timedelta(days=1)
    live(other, clock)
    before = everything(other)
    run_in(memory, name, clock)
    assert everything(other) == before


def test_a_broken_space_does_not_hold_up_the_others(memory: Engram, clock: FixedClock) -> None:
    """In a run over all spaces, what fails in one is counted and named, and the others have their turn."""
    other = Engram(
        memory.graph, memory.settings, space=memory.space + "-b", embedder=memory.embedder, clock=clock
    )
    for each in (memory, other):
        each.remember("thing")

    def fail_in_one(work: Any) -> None:
        if work.space == memory.space:
            work.write("write/lock_memories")  # its parameters are missing
        elif work.space == other.space:
            work.count(1)

    job = replace(JOBS["decay"], steps=(fail_in_one,))
    done = run_job(job, memory.graph, space=None, clock=clock)
    assert (done.failed, done.changed) == (1, 1)
    assert str(done.error).startswith(f"{memory.space}: ")
    with pytest.raises(DatabaseError):
        run_job(job, memory.graph, space=memory.space, clock=clock)


def test_a_number_set_wrongly_by_hand_is_taken_to_be_unset(
    memory: Engram, caplog: pytest.LogCaptureFixture
) -> None:
    """What nobody could have set through Engram is left out, with a warning, and nothing stops for it."""
    run(memory, "set_number_by_hand", property="decay_batch_size", value=-5)
    assert memory.tuning()["decay.batch_size"] == 2_000
    assert "decay.batch_size is -5" in caplog.text


def test_a_run_over_all_spaces(memory: Engram, clock: FixedClock) -> None:
    """Without a space a run does all of them, each by its own numbers, and leaves one record."""
    live(memory, clock)
    memory.tune("promote.shortTerm", 95)
    memory.tune("promote.working", 90)
    other = Engram(
        memory.graph, memory.settings, space=memory.space + "-b", embedder=memory.embedder, clock=clock
    )
    live(other, clock)
    done = run_job(JOBS["promote"], memory.graph, space=None, clock=clock)
    assert (done.failed, done.error) == (0, None)
    runs = memory.graph.read("inspect/list_job_runs", space=None, job="promote", limit=10_000)
    assert [(row["space"], row["changed"]) for row in runs if row["id"] == done.id] == [(None, done.changed)]
    # What was lived before the bar was raised had crossed it already.
    assert memory.stats().by_tier.keys() == {"working", "shortTerm"}
    assert other.stats().by_tier["shortTerm"] > 0
