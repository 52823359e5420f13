"""People: names, ages, birthdays, families, partners and pets."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from engram.beliefs.extraction.plain.claims import PLACE, Claim, named
from engram.beliefs.extraction.plain.predicates import Predicate
from engram.beliefs.extraction.plain.words import (
    KIN,
    KIN_SLOTS,
    MARITAL,
    MONTHS,
    NUMBER,
    PERSON,
    PETS,
    WHOLE,
    number,
    pattern,
)

_OLDEST = 120
_AGE = pattern(
    rf"(?P<age>\d{{1,3}}|{NUMBER})(?: ?(?:years? old|yrs? old|y/?o))?"
    r"(?=$|,|\s+(?:and|but|now|yesterday|today|last|on|in)\b)(?! in\b(?! [A-Z\d]))"
)
_BORN = pattern(
    rf"born (?:and raised )?(?:on (?P<day>.+)|(?:in (?P<year>(?:19|20)\d\d)\b)?\s*(?:in (?P<place>{PLACE}){WHOLE})?)"
)
_DAY = pattern(
    rf"(?:the )?(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTHS})"
    rf"|(?P<month2>{MONTHS}) (?:the )?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)(?:,? (?P<year>(?:19|20)\d\d))?"
)
_NOT_DAY = pattern(
    rf",? (?:and )?not (?:on )?(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of {MONTHS}| {MONTHS})?|{MONTHS}(?: (?:the )?\d{{1,2}})?)"
    r"(?:st|nd|rd|th)?\b"
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_CALLED = pattern(rf"(?:also )?(?:called|named|known as) (?P<name>{PERSON})(?=$|[,;])")
_MARRIED = pattern(
    rf"(?:happily |newly |recently |legally )?(?P<state>{MARITAL})"
    rf"(?: to (?P<name>{PERSON}){WHOLE}|(?=$|[,;]|\s+(?:and|now|since|with|for|last|in|on)\b))"
)
_WITH = pattern(rf"in a relationship with (?P<name>{PERSON}){WHOLE}")
_SOMEBODY = pattern(rf"(?P<name>{PERSON}){WHOLE}")
_DATED = pattern(rf"(?P<name>{PERSON})(?=$|[,;])")
_PARTED = pattern(
    r"(?P<up>up\b)? ?(?:(?:with|from)\b ?)?"
    r"(?:(?:my (?:partner|boyfriend|girlfriend|husband|wife|spouse|ex|fianc\w+)|him|her|each other)\b(?:,? )?)?"
    rf"(?P<name>{PERSON}{WHOLE})?\s*(?=$|[,;]|(?:last|this|in|on|yesterday|today|recently|earlier|a|an|\d+|{NUMBER}|after"
    r"|because|before|when|and|but|so|for|over|about)\b)"
)
_GONE = pattern(
    r"(?:(?:has|had|just|recently|suddenly|sadly|unfortunately) )*(?:died|passed (?:away|on)|(?:ran|run) (?:away|off)"
    r"|(?:is|was) (?:dead|gone|no longer with us)|(?:was|had to be|been|got) put (?:down|to sleep))\b"
    r"(?!.*\b(?:back|found|returned)\b)"
)
_LOSS = pattern(r"\b(?:put (?:down|to sleep)|buried|(?:say|said) goodbye to) (?:my|our) (?:[\w-]+ ){1,4}$")
_PUT, _DOWN = pattern(r"\bput (?:my|our) (?:[\w-]+ ){1,4}$"), pattern(r"(?:down|to sleep)\b")
_DEATH = pattern(
    r"\b(?:died|dead|late|passed (?:away|on)|put (?:\w+ )*(?:down|to sleep)|ran (?:away|off)|buried|lost)\b"
)
_SEPARATING = frozenset({"divorce", "separate"})
_HAS_PET = pattern(
    r"(?:an?|one|our|my) (?:(?:new|little|old|big|beautiful|lovely|cute|sweet|small|black|white|brown|grey|gray|ginger"
    rf"|tabby|rescue) )*(?P<kind>{PETS})(?:,? (?:called|named|whose name is),? (?P<name>{PERSON}){WHOLE}"
    rf"|, (?P<apposed>{PERSON}){WHOLE}|(?=$|[,;]))"
)
_HAS_KIN = pattern(
    r"(?:an? )(?:(?:younger|older|little|big|elder|twin|new) )*"
    rf"(?P<kin>{KIN})(?:,? (?:called|named),?|,) (?P<name>{PERSON}){WHOLE}"
)


def be_somebody(said: Predicate) -> Iterator[Claim]:
    """Be of an age, born somewhere or some time, married, called by a name."""
    rest = said.rest
    if found := _BORN.match(rest):
        yield from _birth(found)
    elif found := _MARRIED.match(rest):
        yield from _marriage(found, with_name=not said.over)
    elif said.over:
        return
    elif (found := _AGE.match(rest)) and not said.negated:
        yield from _age(found["age"])
    elif found := _WITH.match(rest):
        yield from named("partner", found["name"])
    elif found := _CALLED.match(rest):
        yield from named("name", found["name"])


def turn(said: Predicate) -> Iterator[Claim]:
    """Have turned an age."""
    if said.happened and (found := _AGE.match(said.rest)):
        yield from (replace(each, changed=True, event=True) for each in _age(found["age"]))


def marry(said: Predicate) -> Iterator[Claim]:
    """Have married somebody, or got married, engaged or divorced."""
    if not said.happened:
        return
    claims: Iterator[Claim] = iter(())
    if said.verb == "marry" and (found := _SOMEBODY.match(said.rest)):
        claims = iter((_marital("married"), *named("partner", found["name"])))
    elif said.verb != "marry" and (found := _MARRIED.match(said.rest)):
        claims = _marriage(found, with_name=True)
        if found["state"].casefold() in {"divorced", "separated"}:
            claims = chain(claims, [_parted(None)])
    yield from (replace(each, changed=True, event=True) for each in claims)


def part(said: Predicate) -> Iterator[Claim]:
    """Have broken up with a partner, divorced or separated."""
    found = _PARTED.match(said.rest)
    if not said.happened or found is None or not (found["up"] or said.verb in _SEPARATING):
        return
    yield _parted(found["name"])


def _parted(name: str | None) -> Claim:
    content = None if name else "{who} and their partner broke up."
    return Claim(
        slot="partner", value=name, content=content, denied=True, changed=True, event=True, named=bool(name)
    )


def be_with(said: Predicate) -> Iterator[Claim]:
    """Be dating somebody."""
    if found := _DATED.match(said.rest):
        yield from named("partner", found["name"])


def have_somebody(said: Predicate) -> Iterator[Claim]:
    """Have a pet, or a relative of that name."""
    if found := _HAS_PET.match(said.rest):
        yield from _pet(found)
    elif found := _HAS_KIN.match(said.rest):
        yield from kin(found["kin"], found["name"])


def get_pet(said: Predicate) -> Iterator[Claim]:
    """Have got or adopted a pet."""
    if said.happened and (found := _HAS_PET.match(said.rest)):
        yield from (replace(each, event=True) for each in _pet(found))


def kin(what: str, name: str) -> Iterator[Claim]:
    """Yield that somebody of that name is this to the subject."""
    what = what.casefold()
    yield from named(KIN_SLOTS.get(what, what), name)


def pet(kind: str, name: str) -> Iterator[Claim]:
    """Yield that the subject has an animal of that name."""
    content = f"have a {kind.casefold()} called {name}"
    yield from (replace(each, content=content) for each in named("pet", name))


def pet_told(kind: str, name: str, *, before: str, after: str) -> Iterator[Claim]:
    """Yield that the subject has an animal of that name, or has it no longer; nothing where that is not clear.

    Args:
        kind: What animal it is.
        name: Its name.
        before: What the clause says up to the name.
        after: What it says behind it.
    """
    if _GONE.match(after) or _LOSS.search(before) or (_PUT.search(before) and _DOWN.match(after)):
        content = f"{{who}} no longer has a {kind.casefold()} called {name}."
        lost = named("pet", name, denied=True, changed=True, event=True)
        yield from (replace(each, content=content) for each in lost)
    elif not (_DEATH.search(before) or _DEATH.search(after)):
        yield from pet(kind, name)


def birthday(said: str) -> Iterator[Claim]:
    """Yield the birthday, and where it is told the year of birth, that words like `3 May 1990` say."""
    found = _DAY.match(said)
    if found is None:
        return
    short = (found["month"] or found["month2"]).casefold()[:3]
    month = next(each for each in _MONTHS if each.casefold().startswith(short))
    day = int(found["day"] or found["day2"])
    if 1 <= day <= 31:
        corrects = _NOT_DAY.match(said[found.end() :]) is not None
        yield Claim(slot="birthday", value=f"{day} {month}", timeless=True, corrects=corrects)
    if found["year"]:
        yield _birth_year(found["year"])


def _birth(found: re.Match[str]) -> Iterator[Claim]:
    if place := found["place"]:
        for claim in named("birthplace", place):
            yield replace(claim, content=f"{{who}} was born in {place}.", timeless=True)
    if found["day"]:
        yield from birthday(found["day"])
    if found["year"]:
        yield _birth_year(found["year"])


def _birth_year(year: str) -> Claim:
    return Claim(slot="birth_year", value=year, content=f"{{who}} was born in {year}.", timeless=True)


def _age(said: str) -> Iterator[Claim]:
    age = int(said) if said.isascii() and said.isdigit() else number(said)
    if age is not None and 0 < age < _OLDEST:
        yield Claim(slot="age", value=str(age))


def _marriage(found: re.Match[str], *, with_name: bool) -> Iterator[Claim]:
    state = found["state"].casefold()
    yield _marital(state)
    if with_name and found["name"] and state in {"married", "engaged"}:
        yield from named("partner", found["name"])


def _marital(state: str) -> Claim:
    return Claim(slot="marital_status", value=state, content=f"be {state}")


def _pet(found: re.Match[str]) -> Iterator[Claim]:
    kind = found["kind"].casefold()
    if name := found["name"] or found["apposed"]:
        yield from pet(kind, name)
    else:
        yield Claim(slot="pet", value=kind, content=f"have a {kind}")
