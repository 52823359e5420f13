"""Claims: what a clause says of one slot of somebody, before it is a fact."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engram.beliefs.extraction.plain.predicates import Predicate
from engram.beliefs.extraction.plain.words import NAME, UPPER, is_name, words
from engram.beliefs.facts import Category


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a clause says of one slot of its subject, or without one."""

    slot: str | None = None
    value: str | None = None
    category: Category | None = None
    """None: the slot's."""
    content: str | None = None
    """The sentence, with `{who}` for the subject, or a verb phrase in its base form; None: as the slot says it."""
    of: str | None = None
    """Whose it is, where that is not the subject of the clause."""
    denied: bool = False
    polar: bool = False
    """Whether the value itself says yes or no: then the fact is not denied, it has the other value."""
    over: bool = False
    timeless: bool = False
    """Whether it is so for good, though it is told of the past."""
    changed: bool = False
    """It was otherwise before."""
    event: bool = False
    """It began, or was, at the time that the clause tells."""
    left: bool = False
    """It ended at that time."""
    named: bool = False
    """Whether the value is a name."""
    about: str | None = None
    """Another name that it is about."""
    several: bool = False
    """Whether more values of the slot are told beside it."""
    corrects: bool = False
    """Another value is rejected by name."""


Rule = Callable[[Predicate], Iterator[Claim]]
"""Yields what a predicate of its verb claims, where it is sure."""

END = (
    r"(?=$|[,;]|\s+(?:and|but|with|in|at|for|from|since|because|after|before|when|who|which|where|as|last|this|next"
    r"|until|on|by|so|near|of)\b)"
)
"""Where a noun phrase that is no name is over."""
PLACE = rf"(?:the )?{NAME}"
_OWNED = rf"(?:{NAME} )?(?-i:[{UPPER}])\w*['\u2019]s(?=$|[,;]|\s+(?:and|as|in|now|since|for|but|with|on)\b)"
ORG = rf"(?:(?:the )?(?:{_OWNED}|{NAME}))"
"""A name of an organisation; it may end as a possessive does, e.g. McDonald's."""
VAGUE = words(
    "it that this them much enough a lot anything something everything nothing well too more less out there here one so "
    "breakfast lunch dinner in all any some"
)
_WEEKDAYS = words("monday tuesday wednesday thursday friday saturday sunday")


def named(
    slot: str,
    value: str,
    *,
    denied: bool = False,
    over: bool = False,
    changed: bool = False,
    event: bool = False,
    left: bool = False,
) -> Iterator[Claim]:
    """Yield that a slot has a name as its value, if it is one; see `Claim` for the rest."""
    if is_name(value) and value.casefold() not in _WEEKDAYS:
        yield Claim(
            slot=slot,
            value=value,
            named=True,
            denied=denied,
            over=over,
            changed=changed,
            event=event,
            left=left,
        )


def is_named(thing: str) -> bool:
    """Say whether a thing has a name."""
    return thing[:1].isupper() and is_name(thing)


def listed(phrase: str) -> list[str]:
    """Return the parts of a list of things, without articles; what stands behind a comma only is no part of one."""
    if not re.search(r"(?i)\b(?:and|or)\b", phrase):
        phrase = phrase.partition(",")[0]
    parts = re.split(r",\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+", phrase.strip(" .!"))
    bare = (re.sub(r"(?i)^(?:the|an?|any|all|some|both|most)\s+", "", part).strip() for part in parts)
    return [part for part in bare if part]


def article(word: str) -> str:
    """Return the indefinite article that goes with a word."""
    vowel = word[:1].casefold() in set("aeiou") and not word.casefold().startswith(("uni", "eu"))
    return "an" if vowel else "a"
