"""The exit gate's parts that need no database: the matrix, importance, the one line and the isolated call."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import LanguageModelDownError
from engram.importance import estimated_importance
from engram.loop.compression import LONGEST_LINE, compress
from engram.loop.gate_judge import MOST_NOTES, Judgement, settle
from engram.loop.matrix import (
    MATRIX,
    charged,
    emotional_charge,
    importance,
    novelty_level,
    relevance_level,
)
from engram.testing import ScriptedModel
from engram.tuning import Tuning

TUNING = Tuning()
LONG = (
    "We have talked about it for hours, and it was getting late. In the end Ada said that the harbour festival is on "
    "Friday. The harbour festival has boats, music and fireworks. Then we all went home."
)


def test_the_matrix_is_the_plans() -> None:
    """Each of the nine cells has the action of the v4 plan, 2.8."""
    plan = """
    core       reinforce persist persist_and_flag
    peripheral skip      buffer  persist
    irrelevant drop      drop    drop
    """
    for line in plan.strip().splitlines():
        relevance, *actions = line.split()
        for novelty, action in zip(("confirming", "novel", "contradicting"), actions, strict=True):
            assert MATRIX[relevance, novelty] == action  # type: ignore[index]
    assert len(MATRIX) == 9


@pytest.mark.parametrize(
    ("relevance", "level"),
    [(0.61, "core"), (0.6, "peripheral"), (0.31, "peripheral"), (0.3, "irrelevant"), (0.0, "irrelevant")],
)
def test_the_bounds_of_relevance(relevance: float, level: str) -> None:
    """Above 0.6 something is core, above 0.3 peripheral."""
    assert relevance_level(relevance, TUNING) == level


@pytest.mark.parametrize(
    ("similarity", "opposed", "new_facts", "level"),
    [
        (0.86, False, False, "confirming"),
        (0.86, False, True, "novel"),
        (0.85, False, False, "novel"),
        (0.70, False, False, "novel"),
        (0.10, False, False, "novel"),
        (0.95, True, False, "contradicting"),
        (0.71, True, True, "contradicting"),
    ],
)
def test_the_bounds_of_novelty(similarity: float, *, opposed: bool, new_facts: bool, level: str) -> None:
    """Above 0.85 something confirms unless it names something new; opposition goes before; all else is novel."""
    assert novelty_level(similarity, opposed=opposed, new_facts=new_facts, tuning=TUNING) == level


CELLS = st.sampled_from(sorted(MATRIX))


@given(text=st.text(), cell=CELLS, similarity=st.floats(0.0, 1.0))
def test_importance_is_a_fraction_and_never_below_the_texts_own(
    text: str, cell: tuple[str, str], similarity: float
) -> None:
    """A cell adds to what the form tells, and nothing is above 1."""
    found = importance(text, *cell, similarity=similarity, tuning=TUNING)  # type: ignore[arg-type]
    assert estimated_importance(text) <= found <= 1.0


def test_importance_follows_the_cells() -> None:
    """A contradiction at the core weighs most, then what is new there, then what is new at the edge."""
    text = "We moved"

    def of(relevance: str, novelty: str, similarity: float = 0.2) -> float:
        return importance(text, relevance, novelty, similarity=similarity, tuning=TUNING)  # type: ignore[arg-type]

    assert of("core", "contradicting") > of("core", "novel") > of("core", "confirming")
    assert of("peripheral", "contradicting") > of("peripheral", "novel") > of("peripheral", "confirming")
    assert of("irrelevant", "novel") == of("irrelevant", "contradicting") == estimated_importance(text)
    assert of("core", "novel", 0.59) > of("core", "novel", 0.6)


@given(st.floats(0.0, 1.0))
def test_a_charge_is_the_distance_from_indifference(gut: float) -> None:
    """|gut - 0.5| * 2: nothing at 0.5, all at either end; above 0.3 it adds 0.15 to relevance, at most up to 1."""
    charge = emotional_charge(gut)
    assert charge == pytest.approx(abs(gut - 0.5) * 2)
    assert charged(0.4, charge) == pytest.approx(0.55 if charge > 0.3 else 0.4)
    assert charged(0.95, charge) <= 1.0


def test_a_short_text_is_its_own_line() -> None:
    """What fits is kept word for word, on one line."""
    assert compress(" My dog\n eats  carrots. ") == "My dog eats carrots."


def test_the_most_central_sentence_stands_for_a_text() -> None:
    """Of a long text the sentence that shares most with the rest is taken, whole."""
    assert "harbour festival" in compress(LONG)
    assert compress(LONG) in LONG


@given(st.text(max_size=2_000))
def test_a_line_is_one_and_short(text: str) -> None:
    """Whatever the text, its line is one line of at most 120 characters, and empty only if there is nothing to show."""
    line = compress(text)
    assert len(line) <= LONGEST_LINE
    assert len(line.splitlines()) <= 1


ANSWER = json.dumps(
    {
        "notes": [{"note": 1, "line": "The harbour festival\nis on Friday."}, {"note": 7, "line": "x"}],
        "pairs": [{"pair": 2, "contradicts": True}, {"pair": 1, "contradicts": False}],
    }
)


def test_one_call_settles_pairs_and_writes_lines() -> None:
    """A model is told texts as fenced data without history, and its answer is taken by number."""
    model = ScriptedModel(ANSWER)
    told = settle(model, [LONG], [("A </pairs> b", "not that"), ("I like it", "I hate it")])
    assert told.lines == {0: "The harbour festival is on Friday."}
    assert told.contradicts == {0: False, 1: True}
    (asked,) = model.asked
    assert asked.shape is Judgement
    assert len(asked.messages) == 1
    assert asked.messages[0].text.count("</pairs>") == 1
    assert asked.messages[0].text.startswith("<notes>\n1. We have talked")
    assert "harbour" not in asked.system


@pytest.mark.parametrize(
    "answer",
    [
        "Certainly! Here they are.",
        '{"notes": "none"}',
        '{"notes": [{"note": 1, "li',
        [LanguageModelDownError("x")],
    ],
)
def test_an_answer_that_cannot_be_used_settles_nothing(answer: str | list[BaseException]) -> None:
    """Prose, another shape, half of an answer or none: the gate goes on without."""
    told = settle(ScriptedModel(answer), [LONG], [("a", "b")])
    assert told.lines == {}
    assert told.contradicts == {}


def test_nobody_is_asked_about_nothing() -> None:
    """Without a model, or without a question, there is no call."""
    model = ScriptedModel()
    assert settle(model, [], []).lines == {}
    assert settle(None, [LONG], []).lines == {}
    assert model.asked == []


def test_a_call_is_bounded() -> None:
    """After a crash hundreds may wait; one call is about so many of them and shows so much of each."""
    model = ScriptedModel("{}")
    settle(model, ["word " * 10_000] * 500, [("x" * 10_000, "y")] * 500)
    assert model.asked[0].messages[0].text.count("\n") < 3 * MOST_NOTES
    assert len(model.asked[0].messages[0].text) < 150_000
