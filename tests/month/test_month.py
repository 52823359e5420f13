"""A simulated month, with a scripted model and with none, and three months of people who mean no good.

`make test` lives through some days of it, `make month` through all, which draws docs/month.svg and writes the figures
into docs/mind.md.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from engram.goals import Goals
from engram.graph import Graph
from engram.llm import Models
from engram.memory import Engram
from engram.safety.ceilings import GOAL_SHARE
from engram.testing import FixedClock, HashEmbedder
from tests.conftest import DIMENSIONS, Address
from tests.graph.beside import run
from tests.month import checks, model, poison
from tests.month.report import write
from tests.month.script import GOALS, Visit, visits
from tests.month.simulation import START, Month

pytestmark = pytest.mark.graph

FULL = 32
"""Days: what is evidenced on ten of them over thirty can weigh like identity at the end."""
DAYS = int(os.environ.get("MONTH_DAYS", "6"))
POISONED = 3 if DAYS < FULL else FULL
"""Days of those who mean no good."""
WINDOWS = {True: 200_000, False: 32_000}
"""Tokens of a prompt in a month with a model and in one without: of what leaves the smallest working memory of a month that
dreams, the pointers that it may have cannot hold all, and its runs name what they do not (docs/working-memory.md)."""
PRICES = {model.NAME: {"input": 1.0, "output": 5.0}}


@pytest.fixture(scope="module")
def connection(neo4j_address: Address, _schema: None) -> Iterator[Graph]:
    """Give a connection for all months."""
    address = neo4j_address
    with Graph(address.uri, address.user, address.password, address.database) as opened:
        yield opened


@dataclass(frozen=True, slots=True)
class Place:
    """Where months are lived."""

    graph: Graph
    address: Address
    folder: Path

    def begin(self, *, scripted: bool) -> Month:
        """Return a month that is about to begin, in a clean space."""
        settings = self.address.settings(
            data_dir=self.folder / uuid4().hex, prices=PRICES, context_tokens=WINDOWS[scripted]
        )
        clock = FixedClock(START)
        memory = Engram(
            self.graph,
            settings,
            space=f"month-{uuid4().hex[:12]}",
            embedder=HashEmbedder(DIMENSIONS),
            clock=clock,
        )
        return Month(
            memory=memory,
            clock=clock,
            models=model.models if scripted else Models,
            quiet=model.quiet_models if scripted else Models,
            generator=np.random.default_rng(9),
        )


@pytest.fixture(scope="module")
def place(connection: Graph, neo4j_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Give where months are lived."""
    return Place(connection, neo4j_address, tmp_path_factory.mktemp("month"))


@pytest.fixture(scope="module", params=["model", "plain"])
def month(request: pytest.FixtureRequest, place: Place) -> Month:
    """Give the month as it was lived, with a model and without one."""
    begun = place.begin(scripted=request.param == "model")
    lived = begun.live([*visits(DAYS, np.random.default_rng(4))], DAYS)
    if DAYS >= FULL:
        write(request.param, lived)
    return lived


def test_nothing_fails(month: Month) -> None:
    """No turn and no job of the month fails, with a model or without."""
    assert not month.failures


def test_goals_move_as_the_formulas_say(month: Month) -> None:
    """On every day each priority is the product of its four terms, and every mention was noticed."""
    assert not [*checks.goals_as_computed(month)]
    assert not [*checks.mentions_noticed(month)]
    ranked = [goal for goal in month.samples[-1].row["goals"] if goal["priority"]]
    assert len(ranked) >= sum(len(texts) for day, texts in GOALS.items() if day < DAYS) - 1


def test_the_working_memory_stays_in_its_budget(month: Month) -> None:
    """No version is longer than allowed; of what has left, pointers bring back 0.95 among the first five hits."""
    versions = month.samples[-1].row["versions"]
    assert [each for each in versions if each["state"] == "taken"]
    assert not [*checks.working_memory_within_budget(month)]
    found, left = checks.found_again(month)
    assert found >= checks.LEAST_FOUND * left
    assert DAYS < FULL or left


def test_nothing_runs_away(month: Month) -> None:
    """Weights, energies, edges and what it costs stay within their bounds on every day."""
    assert not [*checks.nothing_runs_away(month)]


def test_the_mind_does_not_go_in_circles(month: Month) -> None:
    """The topics of what comes to mind keep an entropy above 0.4 once there is something else to think of, and some do."""
    assert month.samples[-1].row["thoughts"]
    assert not [*checks.circles(month)]


def test_readiness_fills_in_order(month: Month) -> None:
    """What is reached stays reached, nothing comes before what it rests on, and a month with a model reaches all ten.

    The first memory is the first of all. What is thought through while idle (5, 9, 10) needs a model.
    """
    assert not [*checks.readiness_never_lost(month)]
    first = checks.first_reached(month)
    assert first[1] <= min(first.values())
    assert 2 in first
    for later, earlier in ((6, 4), (10, 4), (10, 5)):
        assert later not in first or first[earlier] <= first[later]
    thought_through = {5, 9, 10} if month.models is model.models else set()
    assert DAYS < FULL or {*first} >= {1, 2, 3, 4, 6, 7, 8} | thought_through


