"""The gatekeeper: what waits is decided once, behind the conversation's back, and a failure anywhere loses nothing."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from engram.errors import EmbeddingError, EngramError
from engram.loop import gatekeeper, scratch
from engram.loop.exit_gate import Decision, ExitGate, Focus
from engram.loop.gatekeeper import Gatekeeper
from engram.loop.inputs import Entry
from engram.loop.scratch import Scratch, Verdict
from engram.memory import Engram
from engram.testing import FixedClock
from engram.tuning import Tuning
from tests.graph.talking import entry, lines, memories, nodes

pytestmark = pytest.mark.graph


class Watched(ExitGate):
    """An exit gate that counts how often it decides, and does something first."""

    times = 0
    before: Callable[[], object] | None = None

    def decide(self, entries: Sequence[Entry], focus: Focus, **more: Any) -> list[Decision]:
        """Decide."""
        self.times += 1
        if self.before is not None:
            self.before()
        return super().decide(entries, focus, **more)


class Keeper(Gatekeeper):
    """A gatekeeper of one run, with what it told."""

    def __init__(
        self, memory: Engram, *, run: str = "run", alive: Sequence[str] = (), patient: bool = True
    ) -> None:
        self.gate = Watched(
            memory.graph,
            lambda: memory.embedder,
            space=memory.space,
            tuned=Tuning,
            generator=np.random.default_rng(1),
            judge=None,
        )
        self.told: list[Verdict] = []
        super().__init__(
            memory,
            Scratch(memory.graph, space=memory.space),
            self.gate,
            run=run,
            focus=lambda _: Focus(texts=[f"{BOAT} since May"]),
            alive=lambda: alive,
            decided=self.told.extend,
            patient=patient,
        )


def keep(memory: Engram, clock: FixedClock, *texts: str, run: str = "run", **more: Any) -> list[Entry]:
    """Keep what a person said, and return it."""
    said = [
        entry(
            f"{memory.space}-{run}-{n}-{hash(text)}",
            clock.now + timedelta(seconds=n),
            text=text,
            run=run,
            **more,
        )
        for n, text in enumerate(texts)
    ]
    Scratch(memory.graph, space=memory.space).hear(said, run=run, now=clock.now)
    return said


CAT, BOAT = "My cat is called Mies and sleeps all day", "The boat lies in the harbour of Ghent"


def test_what_waits_becomes_memories(memory: Engram, clock: FixedClock) -> None:
    """Each with its tag and the confidence in its source, tied to its raw turn, and whoever waits is told its id."""
    keep(memory, clock, CAT)
    keep(
        memory,
        clock,
        BOAT,
        run="other",
        source_tag="internal_dmn",
        source_confidence=0.4,
        speaker="assistant",
    )
    keeper = Keeper(memory)
    verdicts = keeper.flush(last=True)
    assert memories(memory) == [CAT, BOAT]
    cat, boat = nodes(memory, "memories")
    assert [(each["source_tag"], each["source_confidence"]) for each in (cat, boat)] == [
        ("external_user", 1.0),
        ("internal_dmn", 0.4),
    ]
    assert {verdict.memory for verdict in verdicts} == {cat["id"], boat["id"]}
    assert keeper.told == list(verdicts)
    assert {line["memory"] for line in lines(memory)} == {cat["id"], boat["id"]}
    assert len(nodes(memory, "turns")) == 2
    assert keeper.flush(last=True) == ()


def test_a_burst_waits_for_its_turn(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it is asked while messages are pruned, the gate decides once the interval is over."""
    monkeypatch.setattr(gatekeeper, "BURST_SECONDS", 3_600.0)
    keeper = Keeper(memory)
    keep(memory, clock, CAT)
    keeper.ask()
    assert keeper.wait(30)
    keep(memory, clock, BOAT)
    for _ in range(20):
        keeper.ask(burst=True)
    assert keeper.gate.times == 1
    assert keeper.wait(30)
    assert keeper.gate.times == 2
    assert memories(memory) == [CAT, BOAT]


@pytest.mark.parametrize("hurry", ["ask", "close"])
def test_a_burst_does_not_hold_up_what_is_pressing(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch, hurry: str
) -> None:
    """Whoever asks for it at once, or ends, does not wait for the interval."""
    monkeypatch.setattr(gatekeeper, "BURST_SECONDS", 3_600.0)
    keeper = Keeper(memory, patient=False)
    keeper.ask()
    assert keeper.wait(30)
    keep(memory, clock, CAT)
    keeper.ask(burst=True)
    getattr(keeper, hurry)()
    assert keeper.wait(30)
    assert memories(memory) == [CAT]


def test_trouble_is_told_and_goes_away(memory: Engram, clock: FixedClock) -> None:
    """What failed is kept for whoever looks, everything goes on waiting, and the next attempt decides it."""
    (said,) = keep(memory, clock, CAT)
    keeper = Keeper(memory, patient=False)

    def fail() -> None:
        raise EmbeddingError("The model is broken.")

    keeper.gate.before = fail
    keeper.ask()
    assert keeper.wait(30)
    trouble = keeper.trouble
    assert isinstance(trouble, EmbeddingError)
    assert [line["state"] for line in lines(memory)] == ["buffered"]
    keeper.gate.before = None
    keeper.ask()
    assert keeper.wait(30)
    assert keeper.trouble is None
    assert [verdict.entry.id for verdict in keeper.told] == [said.id]


