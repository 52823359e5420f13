"""The exit gate on a real Neo4j: what becomes of what was said, and what that does to the memories that are there."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.embedding.protocol import Task, Vectors
from engram.energy import Course, energy_now
from engram.loop.comparing import embed_words
from engram.loop.exit_gate import Action, Decision, ExitGate, Focus, carry_out
from engram.loop.gate_judge import Judgement
from engram.loop.inputs import Entry
from engram.memory import Engram
from engram.records import REPLY_TAG, Memory, Turn
from engram.testing import FixedClock, HashEmbedder, ScriptedModel
from engram.tuning import Tuning
from tests.conftest import DIMENSIONS, Address
from tests.graph.beside import another, run
from tests.graph.gate_worker import ROUNDS, entry
from tests.unit.echoes import RECALLED, variations

pytestmark = pytest.mark.graph

HELD = "I like green carrots"
ASKED = "What do you eat?"
SAID = {
    "confirming": ("I like green carrots!", 0.95),
    "novel": ("The train leaves soon", 0.2),
    "contradicting": ("I do not like green carrots", 0.8),
}
QUIET = {"gate.noise": 0.0}
"""No noise: what a cell says is what happens."""


class Placed(HashEmbedder):
    """Puts chosen texts where a test wants them, and counts its calls."""

    def __init__(self) -> None:
        super().__init__(DIMENSIONS)
        self.places: dict[str, Vectors] = {}
        self.calls: list[int] = []

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text, shape (n, d)."""
        self.calls.append(len(texts))
        vectors = super().embed(texts, task)
        for row, text in enumerate(texts):
            if text in self.places:
                vectors[row] = self.places[text]
        return vectors

    def put(self, text: str, near: str, cosine: float) -> None:
        """Put a text at this cosine from another one, away from all others."""
        side = np.random.default_rng(len(self.places)).normal(size=DIMENSIONS)
        held = self.places.get(near, super().embed([near])[0])
        side -= side @ held * held
        self.places[text] = (cosine * held + np.sqrt(1 - cosine**2) * side / np.linalg.norm(side)).astype(
            np.float32
        )


@pytest.fixture
def placed(memory: Engram, clock: FixedClock) -> Iterator[Engram]:
    """Give a memory whose embedder puts texts where a test wants them."""
    opened = Engram(memory.graph, memory.settings, space=memory.space, embedder=Placed(), clock=clock)
    yield opened
    opened.flush()


def embedder_of(memory: Engram) -> Placed:
    """Return the embedder of a `placed` memory."""
    found: Any = memory.embedder
    assert isinstance(found, Placed)
    return found


def gate_of(memory: Engram, judge: ScriptedModel | None = None, **numbers: float) -> ExitGate:
    """Return an exit gate without noise, or with these numbers."""
    tuning = Tuning(QUIET | {f"gate.{name}": value for name, value in numbers.items()})
    return ExitGate(
        memory.graph,
        lambda: memory.embedder,
        space=memory.space,
        tuned=lambda: tuning,
        generator=np.random.default_rng(5),
        judge=judge,
    )


def heard(text: str, clock: FixedClock, number: int = 0, **more: Any) -> Entry:
    """Return an entry."""
    return replace(entry(number, clock.now, text=text), **more)


def replied(text: str, clock: FixedClock, number: int = 0, **more: Any) -> Entry:
    """Return an entry that the agent itself said: nothing lifts it."""
    return heard(text, clock, number, source_tag=REPLY_TAG, **more)


def decide(gate: ExitGate, one: Entry, *, last: bool = False, **focus: Any) -> Decision:
    """Return what becomes of one entry; without other words, `ASKED` is what is talked about."""
    (decision,) = gate.decide([one], Focus(**({"texts": [ASKED]} | focus)), last=last)
    return decision


def lay(placed: Engram, novelty: str, relevance: float) -> tuple[str, Memory]:
    """Remember `HELD`, put a text so near to it and `ASKED` so near to that, and return the text and the memory."""
    text, similarity = SAID[novelty]
    embedder_of(placed).put(text, HELD, similarity)
    embedder_of(placed).put(ASKED, text, relevance)
    return text, placed.remember(HELD)


