"""The whole, by a scripted year of 200 turns: what is believed at its end, and that nothing true was lost on the way.

The year is told once with a model that draws what a careful reader would, and once without any. What is asserted of
both is the same; without a model less of it need be found, and nothing may be wrong either.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import combinations
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

import pytest

from engram.beliefs.changes import list_changes, undo
from engram.beliefs.names.resolution import canonical_keys
from engram.config import Settings
from engram.embedding import open_embedder
from engram.errors import EmbedderMissingError
from engram.graph import Graph
from engram.llm import Models
from engram.memory import Engram
from engram.records import FOREVER, REPLY_TAG, Evidence, Turn
from engram.testing import FixedClock
from tests.conftest import Address
from tests.graph import life_checks as checks
from tests.graph.life import (
    ALIKE,
    APART,
    ONE,
    PAST,
    STANDING,
    TENSIONS,
    THREADS,
    Line,
    State,
    script,
    sessions,
)
from tests.graph.life_checks import Told, facts, may_replace, replaced, retired, saying
from tests.graph.life_model import LifeModel, Tally

pytestmark = pytest.mark.graph

run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
Means: Any = resolve_name("engram.jobs.means:Means")
OFTEN = 2
"""Sessions between two runs of the job that draws facts."""
SELDOM = ("entities", "dream", "archive", "patterns")
"""Jobs that run when a quarter of the year is over."""
LEAST = {True: 0.9, False: 0.6}
"""Of what has to be found, with a model and without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """A year as it was told."""

    memory: Engram
    clock: FixedClock
    model: LifeModel | None
    held: dict[str, Told]
    """The facts at its end."""
    end: datetime
    drawing: Tally
    judging: Tally
    other: Tally

    @property
    def least(self) -> float:
        """Of what has to be found."""
        return LEAST[self.model is not None]

    def found(self, states: list[State]) -> list[State]:
        """Return the states that hold at the end."""
        return [
            each for each in states if any(fact.holds(self.end) for fact in saying(self.held.values(), each))
        ]


def work(memory: Engram, clock: FixedClock, model: LifeModel | None, *names: str) -> None:
    """Run jobs over the memory's space."""
    with Means(memory, models=lambda: Models(quiet=model)) as means:
        for name in names:
            job = resolve_name(f"engram.jobs.{name}:JOB")
            run_job(job, memory.graph, space=memory.space, clock=clock, means=means)


def tell(
    memory: Engram,
    clock: FixedClock,
    model: LifeModel | None,
    *,
    of: tuple[tuple[Line, ...], ...],
    name: Callable[[str], str] = str,
    jobs: tuple[str, ...] = (),
) -> int:
    """Tell sessions in order, the clock moving with them, and return how many turns were new."""
    stored = 0
    for place, session in enumerate(of):
        at = session[-1].at + timedelta(minutes=5)
        if place and (at.month - 1) // 3 != (clock.now.month - 1) // 3:
            work(memory, clock, model, *jobs)
        clock.now = max(clock.now, at)
        stored += memory.remember_turns([line.turn(name(line.session)) for line in session]).stored
        if place % OFTEN == OFTEN - 1:
            work(memory, clock, model, "extract")
    work(memory, clock, model, "extract", *jobs)
    return stored


def fresh(graph: Graph, address: Address, clock: FixedClock, folder: Any, **more: Any) -> Engram:
    """Return a memory on a clean space, with the default embedder: what is near in meaning is part of the test."""
    try:
        embedder = open_embedder(Settings.load(), download=False)
    except EmbedderMissingError:
        pytest.skip("the default embedding model is not installed")
    settings = address.settings(data_dir=folder, **more)
    return Engram(graph, settings, space=f"life-{uuid4().hex[:12]}", embedder=embedder, clock=clock)


@pytest.fixture(scope="module")
def connection(neo4j_address: Address, _schema: None) -> Iterator[Graph]:
    """Give a connection for all lives."""
    address = neo4j_address
    with Graph(address.uri, address.user, address.password, address.database) as opened:
        yield opened


@pytest.fixture(scope="module", params=["model", "plain"])
def year(
    request: pytest.FixtureRequest,
    connection: Graph,
    neo4j_address: Address,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Year]:
    """Give the year as it was told, with a model and without one."""
    model = LifeModel() if request.param == "model" else None
    clock = FixedClock(script()[0].at)
    memory = fresh(connection, neo4j_address, clock, tmp_path_factory.mktemp("life"))
    assert tell(memory, clock, model, of=sessions(), jobs=SELDOM) == len(script()) == 200
    yield Year(
        memory=memory,
        clock=clock,
        model=model,
        held=facts(memory),
        end=clock.now,
        **{
            name: replace(getattr(model, name)) if model else Tally()
            for name in ("drawing", "judging", "other")
        },
    )
    memory.flush()


