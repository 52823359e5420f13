"""Entities: who and what is named, found without a language model and known by one key however it is spelled."""

import re
import unicodedata
from collections.abc import Iterator

from engram.validation import MAX_NAME

MAX_NAMES = 8
"""Names taken from one text; more is a list, not a mention."""
LONGEST_NAME = 3
"""Words of the longest name that a question is searched for."""
MAX_QUERY_WORDS = 128

# A name may hold what stands inside words (O'Neil, Jean-Luc); a possessive is no part of it.
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['\u2019]s$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;\n\u2026\u3002\uff01\uff1f\"\u201c\u201d()\[\]*]")
_BLANK = re.compile(r"\s+")


def entity_key(name: str) -> str:
    """Return what a name is known by: without case, accents, possessive and spare white space."""
    bare = "".join(
        character
        for character in unicodedata.normalize("NFKD", _POSSESSIVE.sub("", name.strip()))
        if unicodedata.category(character) != "Mn"
    )
    return _BLANK.sub(" ", bare.casefold()).strip()


def names_in(text: str) -> list[str]:
    """Return the names in a text, in order, each once: runs of capitalised words.

    The first word of a sentence is capitalised anyway and is left out. Scripts without case have no names here;
    their speakers are entities all the same.
    """
    words = list(_WORD.finditer(text))
    capitals = sum(_capitalised(word[0]) for word in words)
    if len(words) > 4 and capitals > len(words) / 2:
        return []  # a heading, or shouting
    found: dict[str, str] = {}
    for run in _runs(text, words):
        name = _POSSESSIVE.sub("", " ".join(run))
        if len(name) <= MAX_NAME:
            found.setdefault(entity_key(name), name)
    return list(found.values())[:MAX_NAMES]


def keys_in(question: str) -> list[str]:
    """Return the key of every run of up to three words of a question: people ask in lower case too."""
    words = [entity_key(word) for word in _WORD.findall(question)[:MAX_QUERY_WORDS]]
    keys = (
        " ".join(words[first : first + length])
        for length in range(1, LONGEST_NAME + 1)
        for first in range(len(words) - length + 1)
    )
    return list(dict.fromkeys(key for key in keys if key))


def _runs(text: str, words: list[re.Match[str]]) -> Iterator[list[str]]:
    run: list[str] = []
    end = 0
    for word in words:
        between = text[end : word.start()]
        begins = end == 0 or _SENTENCE_END.search(between) is not None
        if run and (begins or between != " " or not _capitalised(word[0])):
            yield run
            run = []
        if _capitalised(word[0]) and not begins:
            run.append(word[0])
        end = word.end()
    if run:
        yield run


def _capitalised(word: str) -> bool:
    # "I'm" and "A" are no names.
    return word[0].isupper() and len(re.split(r"['\u2019]", word)[0]) > 1
