"""Echoes: what was recalled is never stored again as new."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.loop.echo import DOUBTS, Remainder, strip_recalled
from engram.loop.fencing import memory_line, section
from engram.loop.quoting import quote
from engram.loop.words import content_words, is_negation, sentences, tokens
from engram.records import Hit
from tests.unit.echoes import CONTENTS, RECALLED, memory_of, variations

REX = "My dog Rex eats carrots"
ONLY = {"a" * 32: REX}

WORD = st.text(st.characters(categories=["L"], max_codepoint=0x24F), min_size=1, max_size=9).filter(
    lambda word: tokens(word.upper()) == tokens(word)
)
"""Letters that come back from upper case."""
SENTENCE = st.lists(WORD, min_size=3, max_size=12).map(lambda words: f"{' '.join(words)}.")
CONTENT = st.lists(SENTENCE, min_size=1, max_size=4).map(" ".join)
SEPARATOR = st.sampled_from([" ", "\n", "\n\n", "\n- ", " ... ", " \u2014 "])


def said_back(text: str, recalled: dict[str, str]) -> bool:
    """Return whether nothing of a text is its own."""
    return not strip_recalled(text, recalled).text


@given(content=CONTENT)
def test_what_was_recalled_is_an_echo(content: str) -> None:
    """Word for word, shouted, whispered, without its full stops, or in quotes."""
    recalled = {"1" * 32: content}
    for text in (
        content,
        content.upper(),
        content.lower(),
        content.replace(".", ""),
        f"\u201c{content}\u201d",
    ):
        assert strip_recalled(text, recalled) == Remainder("", ("1" * 32,))


@given(content=CONTENT, data=st.data())
def test_any_split_of_it_is_an_echo(content: str, data: st.DataObject) -> None:
    """Cut anywhere between words, into lines of its own in any order, it stays one."""
    words = content.split()
    cuts = sorted(data.draw(st.sets(st.integers(1, len(words)), max_size=5)) | {0, len(words)})
    pieces = [" ".join(words[start:end]) for start, end in itertools.pairwise(cuts)]
    assert said_back("\n".join(data.draw(st.permutations(pieces))), {"1" * 32: content})


@given(content=CONTENT, data=st.data())
def test_a_piece_of_it_is_an_echo(content: str, data: st.DataObject) -> None:
    """A run of its words alone is one, unless a negation or a doubt of the same sentence is left out."""
    words = content.split()
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    if not any(is_negation(token) or token in DOUBTS for token in tokens(content)):
        assert said_back(" ".join(words[start:end]), {"1" * 32: content})


@given(contents=st.lists(CONTENT, min_size=1, max_size=4, unique=True), data=st.data())
def test_any_joining_of_them_is_an_echo(contents: list[str], data: st.DataObject) -> None:
    """Several memories, or sentences of them, in any order and joined by anything that is not a word."""
    recalled = {f"{number}" * 32: content for number, content in enumerate(contents)}
    parts = [*contents, *(each for content in contents for each in sentences(content))]
    chosen = data.draw(st.lists(st.sampled_from(parts), min_size=1, max_size=6))
    assert said_back(data.draw(SEPARATOR).join(chosen), recalled)


def hit(number: int) -> Hit:
    """Return a memory as a recall brings it back."""
    return Hit(memory=memory_of(number), rank=1, score=1.0)


@given(st.sets(st.integers(0, len(CONTENTS) - 1), min_size=1))
def test_what_engram_prints_is_an_echo(numbers: set[int]) -> None:
    """A section of a prompt and a quoted answer hold nothing new, whole or with a word of thanks."""
    hits = [hit(number) for number in sorted(numbers)]
    fenced = section("memories", [memory_line(each.memory) for each in hits])
    for text in (fenced, quote(hits), f"{quote(hits)}\nThanks!", f"You told me:\n{fenced}"):
        assert said_back(text, RECALLED)
        assert strip_recalled(text, RECALLED).ids


LOG = "[1a2b3c4d] 2026-01-02 Ada: Mend the leak in the parser"


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        f"{LOG}\n[5e6f7a8b] 2026-01-03 Bob: Merge the branch",
        f"\u201c{LOG}\u201d",
        "2026-01-02, Ada: \u201cSee you at noon\u201d  [1a2b3c4d]",
        "I remember:",
        "(none)",
    ],
)
@pytest.mark.parametrize("recalled", [{}, ONLY, {"b" * 32: "The parser has a leak"}])
def test_a_line_of_anybody_is_kept_whole(text: str, recalled: dict[str, str]) -> None:
    """A log or an export of a chat looks as the prompts print memories; what is no recalled memory is no echo."""
    assert strip_recalled(text, recalled) == Remainder(text, ())


def test_a_printed_line_is_known_by_its_words_too() -> None:
    """The prompt of another day named the same words by another id; what is beside them is kept as it is printed."""
    printed = f"[deadbeef] 2026-01-02 Ada: {REX}"
    assert strip_recalled(printed, ONLY) == Remainder("", ("a" * 32,))
    assert strip_recalled(f"{printed}\n{LOG}", ONLY) == Remainder(LOG, ("a" * 32,))


def test_a_line_that_a_prompt_cut_off_is_an_echo() -> None:
    """A long memory is cut in the middle of a word, with an ellipsis."""
    long = "The house by the river has a red door and seven windows to the south."
    assert said_back(f"[{'c' * 8}] 2026-01-02 Ada: {long[:40]}\u2026", {"c" * 32: long})


NEW = [
    "My dog Rex eats carrots, but since May only cooked ones",
    "My dog Rex eats apples",
    "My dog Rex eats carrots no more",
    "My dog Rex eats carrots with Bob",
    "My dog Rex eats 5 carrots",
    "My dog Rex does not eat carrots",
    "My dog Rex eats carrots. Not any more.",
    "Rex died last week",
    "My cat Tom eats carrots",
    "My dog Rex eats carrots and he has learned to open the fridge",
]


@pytest.mark.parametrize("text", NEW)
def test_a_new_fact_beside_an_old_one_is_kept_whole(text: str) -> None:
    """What merely shares words or a clause with a memory is new, and no half of it is taken out."""
    assert strip_recalled(text, ONLY).text == text


def test_what_is_left_beside_an_echo_decides() -> None:
    """Other sentences and lines stay as they were said, without the echo."""
    remainder = strip_recalled(f"You said: {REX}.\nBy the way, we move to Ghent in May. {REX}!", ONLY)
    assert remainder == Remainder("By the way, we move to Ghent in May.", ("a" * 32,))


@pytest.mark.parametrize(
    "text",
    ["Yes, my dog Rex eats carrots, as I said.", "I remember: my dog Rex eats carrots!", f"{REX}? Right."],
)
def test_to_confirm_is_no_news(text: str) -> None:
    """A memory and little else is an echo."""
    assert said_back(text, ONLY)


@pytest.mark.parametrize(
    ("held", "text"),
    [
        ("It is not true that I like carrots.", "I like carrots."),
        ("If I win the lottery I will buy a boat.", "I will buy a boat."),
        ("Bob thinks I live in Berlin.", "I live in Berlin."),
        ("Did we sell the blue car?", "We sell the blue car."),
    ],
)
def test_half_of_a_sentence_may_say_the_opposite(held: str, text: str) -> None:
    """What a memory only doubted or denied is new when somebody says it."""
    assert strip_recalled(text, {"b" * 32: held}).text == text
    assert said_back(held, {"b" * 32: held})


@given(text=st.text(), recalled=st.dictionaries(st.just("d" * 32), st.text(max_size=40)))
def test_nothing_is_added(text: str, recalled: dict[str, str]) -> None:
    """What is left is words of the text, and without a memory it is the text."""
    assert strip_recalled(text, {}) == Remainder(text, ())
    assert {*tokens(strip_recalled(text, recalled).text)} <= {*tokens(text)}


@given(text=CONTENT, content=CONTENT)
def test_a_text_of_other_words_is_left_alone(text: str, content: str) -> None:
    """Where no word is in common nothing is taken out."""
    if content_words(text).isdisjoint(content_words(content)) and not {*tokens(text)} & {*tokens(content)}:
        assert strip_recalled(text, {"d" * 32: content}) == Remainder(text, ())


def test_two_hundred_variations_leave_nothing() -> None:
    """However recalled memories are fed back, nothing of it is new."""
    texts = variations(np.random.default_rng(11), 200)
    assert len(set(texts)) > 150
    assert [text for text in texts if not said_back(text, RECALLED)] == []


def test_memories_said_in_one_breath_are_an_echo() -> None:
    """Joined without a full stop, in any order and more than once, memories are nothing new; with a word more they are."""
    held = {"a" * 32: "My dog Rex eats carrots", "b" * 32: "I live in Berlin, near the old airport."}
    said = "My dog Rex eats carrots My dog Rex eats carrots I live in Berlin, near the old airport."
    assert strip_recalled(said, held).text == ""
    assert strip_recalled(f"{said} with Bob", held).text != ""
