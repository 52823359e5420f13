"""Naming: how two names can be the same, and where somebody says that they are. Without a graph, without a model."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engram.beliefs.names.nicknames import (
    DEGREES,
    GIVEN_NAMES,
    SUFFIXES,
    THINGS,
    TITLES,
    may_be_short_for,
    short_form_behind,
)
from engram.entities import entity_key

LONGEST_TEXT = 2_000
"""Characters of a text that are looked at."""
CUES = (
    " aka ",
    " a.k.a. ",
    " call ",
    " calls ",
    "full name",
    " goes by ",
    "known as ",
    "my name is ",
    "My name is ",
    "nickname",
    "real name",
)
"""One of these stands in every text in which names are said to be one."""
_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"}
)
_EVERYBODY = r"(?:[Ee]very(?:one|body)|[Pp]eople|(?:[Mm]y |her |his |their |[Aa]ll )?(?:friends|family)|[Ww]e|[Tt]hey|I)"
_WORD = r"[^\W_]+(?:['\u2019-][^\W_]+)*"
_BETWEEN = re.compile(
    r",? \(?(?:(?:is |was )?(?:also|better|otherwise|now|formerly) known as|aka|a\.k\.a\.|nicknamed"
    rf"|(?:whom )?{_EVERYBODY}(?: all)?(?: just| always| only)? calls? (?:her|him|them)"
    r"|goes by(?: the name(?: of)?)?"
    r"|['\u2019]s (?:full|real|actual) name is|['\u2019]s nickname is)\s+",
)
_APPOSED = re.compile(
    rf",? {_EVERYBODY}(?: all)?(?: just| always| only)? calls? (?:her|him|them)\s+|['\u2019]s (?:full|real|actual) name"
    r" is\s+|['\u2019]s nickname is\s+"
)
_CALLED = re.compile(rf"\b{_EVERYBODY}(?: all)?(?: just| always| only)? calls?\s+")
_OWN = re.compile(
    rf"(?:\b[Mm]y (?:full |real )?name is|\b{_EVERYBODY}(?: all)?(?: just| always)? calls? me)\s+"
)
_DENIED = re.compile(
    r"\b(?:not|never|no longer|used to|if|unless|stop(?:ped)?|wish(?:es)?|pretend\w*|jok\w*)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"[.!?;\n\u2026]+(?=\s|$)")
_ROLE = re.compile(
    r"\b[Mm]y (?:\w+ )?(sister|brother|mother|father|mum|mom|dad|daughter|son|wife|husband|aunt|uncle|cousin|niece|"
    rf"nephew|grandmother|grandfather|boss|manager|colleague|neighbou?r|landlord|landlady|teacher|doctor|dentist),? ({_WORD}(?: {_WORD}){{0,3}})"
)
_MOST_WORDS = 4


class Fit(StrEnum):
    """How two names can be one person's or thing's, the surest first."""

    SAME = "the same name"
    MIDDLE = "the same name with and without a middle one"
    INITIAL = "a name and its initials"
    NICKNAME = "a name and its short form"
    GIVEN = "a first name and a full name"
    SURNAME = "a last name and a full name"


@dataclass(frozen=True, slots=True)
class Name:
    """A name taken apart; all of it as `engram.entities.entity_key` spells it."""

    core: tuple[str, ...]
    """Its words without title, degree and suffix; at least one."""
    spelled: tuple[str, ...]
    """The same with umlauts written out."""
    titles: frozenset[str]
    suffix: str
    """`jr`, `sr`, `ii` ..., or nothing."""

    @property
    def words(self) -> int:
        """How many of its words are more than an initial: more say better who is meant."""
        return sum(len(word) > 1 for word in self.core)

    @property
    def full(self) -> bool:
        """Whether it is more than a first or a last name."""
        return self.words > 1

    @property
    def gender(self) -> str:
        """`m`, `f` or nothing, as the title says."""
        return next((TITLES[title] for title in sorted(self.titles) if TITLES[title]), "")

    @property
    def of_person(self) -> bool:
        """Whether the name itself says that it is a person's."""
        return bool(self.titles) or self.core[0] in GIVEN_NAMES

    @property
    def of_thing(self) -> bool:
        """Whether the name itself says that it is none."""
        return not THINGS.isdisjoint(self.core)


def parse(name: str) -> Name | None:
    """Return a name taken apart; None where it has no letters or digits."""
    plain, spelled = entity_key(name).split(), entity_key(name.translate(_UMLAUTS)).split()
    if not plain:
        return None
    first, last = 0, len(plain)
    titles = set()
    while first < last - 1 and plain[first] in {*TITLES, "the"}:
        titles.add(plain[first])
        first += 1
    while last > first + 1 and plain[last - 1] in DEGREES:
        last -= 1
    suffix = SUFFIXES.get(plain[last - 1], "") if last > first + 1 else ""
    last -= bool(suffix)
    return Name(tuple(plain[first:last]), tuple(spelled[first:last]), frozenset(titles - {"the"}), suffix)


def fit(one: Name, other: Name) -> Fit | None:
    """Return how two names can be one; None where they cannot. It is the same both ways round."""
    if (
        one.suffix != other.suffix
        or {one.gender, other.gender} == {"m", "f"}
        or _numbers(one) != _numbers(other)
    ):
        return None
    short, long = (one, other) if len(one.core) <= len(other.core) else (other, one)
    return _fit_alike(one, other) if len(short.core) == len(long.core) else _fit_part(short, long)


