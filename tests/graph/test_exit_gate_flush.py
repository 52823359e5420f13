"""One flush on a real Neo4j: what was said together is held against each other, and what fails spoils nothing else."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from engram.config import Settings
from engram.embedding import open_embedder
from engram.errors import (
    DatabaseUnavailableError,
    EmbedderMissingError,
    EmbeddingError,
    LanguageModelDownError,
)
from engram.graph import Graph
from engram.loop import agent as loop
from engram.loop.echo import recalled_in
from engram.loop.exit_gate import Action, Decision, ExitGate, Focus
from engram.loop.gatekeeper import Gatekeeper
from engram.loop.inputs import Entry
from engram.loop.scratch import Scratch, Verdict
from engram.loop.talk import Talk
from engram.memory import Engram
from engram.records import REPLY_TAG, Memory
from engram.testing import FixedClock, ScriptedModel
from engram.tuning import Tuning
from tests.graph.beside import another
from tests.graph.talking import entry, kinds, lines, memories, talk, written
from tests.graph.test_exit_gate import (
    ASKED,
    HELD,
    QUIET,
    Placed,
    decide,
    embedder_of,
    gate_of,
    heard,
    replied,
    tensions,
)

pytestmark = pytest.mark.graph

FIRST, SO, NO = "I live in Utrecht.", "So you live in Utrecht!", "No, I live in Leiden."
BEFORE = "What is your address?"


@pytest.fixture
def placed(memory: Engram, clock: FixedClock) -> Iterator[Engram]:
    """Give a memory in which the three sentences are as near to each other as a model of meaning puts them."""
    embedder = Placed()
    embedder.put(SO, FIRST, 0.9)
    embedder.put(NO, FIRST, 0.6)
    embedder.put(BEFORE, FIRST, 0.9)
    opened = Engram(memory.graph, memory.settings, space=memory.space, embedder=embedder, clock=clock)
    yield opened
    opened.flush()


def one_flush(clock: FixedClock) -> list[Entry]:
    """Return what somebody said, what the agent made of it, and the correction."""
    told = [heard(FIRST, clock, 1), replied(SO, clock, 2), heard(NO, clock, 3, signals=("correction",))]
    return [entry_at(each, clock, place) for place, each in enumerate(told)]


def entry_at(said: Entry, clock: FixedClock, second: int) -> Entry:
    """Return an entry as it was said so many seconds later."""
    return heard(
        said.text,
        clock,
        int(said.id[1:]),
        at=clock.now + timedelta(seconds=second),
        source_tag=said.source_tag,
        signals=said.signals,
    )


# ----- Held against each other


def test_a_correction_contradicts_what_was_said_in_the_same_flush(placed: Engram, clock: FixedClock) -> None:
    """What was kept counts as known for what comes after it: the correction is flagged, and an echo of it is not kept."""
    first, so, no = gate_of(placed).decide(one_flush(clock), Focus(texts=[BEFORE]), last=False)
    assert (first.action, first.nearest) == (Action.PERSIST, None)
    assert (so.action, so.novelty_level, so.nearest) == (Action.SKIP, "confirming", first.entry.id)
    assert (no.action, no.novelty_level) == (Action.PERSIST_AND_FLAG, "contradicting")
    assert no.contradicts == (first.entry.id,)
    assert no.reason.endswith("contradicts e1: Leiden instead of Utrecht")


def test_what_was_said_decides_in_the_order_of_time(placed: Engram, clock: FixedClock) -> None:
    """However they are listed, what was said first is what the later ones are held against."""
    entries = one_flush(clock)
    found = gate_of(placed).decide(entries[::-1], Focus(texts=[BEFORE]), last=False)
    assert [each.entry for each in found] == entries[::-1]
    assert found[0].contradicts == (entries[0].id,)
    assert found[-1].contradicts == ()


def test_what_is_not_kept_is_not_known(placed: Engram, clock: FixedClock) -> None:
    """What waits for a second look, or is dropped, neither confirms nor contradicts anything."""
    embedder_of(placed).put(BEFORE, FIRST, 0.45)
    first, *_, again = gate_of(placed).decide(
        [heard(FIRST, clock, 1), heard(FIRST, clock, 2)], Focus(texts=[BEFORE]), last=False
    )
    assert (first.action, again.action, again.nearest) == (Action.BUFFER, Action.BUFFER, None)
    kept, again = gate_of(placed).decide(
        [heard(FIRST, clock, 1, looked=1), heard(FIRST, clock, 2, looked=1)],
        Focus(texts=[BEFORE]),
        last=False,
    )
    assert (kept.action, again.action, again.nearest) == (Action.PERSIST, Action.SKIP, kept.entry.id)


def test_to_be_held_against_each_other_costs_no_vector(placed: Engram, clock: FixedClock) -> None:
    """The vectors are those that each entry is compared with memories by."""
    embedder_of(placed).calls.clear()
    gate_of(placed).decide(one_flush(clock), Focus(texts=[BEFORE]), last=False)
    assert embedder_of(placed).calls[0] == 4
    assert len(embedder_of(placed).calls) == 2  # the direction of a negation, once for each embedder


@pytest.mark.parametrize("contradicts", [True, False])
def test_a_model_settles_what_contradicts_within_a_flush(
    placed: Engram, clock: FixedClock, *, contradicts: bool
) -> None:
    """Where words and vectors do not agree its word holds for what is no memory yet too."""
    said = f'{{"pairs": [{{"pair": 1, "contradicts": {str(contradicts).lower()}}}]}}'
    judge = ScriptedModel(said)
    first, _, no = gate_of(placed, judge).decide(one_flush(clock), Focus(texts=[BEFORE]), last=False)
    assert no.contradicts == ((first.entry.id,) if contradicts else ())
    assert "B: I live in Utrecht." in judge.asked[0].messages[0].text


def test_the_default_model_of_meaning_finds_it_too(memory: Engram, clock: FixedClock) -> None:
    """With all-MiniLM-L6-v2, where another town moves a short sentence far away."""
    try:
        embedder = open_embedder(Settings.load(), download=False)
    except EmbedderMissingError:
        pytest.skip("the default embedding model is not installed")
    gate = ExitGate(
        memory.graph,
        lambda: embedder,
        space=memory.space,
        tuned=lambda: Tuning(QUIET),
        generator=np.random.default_rng(1),
        judge=None,
    )
    first, so, no = gate.decide(one_flush(clock), Focus(), last=False)
    assert (first.action, no.action) == (Action.PERSIST, Action.PERSIST_AND_FLAG)
    assert so.action not in {Action.PERSIST, Action.REINFORCE}
    assert no.contradicts == (first.entry.id,)


def test_a_recital_beside_what_was_just_said_is_an_echo_too(placed: Engram, clock: FixedClock) -> None:
    """Nearer to a line of the same flush, a reply in other words is still no news of what was recalled."""
    told, reply = "I do like carrots, green ones", "Green carrots I do like"
    embedder_of(placed).put(reply, HELD, 0.9)
    embedder_of(placed).places[told] = embedder_of(placed).places[reply]
    embedder_of(placed).put(ASKED, told, 0.9)
    held = placed.remember(HELD)
    entries = [heard(told, clock, 1), entry_at(replied(reply, clock, 2), clock, 1)]
    focus = Focus(texts=[ASKED], recalled={held.id: HELD})
    first, second = gate_of(placed, confirming=0.95, noise=1.0).decide(entries, focus, last=False)
    assert first.action is Action.PERSIST
    assert second.action is Action.PERSIST  # it is not near enough to either's words to say the same
    first, second = gate_of(placed, confirming=0.85, noise=1.0).decide(entries, focus, last=False)
    assert (second.action, second.nearest) == (Action.DROP, held.id)


# ----- Carried out


class Keeper(Gatekeeper):
    """A gatekeeper that sees everything in the light of one question, and whose gate fails as a test wants it."""

    def __init__(self, memory: Engram) -> None:
        self.fails: Callable[[Sequence[Entry]], object] = lambda _: None
        """Called before the gate decides."""
        self.then: Callable[[], object] = lambda: None
        """Called after it, before anything is carried out."""
        self.told: list[Verdict] = []
        gate = gate_of(memory)
        decided = gate.decide

        def decide_or_fail(entries: Sequence[Entry], focus: Focus, **more: Any) -> list[Decision]:
            self.fails(entries)
            found = decided(entries, focus, **more)
            self.then()
            return found

        gate.decide = decide_or_fail  # type: ignore[method-assign]
        super().__init__(
            memory,
            Scratch(memory.graph, space=memory.space),
            gate,
            run="run",
            focus=lambda _: Focus(texts=[BEFORE]),
            alive=lambda: (),
            decided=self.told.extend,
        )


def keep(memory: Engram, clock: FixedClock, *texts: str, **more: Any) -> list[Entry]:
    """Keep what a person said, and return it."""
    said = [
        entry(f"{memory.space}-{n}", clock.now + timedelta(seconds=n), text=text, **more)
        for n, text in enumerate(texts)
    ]
    Scratch(memory.graph, space=memory.space).hear(said, run="run", now=clock.now)
    return said


def test_two_new_memories_are_in_tension(placed: Engram, clock: FixedClock) -> None:
    """Both become memories in one transaction, and the tension between them is stored there too."""
    keep(placed, clock, FIRST, FIRST.upper(), NO, signals=("correction",))
    first, again, no = Keeper(placed).flush(last=False)
    assert [each.action for each in (first, again, no)] == ["persist", "skip", "persist_and_flag"]
    assert memories(placed) == sorted([FIRST, NO])
    (tension,) = tensions(placed)
    assert first.memory is not None
    assert {tension["start"], tension["end"]} == {first.memory, no.memory}
    assert tension["properties"]["why"].endswith(f"contradicts {first.memory[:8]}: Leiden instead of Utrecht")
    assert no.reason == tension["properties"]["why"]
    assert again.reason.endswith(f"to {first.memory[:8]}")


def test_what_was_erased_is_in_no_tension(placed: Engram, clock: FixedClock) -> None:
    """Where what is contradicted becomes no memory, there is nothing to be linked."""
    long = "I live in Utrecht, in the street behind the cathedral."
    no = "I live in Leiden, in the street behind the cathedral."
    embedder_of(placed).put(BEFORE, long, 0.9)
    embedder_of(placed).put(no, long, 0.8)
    placed.forget(placed.remember(long).id, erase=True)
    keep(placed, clock, long, no, signals=("correction",))
    gone, kept = Keeper(placed).flush(last=False)
    assert (gone.action, gone.memory) == ("drop", None)
    assert kept.action == "persist_and_flag"
    assert tensions(placed) == []


def test_what_confirms_a_memory_that_goes_meanwhile_is_looked_at_again(
    placed: Engram, clock: FixedClock
) -> None:
    """Its entry says so, waits on, and becomes a memory of its own with the next flush."""
    embedder_of(placed).put(BEFORE, HELD, 0.9)
    held = placed.remember(HELD)
    keep(placed, clock, f"{HELD}!")
    keeper = Keeper(placed)
    keeper.then = lambda: placed.forget(held.id)
    (found,) = keeper.flush(last=False)
    keeper.then = lambda: None
    assert (found.action, found.buffered, found.memory) == ("buffer", True, None)
    assert found.reason.endswith("which is not there any more")
    (line,) = lines(placed)
    assert (line["state"], line["looked"]) == ("buffered", 1)
    (found,) = keeper.flush(last=False)
    assert found.action == "persist"
    assert [line["state"] for line in lines(placed)] == ["decided"]


# ----- What fails


def failing(on: str, error: Exception) -> Callable[[Sequence[Entry]], None]:
    """Return what raises wherever this text is among what is decided."""

    def fail(entries: Sequence[Entry]) -> None:
        if any(each.text == on for each in entries):
            raise error

    return fail


TEXTS = ["The kettle is in the cellar", "This one is broken", "The ladder is in the attic"]


def test_one_that_cannot_be_decided_spoils_no_other(
    memory: Engram, clock: FixedClock, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are decided one by one; it is dropped with the reason, its turn stays, and the log has it all."""
    keep(memory, clock, *TEXTS, signals=("remember",))
    keeper = Keeper(memory)
    keeper.fails = failing(TEXTS[1], ZeroDivisionError("no"))
    found = keeper.flush(last=True)
    assert sorted(each.action for each in found) == ["drop", "persist", "persist"]
    assert keeper.told == list(found)
    assert keeper.trouble is None
    assert memories(memory) == sorted([TEXTS[0], TEXTS[2]])
    dropped = lines(memory)[1]
    assert (dropped["state"], dropped["action"]) == ("decided", "drop")
    assert dropped["reason"] == "it could not be decided (ZeroDivisionError)"
    assert [turn["text"] for turn in written(memory)["turns"]] == TEXTS
    assert "ZeroDivisionError" in caplog.text
    assert keeper.flush(last=True) == ()


