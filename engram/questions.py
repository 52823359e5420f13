"""Telling a question from a statement, by its form."""

import re

from engram.validation import normalise

MARKS = "?\uff1f\u061f\u203d\u2047\u2048\u2049\ufe56"
"""Question marks of several scripts."""

_SENTENCE_END = re.compile(r"[.!?]\s")

# How English asks; another language is known by its question mark.
_OPENERS = frozenset(
    {"and", "but", "hey", "hi", "hello", "now", "ok", "okay", "please", "so", "then", "well"}
)
_ASKING_WORDS = """
what when where which who whose whom why how am is are was were do does did can could will would shall should
has have had may might tell show list find search recall remind give name describe explain summarise summarize
"""
_ASKING = frozenset(_ASKING_WORDS.split())


def is_question(text: str) -> bool:
    """Say whether a text ends with a question mark, whatever closes around it."""
    return text.rstrip(" \t\n\"'\N{RIGHT DOUBLE QUOTATION MARK})").endswith(tuple(MARKS))


def only_asks(text: str) -> bool:
    """Say whether a text is a question and nothing else: one sentence that asks."""
    return asks(text) and _SENTENCE_END.search(text.strip()) is None


def asks(text: str) -> bool:
    """Say whether a text asks for something, rather than telling it."""
    spoken = (word for word in re.findall(r"[a-z]+", normalise(text)) if word not in _OPENERS)
    return is_question(text) or next(spoken, "") in _ASKING
