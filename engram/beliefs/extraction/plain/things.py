"""Things: when they are, what they cost, whether they are open; and how somebody gets to work.

What is said to be one's own, "our rent", is an attribute of the speaker; "the lido" is spoken of as everybody knows it and
has attributes of its own. Only what holds now is read: of what "was", the next one of its name says nothing.
"""

import re
from collections.abc import Iterator

from engram.beliefs.extraction.plain.claims import END, Claim
from engram.beliefs.extraction.plain.clauses import Clause
from engram.beliefs.extraction.plain.words import KIN, MONTHS, NAME, PETS, one_of, pattern, words
from engram.beliefs.extraction.slots import third_person
from engram.beliefs.facts import slot_key

_THING = r"(?P<thing>(?-i:[a-z])[a-z'-]+(?: (?-i:[a-z])[a-z'-]+){0,2}?)"
_WHOSE = rf"(?P<whose>my|our|the) {_THING}"
_DATE = rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTHS}\b(?: \d{{4}})?|{MONTHS} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b(?: (?:mornings?|afternoons?|evenings?|nights?))?"
_WHEN = rf"(?P<when>{_DATE}|{_DAY})"
_NOT = r"(?P<not>,? (?:and |but )?not (?:on )?(?:the )?\w[\w ]{0,30}$)"
_NOW = rf"(?P<new>,? now| again)?(?:{_NOT}|{END})"
_MONEY = (
    r"(?P<much>(?:[\u00a3$\u20ac]\s?\d[\d.,]*|\d[\d.,]*\s?(?:pounds?|euros?|dollars?|quid|kron[ae]r?|francs?|pence|cents?))"
    r"(?: (?:a|per|each) (?:hour|day|week|month|year))?)"
)
_VERBS = one_of(
    "arrive come start begin open close leave depart end meet rehearse play practise train gather"
)
_IS_WHEN = pattern(rf"{_WHOSE} (?:is|takes place|will be|will take place) (?:now )?(?:on )?{_WHEN}{_NOW}")
_MOVED = pattern(
    rf"{_WHOSE} (?:has (?:been )?|is |was |got )?(?:moved|rescheduled|postponed|brought forward|put off|shifted) to {_WHEN}{_NOW}"
)
_DOES = pattern(
    rf"(?:(?:(?:my|our) [a-z]+(?: [a-z]+)?, )?the (?P<name>(?-i:{NAME})),?|the {_THING}) (?:now )?(?P<verb>{_VERBS})(?P<s>e?s)? "
    rf"(?:only )?(?:on |every ){_WHEN}{_NOW}"
)
_COSTS = pattern(
    rf"{_WHOSE} (?:is|costs(?: me| us)?|(?:has )?(?P<rose>went|gone|risen|rose|fell|fallen)(?: up| down)? to) (?:now )?{_MONEY}{_NOW}"
)
_IS = pattern(
    rf"the {_THING} (?:is|are) (?:now |finally |still |already )?"
    rf"(?P<state>open|closed|shut|broken|cancelled|canceled|sold out|out of order)\b{_NOW}"
)
_TO_WORK = pattern(
    r"I (?:(?:now|always|usually) )?(?:(?:take|catch|get) the (?P<by>train|bus|tram|metro|tube|underground|subway|ferry)"
    rf"|(?P<on>cycle|bike|walk|drive|commute by (?:train|bus|car|bike))) to (?:work|the office){_NOW}"
)
_FROM_HOME = pattern(rf"I (?:(?:now|usually) )?work from home{_NOW}")
_VAGUE = words(
    "same other only first last next best worst one ones thing problem question point idea plan rest day date time answer party "
    "news truth reason today tomorrow birthday"
)
"""Things that are others each time that they are spoken of, or have a slot of their own."""
_SOMEBODY = pattern(rf"(?:\w+ )*(?:{KIN}|{PETS})(?:'s\b.*)?$")


def thing_claims(clause: Clause) -> Iterator[Claim]:
    """Yield what a clause says of a thing."""
    for form, rule in _FORMS:
        if found := form.match(clause.text):
            yield from rule(found, changed=found["new"] is not None or clause.new)
            return


def _is_when(found: re.Match[str], *, changed: bool) -> Iterator[Claim]:
    return _of_thing(found, "date", found["when"], f"is on {found['when']}", changed=changed)


def _moved(found: re.Match[str], *, changed: bool) -> Iterator[Claim]:  # noqa: ARG001  (it says so itself)
    return _of_thing(found, "date", found["when"], f"is on {found['when']}", changed=True)


def _does(found: re.Match[str], *, changed: bool) -> Iterator[Claim]:
    """Yield the day on which something happens, as a rule or once."""
    verb, thing = found["verb"].casefold(), found["name"] or found["thing"]
    if found["name"] or _is_clear(thing):
        # A name in the plural is told of as many: "the Kinks play".
        said = third_person(verb) if found["s"] and not thing.endswith("s") else verb
        yield Claim(
            slot=f"date:{verb}",
            value=_day(found["when"]),
            content=f"The {{who}} {said} on {found['when']}.",
            of=thing,
            changed=changed,
            corrects=found["not"] is not None,
        )


def _costs(found: re.Match[str], *, changed: bool) -> Iterator[Claim]:
    if found["whose"].casefold() != "the":
        much, rose = found["much"], found["rose"] is not None
        yield from _of_thing(found, "price", much, f"is {much}", changed=changed or rose)


def _is(found: re.Match[str], *, changed: bool) -> Iterator[Claim]:
    if _is_clear(found["thing"]):
        state = found["state"].casefold()
        again = " again" if found["new"] == " again" else ""
        yield Claim(
            slot="state",
            value=state,
            content=f"The {{who}} is {state}{again}.",
            of=found["thing"],
            changed=changed,
            corrects=found["not"] is not None,
        )


def _to_work(found: re.Match[str], *, changed: bool) -> Iterator[Claim]:
    value = (found["by"] or found["on"]).casefold()
    content = f"take the {value} to work" if found["by"] else f"{value} to work"
    yield Claim(slot="commute", value=value, content=content, changed=changed)


def _from_home(_: re.Match[str], *, changed: bool) -> Iterator[Claim]:
    yield Claim(slot="commute", value="from home", content="work from home", changed=changed)


def _of_thing(found: re.Match[str], slot: str, value: str, said: str, *, changed: bool) -> Iterator[Claim]:
    """Yield one attribute of a thing: the speaker's, by the thing's name, where it is theirs."""
    thing, mine = found["thing"], found["whose"].casefold() != "the"
    if _is_clear(thing):
        yield Claim(
            slot=f"{slot}:{slot_key(thing)}" if mine else slot,
            value=_day(value),
            content=f"{{who}}'s {thing} {said}." if mine else f"The {{who}} {said}.",
            of=None if mine else thing,
            changed=changed,
            corrects=found["not"] is not None,
        )


def _is_clear(thing: str) -> bool:
    """Say whether a thing is told from others of its kind, and is nobody's or nobody."""
    return _VAGUE.isdisjoint(thing.casefold().split()) and _SOMEBODY.match(thing) is None


def _day(when: str) -> str:
    """Return a weekday in the singular: on Mondays, every Monday."""
    return re.sub(r"(?i)^(\w+day)s\b", r"\1", when)


_FORMS = (
    (_IS_WHEN, _is_when),
    (_MOVED, _moved),
    (_COSTS, _costs),
    (_IS, _is),
    (_DOES, _does),
    (_TO_WORK, _to_work),
    (_FROM_HOME, _from_home),
)
