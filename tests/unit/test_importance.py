"""How much a text has to tell, by its form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.importance import estimated_importance

WORDS = st.lists(st.text("abcdefghij", min_size=1, max_size=6), min_size=1, max_size=40)
SENTENCE = "we moved to a small house by the sea with two dogs and a cat"


@given(st.text())
def test_importance_is_a_fraction(text: str) -> None:
    """Any text, empty or garbled, has one from 0 to 1."""
    assert 0.0 <= estimated_importance(text) <= 1.0


@given(words=WORDS, mark=st.sampled_from(["?", "\uff1f", "\u061f", "??", "? ", "!?"]))
def test_a_statement_tells_more_than_the_same_words_as_a_question(words: list[str], mark: str) -> None:
    """With a question mark of any script; a full stop or none makes a statement."""
    text = " ".join(words)
    assert estimated_importance(text + mark) < estimated_importance(text + ".") == estimated_importance(text)


def test_a_question_among_statements_weighs_by_its_share() -> None:
    """A statement with a question asked after it lies between the two."""
    asked = estimated_importance("are you well? are you here?")
    mixed = estimated_importance("you are well. are you here?")
    assert asked < mixed < estimated_importance("you are well. you are here.")


@given(WORDS)
def test_a_number_adds(words: list[str]) -> None:
    """A word with a digit in it, in whatever script, tells more than the same word without."""
    text = " ".join(words)
    plain = estimated_importance(f"{text} x")
    assert estimated_importance(f"{text} x7") == estimated_importance(f"{text} x\u0667") > plain


def test_a_second_number_adds_nothing_more() -> None:
    """There is something to know or not."""
    assert estimated_importance(f"{SENTENCE} in 2021 or 2022") == estimated_importance(
        f"{SENTENCE} in 2021 or then"
    )


@given(words=WORDS, more=WORDS, end=st.sampled_from(["", ".", "?"]))
def test_more_words_never_tell_less(words: list[str], more: list[str], end: str) -> None:
    """A longer sentence of the same kind has at least the importance of a shorter one."""
    shorter, longer = " ".join(words) + end, " ".join([*words, *more]) + end
    assert estimated_importance(longer) >= estimated_importance(shorter)


def test_length_saturates() -> None:
    """Each word adds less than the one before it, and beyond about 150 nothing."""
    five, ten, fifteen = (estimated_importance("word " * n) for n in (5, 10, 15))
    assert ten - five > fifteen - ten > 0
    assert estimated_importance("word " * 100) < estimated_importance("word " * 150)
    assert estimated_importance("word " * 150) == estimated_importance("word " * 15_000)


def test_a_long_statement_with_a_number_is_as_important_as_can_be() -> None:
    """All three together reach 1."""
    assert estimated_importance("7 " * 200) == pytest.approx(1.0)


def test_the_scale_is_as_documented() -> None:
    """A plain sentence of 15 words has about 0.6; thanks tell less, and a question back still less."""
    assert estimated_importance(f"{SENTENCE}.") == pytest.approx(0.6, abs=0.03)
    assert estimated_importance("Why?") < estimated_importance("Thanks!") < estimated_importance(SENTENCE)
