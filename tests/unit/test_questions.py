"""Telling a question from a statement."""

import pytest

from engram.questions import is_question, only_asks


@pytest.mark.parametrize("text", ["Where is it?", "where is it", "Wo ist es\uff1f", '"Really?"'])
def test_a_question_is_only_a_question(text: str) -> None:
    """One sentence with a question mark, or with a first word that asks."""
    assert only_asks(text)


@pytest.mark.parametrize("text", ["It is here.", "I moved to Ghent. Where are you now?", "Lovely! And you?"])
def test_what_also_tells_something_is_not(text: str) -> None:
    """A statement before the question makes it worth finding by its own words."""
    assert not only_asks(text)


def test_a_question_mark_at_the_end_is_enough_for_a_question() -> None:
    """Whatever stands before it, and whatever closes around it."""
    assert is_question("Lovely! And you? ")
    assert not is_question("And you? Lovely!")
