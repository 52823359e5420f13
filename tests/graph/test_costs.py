"""What models cost, as the graph keeps it: nothing is lost, nothing counts twice, and spaces do not mix."""

from collections.abc import Callable
from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from engram.costs import Ledger, cost_report
from engram.costs.ledger import READ_SECONDS
from engram.errors import LanguageModelDownError
from engram.graph import Graph
from engram.llm.base import Message
from engram.llm.structured import ask
from engram.memory import Engram
from engram.prices import Price
from engram.testing import FixedClock, ScriptedModel
from tests.conftest import Address
from tests.graph.beside import run

pytestmark = pytest.mark.graph

SWEEP: Any = resolve_name("engram.jobs.sweep:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

DOLLAR = {"dear": Price(input=0, output=1_000_000)}
"""A model whose every word costs a dollar."""
ASKED = [Message(role="user", text="Where?")]
PAST = datetime(2026, 1, 1, tzinfo=UTC)


class Place(BaseModel):
    """An answer of a shape."""

    name: str


def a_ledger(memory: Engram, clock: FixedClock, *, space: str | None = None, **limits: Any) -> Ledger:
    """Return a ledger of the memory's space, as another process has it."""
    return Ledger(
        memory.graph, space=space or memory.space, clock=clock, prices=DOLLAR, **{"monotonic": lambda: 0.0, **limits}
    )  # fmt: skip


def say(ledger: Ledger, words: int, *, model: str = "dear", **what: Any) -> None:
    """Have a model say so many words; none at all is a call that fails."""
    script: Any = "word " * words or [LanguageModelDownError("away")]
    metered = ledger.model(ScriptedModel(script, name=model), **{"purpose": "reply", **what})
    with metered.stream("s", ASKED, max_tokens=9) as stream:
        try:
            list(stream)
        except LanguageModelDownError:
            return


def kept(memory: Engram) -> dict[str, Any]:
    """Return the calls and counters of the memory's space."""
    return run(memory, "read_llm_calls")[0]


def test_a_call_is_kept_as_it_was(memory: Engram, clock: FixedClock) -> None:
    """The node has every field of the call, and none that is not known."""
    ledger = a_ledger(memory, clock)
    say(ledger, 2, session="monday", background=True)
    (call,) = ledger._batch()
    assert ledger.flush()
    (node,) = kept(memory)["calls"]
    fields = {name: getattr(call, name) for name in call.__slots__}
    assert node == {"space": memory.space} | {
        name: value for name, value in fields.items() if value is not None
    }
    assert not {"error", "raw"} & node.keys()
    ledger.close()


def test_a_judgement_after_writing_changes_the_one_node(memory: Engram, clock: FixedClock) -> None:
    """A call that is judged when it is written already is still one call, of one day, with its new outcome."""
    ledger = a_ledger(memory, clock)
    model = ledger.model(ScriptedModel("Ghent, I think.", name="dear"), purpose="extract")
    with model.stream("s", ASKED, max_tokens=9) as stream:
        list(stream)
        assert ledger.flush()
        stream.outcome = "prose"
    assert ledger.flush()
    (node,) = kept(memory)["calls"]
    assert (node["outcome"], node["raw"]) == ("prose", "Ghent, I think.")
    assert (ledger.spent().lifetime, ledger.spent().calls_today) == (3, 1)
    ledger.close()


def test_a_database_that_is_away_loses_nothing(
    memory: Engram, clock: FixedClock, neo4j_address: Address
) -> None:
    """Calls count and wait while nothing can be written, no reply fails, and they are written once it can."""
    address = neo4j_address
    gone = Graph(address.uri, address.user, address.password, address.database)
    gone.close()
    ledger = a_ledger(memory, clock)
    ledger._graph = gone
    for words in (1, 2, 3):
        say(ledger, words)
    assert not ledger.flush()
    assert (ledger.unwritten, ledger.spent().run, kept(memory)["calls"]) == (3, 6, [])
    ledger._graph = memory.graph
    say(ledger, 4)
    assert ledger.flush()
    assert sorted(node["cost_usd"] for node in kept(memory)["calls"]) == pytest.approx([1, 2, 3, 4])
    assert (ledger.unwritten, ledger.spent().lifetime) == (0, 10)
    ledger.close()


def test_calls_are_written_behind_the_callers_back(memory: Engram, clock: FixedClock) -> None:
    """Nobody has to ask for it: the thread writes what was recorded."""
    ledger = a_ledger(memory, clock)
    for words in range(20):
        say(ledger, words)
    ledger._worker.shutdown()
    assert len(kept(memory)["calls"]) == 20
    assert ledger.unwritten == 0


def test_two_processes_see_each_others_spending(memory: Engram, clock: FixedClock) -> None:
    """What another spent counts against the same day's budget, after a while without being asked for."""
    seconds = [0.0]
    mine = a_ledger(memory, clock, daily_budget=10.0, monotonic=lambda: seconds[0])
    theirs = a_ledger(memory, clock)
    say(mine, 1)
    assert mine.flush()
    say(theirs, 8)
    assert theirs.flush()
    assert mine.allows(background=True) == "yes"
    seconds[0] += READ_SECONDS
    mine.spent()
    mine._worker.shutdown()
    assert mine.allows(background=True) == "no"
    spent = mine.spent()
    assert (spent.run, spent.today, spent.last_day, spent.lifetime, spent.calls_today) == (1, 9, 9, 9, 2)
    assert replace(theirs.spent(), budget=10.0, run=1) == spent
    theirs.close()


def test_a_new_process_knows_what_was_spent(memory: Engram, clock: FixedClock) -> None:
    """Its first question waits until it has read; the day begins at midnight UTC, the last one 24 hours ago."""
    clock.now = PAST + timedelta(hours=23)
    before = a_ledger(memory, clock)
    say(before, 2)
    before.close()
    clock.now = PAST + timedelta(hours=25)
    after = a_ledger(memory, clock)
    spent = after.spent()
    assert (spent.run, spent.today, spent.last_day, spent.lifetime) == (0, 0, 2, 2)
    say(after, 5)
    spent = after.spent()
    assert (spent.run, spent.today, spent.last_day, spent.lifetime) == (5, 5, 7, 7)
    clock.now = PAST + timedelta(days=9)
    assert after.flush()
    assert astuple(after.spent())[:4] == (5, 0, 0, 7)
    after.close()


def test_spaces_do_not_mix(memory: Engram, clock: FixedClock) -> None:
    """Neither figures nor summaries nor a sweep see another space's calls, and none is changed by its id."""
    ledger = a_ledger(memory, clock)
    other = a_ledger(memory, clock, space=f"test-{uuid4().hex[:12]}")
    say(ledger, 1)
    (call,) = ledger._batch()
    assert ledger.flush()
    say(other, 2)
    other.revise(replace(call, purpose="stolen"))
    assert other.flush()
    assert (ledger.spent().lifetime, other.spent().lifetime) == (1, 2)
    assert [line.key for line in ledger.summary("purpose")] == ["reply"]
    clock.advance(timedelta(days=40))
    run_job(SWEEP, memory.graph, space=other._space, clock=clock)
    assert len(kept(memory)["calls"]) == 1
    for each in (ledger, other):
        each.close()


@pytest.mark.usefixtures("_schema")
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_every_summary_adds_up_before_and_after_the_sweep(neo4j_address: Address, data: Any) -> None:
    """By day, purpose and model the same sums, in any order; rolling up keeps tokens, calls and dollars."""
    address, space = neo4j_address, f"test-{uuid4().hex[:12]}"
    clock = FixedClock(PAST)
    with Graph(address.uri, address.user, address.password, address.database) as graph:
        ledger = Ledger(graph, space=space, clock=clock, prices=DOLLAR, monotonic=lambda: 0.0)
        calls = data.draw(
            st.lists(
                st.tuples(
                    st.integers(0, 9),
                    st.sampled_from(["dear", "free:8b"]),
                    st.sampled_from(["reply", "gut"]),
                    st.integers(0, 70),
                ),
                max_size=12,
            )
        )
        for words, model, purpose, day in calls:
            clock.now = PAST + timedelta(days=day)
            say(ledger, words, model=model, purpose=purpose)
        clock.now = PAST + timedelta(days=70)
        dollars = sum(words for words, model, *_ in calls if model == "dear")
        for by in ("day", "purpose", "model"):
            lines = ledger.summary(by, 90)
            assert sum(line.calls for line in lines) == len(calls)
            assert sum(line.output_tokens for line in lines) == sum(words for words, *_ in calls)
            assert sum(line.failed for line in lines) == sum(words == 0 for words, *_ in calls)
            assert sum(line.cost_usd for line in lines) == pytest.approx(dollars)
            assert {name for line in lines for name in line.unpriced} == {
                model for _, model, *_ in calls if model != "dear"
            }
        assert ledger.spent().lifetime == pytest.approx(dollars)
        swept = run_job(SWEEP, graph, space=space, clock=clock)
        assert swept.changed == sum(day < 40 for *_, day in calls)
        ledger.flush()
        assert ledger.spent().lifetime == pytest.approx(dollars)
        assert sum(line.calls for line in ledger.summary("day", 90)) == sum(day >= 40 for *_, day in calls)
        ledger.close()


def test_old_calls_become_counters(memory: Engram, clock: FixedClock) -> None:
    """Calls older than `sweep.keep_days` are counted by purpose, model and month; a dry run only says so."""
    memory.tune("sweep.batch_size", 2)
    ledger = a_ledger(memory, clock)
    for words in (0, 1, 2, 3):
        say(ledger, words)
    say(ledger, 4, model="free:8b", purpose="gut")
    assert ledger.flush()
    clock.advance(timedelta(days=31))
    assert run_job(SWEEP, memory.graph, space=memory.space, clock=clock, dry_run=True).changed == 5
    assert len(kept(memory)["calls"]) == 5
    run_job(SWEEP, memory.graph, space=memory.space, clock=clock)
    assert kept(memory)["calls"] == []
    gut, reply = (
        {name: value for name, value in each.items() if name not in {"space", "month", "retries", "kind"}}
        for each in kept(memory)["counters"]
    )
    assert reply == {
        "purpose": "reply", "model": "dear", "count": 4, "failed": 1, "unpriced": 0,
        "input_tokens": 0, "output_tokens": 6, "cost_usd": 6.0,
    }  # fmt: skip
    assert gut == {
        "purpose": "gut", "model": "free:8b", "count": 1, "failed": 0, "unpriced": 1,
        "input_tokens": 0, "output_tokens": 4, "cost_usd": 0.0,
    }  # fmt: skip
    ledger.close()


def test_a_report_has_this_session_and_today(memory: Engram, clock: FixedClock) -> None:
    """The session's purposes, whenever it began, then the day's, the dearest first."""
    ledger = a_ledger(memory, clock)
    say(ledger, 5, session="monday")
    clock.advance(timedelta(days=1))
    say(ledger, 1, session="monday")
    say(ledger, 0, session="tuesday")
    ask(
        ledger.model(ScriptedModel("no shape at all", name="dear"), purpose="gut", session="monday"),
        "s", "Where?", Place, max_tokens=9,
    )  # fmt: skip
    said = [
        (line.scope, line.key, line.calls, line.failed, line.cost_usd)
        for line in cost_report(ledger, "monday")
    ]
    assert said == [
        ("this session", "reply", 2, 0, 6.0),
        ("this session", "gut", 1, 1, 4.0),
        ("today", "gut", 1, 1, 4.0),
        ("today", "reply", 2, 1, 1.0),
    ]
    ledger.close()


def test_a_call_that_ends_after_the_conversation_is_written(memory: Engram, clock: FixedClock) -> None:
    """What a thread in the background asked before the end costs what it costs, however late the answer comes."""
    ledger = a_ledger(memory, clock)
    late = ledger.model(ScriptedModel("word " * 3, name="dear"), purpose="extract", background=True)
    ledger.close()
    with late.stream("s", ASKED, max_tokens=9) as stream:
        list(stream)
    (call,) = run(memory, "read_llm_calls")[0]["calls"]
    assert (call["purpose"], call["outcome"], call["cost_usd"]) == ("extract", "ok", 3.0)
