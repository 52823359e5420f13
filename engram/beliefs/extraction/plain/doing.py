"""Doing: what people can and learn, the languages they speak, and what they read, drive and phone with."""

import re
from collections.abc import Iterator
from dataclasses import replace

from engram.beliefs.extraction.plain.claims import Claim, named
from engram.beliefs.extraction.plain.predicates import Predicate
from engram.beliefs.extraction.plain.words import (
    CARS,
    LANGUAGES,
    NAME,
    PHONES,
    PLAYED,
    SKILLS,
    pattern,
    words,
)
from engram.beliefs.facts import slot_key

_LANGUAGE = re.compile(rf"(?i)\b{LANGUAGES}\b")
_LANGUAGE_LIST = rf"(?P<what>{LANGUAGES}(?:(?:,? and |, ){LANGUAGES})*)\b"
_SPOKEN = pattern(rf"(?:(?:some|a little|a bit of|fluent|basic|good|native|only|both) )*{_LANGUAGE_LIST}")
_FLUENT = pattern(rf"fluent in {_LANGUAGE_LIST}")
_LEARNT = pattern(
    rf"(?:learning |studying )?(?:how )?(?:to )?(?:(?:speak|play) )?(?:the )?(?P<what>{LANGUAGES}|{PLAYED})\b"
)
_TO_DO = pattern(
    r"(?:how )?to (?P<what>[a-z]+(?: (?!and\b|but\b|because\b|when\b|from\b|with\b|that\b|so\b|last\b|this\b)[\w'-]+){0,3})"
    r"(?=$|[,;]|\s+(?:and|but|because|when|from|with|so|last|this)\b)"
)
_MYSELF = pattern(r"(?:myself|himself|herself) (?:how )?(?P<what>to .+)")
_NO_SKILL = words(
    "be have get let accept love trust live deal appreciate know enjoy see say feel stay keep take embrace forgive cope "
    "value balance listen express believe make do go find handle navigate become never always not stand persevere adapt"
)
_POINTING = pattern(
    r"\b(?:it|that|this|you|your|myself|me|my|them|their|her|his|more|better|things?|stuff)\b"
)
_ABLE = pattern(
    rf"(?P<what>{SKILLS}\b(?: (?:the |a )?(?!and\b|but\b|because\b|with\b|you\b|it\b|in\b|for\b|at\b|to\b)[\w-]+){{0,2}})$"
)
_NOW_ONLY = pattern(r"\b(?:tomorrow|today|tonight|now|then|there|us|home)\b")
_PLAYING = pattern(rf"(?:the )?(?P<what>{PLAYED})\b(?:,? and (?:the )?(?P<more>{PLAYED})\b)?")
_MODEL = r"(?: (?-i:[A-Z0-9])[\w-]*)?"
CAR = rf"(?P<car>{CARS}{_MODEL})\b"
PHONE = rf"(?P<phone>(?:Google |Apple |Samsung )?{PHONES}{_MODEL})\b"
_A_CAR = pattern(
    r"an? (?:(?:old|new|used|second-hand|red|blue|black|white|green|grey|silver|electric|hybrid|small|little|big|tiny) )*"
    + CAR
)
_A_PHONE = pattern(r"an? (?:(?:old|new|used|second-hand|refurbished) )*" + PHONE)
_BOUGHT = pattern(r"(?:myself |ourselves |from .{1,40}? to |to )")
_SOLD = pattern(
    rf"(?:my|our|the) (?:old )?(?:(?P<car>{CARS})\b|car\b(?:, (?:an?|the|my) (?:old )?(?P<make>{CARS}))?)(?=$|[,;]|\s)"
)
_TITLE = pattern(rf"(?P<title>{NAME})(?=$|[,;]| by )")


def speak(said: Predicate) -> Iterator[Claim]:
    """Speak languages."""
    if found := _SPOKEN.match(said.rest):
        yield from languages(found["what"])