@pytest.mark.parametrize(
    ("relevance", "novelty", "action"),
    [
        (0.8, "confirming", "reinforce"),
        (0.8, "novel", "persist"),
        (0.8, "contradicting", "persist_and_flag"),
        (0.45, "confirming", "skip"),
        (0.45, "novel", "buffer"),
        (0.45, "contradicting", "persist"),
        (0.1, "confirming", "drop"),
        (0.1, "novel", "drop"),
        (0.1, "contradicting", "drop"),
    ],
)
def test_every_cell(placed: Engram, clock: FixedClock, relevance: float, novelty: str, action: str) -> None:
    """What was said falls into its cell and has its cell's action, its measures, and a reason in words."""
    text, held = lay(placed, novelty, relevance)
    found = decide(gate_of(placed), replied(text, clock))
    assert (found.action, found.novelty_level) == (action, novelty)
    assert found.relevance == pytest.approx(relevance, abs=1e-4)
    assert found.similarity == pytest.approx(SAID[novelty][1], abs=1e-4)
    assert found.nearest == held.id
    assert found.contradicts == ((held.id,) if novelty == "contradicting" else ())
    assert found.compressed == text
    assert found.relevance_level in found.reason
    assert held.id[:8] in found.reason


def test_a_person_is_never_irrelevant(placed: Engram, clock: FixedClock) -> None:
    """What a person says is at least peripheral, and core where it has a signal; with the number at 0 it is not."""
    text, _ = lay(placed, "novel", 0.1)
    assert decide(gate_of(placed), heard(text, clock)).action is Action.BUFFER
    signalled = heard(text, clock, signals=("decision",))
    assert decide(gate_of(placed), signalled).action is Action.PERSIST
    assert decide(gate_of(placed, permissive=0), signalled).action is Action.DROP


def test_a_reply_is_not_lifted(placed: Engram, clock: FixedClock) -> None:
    """Neither a signal nor an empty focus makes the agent's own words relevant."""
    text, _ = lay(placed, "novel", 0.1)
    signalled = replied(text, clock, signals=("decision",))
    assert decide(gate_of(placed), signalled).action is Action.DROP
    assert decide(gate_of(placed), signalled, texts=[]).action is Action.DROP


def test_with_nothing_in_focus_all_that_a_person_says_is_relevant(placed: Engram, clock: FixedClock) -> None:
    """No conversation, goals or identity: relevance is 1. What was said itself is no context of it."""
    text, _ = lay(placed, "novel", 0.1)
    for texts in ([], [" "], [text, text.upper()]):
        found = decide(gate_of(placed), heard(text, clock), texts=texts)
        assert (found.relevance, found.action) == (1.0, Action.PERSIST)


def test_what_is_buffered_is_kept_at_its_second_look(placed: Engram, clock: FixedClock) -> None:
    """It is looked at again once, or not at all where this look is the last."""
    text, _ = lay(placed, "novel", 0.45)
    gate = gate_of(placed)
    assert decide(gate, heard(text, clock)).action is Action.BUFFER
    assert decide(gate, heard(text, clock, looked=1)).action is Action.PERSIST
    assert decide(gate, heard(text, clock), last=True).action is Action.PERSIST
    assert decide(gate_of(placed, buffer_looks=3), heard(text, clock, looked=1)).action is Action.BUFFER


def test_goals_and_identity_are_in_focus(placed: Engram, clock: FixedClock) -> None:
    """What is near to either is relevant, and by the depths charged: the bonus is on top. Without depths nothing is felt."""
    text, _ = lay(placed, "novel", 0.1)
    embedder_of(placed).put("Travel more", text, 0.5)
    depths = embed_words(placed.embedder, ["Travel more"])[0].astype(np.float64)
    for near in ("goals", "identity"):
        focus: dict[str, Any] = {"depths": depths, near: ["Travel more"]}
        found = decide(gate_of(placed), replied(text, clock), **focus)
        assert found.emotional == pytest.approx(0.5, abs=1e-4)
        assert found.relevance == pytest.approx(0.65, abs=1e-4)
        assert found.action is Action.PERSIST
    assert decide(gate_of(placed), replied(text, clock)).emotional == 0.0


