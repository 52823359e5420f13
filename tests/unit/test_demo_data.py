"""The bundled conversation and the questions made from other people's."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engram import demo
from engram.importing import Refused, read_turns
from engram.records import Turn


def bundled() -> list[Turn]:
    """Return the turns of the bundled conversation."""
    with demo.bundled_conversation() as path:
        items = list(read_turns(path))
    assert not [item for item in items if isinstance(item, Refused)]
    return [item for item in items if isinstance(item, Turn)]


def test_the_bundled_conversation_is_what_it_is_said_to_be() -> None:
    """Between 80 and 110 turns, two speakers, at least eight sessions over weeks, in order, ids unique."""
    turns = bundled()

    assert 80 <= len(turns) <= 110
    assert len({turn.speaker for turn in turns}) == 2
    assert len({turn.session for turn in turns}) >= 8
    assert len({turn.id for turn in turns}) == len(turns)
    times = [turn.at for turn in turns if turn.at is not None]
    assert len(times) == len(turns)
    assert all(earlier < later for earlier, later in pairwise(times))
    assert (times[-1] - times[0]).days > 60


def test_every_question_has_an_answer_that_was_known_then() -> None:
    """The turns said to answer a question are in the conversation, and said before its as-of time."""
    turns = {turn.id: turn for turn in bundled()}

    assert len(demo.QUESTIONS) == 6
    assert any(question.as_of for question in demo.QUESTIONS)
    for question in demo.QUESTIONS:
        assert question.answers
        for answer in question.answers:
            at = turns[answer].at
            assert at is not None
            assert question.as_of is None or at <= question.as_of


def test_questions_are_made_from_what_a_talk_dwells_on() -> None:
    """Words that come often in one stretch are asked about, words of the language are not."""
    filler = ["this is what they were about then", "and that was what they said about it"]
    texts = [filler[n % 2] + (" the lighthouse" if 10 <= n < 14 else "") for n in range(60)]
    texts = [text + (" her accordion" if 40 <= n < 45 else "") for n, text in enumerate(texts)]
    questions = demo.questions_about(
        [Turn(text=text, speaker="Ada" if n % 2 else "Bo") for n, text in enumerate(texts)], count=2
    )

    assert {question.text.split()[-1] for question in questions} == {"lighthouse?", "accordion?"}


def test_names_of_speakers_are_not_asked_about() -> None:
    """A speaker's name is no subject."""
    turns = [Turn(text="Konstantin, the harbour", speaker="Konstantin") for _ in range(3)]

    assert [question.text for question in demo.questions_about(turns)] == [
        "What did Konstantin say about harbour?"
    ]


@given(st.lists(st.builds(Turn, text=st.text(max_size=40), speaker=st.text(max_size=5)), max_size=30))
def test_any_talk_gives_at_most_six_questions(turns: list[Turn]) -> None:
    """Whatever was said, at most six questions come of it, all different."""
    questions = [question.text for question in demo.questions_about(turns)]

    assert len(set(questions)) == len(questions) <= 6


def test_the_drawing_names_its_space_safely() -> None:
    """A space with quotes cannot break out of the parameter line, and the statement has a line for each parameter."""
    drawing = demo.drawing("o'neill\\")

    assert drawing.parameters[0] == ":param space => 'o\\'neill\\\\';"
    assert drawing.statement.startswith("CYPHER 25\n")
    assert all(f"${line.split()[1]}" in drawing.statement for line in drawing.parameters)
