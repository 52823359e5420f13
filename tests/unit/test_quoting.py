"""Answering without a model: which memories are quoted, how, and what they are compared by."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.loop.quoting import NOTHING, answers, fresh, quote, ranked, related, words
from engram.loop.window import Said
from engram.questions import asks
from engram.records import Hit, Kind
from engram.testing import HashEmbedder
from engram.text import inert, normal, printable
from tests.unit.test_fencing import remembered


def hit(content: str, *, id: str = "0123456789abcdef", **more: object) -> Hit:  # noqa: A002
    """Return a hit with this content."""
    return Hit(memory=remembered(content, id=id, **more), rank=1, score=1.0)


def contents(hits: tuple[Hit, ...]) -> list[str]:
    """Return what the hits say."""
    return [each.memory.content for each in hits]


def test_what_is_in_the_conversation_does_not_come_back() -> None:
    """Hits that the window holds, by id or word for word, are not told twice."""
    talk = [Said(role="user", text="Hello there"), Said(role="assistant", text="Hi", memory="b" * 32)]
    hits = [hit("hello  THERE"), hit("Other words", id="b" * 32), hit("New", id="c" * 32)]
    assert contents(fresh(hits, talk)) == ["New"]


def test_a_turn_without_a_memory_hides_no_memory() -> None:
    """That nothing is known of a turn's memory is no id that a hit could have."""
    assert len(fresh([hit("New")], [Said(role="user", text="Old")])) == 1


def test_a_quote_has_date_speaker_words_and_id() -> None:
    """Without a model the answer is the memory itself, on one line, and can be asked about by its id."""
    text = quote([hit("I live\nin Lisbon"), hit("A fact", speaker=None)])
    assert text.splitlines()[1:] == [
        "  2026-05-04, Ada: “I live in Lisbon”  [01234567]",
        "  2026-05-04, noted: “A fact”  [01234567]",
    ]


@given(st.lists(st.text(st.characters()), min_size=1, max_size=4), st.text(st.characters()))
def test_a_quote_cannot_steer_a_terminal(texts: list[str], speaker: str) -> None:
    """Whatever memories hold, the answer has one line for each and no control character in it."""
    shown = quote([hit(text, speaker=speaker) for text in texts])
    assert shown.count("\n") == len(texts)
    assert not [c for c in shown.replace("\n", "") if unicodedata.category(c) in {"Cc", "Cs"}]


def test_nothing_to_quote_is_said() -> None:
    """No answer is an answer in words, not an empty line."""
    assert quote([]) == NOTHING


def test_only_what_bears_on_the_question_is_quoted() -> None:
    """A memory without a word in common and far in meaning is left out."""
    embedder = HashEmbedder(384)
    hits = [hit("Rex the dog likes carrots"), hit("Tuesday was rainy")]
    assert contents(related("What does my dog eat?", hits, embedder)) == ["Rex the dog likes carrots"]
    assert related("quantum chromodynamics", hits, embedder) == ()
    assert related("anything", [], embedder) == ()


def test_questions_answer_nothing() -> None:
    """The person's own questions and copies of the question are left out, and the rest is numbered from 1."""
    hits = [
        hit("Which bicycle did Alice buy?"),
        hit("which  bicycle did Alice buy", speaker=None),
        hit("Which bicycle?", speaker="Bob"),
        hit("Alice bought a red bicycle"),
    ]
    found = answers(hits, "Which bicycle did Alice buy?", user="Ada")
    assert [(each.rank, each.memory.content) for each in found] == [
        (1, "Which bicycle?"),
        (2, "Alice bought a red bicycle"),
    ]


def test_what_was_noted_as_a_question_may_answer() -> None:
    """Only what was said in a conversation is taken for asking: somebody may note a question to keep it."""
    noted = hit("Who pays for the boat?", kind=Kind.SEMANTIC)
    assert answers([noted], "the boat", user="Ada") == (noted,)


def test_ranks_follow_the_order() -> None:
    """Hits are numbered from 1 as they stand, whatever their ranks were."""
    assert [each.rank for each in ranked([hit("a"), hit("b"), hit("c")])] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My cat is called Mies", False),
        ("I know what you did", False),
        ("Ik heb een fiets", False),
        ("Welke fiets heb ik?", True),
        ("(Really?) ", True),
        ("what is my cat called", True),
        ("So tell me about the bicycle", True),
        ("", False),
    ],
)
def test_asking_is_told_from_telling(text: str, expected: bool) -> None:  # noqa: FBT001  (a column of the table)
    """A question mark, or a first word that asks, makes a question."""
    assert asks(text) is expected


def test_words_leave_out_what_every_sentence_has() -> None:
    """Function words and short words do not make two texts about the same thing; endings do not part them."""
    assert words("What did you say about the dogs, and where is it?") == {"dog"}
    assert words("The class has a glass") == {"class", "glass"}


@given(st.text(st.characters()))
def test_printable_text_cannot_steer_a_terminal(text: str) -> None:
    """No control character but line break and tab is left, no lone surrogate, and nothing else is lost."""
    shown = printable(text)
    assert all(c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"} for c in shown)
    assert [c for c in shown if c.isalnum()] == [c for c in text if c.isalnum()]
    assert printable("a\x1b[31mb\nc\ud800") == "a[31mb\nc?"


@given(st.text())
def test_normal_is_stable(text: str) -> None:
    """Comparing twice gives the same as comparing once, for spaces and case."""
    assert normal(f"  {text}\n") == normal(text)


@given(st.text(st.characters()), st.integers(1, 300))
def test_inert_text_is_one_line_without_tags(text: str, longest: int) -> None:
    """No content can begin a line or a tag, and it keeps to its length."""
    line = inert(text, longest)
    assert len(line) <= longest
    assert not set(line) & set("<>")
    assert len(line.splitlines()) <= 1
