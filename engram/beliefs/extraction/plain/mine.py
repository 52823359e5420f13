"""Mine: what is said of what is the speaker's own, "my name is", "my favourite colour", "my sister Anna"."""

import re
from collections.abc import Iterator
from dataclasses import replace

from engram.beliefs.extraction.plain.claims import Claim, is_named, named
from engram.beliefs.extraction.plain.clauses import Clause
from engram.beliefs.extraction.plain.doing import CAR, PHONE, an, languages
from engram.beliefs.extraction.plain.people import birthday, kin, pet, pet_told
from engram.beliefs.extraction.plain.tastes import likes
from engram.beliefs.extraction.plain.words import (
    KIN,
    LANGUAGES,
    NAME,
    OCCUPATIONS,
    PERSON,
    PETS,
    UPPER,
    WHOLE,
    is_name,
    pattern,
    words,
)
from engram.beliefs.facts import slot_key

_KINDS = r"(?:(?:younger|older|little|big|best|elder|good|dear|old|twin|new|oldest|youngest) )*"
_SOMEBODY = pattern(
    rf"\b(?:my|our) {_KINDS}(?:(?P<kin>{KIN})|(?P<pet>{PETS})),? (?P<name>(?-i:{PERSON})){WHOLE}"
)
_IS_MY_KIN = pattern(rf"is (?:my|our) {_KINDS}(?P<kin>{KIN})(?=$|[,;]|\s+(?:and|from|who)\b)")
_CALL_ME = pattern(
    r"(?:(?:you can|just|please|people|everyone|everybody|friends|my friends|they) )*"
    rf"calls? me (?P<name>{PERSON})(?=$|[,;])"
)
_BIRTHDAY_OF = pattern(
    rf"(?P<name>(?-i:[{UPPER}])[\w-]*(?: (?-i:[{UPPER}])[\w-]*)*)['\u2019]s birthday is (?:on )?(?P<day>.+)"
)
_IS_FAVOURITE = pattern(
    r"(?P<value>(?!(?:it|that|this|which|these|those|they|there|he|she|what) )[\w' -]{2,40}?) (?:is|are) (?P<now>now )?"
    r"my (?P<new>new )?(?:all-time |absolute )?favou?rite (?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?)(?=$|[,;])"
)
_MY = pattern(r"(?:my|our) (?P<rest>.+)")
_NAME = pattern(rf"(?:full |real |first )?name is (?P<name>{PERSON})(?=$|[,;]| and)")
_NICKNAME = pattern(rf"(?:nickname is|friends call me|family calls me) (?P<name>{PERSON})(?=$|[,;])")
_FAVOURITE = pattern(
    r"(?P<new>new |current )?(?:all-time |absolute )?favou?rite (?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?) (?:is|are)"
    r"(?P<now> now)? (?P<value>[^,;]{2,60})"
)
_BIRTHDAY = pattern(r"birthday is (?:on )?(?P<day>.+)")
_KIN_IS = pattern(
    rf"{_KINDS}(?:(?P<kin>{KIN})|(?P<pet>{PETS}))(?:'s name)? is (?:(?:called|named|now) )?"
    rf"(?P<name>(?-i:{PERSON}))(?=$|[,;])"
)
_CONTACT = pattern(
    r"(?P<what>e-?mail|(?:phone|mobile|telephone|cell)|number|address)(?: address| number)? is (?:now )?(?P<value>\S.{2,80})"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NUMBER = re.compile(r"\+?\d[\d ()./-]{5,20}\d")
_ADDRESS = pattern(rf"(?:{NAME} \d+\w?|\d+\w? {NAME})")
_THING = pattern(
    rf"(?P<new>new |current )?(?:car is (?:an? )?(?:[a-z]+ )?{CAR}|phone is (?:an? )?(?:[a-z]+ )?{PHONE})"
)
_JOB = pattern(
    rf"(?P<new>new |current )?(?:employer is (?P<org>{NAME})|job is (?:at (?P<at>{NAME})|an? (?P<job>{OCCUPATIONS})))(?=$|[,;])"
)
_NATIVE = pattern(rf"(?:native language|mother tongue|first language) is (?P<what>{LANGUAGES})\b")
_HOBBY = pattern(r"hobb(?:y is|ies are) (?P<what>.+)")
_NO_FAVOURITE = words(
    "thing things part parts one ones time times moment moments way place memory memories bit aspect"
)
_VAGUE = pattern(
    r"(?:it|that|this|when|how|to|what|the (?:one|way|fact)|not|one|you|being|getting|seeing|where|probably)\b"
)
_AFTER = pattern(
    r"\s+(?:now|these days|too|though|at the moment|by far|because .*|since .*|right now|if .*|which .*)$"
)
_MOST_WORDS = 6
_SPELLINGS = {"color": "colour", "movie": "film", "flavor": "flavour"}


def own_claims(clause: Clause) -> Iterator[Claim]:
    """Yield what a clause says of what is the speaker's own, and of the birthday of somebody named."""
    for somebody in _SOMEBODY.finditer(clause.text):
        if somebody["kin"]:
            yield from kin(somebody["kin"], somebody["name"])
        else:
            before, after = clause.text[: somebody.start("name")], clause.text[somebody.end() :]
            yield from pet_told(somebody["pet"], somebody["name"], before=before, after=after.lstrip(" ,"))
    if found := _MY.match(clause.text):
        yield from _my(found["rest"])
    elif found := _CALL_ME.match(clause.text):
        yield from named("also_known_as", found["name"])
    elif found := _IS_FAVOURITE.match(clause.text):
        # The first word of a sentence has its capital anyway.
        value = found["value"] if " " in found["value"] else found["value"].casefold()
        yield from _favourite(found["what"], value, changed=bool(found["now"] or found["new"]))
    elif (found := _BIRTHDAY_OF.match(clause.text)) and is_name(found["name"]):
        yield from (replace(each, of=found["name"]) for each in birthday(found["day"]))
    elif clause.who and clause.who.name and (found := _IS_MY_KIN.match(clause.rest)):
        yield from kin(found["kin"], clause.who.name)


def _my(rest: str) -> Iterator[Claim]:
    """Yield what follows "my" says; the first form that fits."""
    for form, rule in _FORMS:
        if found := form.match(rest):
            yield from rule(found)
            return


def _favourite_is(found: re.Match[str]) -> Iterator[Claim]:
    return _favourite(found["what"], found["value"], changed=bool(found["new"] or found["now"]))


def _favourite(what: str, value: str, *, changed: bool) -> Iterator[Claim]:
    what = _SPELLINGS.get(what.casefold(), what.casefold())
    value = re.sub(r"(?i)^(?:definitely|still|now|currently|always) ", "", value.strip())
    changed = changed or value.endswith(" now")
    value = _AFTER.sub("", value)
    clear = _NO_FAVOURITE.isdisjoint(what.split()) and not _VAGUE.match(value)
    if clear and len(value.split()) <= _MOST_WORDS:
        about = value if is_named(value) else None
        yield Claim(slot=f"favourite:{slot_key(what)}", value=value, changed=changed, about=about)


def _kin_is(found: re.Match[str]) -> Iterator[Claim]:
    return kin(found["kin"], found["name"]) if found["kin"] else pet(found["pet"], found["name"])


def _thing_is(found: re.Match[str]) -> Iterator[Claim]:
    slot = "car" if found["car"] else "phone"
    changed = bool(found["new"]) or re.match(r"(?i) now\b", found.string[found.end() :]) is not None
    yield Claim(slot=slot, value=found[slot], content=f"have {an(found[slot])}", changed=changed)


def _contact(found: re.Match[str]) -> Iterator[Claim]:
    what, said = found["what"].casefold(), found["value"]
    if "mail" in what:
        slot, form = "email", _EMAIL
    else:
        slot, form = ("address", _ADDRESS) if what == "address" else ("phone_number", _NUMBER)
    if value := form.match(said):
        yield Claim(slot=slot, value=value[0])


def _job_is(found: re.Match[str]) -> Iterator[Claim]:
    if org := found["org"] or found["at"]:
        yield from named("employer", org, changed=bool(found["new"]))
    else:
        yield Claim(slot="occupation", value=found["job"], changed=bool(found["new"]))


_FORMS = (
    (_NAME, lambda found: named("name", found["name"])),
    (_NICKNAME, lambda found: named("also_known_as", found["name"])),
    (_FAVOURITE, _favourite_is),
    (_BIRTHDAY, lambda found: birthday(found["day"])),
    (_KIN_IS, _kin_is),
    (_THING, _thing_is),
    (_CONTACT, _contact),
    (_JOB, _job_is),
    (_NATIVE, lambda found: languages(found["what"])),
    (_HOBBY, lambda found: likes(found["what"], dislikes=False)),
)