def test_the_noise_floor_keeps_as_many_as_it_says(placed: Engram, clock: FixedClock) -> None:
    """In a cell that drops, the share of `gate.noise` is kept all the same, and says so."""
    text, _ = lay(placed, "novel", 0.1)
    entries = [replied(text, clock, number) for number in range(400)]
    found = gate_of(placed, noise=0.1).decide(entries, Focus(texts=[ASKED]), last=False)
    kept = [each for each in found if each.action is Action.PERSIST]
    assert len(kept) / len(found) == pytest.approx(0.1, abs=0.045)
    assert {each.reason.endswith("kept by chance") for each in kept} == {True}
    assert {each.action for each in found} == {Action.PERSIST, Action.DROP}


@pytest.mark.parametrize(
    ("relevance", "novelty"), [(0.8, "confirming"), (0.45, "confirming"), (0.45, "novel")]
)
def test_the_noise_floor_is_in_all_cells(
    placed: Engram, clock: FixedClock, relevance: float, novelty: str
) -> None:
    """What would be reinforced, skipped or buffered may be kept by chance too."""
    text, _ = lay(placed, novelty, relevance)
    assert decide(gate_of(placed, noise=1.0), replied(text, clock)).action is Action.PERSIST


def test_nothing_that_was_recalled_passes(memory: Engram, clock: FixedClock) -> None:
    """Fed back in 200 variations, with all noise and a person speaking, nothing of what was recalled is persisted."""
    texts = variations(np.random.default_rng(3), 200)
    entries = [heard(text, clock, n, signals=("remember",)) for n, text in enumerate(texts)]
    found = gate_of(memory, noise=1.0).decide(entries, Focus(recalled=RECALLED), last=True)
    assert {each.action for each in found} == {Action.DROP}
    assert {each.nearest for each in found} <= {*RECALLED, None}
    assert [each.entry for each in found] == entries


def test_what_the_entry_gate_skipped_is_skipped(memory: Engram, clock: FixedClock) -> None:
    """It is not looked at, whatever the noise."""
    found = decide(gate_of(memory, noise=1.0), heard("ok", clock, skipped=True), last=True)
    assert found.action is Action.SKIP


def test_a_reply_in_other_words_is_an_echo_too(placed: Engram, clock: FixedClock) -> None:
    """The agent's own way to say what it recalled neither is stored nor strengthens it; a person's does."""
    text, held = lay(placed, "confirming", 0.8)
    embedder_of(placed).places["Green carrots I do like"] = embedder_of(placed).places[text]
    gate = gate_of(placed, noise=1.0)
    recalled = {held.id: HELD}
    assert decide(gate, replied("Green carrots I do like", clock), recalled=recalled).action is Action.DROP
    person = decide(gate_of(placed), heard("Green carrots I do like", clock), recalled=recalled)
    assert person.action is Action.REINFORCE


def test_the_same_words_are_the_same_whatever_their_context(memory: Engram, clock: FixedClock) -> None:
    """A memory's stored vector is of its context too; compared are the words alone, and the cosine is 1."""
    memory.remember_turns([Turn(text=text, speaker="Ada", at=clock.now) for text in ("Hello", HELD, "Bye")])
    found = decide(gate_of(memory), heard(HELD, clock), texts=[])
    assert found.similarity == pytest.approx(1.0, abs=1e-5)
    assert found.action is Action.REINFORCE


@pytest.mark.parametrize("more", [" since May", " with Bob", ", 3 a day"])
def test_the_same_with_another_fact_is_new(placed: Engram, clock: FixedClock, more: str) -> None:
    """A date, a name or a number that the nearest memory has not is new, however near the rest is."""
    lay(placed, "confirming", 0.8)
    text = HELD + more
    embedder_of(placed).put(text, HELD, 0.97)
    found = decide(gate_of(placed), heard(text, clock), texts=[])
    assert (found.action, found.novelty_level) == (Action.PERSIST, "novel")