def test_what_is_so_at_the_end_is_held(year: Year) -> None:
    """The last state of whatever changed, and what never did; with a model, all that it was told."""
    wanted = [*(thread.states[-1] for thread in THREADS), *STANDING]
    found = year.found(wanted)
    missing = [each.says for each in wanted if each not in found]
    assert len(found) >= (1.0 if year.model else year.least) * len(wanted), missing


def test_what_ended_is_held_no_more(year: Year) -> None:
    """Of what ended most is retired: 0.9 with a model, 0.6 without; what was over when it was told is not so now."""
    steps = [step for thread in THREADS for step in thread.steps]
    taken = retired(year.held)
    missed = [f"{one.says} -> {other.says}" for one, other in steps if (one, other) not in taken]
    assert len(taken) >= year.least * len(steps), missed
    assert not year.found(list(PAST))


def test_nothing_true_is_retired(year: Year) -> None:
    """Every fact that was retired had ended, and gave way to what ended it: precision 1."""
    pairs = list(replaced(year.held))
    assert pairs
    assert not [f"{old.content} <- {new.content}" for old, new in pairs if not may_replace(old, new)]
    retired_ids = {each.id for each in year.held.values() if each.status == "superseded"}
    assert retired_ids == {old.id for old, _ in pairs}


def test_what_ended_is_found_by_its_date(year: Year) -> None:
    """Asked as of an hour before the news, recall answers with what was so then, and with nothing later."""
    failed = []
    for thread in THREADS:
        for one, other in thread.steps:
            old = saying(year.held.values(), one)
            if not old:
                continue
            before = other.first.at - timedelta(hours=1)
            hits = year.memory.recall(thread.question, 20, as_of=before, read_only=True)
            ids = {hit.memory.id for hit in hits}
            if not ids & {each.id for each in old} or ids & {
                each.id for each in saying(year.held.values(), other)
            }:
                failed.append((thread.question, before, [hit.memory.content for hit in hits]))
    assert not failed


def test_disagreement_stays_open(year: Year) -> None:
    """What nothing settled is in tension at the end, and both sides stand; without a model, as far as both were found."""
    settled = []
    for one, other in TENSIONS:
        ours, theirs = (saying(year.held.values(), each) for each in (one, other))
        if year.model is None and not (ours and theirs):
            continue
        if not any(
            b.id in a.disagrees and a.holds(year.end) and b.holds(year.end) for a in ours for b in theirs
        ):
            settled.append(f"{one.says} / {other.says}")
    assert not settled
    assert any(each.disagrees for each in year.held.values())


def test_what_says_nothing_leaves_nothing(year: Year) -> None:
    """Questions, jokes, quotations, conditions, small talk and the agent's own words become no facts."""
    silent = {line.name for line in script() if line.silent}
    assert not [(each.content, each.names) for each in year.held.values() if each.names & silent]


def test_what_is_said_again_is_no_copy(year: Year) -> None:
    """No two facts that hold say the same of the same, and what was said again rests on each of the turns."""
    held = [each for each in year.held.values() if each.holds(year.end)]
    twice = [
        (one.content, other.content)
        for one, other in combinations(held, 2)
        if one.slot and (one.subject, one.slot, one.value) == (other.subject, other.slot, other.value)
        and one.negated == other.negated
    ]  # fmt: skip
    assert not twice
    assert len({each.content for each in held}) == len(held)
    for state in (state for thread in THREADS for state in thread.states):
        said = saying(year.held.values(), state)
        assert len(said) <= 1, [each.content for each in said]
        if year.model:
            assert said[0].names >= state.names, said[0].content


def test_names_are_one_where_the_person_is(year: Year) -> None:
    """Robert Miller and Bob are one; two Toms, two choirs and two towns are not, and no other names are taken for one."""
    keys = {key for pair in APART for key in pair} | ONE
    stands = canonical_keys(year.memory.graph, space=year.memory.space, keys=keys)
    assert len({stands[key] for key in ONE}) == 1, stands
    assert not [(one, other) for one, other in APART if stands[one] == stands[other]]
    merged = checks.merged_names(year.memory)
    assert not [pair for pair in merged if not any(pair <= names for names in ALIKE)]


