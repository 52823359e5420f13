"""Entities: who and what is named, found without a language model and known by one key however it is spelled."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from engram.beliefs.names.nicknames import short_form_behind
from engram.validation import MAX_NAME

MAX_NAMES = 8
"""Names taken from one text; more is a list, not a mention."""
LONGEST_NAME = 4
"""Words of the longest name that a question is searched for."""
MAX_QUERY_WORDS = 128
_HEADING = 4
"""A text of more words than this, most of them capitalised, is a heading."""

# A name may hold what stands inside words: O'Neil, Jean-Luc.
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_POSSESSIVE = re.compile(r"(?:['\u2019]s)+(?!\w)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;\n\u2026\u3002\uff01\uff1f\"\u201c\u201d()\[\]*]")
_CALLS = frozenset({"call", "calls"})
_SEPARATORS = re.compile(r"[\W_]+")


def entity_key(name: str) -> str:
    """Return what a name is known by: its letters and digits, without case, accents and possessives.

    A question's words go through the same, so whatever a name is spelled with, they meet: "AT&T", "user_1".
    """
    plain = _POSSESSIVE.sub("", unicodedata.normalize("NFKD", name)).casefold()
    if plain.isascii():
        return _SEPARATORS.sub(" ", plain).strip()
    # Folding may compose or decompose once more (\u1e9e, \u0130).
    letters = "".join(
        each
        for each in unicodedata.normalize("NFKD", plain)
        if not unicodedata.category(each).startswith("M")
    )
    return _SEPARATORS.sub(" ", letters).strip()


def names_in(text: str) -> list[str]:
    """Return the names in a text, in order, each once: runs of capitalised words.

    The first word of a sentence is capitalised anyway and is left out. In `we call Robert Miller Bob` a run is two names.
    Scripts without case have no names here; their speakers are entities all the same.
    """
    text = unicodedata.normalize("NFC", text)
    words = list(_WORD.finditer(text))
    capitals = sum(_capitalised(word[0]) for word in words)
    shouted = sum(len(word[0]) > 1 and word[0].isupper() for word in words)
    if (len(words) > _HEADING and capitals > len(words) / 2) or (len(words) > 1 and shouted > len(words) / 2):
        return []
    found: dict[str, str] = {}
    for run in _runs(text, words):
        name = _POSSESSIVE.sub("", " ".join(run))
        if len(name) <= MAX_NAME and (key := entity_key(name)):
            found.setdefault(key, name)
    return list(found.values())[:MAX_NAMES]


def mentions(speaker: str | None, named: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield key, name and role of everybody and everything that a memory is said by or names, each once.

    Args:
        speaker: Who said it.
        named: The names in it.
    """
    seen = {""}
    said_by = [] if speaker is None else [(speaker, "speaker")]
    for name, role in [*said_by, *((name, "named") for name in named)]:
        if (key := entity_key(name)) not in seen:
            seen.add(key)
            yield key, name, role


def keys_in(question: str) -> list[str]:
    """Return the key of every run of up to four words of a question: people ask in lower case too."""
    words = entity_key(question).split()[:MAX_QUERY_WORDS]
    keys = (
        " ".join(words[first : first + length])
        for length in range(1, LONGEST_NAME + 1)
        for first in range(len(words) - length + 1)
    )
    return list(dict.fromkeys(keys))


def _runs(text: str, words: list[re.Match[str]]) -> Iterator[list[str]]:
    run: list[str] = []
    end = 0
    before = ""
    for word in words:
        between = text[end : word.start()]
        begins = end == 0 or _SENTENCE_END.search(between) is not None
        if run and (begins or between != " " or not _capitalised(word[0])):
            yield from _parted(run, before)
            run = []
        if not _capitalised(word[0]):
            before = word[0]
        elif not begins:
            run.append(word[0])
        end = word.end()
    yield from _parted(run, before)


def _parted(run: list[str], before: str) -> Iterator[list[str]]:
    """Yield the name, or the name and the one that somebody is called by, of a run of capitalised words."""
    if before.casefold() in _CALLS and short_form_behind(run):
        yield from (run[:-1], run[-1:])
    elif run:
        yield run


def _capitalised(word: str) -> bool:
    # "I'm" and "A" are no names, "O'Neil" is.
    head, *tail = re.split(r"['\u2019]", word)
    return head[0].isupper() and (len(head) > 1 or any(part[0].isupper() for part in tail))
