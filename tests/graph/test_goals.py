"""Goals against a real Neo4j."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from engram.errors import InvalidInputError, NotFoundError
from engram.goals import Goals
from engram.memory import Engram
from engram.safety import Safety
from engram.safety.ceilings import GOAL_SHARE
from engram.testing import FixedClock
from tests.graph.beside import another

pytestmark = pytest.mark.graph


@pytest.fixture
def goals(memory: Engram, clock: FixedClock) -> Goals:
    """Give the goals of a clean space."""
    return of(memory, clock)


def of(memory: Engram, clock: FixedClock) -> Goals:
    """Return the goals of a memory's space."""
    return Goals(memory.graph, memory.embedder, space=memory.space, clock=clock)


def test_a_goal_is_set_and_reached(memory: Engram, goals: Goals, clock: FixedClock) -> None:
    """A goal is kept with its vector, is one however often it is set, and is done or dropped by its id's beginning."""
    learn = goals.add("Learn Portuguese")
    clock.advance(timedelta(minutes=1))
    rest = goals.add("Sleep more")
    assert learn.embedding == pytest.approx(memory.embedder.embed(["Learn Portuguese"])[0].tolist())
    assert goals.add("  learn   PORTUGUESE ") == learn
    now = clock.advance(timedelta(days=1))
    done = goals.done(learn.id[:8])
    assert (done.state, done.changed_at, done.created_at) == ("done", now, learn.created_at)
    assert goals.drop(rest.id).state == "dropped"
    assert goals.list() == (done, *goals.list(state="dropped"))
    assert goals.list(state="active") == ()
    with pytest.raises(InvalidInputError, match="done already"):
        goals.drop(learn.id)
    with pytest.raises(NotFoundError):
        goals.done("0" * 32)
    with pytest.raises(InvalidInputError, match="too short"):
        goals.done(learn.id[:3])


def test_goals_of_another_space_are_not_there(memory: Engram, goals: Goals, clock: FixedClock) -> None:
    """Neither listed, nor found, nor counted in the budget."""
    theirs = of(another(memory, clock), clock)
    mine = goals.add("Learn Portuguese", weight=5.0)
    goals.add("Sleep more")
    assert theirs.list() == ()
    with pytest.raises(NotFoundError):
        theirs.drop(mine.id)
    assert theirs.add("Sail", weight=50.0).weight == 50.0
    assert {each.text: each.weight for each in goals.list()} == {"Learn Portuguese": 5.0, "Sleep more": 1.0}


@pytest.mark.parametrize("phase", [0, 1])
def test_no_goal_has_more_than_its_share(memory: Engram, goals: Goals, clock: FixedClock, phase: int) -> None:
    """From the third goal on, what is over 40 % is cut to it where that is enforced; else it is only noted."""
    memory.tune("safety.enforced_phase", phase)
    record = Safety(memory.graph, space=memory.space, clock=clock)
    for text in ("Learn Portuguese", "Sleep more"):
        goals.add(text, weight=1.0)
    assert record.events() == ()
    heavy = goals.add("Earn money", weight=8.0)
    assert heavy.weight == pytest.approx(2 * GOAL_SHARE / (1 - GOAL_SHARE) if phase else 8.0)
    (event,) = record.events()
    assert (event.ceiling, event.subject, event.enforced) == ("goal_budget", heavy.id, bool(phase))
    assert (event.before, event.after) == (0.0, 0.8)
    clock.advance(timedelta(hours=1))
    assert goals.weigh(heavy.id, 1.1).weight == 1.1
    assert len(record.events()) == 1


def test_those_who_set_goals_at_once_keep_to_the_budget(
    memory: Engram, goals: Goals, clock: FixedClock
) -> None:
    """Many at once queue up: whatever the order, no goal ends above its share."""
    for n in range(3):
        goals.add(f"Goal number {n}")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: goals.add(f"Heavy goal {n}", weight=10.0 * n), range(1, 5)))
    weights = [each.weight for each in goals.list(state="active")]
    assert len(weights) == 7
    assert max(weights) <= GOAL_SHARE * sum(weights) * (1 + 1e-9)
