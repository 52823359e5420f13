"""Restart: a run knows how often there was one before, how long nobody was there, and what was left unanswered."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.errors import LanguageModelDownError
from engram.loop import restart
from engram.loop.restart import Manifest, Restart
from engram.loop.scratch import Scratch
from engram.memory import Engram
from engram.testing import FixedClock, ScriptedModel
from tests.graph.beside import another
from tests.graph.talking import entry, lines, memories, nodes, talk

pytestmark = pytest.mark.graph

SWEEP: Any = resolve_name("engram.jobs.sweep:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

NOBODY = {"host": "a machine that is gone", "pid": 1, "process_started_at": 0.0}
HOUR = timedelta(hours=1)


def a_run(memory: Engram, clock: FixedClock, name: str) -> Restart:
    """Return the manifest's keeper of one run."""
    return Restart(
        memory.graph,
        Scratch(memory.graph, space=memory.space),
        space=memory.space,
        run=f"{memory.space}-{name}",
        clock=clock,
    )


def begin(memory: Engram, clock: FixedClock, name: str) -> Manifest:
    """Begin a run, and return where things stood."""
    return a_run(memory, clock, name).begin("evening")


def killed(memory: Engram, clock: FixedClock, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin a run whose process will not come back, and hear something in it an hour later."""
    with monkeypatch.context() as patched:
        patched.setattr(restart, "_this_process", lambda: NOBODY)
        begin(memory, clock, name)
    clock.advance(HOUR)
    said = entry(
        f"{memory.space}-{name}-said",
        clock.now,
        run=f"{memory.space}-{name}",
        text=f"Mies my cat was at the vet today, {name}?",
        awaits=True,
    )
    Scratch(memory.graph, space=memory.space).hear([said], run=said.run, now=clock.now)


def test_starts_are_counted_and_time_at_work_is_summed(memory: Engram, clock: FixedClock) -> None:
    """The first run was never away; each later one knows of those before, of every conversation of the space."""
    born = clock.now
    first = begin(memory, clock, "one")
    assert (first.away, first.restarts, first.uptime_hours, first.age_days) == (None, 0, 0.0, 0.0)
    clock.advance(2 * HOUR)
    a_run(memory, clock, "one").end()
    clock.advance(timedelta(days=3))
    second = begin(memory, clock, "two")
    assert (second.created_at, second.away, second.restarts) == (born, timedelta(days=3), 1)
    assert second.uptime_hours == pytest.approx(2.0)
    clock.advance(HOUR / 2)
    a_run(memory, clock, "two").end()
    third = begin(memory, clock, "three")
    assert third.restarts == 2
    assert third.uptime_hours == pytest.approx(2.5)
    assert third.alive == ()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0, 500)), min_size=1, max_size=4))
def test_any_history_adds_up(memory: Engram, clock: FixedClock, runs: list[tuple[float, float]]) -> None:
    """For any lengths of runs and pauses: uptime is the sum, and away is the last pause."""
    space = another(memory, clock)
    pause = 0.0
    for number, (length, rest) in enumerate(runs):
        manifest = begin(space, clock, str(number))
        assert manifest.restarts == number
        assert manifest.uptime_hours == pytest.approx(sum(each for each, _ in runs[:number]), abs=1e-5)
        if number:
            assert manifest.away is not None
            assert manifest.away / HOUR == pytest.approx(pause, abs=1e-5)
        clock.advance(length * HOUR)
        a_run(space, clock, str(number)).end()
        clock.advance(rest * HOUR)
        pause = rest


def test_beginning_or_ending_twice_counts_once(memory: Engram, clock: FixedClock) -> None:
    """A transaction that is tried again leaves what the first one did."""
    begin(memory, clock, "one")
    clock.advance(HOUR)
    for _ in range(2):
        a_run(memory, clock, "one").end()
        clock.advance(HOUR)
    assert begin(memory, clock, "two").uptime_hours == pytest.approx(1.0)
    assert begin(memory, clock, "two").restarts == 1


def test_a_run_that_died_counts_as_long_as_it_was_seen(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next one closes it, once however many begin at the same time, and nobody takes it for alive."""
    killed(memory, clock, "dead", monkeypatch)
    clock.advance(timedelta(days=2))
    with ThreadPoolExecutor(3) as pool:
        manifests = list(pool.map(lambda name: begin(memory, clock, name), "abc"))
    assert sorted(manifest.restarts for manifest in manifests) == [1, 2, 3]
    assert {round(manifest.uptime_hours, 6) for manifest in manifests} == {1.0}
    assert max(manifest.away or HOUR for manifest in manifests) == timedelta(days=2)
    (dead,) = [each for each in nodes(memory, "runs") if each.get("died")]
    assert dead["id"] == f"{memory.space}-dead"
    assert dead["ended_at"] == dead["seen_at"]


def test_a_run_elsewhere_goes_on_until_it_was_silent_for_an_hour(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of another machine only the last sign of life is known: what it said is its own until then."""
    killed(memory, clock, "elsewhere", monkeypatch)
    name = f"{memory.space}-elsewhere"
    clock.advance(HOUR - timedelta(seconds=1))
    manifest = begin(memory, clock, "here")
    assert manifest.alive == (name,)
    assert manifest.unfinished == ()
    assert a_run(memory, clock, "here").alive() == (name,)
    clock.advance(timedelta(seconds=1))
    assert a_run(memory, clock, "here").alive() == ()
    assert [each.session for each in begin(memory, clock, "later").unfinished] == ["evening"]


def test_it_is_not_forgotten_that_there_was_a_run(memory: Engram, clock: FixedClock) -> None:
    """Records of runs are rolled up after a month; how long nobody was there is still known after a year."""
    begin(memory, clock, "one")
    clock.advance(HOUR)
    a_run(memory, clock, "one").end()
    clock.advance(timedelta(days=365))
    assert run_job(SWEEP, memory.graph, space=memory.space, clock=clock).changed >= 1
    assert nodes(memory, "runs") == []
    manifest = begin(memory, clock, "two")
    assert (manifest.away, manifest.restarts) == (timedelta(days=365), 1)
    assert "365 days ago" in manifest.line()


def test_spaces_do_not_mix(memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another space's runs are nobody's restarts, and what was left there is nobody's here."""
    killed(another(memory, clock), clock, "dead", monkeypatch)
    clock.advance(timedelta(days=2))
    manifest = begin(memory, clock, "one")
    assert (manifest.away, manifest.restarts, manifest.unfinished) == (None, 0, ())


def test_what_was_left_unanswered_is_told_and_decided(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person hears how long it was and what was not answered; the prompt says how long; the line becomes a memory."""
    killed(memory, clock, "dead", monkeypatch)
    clock.advance(timedelta(days=3))
    model = ScriptedModel("Mies.")
    with talk(memory, clock, model, session="morning") as agent:
        assert agent.greeting == (
            "We last talked 3 days ago. Not answered yet (in the session evening): "
            "“Mies my cat was at the vet today, dead?” It is kept."
        )
        list(agent.say("Good morning to you, how are things?"))
    assert "You were last at work 3 days ago" in model.asked[0].system
    assert "Mies my cat was at the vet today, dead?" in memories(memory)


def test_the_same_conversation_needs_no_name(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was left in this very conversation is told without its name, and of several the last one is."""
    killed(memory, clock, "one", monkeypatch)
    killed(memory, clock, "two", monkeypatch)
    clock.advance(2 * HOUR)
    with talk(memory, clock) as agent:
        assert (
            agent.greeting
            == "Not answered yet: “Mies my cat was at the vet today, two?”, and 1 more. It is kept."
        )


def test_nothing_to_greet_with(memory: Engram, clock: FixedClock) -> None:
    """A first conversation, or one after a short pause with nothing left, begins without a word."""
    with talk(memory, clock) as agent:
        assert agent.greeting is None
    clock.advance(5 * HOUR)
    with talk(memory, clock) as agent:
        assert agent.greeting is None
        assert "5 hours ago" in agent.describe()[0]


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(lambda: ScriptedModel("Mies."), id="answered"),
        pytest.param(lambda: ScriptedModel([LanguageModelDownError("down")]), id="failed"),
        pytest.param(lambda: ScriptedModel(["\x00"]), id="empty"),
        pytest.param(lambda: ScriptedModel("word " * 10_000), id="too long to be kept"),
        pytest.param(lambda: None, id="quoted"),
    ],
)
def test_what_the_person_knows_the_end_of_is_not_unfinished(
    memory: Engram, clock: FixedClock, model: Callable[[], ScriptedModel | None]
) -> None:
    """Answered, failed with memories in its place, or too long an answer to be kept: nothing is brought up again."""
    with talk(memory, clock, model()) as agent:
        list(agent.say("Mies my cat was at the vet today, by the way?"))
    assert not any(line.get("awaits") for line in lines(memory))
    with talk(memory, clock) as agent:
        assert agent.manifest.unfinished == ()
