"""Central: which of a group holds together, and what stands for it, without a model."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engram.embedding.protocol import Vectors
from engram.loop.words import content_words, is_fact, sentences, spoken, stem
from engram.questions import asks
from engram.text import single_line

LONGEST_SENTENCE = 240
"""Characters of a sentence that may stand for a group."""
_LONGEST_READ = 4_000
"""Characters of a text that are read for one."""
SUBSTANCE = 3
"""Words from which a sentence is about something, pleasantries and names aside."""
_PLEASANTRIES = frozenset(
    stem(word)
    for word in """
    amazing awesome best bye care cheers congrats congratulations cool course dear enjoy excited exciting fantastic fine
    fun glad good great guess haha happy hello hey hi hope hopefully incredible inspiring interesting let look looking
    lot lots love lovely luck nice pleasure pretty proud see seems sorry sound sounds super sweet swell talk thankful
    thing things totally true wait wish wonderful wow yay
    """.split()  # noqa: SIM905  (a paragraph of words reads better than a list of strings)
)
"""Words that people are friendly with, and that tell of nothing."""
Embed = Callable[[Sequence[str]], Vectors]
"""Gives one unit vector per text."""


def cohesion(vectors: Vectors) -> float:
    """Return the mean cosine between two of several unit vectors, shape (n, d); 1 of a single one.

    `(|Σ v|² - n) / (n (n - 1))`: the squared length of the sum holds each pair twice and each vector once.
    """
    count = len(vectors)
    if count < 2:
        return 1.0
    total = vectors.astype(np.float64).sum(axis=0)
    return float((total @ total - count) / (count * (count - 1)))


def core(vectors: Vectors, *, least: float) -> list[int]:
    """Return the places of those that hold together around the most central one, in order.

    These are the ones whose cosine with it is `least` or more; the farthest is left out until their mean cosine is too.

    Args:
        vectors: Unit vectors, shape (n, d).
        least: The bound.
    """
    if not len(vectors):
        return []
    cosines = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    centre = int(np.where(cosines >= least, cosines, 0.0).sum(axis=1).argmax())
    places = [int(place) for place in np.argsort(-cosines[centre], kind="stable")]
    places = [place for place in places if place == centre or cosines[centre, place] >= least]
    while len(places) > 1 and cohesion(vectors[places]) < least:
        places.pop()
    return sorted(places)


def central_sentence(texts: Sequence[str], embed: Embed, *, substance: int = 1) -> str | None:
    """Return the sentence of several texts that is nearest to all of their sentences, or None where none can stand.

    Questions, pleasantries and very long sentences cannot.

    Args:
        texts: What was said.
        embed: Gives vectors.
        substance: Words that a sentence must have of what it is about.
    """
    candidates = [each for text in texts for each in _said(text) if has_substance(each, substance)]
    candidates = list(dict.fromkeys(each for each in candidates if len(each) <= LONGEST_SENTENCE))
    if not candidates:
        return None
    vectors = embed(candidates)
    return candidates[nearest(vectors, vectors.astype(np.float64).sum(axis=0))]


def has_substance(text: str, least: int = SUBSTANCE) -> bool:
    """Say whether some sentence of a text tells of something, in at least so many words, pleasantries and names aside."""
    return any(
        len(content_words(each) - _PLEASANTRIES - _names(each)) >= least
        for each in _said(text)
        if not asks(each)
    )


def nearest(vectors: Vectors, direction: NDArray[np.float64]) -> int:
    """Return the place of the vector nearest to a direction, of several alike the first."""
    return int((vectors.astype(np.float64) @ direction).argmax())


def overlap(one: str, other: str) -> float:
    """Return the share of words that two texts have in common, of all that they have: the Jaccard index."""
    ours, theirs = content_words(one), content_words(other)
    every = ours | theirs
    return len(ours & theirs) / len(every) if every else 0.0


def _said(text: str) -> list[str]:
    return [single_line(each) for each in sentences(text[:_LONGEST_READ])]


def _names(sentence: str) -> frozenset[str]:
    return frozenset(stem(word.casefold()) for word in spoken(sentence)[1:] if is_fact(word))