def be_fluent(said: Predicate) -> Iterator[Claim]:
    """Be fluent in languages."""
    if not said.over and (found := _FLUENT.match(said.rest)):
        yield from languages(found["what"])


def languages(phrase: str) -> Iterator[Claim]:
    """Yield the languages that a phrase names."""
    for name in _LANGUAGE.findall(phrase):
        yield Claim(slot="language", value=name.capitalize(), several=True)


def learn(said: Predicate) -> Iterator[Claim]:
    """Be learning something, or have learnt how to do it."""
    if not said.happened and (found := _LEARNT.match(said.rest)):
        yield _learning(found["what"])
    elif said.happened and (found := _TO_DO.match(said.rest)):
        yield from _skill(found["what"])


def start_learning(said: Predicate) -> Iterator[Claim]:
    """Have started learning something."""
    if said.happened and said.rest.casefold().startswith(("learning", "to learn", "studying")):
        found = _LEARNT.match(said.rest.removeprefix("to learn ").removeprefix("to "))
        if found:
            yield replace(_learning(found["what"]), changed=True, event=True)


def know_how(said: Predicate) -> Iterator[Claim]:
    """Know how to do something."""
    if said.rest.startswith("how to ") and (found := _TO_DO.match(said.rest)):
        yield from _skill(found["what"])


def teach_oneself(said: Predicate) -> Iterator[Claim]:
    """Have taught oneself to do something."""
    found = _MYSELF.match(said.rest) if said.happened else None
    if found and (done := _TO_DO.match(found["what"])):
        yield from _skill(done["what"])


def can(said: Predicate) -> Iterator[Claim]:
    """Be able to do something that is learnt, and not only now."""
    if (found := _ABLE.match(said.rest)) and not _NOW_ONLY.search(said.rest):
        yield from _skill(found["what"])


def play(said: Predicate) -> Iterator[Claim]:
    """Play an instrument or a game."""
    if found := _PLAYING.match(said.rest):
        for each in filter(None, (found["what"], found["more"])):
            yield from _skill(f"play {each}")


def drive(said: Predicate) -> Iterator[Claim]:
    """Drive, or own, a car."""
    if found := _A_CAR.match(said.rest):
        yield Claim(slot="car", value=found["car"], content=f"have {an(found['car'])}")


def buy(said: Predicate) -> Iterator[Claim]:
    """Have bought, or switched to, a car or a phone."""
    if not said.happened:
        return
    rest = _BOUGHT.sub("", said.rest, count=1)
    if found := _A_CAR.match(rest) or _A_PHONE.match(rest):
        slot = "car" if "car" in found.re.groupindex else "phone"
        yield Claim(slot=slot, value=found[slot], content=f"have {an(found[slot])}", changed=True, event=True)


def sell(said: Predicate) -> Iterator[Claim]:
    """Have sold the car."""
    if said.happened and (found := _SOLD.match(said.rest)):
        car = found["car"] or found["make"]
        content = f"have {an(car)}" if car else "{who} sold their car."
        yield Claim(slot="car", value=car, content=content, denied=True, changed=True, event=True)


def read(said: Predicate) -> Iterator[Claim]:
    """Be reading a book."""
    if found := _TITLE.match(said.rest):
        yield from named("reading", found["title"])


def an(thing: str) -> str:
    """Return a thing that has a make, with its article."""
    return f"{'an' if thing[0] in 'AEIOUi' else 'a'} {thing}"


def _learning(what: str) -> Claim:
    return Claim(slot=f"learning:{slot_key(what)}", value=what)


def _skill(what: str) -> Iterator[Claim]:
    verb = what.split(maxsplit=1)[0].casefold()
    if verb == "speak":
        yield from languages(what)
    elif verb not in _NO_SKILL and not _POINTING.search(what):
        yield Claim(slot=f"skill:{slot_key(what)}", value=what, content=f"be able to {what}")
