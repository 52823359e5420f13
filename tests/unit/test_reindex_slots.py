"""Statements in the other slot of vectors: what is exchanged in them, and that it is all."""

import re

import pytest

from engram import statements
from engram.statements import load
from tests.unit.test_layout import code_of

NAMES = [name for name in statements.names() if re.search("embedding|centroid", load(name).text)]
EXCHANGED = {
    "memory_embedding": "memory_embedding_b",
    ".embedding": ".embedding_b",
    ".centroid": ".centroid_b",
    "'embedding'": "'embedding_b'",
}
EXCHANGED |= {there: here for here, there in EXCHANGED.items()}
MENTION = re.compile(
    r"memory_embedding(?:_b)?\b|(?<!row)\.(?:embedding|centroid)(?:_b)?\b|'embedding(?:_b)?'"
)
HARMLESS = re.compile(
    r"\brow\.(embedding|centroid)\b"  # of a parameter
    r"|\{\.\*, embedding: null, embedding_b: null\}"  # left out, both
    r"|\bAS (embedding|centroid)\b|\bembedding: (?=\w+\.embedding)"  # what a result calls it
)


@pytest.mark.parametrize("name", NAMES)
def test_every_vector_is_of_the_slot(name: str) -> None:
    """In the other slot each property and index of vectors is the other one, and nothing else is different."""
    here, there = load(name).text, load(name, "b").text
    assert [EXCHANGED[each] for each in MENTION.findall(here)] == MENTION.findall(there)
    assert MENTION.sub("", here) == MENTION.sub("", there)
    assert statements._SLOTTED.sub(statements._exchanged, there) == here


@pytest.mark.parametrize("name", NAMES)
def test_no_vector_is_called_otherwise(name: str) -> None:
    """Whatever a statement calls embedding or centroid is exchanged, or needs not be."""
    code = MENTION.sub("", HARMLESS.sub("", code_of(load(name))))
    assert not re.search(r"embedding|centroid", re.sub(r"\$\w+", "", code)), code


@pytest.mark.parametrize("name", statements.names())
def test_no_vector_leaves_with_all_properties(name: str) -> None:
    """Who returns all properties of a memory leaves out the vectors of both slots."""
    for found in re.findall(r"\{\.\*, embedding: [^}]*\}", load(name).text):
        assert found == "{.*, embedding: null, embedding_b: null}"


def test_other_statements_are_the_same() -> None:
    """What speaks of no vector is one text for both slots, and is read once."""
    assert load("write/lock_sessions", "b").text == load("write/lock_sessions").text
    assert load("write/lock_sessions", "b") is load("write/lock_sessions", "b")
