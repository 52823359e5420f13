"""What erasing looks for, and that it looks everywhere."""

import re

import pytest

from engram import statements
from engram.erasing.words import words_for, words_of
from engram.loop.journal import quotes
from engram.moving.labels import KEYS, TYPES
from tests.graph.erasing import WORDED

EVERYWHERE = ("inspect/find_traces", "inspect/count_labels", "inspect/list_rest")
"""Statements with a branch for each label."""


@pytest.mark.parametrize("name", EVERYWHERE)
def test_every_label_is_looked_at(name: str) -> None:
    """No sort of node is passed over: a new label belongs into each of these statements."""
    looked = set(re.findall(r"MATCH \(n:(\w+)\)", statements.load(name).text))
    left_out = {"Tombstone", "Memory"} if name == "inspect/list_rest" else {"Tombstone"}
    assert looked == KEYS.keys() - left_out


def test_words_are_looked_for_in_sorts_that_there_are() -> None:
    """What holds words is a label or a type that a space has; under another name it would never be looked at."""
    assert {"Memory", "Turn", "SUPERSEDES"} <= WORDED.keys() <= {*KEYS} | TYPES


@pytest.mark.parametrize(
    ("said", "words", "found"),
    [
        ("I know nothing about it", "no", False),
        (" NO\n", "no", True),
        ("no", "I know nothing about it", False),
        ("and THE code of the\nsafe is 4711!", "The code  of the safe is 4711", True),
        ("The code is 4711, he said", "the code is 4711", False),
    ],
)
def test_short_words_have_to_be_all_that_was_said(said: str, words: str, found: bool) -> None:  # noqa: FBT001
    """What is long enough to be one's own is found wherever it is quoted, in any case and across lines."""
    assert quotes(said, words) is found


@pytest.mark.parametrize(
    ("names", "text", "found"),
    [
        (["Quillfeather"], "i saw QUILLFEATHER's dog", True),
        (["Quillfeather"], "quillfeathers fly", False),
        (["Dr Quill"], "the dr\n quill was here", True),
        (["Malmö"], "we went to malmo", True),
        (["Will"], "I will go", False),
        (["Will"], "then Will's brother went", True),
        (["Will", "William Tell"], "william tell shot", True),
        (["Anna"], "a bandanna", False),
        (["C++"], "C is a letter", False),
        (["C++"], "we use C++ here", True),
        (["!"], "wow!", False),
    ],
)
def test_a_name_is_found_as_a_whole_word(names: list[str], text: str, found: bool) -> None:  # noqa: FBT001
    """In any case, with a possessive and across lines; a name that is a word too only as it is written."""
    words = words_for(names)
    assert words.are_in(text) is found
    assert not found or any(needle in text.lower() for needle in words.needles)


@pytest.mark.parametrize(
    ("content", "text", "found"),
    [
        ("The code of the safe is 4711", "remember: THE CODE OF THE SAFE IS 4711!", True),
        ("The code of the safe is 4711", "the code of the safe", False),
        ('He said "it is 4711" to me and left', r'{"fact": "He said \"it is 4711\" to me and left"}', True),
        ("It is in the café of my sister", r'{"fact": "It is in the caf\u00e9 of my sister"}', True),
        ("yes, please", "yes, please", False),
    ],
)
def test_what_was_said_is_found_where_it_is_quoted(content: str, text: str, found: bool) -> None:  # noqa: FBT001
    """In any case and as JSON; short words are nobody's own."""
    assert words_of(content).are_in(text) is found
