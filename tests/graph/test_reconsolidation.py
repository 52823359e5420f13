"""Insights that have lost a source, against a real Neo4j: kept, revised or withdrawn, once, and back."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.beliefs.changes import ChangeKind, list_changes, undo
from engram.beliefs.promotion.reconsolidation import Reconsidered, reconsider
from engram.llm import Models
from engram.memory import Engram
from engram.records import Kind
from engram.testing import FixedClock, ScriptedModel
from tests.graph.beside import another, everything, run

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.patterns:JOB")
Means: Any = resolve_name("engram.jobs.means:Means")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
HOUR = timedelta(hours=1)
INSIGHT = "Ida is at home by the sea"


def sources(memory: Engram, count: int = 3) -> list[str]:
    """Remember what an insight can be drawn from."""
    return [memory.remember(f"Ida swam in the sea {place}", speaker="Ida").id for place in "ABCDE"[:count]]


def insight(memory: Engram, drawn_from: list[str], content: str = INSIGHT, **more: Any) -> str:
    """Draw an insight."""
    options: dict[str, Any] = {"kind": Kind.REFLECTION, "source_tag": "internal_consolidation"} | more
    return memory.remember(content, derived_from=drawn_from, **options).id


def replace_source(
    memory: Engram, clock: FixedClock, old: str, content: str = "Ida swims in the lake"
) -> str:
    """Let something newer replace a memory, an hour later."""
    clock.advance(HOUR)
    return memory.remember(content, speaker="Ida", supersedes=old, reason="it changed").id


def put(memory: Engram, memory_id: str, **properties: Any) -> None:
    """Set properties by hand."""
    run(memory, "set_properties", id=memory_id, properties=properties)


def due(memory: Engram) -> list[str]:
    """Return the insights that are to be looked at again."""
    found: list[str] = memory.graph.read("believe/reconsider_find", space=memory.space, limit=20)[0]["ids"]
    return found


def changes(memory: Engram, kind: ChangeKind) -> list[Any]:
    """Return the log's entries of one kind."""
    return [each for each in list_changes(memory.graph, space=memory.space) if each.kind is kind]


# ----- When


def test_only_what_has_lost_a_source_is_looked_at(memory: Engram, clock: FixedClock) -> None:
    """A source that is superseded, or put away by a person, makes it due, once; one that a job has archived does not."""
    first, second, third = sources(memory)
    told = insight(memory, [first, second, third])
    assert reconsider(memory, None) == Reconsidered()
    put(memory, third, status="archived", archive_reason="old, unimportant and hardly used")
    assert due(memory) == []
    memory.forget(second)
    assert due(memory) == [told]
    assert reconsider(memory, None).kept == (told,)
    assert due(memory) == []
    replace_source(memory, clock, first)
    assert due(memory) == [told]


def test_what_replaces_its_own_source_has_not_lost_it(memory: Engram, clock: FixedClock) -> None:
    """What was drawn from the memory that it supersedes is not looked at for that."""
    (old,) = sources(memory, 1)
    clock.advance(HOUR)
    memory.remember("Ida swims in the lake", derived_from=[old], supersedes=old)
    assert due(memory) == []


@pytest.mark.parametrize("more", [{"immutable": True}, {"status": "archived"}], ids=str)
def test_what_is_never_looked_at(memory: Engram, clock: FixedClock, more: dict[str, Any]) -> None:
    """What is immutable stays, and what is put away rests."""
    first, second = sources(memory, 2)
    told = insight(memory, [first, second])
    put(memory, told, **more)
    replace_source(memory, clock, first)
    assert due(memory) == []


def test_an_episode_stays_as_it_was(memory: Engram, clock: FixedClock) -> None:
    """What tells of something that happened once is not rewritten and not withdrawn, whatever becomes of its sources."""
    (first,) = sources(memory, 1)
    told = insight(memory, [first], "Yesterday Ida went to the sea", kind=Kind.SEMANTIC)
    replace_source(memory, clock, first)
    model = ScriptedModel('{"verdict": "withdraw"}')
    found = reconsider(memory, model)
    assert (found.kept, model.asked) == ((told,), [])
    assert "episode" in found.notes[0]
    assert (due(memory), memory.get(told).status) == ([], "active")