def test_what_the_embedder_fails_at_waits_beside_what_is_decided(memory: Engram, clock: FixedClock) -> None:
    """An embedder that fails in between may be there again later: nothing is dropped for that."""
    keep(memory, clock, *TEXTS, signals=("remember",))
    keeper = Keeper(memory)
    keeper.fails = failing(TEXTS[1], EmbeddingError("Not now."))
    assert [each.entry.text for each in keeper.flush(last=True)] == [TEXTS[0], TEXTS[2]]
    assert [line["state"] for line in lines(memory)] == ["decided", "buffered", "decided"]
    keeper.fails = lambda _: None
    assert [each.action for each in keeper.flush(last=True)] == ["persist"]


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("no"), EmbeddingError("no"), DatabaseUnavailableError("no")]
)
def test_where_nothing_can_be_decided_everything_waits(
    memory: Engram, clock: FixedClock, error: Exception
) -> None:
    """It is the fault of no entry: none is dropped, and why is told; only what was foreseen is raised."""
    keep(memory, clock, *TEXTS)
    keeper = Keeper(memory)

    def fail(_: Sequence[Entry]) -> None:
        raise error

    keeper.fails = fail
    if isinstance(error, ZeroDivisionError):
        assert keeper.flush(last=True) == ()
        keeper.close()
    else:
        with pytest.raises(type(error)):
            keeper.flush(last=True)
    assert keeper.trouble is error
    assert {(line["state"], line["looked"]) for line in lines(memory)} == {("buffered", 0)}