def test_the_thread_outlives_what_one_entry_holds(memory: Engram, clock: FixedClock) -> None:
    """An error that nobody foresaw ends one attempt, not all later ones."""
    keep(memory, clock, CAT)
    keeper = Keeper(memory, patient=False)

    def fail() -> None:
        raise ZeroDivisionError

    keeper.gate.before = fail
    keeper.ask()
    assert keeper.wait(30)
    keeper.gate.before = None
    keeper.ask()
    assert keeper.wait(30)
    assert memories(memory) == [CAT]


def test_a_crash_between_the_gate_and_the_commit_leaves_it_waiting(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memories are made in the transaction in which the entry is marked: there are both, or neither."""
    keep(memory, clock, CAT)

    class Crash(BaseException):
        pass

    def crash(*_: object, **__: object) -> None:
        raise Crash

    with monkeypatch.context() as patched:
        patched.setattr(gatekeeper, "carry_out", crash)
        with pytest.raises(Crash):
            Keeper(memory).flush(last=True)
    assert memories(memory) == []
    assert [(line["state"], line["looked"]) for line in lines(memory)] == [("buffered", 0)]
    Keeper(memory, run="next").flush(last=True)
    assert memories(memory) == [CAT]


def test_who_was_overtaken_leaves_nothing_and_takes_what_is_left(memory: Engram, clock: FixedClock) -> None:
    """What another decided meanwhile is not decided again, and what came meanwhile is."""
    keep(memory, clock, CAT, run="dead")
    slow, fast = Keeper(memory, run="slow"), Keeper(memory, run="fast")

    def overtake() -> None:
        slow.gate.before = None
        fast.flush(last=True)
        keep(memory, clock, BOAT, run="dead")

    slow.gate.before = overtake
    assert [verdict.entry.text for verdict in slow.flush(last=True)] == [BOAT]
    assert [verdict.entry.text for verdict in fast.told] == [CAT]
    assert slow.gate.times == 2
    assert memories(memory) == [CAT, BOAT]
    assert [line["looked"] for line in lines(memory)] == [1, 1]


def test_several_at_once_decide_each_entry_once(memory: Engram, clock: FixedClock) -> None:
    """What the dead have left is found by all who begin; each line is decided by one, and is one memory."""
    texts = [f"Volume {n} of the atlas shows the river {'abcdef'[n] * 5}" for n in range(6)]
    keep(memory, clock, *texts, run="dead")
    keepers = [Keeper(memory, run=f"run{n}") for n in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda each: each.flush(last=True), keepers))
    told = [verdict.entry.text for keeper in keepers for verdict in keeper.told]
    assert sorted(told) == texts
    assert [line["looked"] for line in lines(memory)] == [1] * 6
    kept = [line["text"] for line in lines(memory) if line["action"].startswith("persist")]
    assert memories(memory) == sorted(kept)


def test_another_run_that_goes_on_keeps_its_own(memory: Engram, clock: FixedClock) -> None:
    """It decides what it heard itself."""
    keep(memory, clock, CAT, run="other")
    assert Keeper(memory, alive=["other"]).flush(last=True) == ()
    assert memories(memory) == []


def test_what_was_erased_and_is_said_again_is_decided(memory: Engram, clock: FixedClock) -> None:
    """It becomes no memory, its line says why, and it does not wait for ever."""
    keep(memory, clock, CAT)
    Keeper(memory).flush(last=True)
    memory.forget(nodes(memory, "memories")[0]["id"], erase=True)
    keep(memory, clock, CAT, run="again")
    (verdict,) = Keeper(memory, run="again").flush(last=True)
    assert (verdict.action, verdict.memory) == ("drop", None)
    assert "erased" in verdict.reason
    assert memories(memory) == []
    assert [line["state"] for line in lines(memory)] == ["decided"]


def test_the_end_decides_everything(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than is decided at once, and what the gate would look at again; after it nobody is heard."""
    monkeypatch.setattr(gatekeeper, "MOST", 2)
    monkeypatch.setattr(scratch, "MOST", 2)
    keep(memory, clock, *[f"Volume {n} of the atlas" for n in range(5)])
    keeper = Keeper(memory)
    keeper.close()
    assert {line["state"] for line in lines(memory)} == {"decided"}
    assert len(keeper.told) == 5
    keep(memory, clock, CAT)
    keeper.ask()
    assert keeper.wait(30)
    assert len(keeper.told) == 5


def test_an_end_that_fails_says_so(memory: Engram, clock: FixedClock) -> None:
    """Whoever ends it hears why something waits on."""
    keep(memory, clock, CAT)
    keeper = Keeper(memory)

    def fail() -> None:
        raise EmbeddingError("The model is broken.")

    keeper.gate.before = fail
    with pytest.raises(EngramError):
        keeper.close()
    assert [line["state"] for line in lines(memory)] == ["buffered"]