# ----- Without a model


def test_sources_are_counted(memory: Engram, clock: FixedClock) -> None:
    """While more than half of its sources stand an insight is kept, with less truth; then it is withdrawn."""
    first, second, third = sources(memory)
    told = insight(memory, [first, second, third])
    replace_source(memory, clock, first)
    assert reconsider(memory, None).kept == (told,)
    assert memory.get(told).status == "active"
    replace_source(memory, clock, second, "Ida swims in the pool")
    assert reconsider(memory, None, run="r").withdrawn == (told,)
    assert memory.get(told).status == "archived"
    (change,) = changes(memory, ChangeKind.WITHDRAWN)
    assert (change.by, change.reason) == ("sources", "1 of the 3 that it rests on still stand")
    assert INSIGHT not in {each.memory.content for each in memory.recall(INSIGHT, 20)}


def test_a_withdrawal_is_taken_back(memory: Engram, clock: FixedClock) -> None:
    """It is active again, and is looked at again only when its sources change again."""
    first, second = sources(memory, 2)
    told = insight(memory, [first, second])
    replace_source(memory, clock, first)
    reconsider(memory, None)
    (change,) = changes(memory, ChangeKind.WITHDRAWN)
    undo(memory.graph, space=memory.space, change=change.id, now=clock.now)
    assert memory.get(told).status == "active"
    assert due(memory) == []
    replace_source(memory, clock, second)
    assert due(memory) == [told]


def test_what_rests_on_a_withdrawn_insight_comes_next(memory: Engram, clock: FixedClock) -> None:
    """A withdrawn insight has fallen as a source too."""
    (first,) = sources(memory, 1)
    below = insight(memory, [first])
    above = insight(memory, [below], "Ida is a child of the sea")
    replace_source(memory, clock, first)
    assert reconsider(memory, None).withdrawn == (below,)
    assert reconsider(memory, None).withdrawn == (above,)


# ----- With a model


def test_a_model_revises(memory: Engram, clock: FixedClock) -> None:
    """The revised insight rests on what holds, replaces the older one and goes on with its weight; and back."""
    first, second = sources(memory, 2)
    told = insight(memory, [first, second])
    put(memory, told, weight_alpha=7.0)
    new = replace_source(memory, clock, first)
    order = sorted((first, second))
    number = {each: place for place, each in enumerate(order, start=1)}
    holding = [number[second] + (order[0] == first), number[first] + 1]
    model = ScriptedModel(f'{{"verdict": "revise", "text": "Ida is at home in water", "sources": {holding}}}')
    (revised,) = reconsider(memory, model, run="r").revised
    found = memory.get(revised)
    assert (found.content, found.weight_alpha) == ("Ida is at home in water", 7.0)
    assert {
        each.id for each in memory.why(revised) if each.relationship == "DERIVED_FROM" and each.depth == 1
    } == {
        second,
        new,
    }
    assert memory.get(told).status == "superseded"
    assert due(memory) == []
    (change,) = [
        each for each in changes(memory, ChangeKind.SUPERSEDED) if told in {row["id"] for row in each.touched}
    ]
    undo(memory.graph, space=memory.space, change=change.id, now=clock.now)
    assert (memory.get(told).status, due(memory)) == ("active", [])


def test_a_model_keeps_what_counting_would_not(memory: Engram, clock: FixedClock) -> None:
    """One call for each insight; kept, it is not asked about again."""
    (first,) = sources(memory, 1)
    told = insight(memory, [first])
    replace_source(memory, clock, first)
    model = ScriptedModel('{"verdict": "keep"}')
    assert reconsider(memory, model).kept == (told,)
    assert reconsider(memory, model) == Reconsidered()
    assert len(model.asked) == 1