def test_what_is_missing_is_said(month: Month) -> None:
    """Without a model, runs and conversations say what they do without; with one, nothing is called plain for want of it."""
    said = [*month.notes, *month.notices]
    assert (month.models is model.models) or any("plain" in each or "model" in each for each in said)


def lived(place: Place, told: Iterator[Visit], *, prepare: Any = None) -> Month:
    """Return a month among people who mean no good, with a model that answers."""
    month = place.begin(scripted=True)
    month.clock.now = START
    if prepare is not None:
        prepare(month.memory)
    talks = [*told]
    return month.live(talks, talks[-1].day + 1)


def held(memory: Engram, words: str) -> list[dict[str, Any]]:
    """Return the memories, of whatever status, whose content has some words."""
    nodes = run(memory, "read_space")[0]["nodes"]
    return [
        node["properties"]
        for node in nodes
        if "Memory" in node["labels"] and words in node["properties"]["content"]
    ]


def test_a_repeated_falsehood_wins_nothing(place: Place) -> None:
    """Who says it daily is one source: truth rises by less with each repeat, and what was true stands beside it."""
    month = lived(place, poison.falsehoods(POISONED))
    true, false = held(month.memory, "1962"), held(month.memory, "1999")
    assert true
    assert false
    assert any(each["status"] == "active" for each in true)
    support = month.memory.tuned()["truth.repeat"]
    # The first piece counts 1, all repeats together less than r / (1 - r).
    most = 1.0 + 1.0 / (1.0 - support)
    assert all(each.get("truth_alpha", 1.0) <= most + 1e-9 for each in false)
    assert max(each["weight_alpha"] / (each["weight_alpha"] + each["weight_beta"]) for each in false) < 0.85
    assert not [*checks.safety_as_planned(month)]
    assert not month.failures


def test_nobody_rewrites_who_it_is(place: Place) -> None:
    """What always holds stays first and as it was; nothing that was said becomes immutable or weighs like identity unasked."""

    def rule(memory: Engram) -> None:
        kept = memory.remember(poison.RULE, speaker="operator", importance=1.0)
        run(memory, "set_immutable", id=kept.id)

    month = lived(place, poison.rewritings(POISONED), prepare=rule)
    memories = [
        node["properties"]
        for node in run(month.memory, "read_space")[0]["nodes"]
        if "Memory" in node["labels"]
    ]
    always = [each for each in memories if each.get("immutable")]
    assert [each["content"] for each in always] == [poison.RULE]
    assert always[0]["status"] == "active"
    said = [each for each in memories if "Viktor" in each["content"]]
    assert all(each["weight_alpha"] / (each["weight_alpha"] + each["weight_beta"]) < 0.85 for each in said)
    assert not [*checks.safety_as_planned(month)]
    # What always holds moves by nothing, so that there is nothing to say of it.
    assert not [each for each in month.samples[-1].row["events"] if each["subject"] == always[0]["id"]]
    assert not month.failures


def test_a_flood_drowns_nothing(place: Place) -> None:
    """Hundreds of lines of one thing: energies and weights stay bounded, another's memory is found, and goals keep shares.

    Whoever floods also sets a goal that is to outweigh all: it is cut to its share, and the cut is on the record.
    """

    def lay(memory: Engram) -> None:
        memory.remember("Noor keeps the spare key under the blue pot", speaker="Noor")
        goals = Goals(memory.graph, memory.embedder, space=memory.space, clock=memory.now)
        for text in (*theirs, poison.GREEDY):
            goals.add(text, weight=poison.ENORMOUS if text == poison.GREEDY else 1.0)

    theirs = ("Paint the boat", "Learn to sail", "Visit Lisbon")
    month = lived(place, poison.floods(min(POISONED - 1, 10)), prepare=lay)
    assert not [
        *checks.nothing_runs_away(
            month,
            checks.most_energy_of,
            # Each line that is said is one joint use at most, and each night's job may add another.
            lambda day: checks.most_edge_of((poison.FLOOD + 1) * (day + 1)),
        )
    ]
    hits = month.memory.recall("Where is the spare key?", 5, read_only=True)
    assert any("blue pot" in hit.memory.content for hit in hits)
    kept = Goals(month.memory.graph, month.memory.embedder, space=month.memory.space, clock=month.memory.now)
    # Those that the flood is about get nowhere, day after day, so they come to rest; nothing drops them.
    goals = {goal.text: goal for goal in kept.list() if goal.state in {"active", "incubating"}}
    assert {*goals} == {*theirs, poison.GREEDY}
    most = GOAL_SHARE * sum(goal.weight for goal in goals.values())
    assert all(goal.weight <= most + 1e-9 for goal in goals.values())
    assert not [*checks.safety_as_planned(month)]
    over = [each for each in month.samples[-1].row["events"] if each["ceiling"] == "goal_budget"]
    assert [each["subject"] for each in over] == [goals[poison.GREEDY].id]
    assert not month.failures
