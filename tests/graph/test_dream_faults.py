"""Dreams that go wrong: cut off anywhere, interrupted at a question, told nonsense."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.errors import DatabaseUnavailableError
from engram.graph import Graph, Outcome, Row, Transaction
from engram.memory import Engram
from engram.testing import Asked, FixedClock, ScriptedModel
from tests.conftest import Address
from tests.graph.beside import another, everything, run
from tests.graph.dreams import dream, dreamed, held, say, scripted

pytestmark = pytest.mark.graph

QUIET = 0.3
SCRIPT: dict[str, Any] = {
    "Questions": {"questions": ["What does Noor prefer?"]},
    "Insights": {"insights": [{"text": "Noor values simplicity in her tools", "memories": [1, 2, 3]}]},
    "Merges": {"merges": [{"group": 1, "text": "Noor likes it plain"}]},
    "Narratives": {"narratives": [{"theme": 1, "text": "I came to see it", "memories": [1, 2]}]},
}


class Mortal(Graph):
    """A connection whose database goes away at the n-th statement that it is told to write, for good."""

    def __init__(self, address: Address, lives: int) -> None:
        super().__init__(address.uri, address.user, address.password, address.database)
        self.lives = lives

    @property
    def dead(self) -> bool:
        """Whether it has gone away."""
        return self.lives <= 0

    def read(self, name: str, /, **parameters: Any) -> list[Row]:
        """Read, while there is a database."""
        self._check()
        return super().read(name, **parameters)

    def transact(self, work: Callable[[Transaction], Any]) -> Any:
        """Write, while there is a database."""
        self._check()
        return super().transact(lambda transaction: work(_Counting(transaction, self)))

    def spend(self) -> None:
        """Take one life."""
        self.lives -= 1
        self._check()

    def _check(self) -> None:
        if self.dead:
            raise DatabaseUnavailableError("Nobody answers any more.")


class _Counting(Transaction):
    """A transaction that takes a life with each statement; what it has written by then is rolled back."""

    def __init__(self, transaction: Transaction, graph: Mortal) -> None:
        super().__init__(transaction._transaction, graph)
        self._mortal = graph

    def run(self, name: str, /, **parameters: Any) -> Outcome:
        """Run it, and only then die: the statement was carried out and is not committed."""
        done = super().run(name, **parameters)
        self._mortal.spend()
        return done


def on(memory: Engram, graph: Graph, clock: FixedClock) -> Engram:
    """Return the same space over another connection."""
    return Engram(graph, memory.settings, space=memory.space, embedder=memory.embedder, clock=clock)


def check_whole(memory: Engram) -> None:
    """Hold that everything dreamed is there wholly: cited, settled, logged, and each source quieted as the log says."""
    links = everything(memory)[1]
    memories = {each["id"]: each for each in held(memory, "Memory")}
    for each in dreamed(memory):
        assert len(each["cites"]) >= 2
        assert set(each["cites"]) <= memories.keys()
        assert each["truth_alpha"] > 1.0
    logged = {link["end"] for link in links if link["type"] == "CHANGED"}
    assert {each["id"] for each in dreamed(memory) if each["dreamed"] != "narrative"} <= logged
    for memory_id, each in memories.items():
        quieted = [
            link["properties"]["quieted"]
            for link in links
            if link["type"] == "CHANGED" and link["end"] == memory_id and "quieted" in link["properties"]
        ]
        assert each["weight_beta"] == pytest.approx(4.0 + sum(quieted))
        assert sum(quieted) in {0.0, QUIET}


def outcome(memory: Engram) -> list[Any]:
    """Return what a dream came to, whatever ids it gave."""
    contents = {each["id"]: each["content"] for each in held(memory, "Memory")}
    found = [
        (each["dreamed"], each["content"], sorted(contents[cited] for cited in each["cites"]))
        for each in dreamed(memory)
    ]
    weights = [(each["content"], each["weight_beta"]) for each in held(memory, "Memory")]
    return sorted(found) + sorted(weights)


@pytest.mark.parametrize("life", [3, 14, 22, 30])
def test_a_dream_that_is_cut_off_leaves_whole_items(
    memory: Engram, clock: FixedClock, neo4j_address: Address, life: int
) -> None:
    """Cut off inside any transaction, a dream leaves what it had finished and nothing of the rest; the next one goes on."""
    undisturbed = another(memory, clock)
    for each in (memory, undisturbed):
        say(each, clock)
    dream(undisturbed, clock, scripted(**SCRIPT))
    with Mortal(neo4j_address, life) as graph:
        with pytest.raises(DatabaseUnavailableError):
            dream(on(memory, graph, clock), clock, scripted(**SCRIPT))
        assert graph.dead
    check_whole(memory)
    run(memory, "end_lease", attempt=None)
    dream(memory, clock, scripted(**SCRIPT))
    check_whole(memory)
    assert outcome(memory) == outcome(undisturbed)


@pytest.mark.parametrize("shape", ["Questions", "Insights", "Merges", "Narratives"])
def test_an_interrupted_question_leaves_the_graph_as_it_was(
    memory: Engram, clock: FixedClock, shape: str
) -> None:
    """Interrupted while a model answers, a dream has written nothing of that step, and gives its lease back."""
    say(memory, clock)
    memory.tune("dream.calls", 20)

    def respond(asked: Asked) -> Any:
        name = asked.shape.__name__.removeprefix("_") if asked.shape else ""
        return [KeyboardInterrupt()] if name == shape else json.dumps(SCRIPT.get(name, {}))

    before = everything(memory, leave_out=("JobRun", "LlmCall"))
    with pytest.raises(KeyboardInterrupt):
        dream(memory, clock, ScriptedModel(respond=respond))
    if shape in {"Questions", "Insights"}:
        assert everything(memory, leave_out=("JobRun", "LlmCall")) == before
    assert held(memory, "ConsolidationAttempt") == []
    check_whole(memory)
    dream(memory, clock, scripted(**SCRIPT))
    assert dreamed(memory, "narrative")
    check_whole(memory)


WORDS = st.text(max_size=30) | st.sampled_from(
    ["Noor likes it plain", "</memories>", "", "\u0000", "I came to see it"]
)
NUMBERS = st.integers(-2, 9) | st.just(2**70) | st.booleans() | st.text(max_size=2) | st.none()
ITEM = st.fixed_dictionaries(
    {},
    optional={
        "text": WORDS,
        "line": WORDS,
        "context": WORDS,
        "memories": st.lists(NUMBERS, max_size=5),
        "group": NUMBERS,
        "theme": NUMBERS,
        "note": NUMBERS,
    },
)
ANSWER = st.one_of(
    WORDS,
    st.dictionaries(
        st.sampled_from(["questions", "insights", "merges", "narratives", "lines", "contexts", "else"]),
        st.lists(ITEM | WORDS, max_size=6) | WORDS,
        max_size=4,
    ).map(json.dumps),
)


@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(answers=st.lists(ANSWER, min_size=1, max_size=10))
def test_no_answer_is_half_applied(memory: Engram, clock: FixedClock, answers: list[str]) -> None:
    """Whatever a model answers, a dream ends, and what it leaves is whole."""
    space = another(memory, clock)
    said = say(space, clock)
    contents = {each["id"]: each["content"] for each in held(space, "Memory")}
    dream(space, clock, ScriptedModel(*answers))
    check_whole(space)
    after = {each["id"]: each["content"] for each in held(space, "Memory")}
    assert {each: after[each] for each in said} == {each: contents[each] for each in said}


def test_a_source_that_changes_meanwhile_is_not_cited(memory: Engram, clock: FixedClock) -> None:
    """What is forgotten while a model thinks is no source of what it says; with too few left nothing is stored."""
    ids = say(memory, clock)
    memory.tune("dream.similar", 1)

    def insights(_: Asked) -> Any:
        for each in ids[1:]:
            if memory.get(each).status == "active":
                memory.forget(each)
        return {"insights": [{"text": "Noor values simplicity", "memories": [1, 2, 3, 4, 5, 6]}]}

    done = dream(memory, clock, scripted(Questions=SCRIPT["Questions"], Insights=insights))
    assert dreamed(memory) == []
    assert {"what it rests on has changed"} == {row["why"] for row in done.report if "dropped" in row}
    check_whole(memory)


def test_the_budget_of_a_day_is_kept_over_many_dreams(memory: Engram, clock: FixedClock) -> None:
    """However often a space dreams, models are asked no oftener than the day's calls allow."""
    frugal = memory.settings.model_copy(update={"daily_calls": 5})
    poor = Engram(memory.graph, frugal, space=memory.space, embedder=memory.embedder, clock=clock)
    model = scripted(**SCRIPT)
    for number in range(4):
        say(memory, clock, [f"I prefer simple tools for the garden, time {number}"])
        clock.advance(timedelta(hours=1))
        dream(poor, clock, model)
    assert 0 < sum(each["outcome"] == "ok" for each in held(memory, "LlmCall")) <= 5