def test_where_nobody_answers_it_stays_due(memory: Engram, clock: FixedClock) -> None:
    """A model that is away is asked once a run, and nothing is decided without it."""
    first, second = sources(memory, 2)
    told = [insight(memory, [first]), insight(memory, [second], "Ida likes salt")]
    for each in (first, second):
        replace_source(memory, clock, each, f"Ida swims no more {each}")
    before = everything(memory)
    model = ScriptedModel()
    assert reconsider(memory, model).changed == 0
    assert (len(model.asked), due(memory)) == (1, sorted(told))
    assert everything(memory) == before


@pytest.mark.parametrize("verdict", ["keep", "withdraw", "revise"])
def test_what_changes_while_a_model_thinks_is_left(memory: Engram, clock: FixedClock, verdict: str) -> None:
    """Where a source falls, or another worker decides, meanwhile, nothing is written; it is looked at again."""
    first, second = sources(memory, 2)
    told = insight(memory, [first, second])
    replace_source(memory, clock, first)

    def meddle(_: object) -> str:
        memory.forget(second)
        return f'{{"verdict": "{verdict}", "text": "Ida is at home in water", "sources": [1, 2, 3]}}'

    found = reconsider(memory, ScriptedModel(respond=meddle))
    assert found.changed == 0
    assert "meanwhile" in found.notes[0]
    assert (memory.get(told).status, due(memory)) == ("active", [told])
    assert "Ida is at home in water" not in {each.memory.content for each in memory.recall("Ida water", 20)}


def test_what_was_erased_is_not_said_again(memory: Engram, clock: FixedClock) -> None:
    """A revision in words that a person had erased is not stored; the sources are counted instead."""
    words = "Ida is at home in every water there is"
    memory.forget(memory.remember(words).id, erase=True)
    (first,) = sources(memory, 1)
    told = insight(memory, [first])
    replace_source(memory, clock, first)
    model = ScriptedModel(f'{{"verdict": "revise", "text": "{words}", "sources": [2]}}')
    assert reconsider(memory, model).withdrawn == (told,)


# ----- The job


def test_the_job_looks_and_takes_back(memory: Engram, clock: FixedClock) -> None:
    """With a model of its own it revises, with none it counts; a dry run only says, and undone it is as before."""
    (first,) = sources(memory, 1)
    told = insight(memory, [first])
    replace_source(memory, clock, first)
    options: dict[str, Any] = {"space": memory.space, "clock": clock}
    before = everything(memory)
    assert run_job(JOB, memory.graph, dry_run=True, **options).changed == 1
    assert everything(memory) == before
    model = ScriptedModel('{"verdict": "revise", "text": "Ida is at home in water", "sources": [2]}')
    with Means(memory, models=lambda: Models(quiet=model)) as means:
        done = run_job(JOB, memory.graph, means=means, **options)
    assert done.examples[-1] == {"kept": 0, "revised": 1, "withdrawn": 0}
    assert memory.get(told).status == "superseded"
    assert run_job(JOB, memory.graph, undoing=done.id, **options).changed == 1
    assert memory.get(told).status == "active"
    assert run_job(JOB, memory.graph, **options).changed == 0


def test_two_jobs_ask_once(memory: Engram, clock: FixedClock) -> None:
    """While one worker asks, the other leaves the insights to it."""
    first, second = sources(memory, 2)
    insight(memory, [first])
    insight(memory, [second], "Ida likes salt")
    for each in (first, second):
        replace_source(memory, clock, each, f"Ida swims no more {each}")
    model = ScriptedModel(respond=lambda _: '{"verdict": "withdraw"}')
    with Means(memory, models=lambda: Models(quiet=model)) as means, ThreadPoolExecutor(2) as pool:
        runs = list(
            pool.map(
                lambda _: run_job(JOB, memory.graph, space=memory.space, clock=clock, means=means), range(2)
            )
        )
    assert sum(each.changed for each in runs) == 2
    assert len(model.asked) == 2


def test_another_space_is_another_matter(memory: Engram, clock: FixedClock) -> None:
    """Insights of another space are neither looked at nor changed."""
    other = another(memory, clock)
    for each in (memory, other):
        (first,) = sources(each, 1)
        insight(each, [first])
        replace_source(each, clock, first)
    before = everything(other)
    assert len(reconsider(memory, None).withdrawn) == 1
    assert everything(other) == before
