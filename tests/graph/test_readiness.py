"""Readiness: each of the ten milestones is found where it came to pass, at its first time, and nowhere else."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from engram.beliefs.changes import list_changes, undo
from engram.beliefs.conflicts.tensions import resolve
from engram.beliefs.promotion.promoter import Promoter
from engram.explore.picture import picture
from engram.goals import Goals
from engram.memory import Engram
from engram.mind.idle import IdleMind
from engram.mind.readiness import ACHIEVEMENTS, Milestone, readiness
from engram.records import Memory
from engram.testing import FixedClock, ScriptedModel
from engram.tuning import Tuning
from tests.graph import dreams
from tests.graph.beside import another, run
from tests.graph.talking import talk
from tests.graph.test_tensions import contradict, only

pytestmark = pytest.mark.graph

readiness_lines: Any = resolve_name("engram.cli.readiness:readiness_lines")
DAY = timedelta(days=1)


def reached(memory: Engram) -> dict[int, Milestone]:
    """Return the milestones that are reached, by number."""
    assert memory.flush()
    return {each.number: each for each in readiness(memory.graph, space=memory.space) if each.at is not None}


def ids(milestone: Milestone) -> list[str]:
    """Return the ids of the evidence."""
    return [each.id for each in milestone.evidence]


def labels(milestone: Milestone) -> list[str]:
    """Return what the evidence is."""
    return [each.label for each in milestone.evidence]


def think(
    memory: Engram,
    at: datetime,
    channel: str,
    *,
    surfaced: Sequence[Memory] = (),
    goal: str | None = None,
    acted: bool = True,
) -> str:
    """Lay a thought, and return its id."""
    thought = {
        "channel": channel,
        "state": "thought" if acted else "offered",
        "acted_at": at if acted else None,
    }
    name = uuid4().hex
    given = {"surfaced": [each.id for each in surfaced], "goal": goal}
    run(memory, "readiness_lay_thought", id=name, at=at, thought=thought, **given)
    return name


def promoted(
    memory: Engram, clock: FixedClock, days: Sequence[int], text: str = "Tea is what Ida drinks"
) -> str:
    """Promote a memory by turns of so many days ago, and return its id."""
    stored = memory.remember(text, category="preference", source_tag="internal")
    turns = [clock.now - each * DAY for each in days]
    run(memory, "pattern_lay_evidence", id=stored.id, turns=turns, alike=[], tag="external_user")
    promoter = Promoter(memory.graph, space=memory.space, tuning=Tuning(), now=clock.now, by="job:patterns")
    promoter.promote(stored.id)
    return stored.id


def goals(memory: Engram, clock: FixedClock) -> Goals:
    """Return the goals of a space."""
    return Goals(memory.graph, memory.embedder, space=memory.space, clock=clock)


def test_nothing_is_reached_in_the_beginning(memory: Engram) -> None:
    """An empty space has reached nothing, and each milestone says what would count."""
    found = readiness(memory.graph, space=memory.space)
    assert [each.number for each in found] == [*range(1, 11)]
    assert not reached(memory)
    assert all(each.counts and not each.evidence for each in found)
    lines = [*readiness_lines(found)]
    assert lines[0] == "0 of 10 reached."
    assert all("not yet" in line for line in lines[1:])


def test_the_first_memory_and_the_first_recall_that_helped(memory: Engram, clock: FixedClock) -> None:
    """What the exit gate kept leads back to its turn and its line, also when the line was swept; a verdict counts."""
    memory.remember("This was told, and never said in a conversation.")
    assert not reached(memory)
    with talk(memory, clock) as agent:
        list(agent.say("My cat Mies was at the vet today."))
        agent.flush()
        clock.advance(DAY)
        list(agent.say("Where was Mies?"))
        assert reached(memory).keys() == {1}
        agent.judge(useful=False)
        assert reached(memory).keys() == {1}
        agent.judge(useful=True)
    found = reached(memory)
    assert found.keys() == {1, 2}
    assert labels(found[1]) == ["ScratchEntry", "Turn", "Memory"]
    assert memory.get(ids(found[1])[-1]).content == "My cat Mies was at the vet today."
    assert found[1].at == clock.now - DAY
    assert (labels(found[2]), found[2].at) == (["Recall", "Memory"], clock.now)

    clock.advance(400 * DAY)
    job: Any = resolve_name("engram.jobs.sweep:JOB")
    dreams.run_job(job, memory.graph, space=memory.space, clock=clock)
    swept = reached(memory)
    assert labels(swept[1]) == ["Turn", "Memory"]
    assert swept[1].at == found[1].at


def test_the_first_cycle_of_consolidation(memory: Engram, clock: FixedClock) -> None:
    """A dream that merges, sees and tells is a cycle; taken back, it is none."""
    dreams.say(memory, clock, dreams.SAID)
    assert 3 not in reached(memory)
    dreams.dream(memory, clock)
    found = reached(memory)[3]
    assert found.at == clock.now
    assert {*labels(found)} == {"Memory"}
    assert ids(found)[-1] in {each["id"] for each in dreams.dreamed(memory, "narrative")}
    assert all(memory.why(each) for each in ids(found))
    while left := [each for each in list_changes(memory.graph, space=memory.space) if each.undone_at is None]:
        undo(memory.graph, space=memory.space, change=left[0].id, now=clock.now)
    assert 3 not in reached(memory)


def test_weights_that_experience_gave(memory: Engram, clock: FixedClock) -> None:
    """The first stage counts as a goal's weight, the second as identity's; what is undone counts no more."""
    tea = promoted(memory, clock, range(0, 20, 4))
    assert reached(memory).keys() == {4}
    assert ids(reached(memory)[4])[-1] == tea
    clock.advance(20 * DAY)
    turns = [clock.now - each * DAY for each in range(0, 15, 3)]
    run(memory, "pattern_lay_evidence", id=tea, turns=turns, alike=[], tag="external_user")
    Promoter(memory.graph, space=memory.space, tuning=Tuning(), now=clock.now, by="job:patterns").promote(tea)
    found = reached(memory)
    assert found.keys() == {4, 6}
    assert (found[4].at, found[6].at) == (clock.now - 20 * DAY, clock.now)
    undo(memory.graph, space=memory.space, change=ids(found[6])[0], now=clock.now)
    assert reached(memory).keys() == {4}


def test_the_first_conflict_resolved(memory: Engram, clock: FixedClock) -> None:
    """An open tension counts for nothing; settled, its sides are the evidence."""
    pair = contradict(memory, clock, "Anna lives in Leiden", "Anna lives in Utrecht")
    assert 7 not in reached(memory)
    resolve(memory, pair[0].id, "a")
    found = reached(memory)[7]
    assert {each.id for each in pair} <= {*ids(found)}
    assert labels(found)[0] == "BeliefChange"
    assert only(memory).state == "resolved"


def test_what_comes_to_mind_by_itself(memory: Engram, clock: FixedClock) -> None:
    """A thought about a goal counts once it was thought through; one for consolidation, if it brought two memories together."""
    bees, clocks = memory.remember("Bees keep time by the sun."), memory.remember("Clocks drift in the heat.")
    goal = goals(memory, clock).add("Build a sundial")
    think(memory, clock.now, "goal", surfaced=[bees], goal=goal.id, acted=False)
    think(memory, clock.now, "insight", surfaced=[bees], acted=False)
    think(memory, clock.now, "identity", surfaced=[bees, clocks], acted=False)
    assert not reached(memory)
    clock.advance(DAY)
    acted = think(memory, clock.now, "goal", surfaced=[bees], goal=goal.id)
    joined = think(memory, clock.now, "insight", surfaced=[bees, clocks], acted=False)
    clock.advance(DAY)
    think(memory, clock.now, "goal", surfaced=[bees], goal=goal.id)
    found = reached(memory)
    assert found.keys() == {5, 8}
    assert (ids(found[5]), found[5].at) == ([acted, goal.id], clock.now - DAY)
    assert ids(found[8]) == [joined, *sorted((bees.id, clocks.id))]


def test_an_insight_that_was_drawn_later_counts_as_an_association(memory: Engram, clock: FixedClock) -> None:
    """One memory came to mind, and later a reflection rests on it; one from before does not count."""
    bees = memory.remember("Bees keep time by the sun.")
    memory.remember("Bees are clocks.", kind="reflection", derived_from=[bees.id])
    clock.advance(DAY)
    thought = think(memory, clock.now, "insight", surfaced=[bees])
    assert not reached(memory)
    clock.advance(DAY)
    drawn = memory.remember(
        "Whoever knows the sun needs no clock.", kind="reflection", derived_from=[bees.id]
    )
    assert ids(reached(memory)[8]) == [thought, bees.id, drawn.id]


def test_a_goal_reached_and_reflected_upon(memory: Engram, clock: FixedClock) -> None:
    """Reaching a goal is not enough, and a thought about it before that does not count."""
    goal = goals(memory, clock).add("Build a sundial")
    think(memory, clock.now, "review", goal=goal.id)
    clock.advance(DAY)
    goals(memory, clock).done(goal.id)
    assert 9 not in reached(memory)
    clock.advance(DAY)
    thought = think(memory, clock.now, "review", goal=goal.id)
    assert (ids(reached(memory)[9]), reached(memory)[9].at) == ([goal.id, thought], clock.now)


def test_a_decision_by_a_value_of_its_own(memory: Engram, clock: FixedClock) -> None:
    """The memory was promoted before it acted, by experience; what a person made immutable does not count."""
    told = memory.remember("Never lie to Ida.", immutable=True)
    think(memory, clock.now, "identity", surfaced=[told])
    tea = promoted(memory, clock, [])
    think(memory, clock.now, "identity", surfaced=[memory.get(tea)])
    assert 10 not in reached(memory)
    clock.advance(DAY)
    rum = memory.get(promoted(memory, clock, range(0, 20, 4), text="Rum is what Ida never drinks"))
    assert 10 not in reached(memory)
    clock.advance(DAY)
    think(memory, clock.now, "identity", surfaced=[rum], acted=False)
    assert 10 not in reached(memory)
    thought = think(memory, clock.now, "identity", surfaced=[rum])
    found = reached(memory)[10]
    assert labels(found) == ["BeliefChange", "Memory", "Thought"]
    assert (ids(found)[1:], found.at) == ([rum.id, thought], clock.now)


def test_evidence_draws_as_a_graph(memory: Engram, clock: FixedClock) -> None:
    """The path of a milestone is a picture of connected nodes, and the line names the evidence."""
    memory_id = promoted(memory, clock, range(0, 20, 4))
    found = reached(memory)[4]
    drawn = picture({"path": path} for path in found.paths)
    assert len(drawn.dots) == 2
    assert [line.kind for line in drawn.lines] == ["CHANGED"]
    line = [*readiness_lines([found])][1]
    assert line.startswith(" 4. First memory that weighs like a goal: ")
    assert line.endswith(f"BeliefChange {ids(found)[0][:8]}, Memory {memory_id[:8]}")


def test_another_space_has_its_own(memory: Engram, clock: FixedClock) -> None:
    """What one mind has reached, another has not."""
    promoted(memory, clock, range(0, 20, 4))
    assert reached(memory)
    assert not reached(another(memory, clock))


def test_each_begins_at_an_index(memory: Engram) -> None:
    """No statement scans a label of every space."""
    for each in ACHIEVEMENTS:
        plan = memory.graph.explain(each.statement, space=memory.space)
        assert not {"NodeByLabelScan", "AllNodesScan"} & {*plan}, each.statement


def test_a_mind_left_alone_reaches_its_milestones(memory: Engram, clock: FixedClock) -> None:
    """While nobody talks, thoughts about a goal are acted upon and memories brought together: found as they really are."""
    goals(memory, clock).add("Bees in the garden keep time")
    for text in (
        "Bees keep time by the sun",
        "The garden is full of bees",
        "The sun keeps time",
        "Clocks drift",
    ):
        memory.remember(text)
    memory.recall("bees sun time", 3)
    assert memory.flush()
    clock.advance(DAY)
    model = ScriptedModel(respond=lambda _: "It should be looked after.")
    with IdleMind(memory, model, generator=np.random.default_rng(1)) as mind:
        for _ in range(60):
            mind.cycle()
            clock.advance(timedelta(minutes=10))
            if {5, 8} <= reached(memory).keys():
                break
    found = reached(memory)
    assert labels(found[5]) == ["Thought", "Goal"]
    assert labels(found[8]) == ["Thought", "Memory", "Memory"]
