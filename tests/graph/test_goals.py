"""Goals against a real Neo4j."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from engram.errors import InvalidInputError, NotFoundError
from engram.goals import Goals
from engram.goals.keeping import MOST_PROPOSED
from engram.goals.session import Worked
from engram.memory import Engram
from engram.mind.priority import terms
from engram.mind.replaying import BRIEF, Replayer
from engram.safety import Safety
from engram.safety.ceilings import GOAL_SHARE
from engram.testing import FixedClock
from tests.graph.beside import another, run

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


def test_the_statement_that_ranks_is_the_formula(memory: Engram, goals: Goals, clock: FixedClock) -> None:
    """Every goal's priority is what its terms say, however long ago it was touched; what is over presses not at all."""
    memory.remember("We met Noor and Tariq at the pier", speaker="Ada")
    made = [
        goals.add("ask Noor about the boat", tractability=0.9),
        goals.add("bring Noor to Tariq", tractability=0.2),
        goals.add("write to Tariq"),
        goals.add("sleep more", tractability=0.0),
        goals.add("learn to juggle", tractability=1.0),
        goals.add("visit Japan"),
        goals.add("buy bread"),
    ]
    clock.advance(timedelta(days=3))
    goals.mention([made[0].id, made[4].id])
    clock.advance(timedelta(hours=30))
    goals.incubate(made[4].id)
    goals.block(made[5].id, "a visa")
    goals.done(made[6].id)
    clock.advance(timedelta(days=2, hours=7))
    found = {each.id: each for each in goals.rank()}
    connected = [1, 2, 1, 0, 0, 0]
    for place, each in enumerate(made[:6]):
        now = found[each.id]
        expected = terms(
            active_at=now.active_at,
            mentioned_at=now.mentioned_at,
            tractability=0.0 if now.state == "blocked" else now.tractability,
            connected=connected[place],
            now=clock(),
        )
        assert now.priority == pytest.approx(expected.priority, rel=1e-12), each.text
        assert now.ranked_at == clock()
        explained = goals.explain(each.id).terms
        assert explained is not None
        assert explained.priority == pytest.approx(expected.priority)
    ordered = [each.priority or 0.0 for each in goals.rank()]
    assert ordered == sorted(ordered, reverse=True)
    (over,) = goals.list(state="done")
    assert (over.priority, goals.explain(over.id).terms) == (None, None)


def test_states_follow_from_each_other(goals: Goals, clock: FixedClock) -> None:
    """A goal rests, waits, and goes on; what it may not become says what to do first, and nothing changes."""
    goal = goals.add("paint the boat")
    resting = goals.incubate(goal.id)
    assert (resting.state, resting.incubating_since, resting.incubated) == ("incubating", clock(), 0)
    blocked = goals.block(goal.id, "the harbour is closed")
    assert (blocked.state, blocked.blocked_by, blocked.incubated) == (
        "blocked",
        "the harbour is closed",
        None,
    )
    assert blocked.priority == 0.0
    now = clock.advance(timedelta(days=20))
    again = goals.resume(goal.id)
    assert (again.state, again.blocked_by, again.active_at, again.priority) == ("active", None, now, 0.5)
    for refused in (goals.resume, goals.accept, goals.refuse):
        with pytest.raises(InvalidInputError, match="active already"):
            refused(goal.id)
    assert goals.done(goal.id).state == "done"
    with pytest.raises(InvalidInputError, match="done already"):
        goals.resume(goal.id)
    for wrong in ({"tractability": 1.1}, {"tractability": float("nan")}, {"weight": 0.0}):
        with pytest.raises(InvalidInputError):
            goals.add("something else", **wrong)
    assert [each.text for each in goals.list()] == ["paint the boat"]


def test_what_rests_has_no_share_and_comes_back_within_it(goals: Goals) -> None:
    """The budget is of the active goals: one that comes back is held to it as if it were new."""
    heavy = goals.add("Earn money", weight=8.0)
    goals.incubate(heavy.id)
    for text in ("Learn Portuguese", "Sleep more"):
        goals.add(text)
    assert {each.weight for each in goals.list(state="active")} == {1.0}
    back = goals.resume(heavy.id)
    assert back.weight == pytest.approx(2 * GOAL_SHARE / (1 - GOAL_SHARE))


