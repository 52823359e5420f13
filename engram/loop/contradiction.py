"""Does what was said contradict what is remembered? Three layers, the cheapest first (v4 plan, 2.8).

1. Negation: in sentences otherwise alike, a negation, an antonym or another number, date or place is opposition.
2. Embedding: how far the difference of two vectors points along the direction that a negation takes.
3. A model, asked in isolation; only where the first two do not agree. `engram.loop.gate_judge` asks it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engram.embedding.protocol import Embedder
from engram.loop.negation import NegationDirection, Vector
from engram.loop.words import (
    COMMON,
    LONGEST_COMPARED,
    changes,
    content_words,
    is_date,
    is_fact,
    is_negation,
    is_number,
    sentences,
    stem,
    tokens,
)

Layer = Literal["negation", "embedding", "model"]
ALIKE = 0.5
"""Share of common words from which two sentences are about the same."""
WORDED = 0.4
"""Cosine from which the first layer is heard alone. Another name moves a short sentence far from where the plan looks:
"I live in Leiden" and "I live in Utrecht" are at 0.53 with all-MiniLM-L6-v2."""
_MOST_SENTENCES = 20

_ANTONYMS = """
love hate; like dislike; like hate; love dislike; enjoy hate; hot cold; warm cold; open closed; open shut; married single;
married divorced; alive dead; start stop; begin end; win lose; won lost; success failure; successful unsuccessful;
more less; increase decrease; rise fall; happy sad; glad sad; healthy sick; well ill; early late; true false; right wrong;
allow forbid; cheap expensive; big small; large small; easy difficult; easy hard; simple complicated; accept refuse;
accept reject; agree refuse; agree disagree; remember forget; remembered forgot; gain lose; arrive leave; stay leave;
possible impossible; safe dangerous; buy sell; pass fail; passed failed; present absent; friend enemy; strong weak;
rich poor; full empty; keep quit; employed unemployed; fast slow; good bad; best worst; high low; long short; old young;
old new; always never; up down; on off; inside outside; left right; public private; legal illegal; loud quiet; dry wet;
light dark; clean dirty; many few; everybody nobody; everything nothing; trust distrust; vegetarian meat; awake asleep
"""


def _paired(text: str) -> Mapping[str, frozenset[str]]:
    pairs: dict[str, set[str]] = {}
    for pair in text.replace("\n", " ").split(";"):
        one, other = (stem(word) for word in pair.split())
        pairs.setdefault(one, set()).add(other)
        pairs.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in pairs.items()}


_OPPOSITES = _paired(_ANTONYMS)
_PREFIXES = ("un", "in", "im", "dis", "il", "ir")
# What holds is so at one time only; what happened may have happened twice.
_STATIVE = frozenset(
    """
    is am are was 'm i'm it's be live lives work works weigh weighs cost costs own owns have has prefer prefers named
    called born name age birthday favourite favorite lives study studies belong belongs wohne arbeite heisse
    """.split()  # noqa: SIM905
)
_PLACES = frozenset({"in", "at", "from", "near", "to", "on", "named", "called"})
"""Words behind which a place, a time or a name stands, however it is spelled."""
_ANSWERS = r"(?:oh|ah|well|yes|yeah|ok|okay|so|no|nope|nein|nee|non|sorry|actually|wait|correction)"
# "No, I live in Leiden." denies what was said before, and not that I live there.
_OPENERS = re.compile(
    rf"(?:(?:{_ANSWERS}\s+)*{_ANSWERS}(?:\s*[,:;\u2013\u2014]\s*|\s+-\s+)|actually\s+)+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposition:
    """What is thought of two texts."""

    found: bool
    layer: Layer
    """Which one had the last word."""
    why: str
    """In a few words, for people."""
    sure: bool = True
    """Whether the first two layers agree; where they do not, a model may be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What the first layer says."""

    found: bool | None
    """None: there is a sign of opposition, and the sentences differ too much to be sure."""
    why: str
    firm: bool
    """Whether it stands against the second layer where no model can be asked."""


_NO_SIGN = Wording(found=False, why="no negation", firm=False)


def compare_wording(said: str, held: str) -> Wording:
    """Return what the words alone say about two texts: the first layer.

    Texts of several sentences are compared sentence by sentence.
    """
    unsure: Wording | None = None
    cancelled: Wording | None = None
    for one in sentences(said[:LONGEST_COMPARED])[:_MOST_SENTENCES]:
        for other in sentences(held[:LONGEST_COMPARED])[:_MOST_SENTENCES]:
            wording = _compare_sentences(one, other)
            if wording.found:
                return wording
            if wording.found is None:
                unsure = unsure or wording
            elif wording.firm:
                cancelled = cancelled or wording
    return unsure or cancelled or _NO_SIGN


def _compare_sentences(said: str, held: str) -> Wording:
    said, held = _opened(said), _opened(held)
    negated = _negations(said) != _negations(held)
    ours, theirs = content_words(said), content_words(held)
    antonym = _antonym(_by_stem(said), _by_stem(held))
    likeness = _likeness(ours, theirs, antonym)
    if negated is (antonym is not None):
        if negated and likeness >= ALIKE:
            return Wording(found=False, why="a negated opposite", firm=True)
        return _compare_facts(said, held)
    why = "a negation" if antonym is None else " and ".join(antonym)
    if likeness >= ALIKE:
        return Wording(found=True, why=why, firm=True)
    return Wording(found=None, why=why, firm=False) if likeness >= ALIKE / 2 else _NO_SIGN


def _opened(sentence: str) -> str:
    """Return a sentence without the words before it that only answer; all of it where there is nothing else."""
    opener = _OPENERS.match(sentence)
    return sentence if opener is None else sentence[opener.end() :] or sentence


def _negations(sentence: str) -> int:
    """Return whether the sentence is turned around: 0 or 1."""
    return sum(map(is_negation, tokens(sentence))) % 2


def _by_stem(sentence: str) -> dict[str, str]:
    """Return the words of a sentence by their stems, common ones too: up and down, on and off."""
    return {stem(token): token for token in tokens(sentence) if not is_negation(token)}


def _antonym(ours: Mapping[str, str], theirs: Mapping[str, str]) -> tuple[str, str] | None:
    """Return a word of either sentence that the other has the opposite of, or None."""
    for one in sorted(ours.keys() - theirs.keys()):
        for other in sorted(theirs.keys() - ours.keys()):
            if other in _OPPOSITES.get(one, ()) or _prefixed(one, other) or _prefixed(other, one):
                return ours[one], theirs[other]
    return None


def _prefixed(word: str, other: str) -> bool:
    return len(word) > 3 and any(other == prefix + word for prefix in _PREFIXES)


def _likeness(ours: frozenset[str], theirs: frozenset[str], antonym: tuple[str, str] | None) -> float:
    """Return the share of words in common, of all words; of an antonym's pair both count as common."""
    every = (ours | theirs) - {stem(word) for word in antonym or ()}
    common = len(ours & theirs) + (antonym is not None)
    return common / (len(every) + (antonym is not None)) if common else 0.0