def test_a_turn_does_not_confirm_itself(memory: Engram, clock: FixedClock) -> None:
    """A memory of the entry's own turn is left out; one of another turn alike is not."""
    one, other = heard(HELD, clock, 1), heard(HELD, clock, 2)
    told = Turn(text=HELD, speaker=one.speaker, at=one.at, session=one.session, id=one.turn)
    stored = memory.remember_turns([told]).memories[0]
    assert decide(gate_of(memory), one, texts=[]).nearest is None
    assert decide(gate_of(memory), other, texts=[]).nearest == stored


def test_another_space_is_not_compared(memory: Engram, clock: FixedClock) -> None:
    """What another space holds makes nothing confirming, nor does what is not active any more."""
    another(memory, clock).remember(HELD)
    forgotten = memory.remember(HELD)
    memory.forget(forgotten.id)
    found = decide(gate_of(memory), heard(HELD, clock), texts=[])
    assert (found.action, found.nearest, found.similarity) == (Action.PERSIST, None, 0.0)


LONG = "The harbour festival was wonderful. " * 8 + "I do not like green carrots."


def test_one_flush_costs_few_calls(placed: Engram, clock: FixedClock) -> None:
    """All entries and their context are embedded at once, what is near them at once, and a model is asked once."""
    lay(placed, "contradicting", 0.8)
    embedder_of(placed).put(LONG, HELD, 0.8)
    answer = (
        '{"notes": [{"note": 1, "line": "No green carrots."}], "pairs": [{"pair": 1, "contradicts": true}]}'
    )
    model = ScriptedModel(answer)
    gate = gate_of(placed, model)
    entries = [
        heard(LONG, clock, 1),
        heard("The train leaves soon", clock, 2),
        heard("Hello there", clock, 3),
    ]
    for calls in (3, 2):  # the first time, the direction of a negation is learned too
        embedder_of(placed).calls.clear()
        gate.decide(entries, Focus(texts=[ASKED, "And then?"], goals=["Travel more"]), last=False)
        assert len(embedder_of(placed).calls) == calls
        assert embedder_of(placed).calls[0] == len(entries) + 3
    assert [asked.shape for asked in model.asked] == [Judgement] * 2


@pytest.mark.parametrize("contradicts", [True, False])
def test_a_model_settles_what_is_unsure(placed: Engram, clock: FixedClock, *, contradicts: bool) -> None:
    """Where words and vectors do not agree its word holds, and its line stands for a long text."""
    lay(placed, "contradicting", 0.8)
    embedder_of(placed).put(LONG, HELD, 0.8)
    said = {
        "notes": [{"note": 1, "line": "No green carrots."}],
        "pairs": [{"pair": 1, "contradicts": contradicts}],
    }
    found = decide(gate_of(placed, ScriptedModel(json.dumps(said))), heard(LONG, clock), texts=[])
    assert found.action is (Action.PERSIST_AND_FLAG if contradicts else Action.PERSIST)
    assert found.compressed == "No green carrots."


def test_a_model_that_fails_is_done_without(placed: Engram, clock: FixedClock) -> None:
    """The words decide then, and a sentence of the text is its line."""
    lay(placed, "contradicting", 0.8)
    embedder_of(placed).put(LONG, HELD, 0.8)
    found = decide(gate_of(placed, ScriptedModel("I cannot say.")), heard(LONG, clock), texts=[])
    assert found.action is Action.PERSIST_AND_FLAG
    assert found.compressed == "The harbour festival was wonderful."


# ----- Carrying it out


def carry(
    memory: Engram,
    *decisions: Decision,
    made: dict[str, str] | None = None,
    at: datetime,
    tuning: Tuning | None = None,
) -> None:
    """Carry out decisions in a transaction of their own."""
    memory.graph.transact(
        lambda transaction: carry_out(
            transaction, decisions, made or {}, space=memory.space, now=at, tuning=tuning or Tuning()
        )
    )


def confirming(
    held: str, clock: FixedClock, similarity: float = 0.9, number: int = 0, **more: Any
) -> Decision:
    """Return the decision that a memory was said again."""
    return Decision(
        entry=heard("again", clock, number, **more),
        action=Action.REINFORCE,
        reason="",
        nearest=held,
        similarity=similarity,
    )