def test_what_is_proposed_waits_for_a_word(goals: Goals) -> None:
    """A proposal is no goal until it is accepted; in whatever words, it is made once, and never again when refused."""
    first = goals.propose("learn Portuguese by June", found_in="a turn")
    assert first is not None
    assert (first.state, first.found_in, first.priority) == ("proposed", "a turn", None)
    assert goals.list(state="active") == ()
    assert goals.propose("Learn  Portuguese by June") is None
    assert goals.propose("learn Portuguese") is None
    accepted = goals.accept(first.id)
    assert (accepted.state, accepted.priority) == ("active", 0.5)
    assert goals.propose("learn Portuguese") is None
    other = goals.propose("sail round the world")
    assert other is not None
    assert goals.refuse(other.id).state == "dropped"
    assert goals.propose("sail round the whole world") is None
    third = goals.propose("visit the moon")
    assert third is not None
    added = goals.add("Visit the moon", tractability=0.1)
    assert (added.id, added.state, added.tractability) == (third.id, "active", 0.1)
    assert added.agreed_at is not None, (
        "said to be one, it is a goal even if the words it was found in are erased"
    )
    zoo = goals.propose("visit the zoo")
    assert zoo is not None
    goals.refuse(zoo.id)
    made = [goals.propose(" ".join(f"{chr(97 + n) * 5}{k}" for k in "xyz")) for n in range(MOST_PROPOSED + 3)]
    assert sum(each is not None for each in made) == MOST_PROPOSED


def test_a_goal_is_explained_with_what_it_hangs_together_with(
    memory: Engram, goals: Goals, clock: FixedClock
) -> None:
    """Whom it is about, which goals and memories are about the same, and what replay connected it to."""
    told = memory.remember("The boat of Noor lies at the pier", event_at=clock())
    goal = goals.add("paint the boat of Noor at the pier")
    other = goals.add("visit Noor")
    assert memory.flush()
    run(
        memory,
        "mind_lay_episodes",
        episodes=[{"id": f"{memory.space}:box", "memories": [told.id], "at": clock()}],
    )
    Replayer(memory.graph, space=memory.space, clock=clock).replay(BRIEF)
    found = goals.explain(goal.id[:8])
    assert found.names == ("Noor",)
    assert [(each.id, each.through) for each in found.related] == [(other.id, "Noor")]
    assert [each.memory for each in found.memories] == [told.id]
    (link,) = found.connections
    assert (link.memory, link.hops, link.episode) == (told.id, 0, f"{memory.space}:box")
    assert found.terms is not None
    assert found.terms.connections == pytest.approx(1.1)


def test_goals_about_one_person_under_two_names_are_connected(
    memory: Engram, goals: Goals, clock: FixedClock
) -> None:
    """Names that are taken for one after the goals were set connect them all the same, and what was told under either."""
    told = [memory.remember(f"We saw {name} at the pier", event_at=clock()) for name in ("Noor", "Eleonora")]
    one, other = goals.add("visit Noor on Friday"), goals.add("write to Eleonora")
    assert goals.explain(one.id).related == ()
    memory.beliefs.merge_names("Noor", "Eleonora")
    goals.rank()
    for goal, related in ((one, other), (other, one)):
        found = goals.explain(goal.id)
        assert [each.id for each in found.related] == [related.id]
        assert {each.memory for each in found.memories} == {each.id for each in told}
        assert found.terms is not None
        assert found.terms.connections == pytest.approx(1.1)


def test_names_that_become_known_later_are_linked_when_it_is_spoken_of(
    memory: Engram, goals: Goals, clock: FixedClock
) -> None:
    """A goal is set before anybody knew whom it names; at the end of a conversation that mentions it, it is about them."""
    goal = goals.add("visit Noor")
    assert goals.explain(goal.id).names == ()
    memory.remember("We saw Noor", speaker="Ada")
    worked = Worked(mentions=1, spent=timedelta(), last=clock())
    goals.end_session({goal.id: worked}, since=clock.advance(timedelta(hours=1)))
    assert goals.explain(goal.id).names == ("Noor",)