def _compare_facts(said: str, held: str) -> Wording:
    """Look for another number, date, place or name in sentences that are otherwise the same."""
    replaced: list[tuple[list[str], list[str], bool]] = []
    words = held.casefold().split()
    for place, before, after in changes(held, said):
        if place == 0 and not (is_number(before[0]) if before else False):
            return _NO_SIGN  # of somebody else, or the sentence is another one
        if all(word.casefold() in COMMON for word in [*before, *after]):
            continue
        if not before or not after or max(len(before), len(after)) > 3:
            return _NO_SIGN
        placed = 0 < place <= len(words) and words[place - 1] in _PLACES
        replaced.append((before, after, placed))
    if len(replaced) != 1:
        return _NO_SIGN
    before, after, placed = replaced[0]
    alike = _sort(before) is not None and _sort(before) == _sort(after)
    if not (alike or placed):
        return _NO_SIGN
    why = f"{' '.join(after)} instead of {' '.join(before)}"
    stative = not _STATIVE.isdisjoint(set(tokens(said)) & set(tokens(held)))
    return Wording(found=True if stative else None, why=why, firm=stative)


def _sort(words: Sequence[str]) -> str | None:
    """Return what sort of fact the words name, or None."""
    if any(map(is_number, words)):
        return "number"
    if any(map(is_date, words)):
        return "date"
    return "name" if any(map(is_fact, words)) else None


class Contradictions:
    """The first two layers, with a direction learned once for each embedder."""

    def __init__(self) -> None:
        self._learned: dict[tuple[str, int], NegationDirection] = {}

    def direction(self, embedder: Embedder) -> NegationDirection:
        """Return an embedder's direction, learned at the first call.

        Raises:
            EmbeddingError: The model gave no usable vector.
        """
        key = embedder.name, embedder.dimensions
        if key not in self._learned:
            self._learned[key] = NegationDirection.learn(embedder)
        return self._learned[key]

    def weigh(
        self, said: tuple[str, Vector], held: tuple[str, Vector], direction: NegationDirection
    ) -> Opposition:
        """Return what the first two layers say about two texts, each with its vector.

        Where they do not agree, a firm word of the first stands, else that of the second; and it is not sure.
        """
        wording = compare_wording(said[0], held[0])
        share = direction.share(said[1], held[1])
        opposed = share > direction.threshold
        if wording.found == opposed:
            return Opposition(found=opposed, layer="negation", why=wording.why)
        if wording.firm and wording.found is not None:
            return Opposition(found=wording.found, layer="negation", why=wording.why, sure=False)
        why = f"opposed in meaning ({share:.2f})" if opposed else f"alike in meaning ({share:.2f})"
        return Opposition(found=opposed, layer="embedding", why=why, sure=False)


def opposed_in_words(said: str, held: str) -> Opposition | None:
    """Return the opposition that the first layer alone is firm about, or None; a model may still be asked."""
    wording = compare_wording(said, held)
    if not (wording.found and wording.firm):
        return None
    return Opposition(found=True, layer="negation", why=wording.why, sure=False)


def settled(opposition: Opposition, *, contradicts: bool) -> Opposition:
    """Return an unsure opposition after a model had the last word: the third layer."""
    return replace(opposition, found=contradicts, layer="model", sure=True)