def node(memory: Engram, held: Memory) -> dict[str, Any]:
    """Return all properties of a memory's node."""
    rows = memory.graph.write("write/lock_memories", space=memory.space, ids=[held.id]).rows
    properties: dict[str, Any] = rows[0]["memory"]
    return properties


TIMES = st.lists(
    st.tuples(st.floats(0.0, 60.0), st.lists(st.floats(0.85, 1.0), min_size=1, max_size=3)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=TIMES)
def test_energy_is_what_the_formula_says(
    memory: Engram, clock: FixedClock, steps: list[tuple[float, list[float]]]
) -> None:
    """Settled and then raised by half the similarity, at most 4 times of a day; bars are judged as they are crossed."""
    clock.now = datetime(2026, 1, 1, 12, tzinfo=UTC)
    one = Engram(memory.graph, memory.settings, space=uuid4().hex, embedder=memory.embedder, clock=clock)
    held = one.remember(HELD)
    course, today = Course(at=clock.now), 0
    for hours, similarities in steps:
        before, clock.now = clock.now, clock.now + timedelta(hours=hours)
        today = today if before.date() == clock.now.date() else 0
        carry(one, *[confirming(held.id, clock, each) for each in similarities], at=clock.now)
        counted = min(len(similarities), 4 - today)
        today += counted
        gain = 0.5 * counted * sum(similarities) / len(similarities)
        course = course.boosted(clock.now, gain) if counted else course.settled(clock.now)
    found = one.get(held.id)
    properties = node(one, held)
    tier = properties.get("due_tier", found.tier)
    assert tier == course.tier
    assert energy_now(found.energy, found.energy_at, clock.now, tier=tier) == pytest.approx(
        course.energy, abs=1e-9
    )
    assert [*properties.get("promote_times", [])] == [at for _, at, _ in course.promotions]
    assert found.seen_count == 1 + sum(len(each) for _, each in steps)


def test_only_a_person_adds_weight_and_nobody_adds_truth(memory: Engram, clock: FixedClock) -> None:
    """Said again by a person a memory matters more, by the agent it does not; it is no truer for either."""
    held = memory.remember(HELD)
    clock.advance(timedelta(hours=1))
    carry(memory, confirming(held.id, clock), confirming(held.id, clock, source_tag=REPLY_TAG), at=clock.now)
    found = memory.get(held.id)
    assert (found.weight_alpha, found.weight_beta) == (held.weight_alpha + 1.0, held.weight_beta)
    assert (found.truth_alpha, found.truth_beta) == (held.truth_alpha, held.truth_beta)
    assert (found.seen_count, found.access_count, found.version) == (3, held.access_count, held.version)
    properties = node(memory, held)
    assert (properties["last_seen_at"], properties["last_reinforced_at"]) == (clock.now, clock.now)


def test_what_is_immutable_keeps_its_weight(memory: Engram, clock: FixedClock) -> None:
    """It gains energy like any other, and no weight."""
    held = memory.remember(HELD)
    run(memory, "set_properties", id=held.id, properties={"immutable": True})
    carry(memory, confirming(held.id, clock), at=clock.now)
    found = memory.get(held.id)
    assert found.weight_alpha == held.weight_alpha
    assert found.energy == pytest.approx(1.45)


def test_a_day_has_one_cap_for_all(memory: Engram, clock: FixedClock) -> None:
    """What similar new memories took of a day's share is gone; the next day there is a new one."""
    held = memory.remember(HELD)
    run(
        memory,
        "set_properties",
        id=held.id,
        properties={"reinforced_on": clock.now.date(), "reinforced_today": 3},
    )
    carry(memory, *[confirming(held.id, clock, 1.0, n) for n in range(9)], at=clock.now)
    found = memory.get(held.id)
    assert (found.energy, found.weight_alpha, found.seen_count) == (1.5, held.weight_alpha + 1.0, 10)
    clock.advance(timedelta(days=1))
    carry(memory, confirming(held.id, clock, 1.0), at=clock.now)
    assert memory.get(held.id).energy > 0.5


def test_what_is_gone_is_not_confirmed(memory: Engram, clock: FixedClock) -> None:
    """A memory that was forgotten meanwhile, is unknown, or is of another space, stays as it is."""
    beside = another(memory, clock)
    theirs, ours = beside.remember(HELD), memory.remember(HELD)
    memory.forget(ours.id)
    before = node(memory, ours), node(beside, theirs)
    carry(memory, *[confirming(each, clock) for each in (theirs.id, ours.id, "f" * 32)], at=clock.now)
    assert (node(memory, ours), node(beside, theirs)) == before


def flagging(made: str, held: Sequence[str], clock: FixedClock) -> tuple[Decision, dict[str, str]]:
    """Return the decision that a new memory contradicts others, and which memory was made."""
    one = heard("No!", clock)
    decision = Decision(
        entry=one,
        action=Action.PERSIST_AND_FLAG,
        reason="contradicts it: a negation",
        contradicts=tuple(held),
    )
    return decision, {one.id: made}


def tensions(memory: Engram) -> list[dict[str, Any]]:
    """Return all tensions of a space."""
    return run(memory, "read_tensions")


def test_a_tension_is_stored_once(memory: Engram, clock: FixedClock) -> None:
    """From the lower to the higher id, open and not yet surfaced; found again from either side it stays as it was."""
    low, high, third = sorted(memory.remember(text).id for text in ("one", "two", "three"))
    decision, made = flagging(high, [low, third, high], clock)
    carry(memory, decision, made=made, at=clock.now)
    first = tensions(memory)
    assert [(each["start"], each["end"]) for each in first] == sorted(
        [(low, high), tuple(sorted((high, third)))]
    )
    assert first[0]["properties"] == {
        "space": memory.space,
        "at": clock.now,
        "surfaced": 0,
        "state": "open",
        "why": decision.reason,
    }
    clock.advance(timedelta(hours=1))
    carry(memory, decision, made=made, at=clock.now)
    again, made = flagging(low, [high], clock)
    carry(memory, again, made=made, at=clock.now)
    assert tensions(memory) == first


def test_only_what_is_flagged_is_in_tension(memory: Engram, clock: FixedClock) -> None:
    """A contradiction at the edge is kept and not flagged; without a new memory there is nothing to flag."""
    one, other = sorted(memory.remember(text).id for text in ("one", "two"))
    decision, made = flagging(one, [other], clock)
    carry(memory, replace(decision, action=Action.PERSIST), made=made, at=clock.now)
    carry(memory, decision, made={}, at=clock.now)
    assert tensions(memory) == []


def test_no_tension_leads_into_another_space(memory: Engram, clock: FixedClock) -> None:
    """Neither end may be somebody else's."""
    beside = another(memory, clock)
    theirs, ours = beside.remember(HELD).id, memory.remember(HELD).id
    for one, other in ((ours, theirs), (theirs, ours)):
        decision, made = flagging(one, [other], clock)
        carry(memory, decision, made=made, at=clock.now)
    assert tensions(memory) == tensions(beside) == []


def test_two_processes_lose_nothing(memory: Engram, clock: FixedClock, neo4j_address: Address) -> None:
    """Both confirm and flag the same memories: every time is counted, and each pair is in tension once."""
    held = [memory.remember(f"{HELD} {number}") for number in range(4)]
    told = {
        "uri": neo4j_address.uri,
        "user": neo4j_address.user,
        "password": neo4j_address.password,
        "database": neo4j_address.database,
        "space": memory.space,
        "at": clock.now.isoformat(),
        "ids": [each.id for each in held],
    }
    processes = [
        subprocess.Popen([sys.executable, "-m", "tests.graph.gate_worker"], stdin=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(json.dumps(told) + "\n")
        process.stdin.close()
    assert [process.wait(60) for process in processes] == [0, 0]
    for each in held:
        found = memory.get(each.id)
        assert found.seen_count == 1 + 2 * ROUNDS
        assert found.energy == pytest.approx(1.0 + 4 * 0.5 * 0.9)
        assert found.weight_alpha == each.weight_alpha + 4.0
    assert len(tensions(memory)) == len(held) - 1