def _fit_alike(one: Name, other: Name) -> Fit | None:
    same = [_same(one, place, other, place) for place in range(len(one.core))]
    if all(same):
        return Fit.SAME
    if all(same[1:]) and may_be_short_for(one.core[0], other.core[0]):
        return Fit.NICKNAME
    pairs = zip(same, one.core, other.core, strict=True)
    spelled_out = any(each and len(word) > 1 for each, word in zip(same, one.core, strict=True))
    return Fit.INITIAL if spelled_out and all(each or _initial(*words) for each, *words in pairs) else None


def _fit_part(short: Name, long: Name) -> Fit | None:
    first = _same(short, 0, long, 0) or may_be_short_for(short.core[0], long.core[0])
    last = _same(short, -1, long, -1)
    if len(short.core) == 1:
        if len(short.core[0]) == 1:
            return None
        return Fit.GIVEN if first else Fit.SURNAME if last else None
    if first and all(_same(short, place, long, place) for place in range(1, len(short.core))):
        return Fit.GIVEN
    inside = iter(long.core[1:-1])
    if not last or not all(any(word in {each, each[0]} for each in inside) for word in short.core[1:-1]):
        return None
    return Fit.MIDDLE if first else Fit.INITIAL if _initial(short.core[0], long.core[0]) else None


def _same(one: Name, place: int, other: Name, there: int) -> bool:
    forms = {one.core[place], one.spelled[place]}
    return not forms.isdisjoint({other.core[there], other.spelled[there]})


def _initial(one: str, other: str) -> bool:
    return 1 in {len(one), len(other)} and one[0] == other[0]


def _numbers(name: Name) -> frozenset[str]:
    return frozenset(word for word in name.core if any(map(str.isdigit, word)))


def stated(text: str, speaker: str | None = None) -> list[tuple[str, str]]:
    """Return the pairs of names that a text says are one, e.g. `Anna, everyone calls her Annie`.

    What is denied, asked, wished or long past says nothing.

    Args:
        text: What was said.
        speaker: Who said it, whom `my name is` is about.
    """
    found: dict[tuple[str, str], None] = {}
    for sentence in _sentences(text[:LONGEST_TEXT]):
        if "?" in sentence or _DENIED.search(sentence):
            continue
        for cue in (*_BETWEEN.finditer(sentence), *_APPOSED.finditer(sentence)):
            names = _ends_with_name(sentence[: cue.start()]), _starts_with_name(sentence[cue.end() :])
            if all(names):
                found.setdefault(names)
        for cue in _CALLED.finditer(sentence):
            words = _starts_with_name(sentence[cue.end() :]).split()
            if short_form_behind(words):
                found.setdefault((" ".join(words[:-1]), words[-1]))
        for cue in _OWN.finditer(sentence):
            if speaker and (name := _starts_with_name(sentence[cue.end() :])):
                found.setdefault((speaker, name))
    return [pair for pair in found if entity_key(pair[0]) != entity_key(pair[1])]


def roles(text: str) -> list[tuple[str, str]]:
    """Return who is introduced as what by whoever speaks: pairs of key and role, e.g. `my sister Anna`."""
    introduced = ((_starts_with_name(each[2]), each[1]) for each in _ROLE.finditer(text[:LONGEST_TEXT]))
    return [(entity_key(name), role) for name, role in introduced if name]


def set_apart(text: str, one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether one sentence of a text has two names side by side, as one has of two people.

    Args:
        text: What was said.
        one: The names of the one, as keys.
        other: The names of the other, as keys.
    """
    for sentence in _sentences(text, mark=False):
        words = f" {entity_key(sentence)} "
        # The longer names first: what they cover is no mention of a shorter one.
        taken = {"one": 0, "other": 0}
        for key, side in sorted(
            [*((key, "one") for key in one), *((key, "other") for key in other)],
            key=lambda each: -len(each[0]),
        ):
            if f" {key} " in words:
                taken[side] += 1
                words = words.replace(f" {key} ", " | ")
        if all(taken.values()):
            return True
    return False


def _sentences(text: str, *, mark: bool = True) -> Iterator[str]:
    """Yield the sentences of a text, with the mark that ends each where that is asked for."""
    start = 0
    for end in _SENTENCES.finditer(text):
        # "A. Schmidt", "Dr. Schmidt": no sentence ends there.
        last = text[start : end.start()].rsplit(" ", 1)[-1]
        if end[0] == "." and (len(last) == 1 or last.casefold() in TITLES):
            continue
        yield text[start : end.end() if mark else end.start()]
        start = end.end()
    yield text[start:]


def _starts_with_name(text: str) -> str:
    """Return the capitalised words that a text begins with."""
    found: list[str] = []
    end = 0
    for word in re.finditer(_WORD, text[:200]):
        if text[end : word.start()].strip("\"'\u201c\u2018") not in ({"", " "} if not found else {" ", ". "}):
            break
        if not word[0][0].isupper() or len(found) == _MOST_WORDS:
            break
        found.append(word[0])
        end = word.end()
    return " ".join(found)


def _ends_with_name(text: str) -> str:
    """Return the capitalised words that a text ends with."""
    tail = text[-200:].rstrip(" ,(\"'\u201d\u2019")
    found: list[str] = []
    begin = len(tail)
    for word in reversed(list(re.finditer(_WORD, tail))):
        if tail[word.end() : begin] not in ({""} if not found else {" ", ". "}):
            break
        if not word[0][0].isupper() or len(found) == _MOST_WORDS:
            break
        found.insert(0, word[0])
        begin = word.start()
    return " ".join(found)
