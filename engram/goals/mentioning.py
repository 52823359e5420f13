"""Which goals something that was said speaks of."""

import re
from collections.abc import Sequence

import numpy as np

from engram.embedding.protocol import Vectors
from engram.goals.records import Goal
from engram.text import normal

NEAR = 0.5
"""Cosine of an utterance and a goal from which a word in common is no chance."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_STEM = 5
"""Letters of a word that are compared: "harbour" and "harbours", "paint" and "painting"."""
_EMPTY_WORDS = """
all and any are but can did for get got had has her him his how its let may new nor not now off old one our out own per
put say she the too try two use was way who why yes yet you
about after again also always been before being could does doing done each every from have having into just
like made make more most much need only other over same should some than that their them then there these they
this those through time trying until very want wants well were what when where which while will with would your
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that say what a text is about."""
    words = (word.casefold() for word in _WORD.findall(text))
    return frozenset(word[:_STEM] for word in words if word not in _EMPTY)


def mentioned(goals: Sequence[Goal], text: str, vector: Vectors) -> tuple[Goal, ...]:
    """Return the goals that an utterance speaks of.

    It does where it holds the goal's own words, all of those that say something, or one of them while it is near to
    it as a whole (`NEAR`): neither a word nor nearness alone is a mention.

    Args:
        goals: Those to look for.
        text: What was said.
        vector: Its unit vector, shape (d,), of the model that the goals' vectors are of.
    """
    words, said = content_words(text), normal(text)
    return tuple(goal for goal in goals if _speaks_of(goal, words, said, vector))


def _speaks_of(goal: Goal, words: frozenset[str], said: str, vector: Vectors) -> bool:
    own = content_words(goal.text)
    if _whole(normal(goal.text), said) or (len(own) > 1 and own <= words):
        return True
    if not own & words or len(goal.embedding) != len(vector):
        return False
    return float(np.dot(np.asarray(goal.embedding), vector)) >= NEAR


def _whole(phrase: str, said: str) -> bool:
    """Say whether a phrase is said in whole words: "run" is no part of "prune"."""
    return re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", said) is not None