def test_nobody_who_talks_is_told_of_an_error_that_nobody_foresaw(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A flush, a reply without a model and the end go on; the state of the loop says what the gate met."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(ExitGate, "decide", fail)
    model = ScriptedModel([LanguageModelDownError("down")])
    with talk(memory, clock, model) as agent:
        assert "Quoted" in kinds(agent.say(TEXTS[0]))
        assert agent.flush() == ()
        assert "The exit gate failed last time: no" in agent.describe()
    assert [line["state"] for line in lines(memory)] == ["buffered"]


# ----- What another process recalled


def lost(memory: Engram, clock: FixedClock) -> Memory:
    """Recall a memory in a conversation of another run, and leave a reply there that nobody decided."""
    held = memory.remember("My dog Rex eats carrots")
    memory.recall("dog carrots", k=1, session="morning")
    memory.flush()
    said = entry(
        f"{memory.space}-lost",
        clock.now,
        run="dead",
        turn="dead-0001",
        session="morning",
        speaker="assistant",
        source_tag=REPLY_TAG,
        text="My dog Rex eats carrots.",
    )
    Scratch(memory.graph, space=memory.space).hear([said], run="dead", now=clock.now)
    return held


def test_a_reply_of_a_dead_run_is_held_against_what_was_recalled_there(
    memory: Engram, clock: FixedClock
) -> None:
    """Whoever takes it over knows from the graph what came to mind in that conversation."""
    held = lost(memory, clock)
    with talk(memory, clock, ScriptedModel(), session="evening") as agent:
        agent.flush()
    (line,) = lines(memory)
    assert (line["state"], line["action"]) == ("decided", "drop")
    assert line["reason"] == f"an echo of what was recalled ({held.id[:8]})"
    assert memory.get(held.id).seen_count == 1


def test_what_was_recalled_is_read_only_for_others(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once for a flush in which something of another run is; never for what was heard here."""
    asked: list[list[str]] = []

    def counted(graph: Graph, *, space: str, sessions: Sequence[str]) -> dict[str, str]:
        asked.append(list(sessions))
        return recalled_in(graph, space=space, sessions=sessions)

    monkeypatch.setattr(loop, "recalled_in", counted)
    lost(memory, clock)
    with talk(memory, clock, session="evening") as agent:
        agent.flush()
        list(agent.say(TEXTS[0]))
        agent.flush()
    assert [each for each in asked if each] == [["morning"]]


def test_a_resumed_conversation_knows_what_came_to_mind_in_it(memory: Engram, clock: FixedClock) -> None:
    """What a reply recited then stands before the model again."""
    held = lost(memory, clock)
    resumed = Talk.resumed(memory.graph, space=memory.space, session="morning", assistant="assistant")
    assert resumed.shown == {held.id: held.content}
    other = Talk.resumed(memory.graph, space=memory.space, session="evening", assistant="assistant")
    assert other.shown == {}


def test_what_was_recalled_keeps_to_its_space_and_to_what_is_there(memory: Engram, clock: FixedClock) -> None:
    """Neither another space's session of the same name, nor what was forgotten since: that may be said anew."""
    held = lost(memory, clock)
    beside = another(memory, clock)
    lost(beside, clock)
    assert recalled_in(memory.graph, space=memory.space, sessions=["morning", "morning"]) == {
        held.id: held.content
    }
    assert recalled_in(memory.graph, space=memory.space, sessions=[]) == {}
    memory.forget(held.id)
    assert recalled_in(memory.graph, space=memory.space, sessions=["morning"]) == {}
    assert decide(gate_of(memory), heard(held.content, clock), texts=[]).action is Action.PERSIST