def test_every_chain_ends_in_a_turn(year: Year) -> None:
    """`why` leads from each fact to turns, or says where it breaks."""
    for fact in year.held.values():
        steps = year.memory.why(fact.id)
        assert "Turn" in {each.label for each in steps}, fact.content
        parents = {each.parent for each in steps}
        assert not [each for each in steps if each.id not in parents and not _ends(each)], fact.content


def _ends(step: Evidence) -> bool:
    return step.label in {"Turn", "Session"} or step.repeated or step.broken or bool(step.left_out)


@pytest.mark.parametrize("drawn", ["model", "plain"])
def test_told_again_it_adds_nothing(
    connection: Graph, neo4j_address: Address, tmp_path: Any, drawn: str
) -> None:
    """The same turns are known; in other sessions they are evidence for the facts that are there.

    What the agent says of what it remembers is not even that, as its reply or in another conversation.
    """
    model = LifeModel() if drawn == "model" else None
    clock = FixedClock(script()[0].at)
    memory = fresh(connection, neo4j_address, clock, tmp_path)
    half = sessions()[: len(sessions()) // 2]
    turns = tell(memory, clock, model, of=half)
    before = facts(memory)
    assert tell(memory, clock, model, of=half) == 0
    assert facts(memory) == before
    assert tell(memory, clock, model, of=half, name=checks.again) == turns
    after = facts(memory)
    assert [after[each].content for each in after.keys() - before.keys()] == []
    assert {each.id: each.status for each in after.values()} == {
        each.id: each.status for each in before.values()
    }
    recalled = [each.content for each in after.values() if each.status == "active"]
    clock.advance(timedelta(days=1))
    memory.remember_turns(
        Turn(text=text, speaker="assistant", session="recital", id=f"{place}", source_tag=REPLY_TAG)
        for place, text in enumerate([*recalled, f"You told me: {' '.join(recalled[:8])}"])
    )
    work(memory, clock, model, "extract")
    assert facts(memory) == after


def test_the_year_costs_little(year: Year) -> None:
    """For 100 turns: 10 calls draw facts, 12 short ones judge conflicts, 22,000 tokens in all; half as much again is allowed.

    What runs once a quarter, names and dreams, took 27 calls and 13,400 tokens. Without a model nothing is asked.
    """
    assert (year.drawing.calls > 0) is (year.model is not None)
    per_hundred = len(script()) / 100
    assert year.drawing.calls <= 15 * per_hundred
    assert year.judging.calls <= 18 * per_hundred
    assert year.drawing.tokens + year.judging.tokens <= 33_000 * per_hundred
    assert year.other.calls <= 40 * per_hundred
    assert year.other.tokens <= 23_000 * per_hundred


def test_a_day_keeps_to_its_budget(connection: Graph, neo4j_address: Address, tmp_path: Any) -> None:
    """With five calls a day no loop asks more, and what could not be asked about waits for the next."""
    model = LifeModel()
    clock = FixedClock(script()[0].at)
    memory = fresh(connection, neo4j_address, clock, tmp_path, daily_calls=5)
    for session in sessions()[:10]:
        tell(memory, clock, model, of=(session,), jobs=("dream",))
    assert 0 < model.calls <= 5
    drawn = {name for fact in facts(memory).values() for name in fact.names}
    due = checks.due(memory)
    assert due
    assert not drawn & due


def test_all_of_it_can_be_taken_back(connection: Graph, neo4j_address: Address, tmp_path: Any) -> None:
    """Undone in reverse, every change leaves what it changed as it was before: nothing is replaced, nothing has ended."""
    clock = FixedClock(script()[0].at)
    memory = fresh(connection, neo4j_address, clock, tmp_path)
    half = sessions()[: len(sessions()) // 2]
    tell(memory, clock, LifeModel(), of=half, jobs=SELDOM)
    assert retired(facts(memory))
    for change in list_changes(connection, space=memory.space, limit=1_000):
        undo(connection, space=memory.space, change=change.id, now=clock.now)
    held = facts(memory)
    assert not [each.content for each in held.values() if each.status == "superseded"]
    assert not [each.content for each in held.values() if each.disagrees]
    ended = {drawn.content for session in half for line in session for drawn in line.drawn if drawn.until}
    assert not [each for each in held.values() if (each.valid_to != FOREVER) != (each.content in ended)]
    keys = canonical_keys(connection, space=memory.space, keys=ONE)
    assert keys == {key: key for key in ONE}
