"""The reflection bank's words: what a correction is stored as, and how a prompt tells it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.loop.escalation import Correction
from engram.loop.reflections import paragraph

CORRECTION = Correction(
    trigger="Asked for a birthday",
    error_type="wrong date",
    original_reasoning="It took the date of the talk for that of the party.",
    correction="Look for the date that was named",
)


def test_a_correction_is_one_readable_paragraph() -> None:
    """The situation comes first, each part is a sentence."""
    assert paragraph(CORRECTION) == (
        "Situation: Asked for a birthday. Error: wrong date. It was reasoned: It took the date of the talk for that of "
        "the party. Right would have been: Look for the date that was named."
    )


def test_what_is_not_said_is_left_out() -> None:
    """A model may leave the reasoning empty, and there may be no context."""
    assert "reasoned" not in paragraph(CORRECTION.model_copy(update={"original_reasoning": " "}))


def test_the_context_stands_behind_the_situation() -> None:
    """What was asked is what the next question will be like."""
    assert "birthday. It came up with: When is it? Error: wrong date." in paragraph(CORRECTION, "When is it?")


@given(st.text(min_size=1))
def test_a_paragraph_is_one_line(text: str) -> None:
    """Whatever a model wrote, it cannot begin a line or end a prompt's section."""
    made = paragraph(CORRECTION.model_copy(update={"trigger": text, "correction": text}))
    assert len(made.splitlines()) == 1
    assert not {"<", ">"} & set(made)


@pytest.mark.parametrize("end", [".", "!", "?"])
def test_a_sentence_keeps_its_end(end: str) -> None:
    """No full stop is put behind another mark."""
    made = paragraph(CORRECTION.model_copy(update={"correction": f"Look again{end}"}))
    assert made.endswith(f"Look again{end}")
