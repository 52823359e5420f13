"""Predicates: what a clause says of its subject. English.

A predicate is its verb in the base form, what follows it, and whether it is denied, over, new or an event.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from engram.beliefs.extraction.plain.clauses import Clause
from engram.beliefs.extraction.plain.words import pattern

_FORMS = {
    form: (forms.split()[0], tense)
    for tense, listed in {
        "now": (
            "live lives|work works|study studies|move moves|love loves|like likes|enjoy enjoys|hate hates|dislike dislikes|adore adores"
            "|detest detests|prefer prefers|speak speaks|own owns|drive drives|eat eats|drink drinks|smoke smokes|know knows"
            "|come comes|play plays|use uses|promise promises|plan plans|teach teaches|go goes|have has"
        ),
        "past": (
            "live lived|work worked|study studied|move moved|quit quit|leave left|join joined|start started|begin began begun"
            "|stop stopped|give gave given|promise promised|decide decided|learn learned learnt|visit visited|go went gone"
            "|turn turned|marry married|buy bought|sell sold|switch switched|grow grew grown|break broke broken|split split"
            "|resign resigned|retire retired|adopt adopted|get got|become became become|travel travelled traveled|fly flew flown"
            "|teach taught|make made|divorce divorced|separate separated|relocate relocated|smoke smoked|drive drove|play played|tour toured"
        ),
        "going": (
            "live living|work working|study studying|learn learning|read reading|date dating|smoke smoking|drive driving"
            "|plan planning"
        ),
    }.items()
    for forms in listed.split("|")
    for form in forms.split()[0 if tense == "now" else 1 :]
}
"""By a form of a verb: its base form and its tense."""
_ADVERB = pattern(
    r"(?:now|currently|actually|really|just|still|also|already|recently|finally|presently|probably|possibly|perhaps|maybe|apparently|presumably|officially|truly|absolutely|always"
    r"|definitely|quite|have to say|originally|both|all|basically|mostly|happily|sadly|eventually|ultimately|then)\b\s*"
)
_TAIL = pattern(
    r"[\s,]+(?P<word>any ?more|any longer|nowadays|these days|at the moment|currently|at present|right now|now|again|lately"
    r"|recently|instead|for now|too|as well|also|though|actually|already|by the way|of course|so much|very much|a lot"
    r"|the most|to be honest|you know|lol|haha|still|finally|then|btw|anyway|dearly|so far|today|myself)$"
)
_INSTEAD = pattern(r"(?:,| and) not (?:in |at |for |to )?(?P<old>(?-i:[A-Z0-9])[\w' -]{0,40})$")
_NOW = pattern(r"\b(?:now|nowadays|these days),")
_NEW = frozenset({"now", "nowadays", "these days", "recently", "again", "right now", "lately"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """What a clause says of its subject."""

    verb: str
    """In the base form, or `must`, `will`, `can`, `always`, `never`."""
    rest: str
    """What follows it."""
    negated: bool = False
    ended: bool = False
    """Not any more."""
    over: bool = False
    """It was so, at some time."""
    happened: bool = False
    """The verb tells an event that has been."""
    new: bool = False
    """It is so since lately."""
    corrects: bool = False
    """Something else is rejected by name."""
    bare: bool = False
    """The verb has the form that goes with "I", and with no name."""


def predicate_of(clause: Clause) -> Predicate | None:
    """Return what a clause says of its subject; None where its verb is not known or is in a mood of wishing."""
    text, adverbs = _stripped(clause.rest)
    text, tails, corrects = _tail(text)
    new = not _NEW.isdisjoint(adverbs | tails) or _NOW.search(clause.rest) is not None
    found = _finite(text)
    if found is None:
        return None
    ended = found.ended or (found.negated and not tails.isdisjoint({"any more", "anymore", "any longer"}))
    return replace(found, ended=ended, new=found.new or new or ended or clause.new, corrects=corrects)


def _stripped(text: str) -> tuple[str, set[str]]:
    adverbs = set[str]()
    while (found := _ADVERB.match(text)) and not re.match(r"(?i)always (?!been|lived|worked)", text):
        adverbs.add(found[0].strip().casefold())
        text = text[found.end() :]
    return text, adverbs


def _tail(text: str) -> tuple[str, set[str], bool]:
    tails = set[str]()
    corrects = False
    while True:
        if found := _TAIL.search(text):
            tails.add(found["word"].casefold())
        elif found := _INSTEAD.search(text):
            corrects = True
        else:
            return text.rstrip(" ,"), tails, corrects
        text = text[: found.start()]


_AUXILIARY = pattern(
    r"(?P<used>used to)\s+|(?P<longer>no longer)\s+|(?P<deny>do|does|did) not\s+|can(?P<cannot> not)?(?P<can>)\s+"
    r"|(?P<must>have to|has to|must|need to|needs to)\s+|(?P<will>will)\s+|(?P<plan>(?:am|is|are) (?:going|planning) to|plan to|plans to)\s+"
    r"|(?P<habit>always|never)\s+|(?P<perfect>have|has)(?P<unperfect> not| never)?\s+|(?P<be>am|is|are|was|were)(?P<unbe> not(?! only)| no longer)?\s+"
)


def _finite(text: str) -> Predicate | None:
    """Return the predicate that a text begins with."""
    found = _AUXILIARY.match(text)
    if found is None:
        return _simple(text)
    kind = next(name for name in found.re.groupindex if name in _READERS and found[name] is not None)
    return _READERS[kind](found, text[found.end() :])


def _denied(found: re.Match[str], rest: str) -> Predicate | None:
    # What somebody did not do is no fact about them.
    inner = None if found["deny"].casefold() == "did" else _simple(_stripped(rest)[0], base=True)
    return None if inner is None else replace(inner, negated=True)


def _no_longer(rest: str) -> Predicate | None:
    inner = _finite(rest)
    return None if inner is None else replace(inner, negated=True, ended=True)


def _modal(verb: str, rest: str) -> Predicate | None:
    return None if rest.casefold().startswith("not ") else Predicate(verb=verb, rest=rest)


_READERS: Mapping[str, Callable[[re.Match[str], str], Predicate | None]] = MappingProxyType(
    {
        "used": lambda _, rest: _over(_simple(rest, base=True)),
        "longer": lambda _, rest: _no_longer(rest),
        "deny": _denied,
        "can": lambda found, rest: Predicate(
            verb="can", rest=_stripped(rest)[0], negated=found["cannot"] is not None
        ),
        "must": lambda _, rest: _modal("must", rest),
        "will": lambda _, rest: _modal("will", rest),
        "plan": lambda _, rest: _modal("plan", rest),
        "habit": lambda found, rest: Predicate(verb=found["habit"].casefold(), rest=rest),
        "perfect": lambda found, rest: _perfect(rest, negated=found["unperfect"] is not None),
        "be": lambda found, rest: _being(
            rest,
            past=found["be"].casefold() in {"was", "were"},
            denied=(found["unbe"] or "").strip(),
        ),
    }
)
"""By the group of `_AUXILIARY` that is there, what reads on behind it."""


def _over(inner: Predicate | None) -> Predicate | None:
    return None if inner is None or inner.negated else replace(inner, over=True)


def _simple(text: str, *, base: bool = False) -> Predicate | None:
    """Return the predicate of a verb without auxiliaries."""
    first, _, rest = text.partition(" ")
    first = first.casefold().rstrip(",")
    if base:
        if first == "be":
            return Predicate(verb="be", rest=rest)
        return Predicate(verb=first, rest=rest) if first in _BASES else None
    verb, tense = _FORMS.get(first, (None, ""))
    if verb is None or tense == "going":
        return None
    if tense == "past":
        return Predicate(verb=verb, rest=rest, over=verb in _STATES, happened=verb not in _STATES)
    return Predicate(verb=verb, rest=rest, bare=first == verb)


_STATES = frozenset({"live", "work", "study", "smoke", "drive", "play"})
"""Verbs that in the past say what is over."""
_BASES = frozenset(verb for verb, _ in _FORMS.values())


def _perfect(rest: str, *, negated: bool) -> Predicate | None:
    rest, adverbs = _stripped(rest)
    first, _, after = rest.partition(" ")
    first = first.casefold()
    new = not _NEW.isdisjoint(adverbs)
    if first == "been":
        inner = _being(_stripped(after)[0], past=False, denied="")
    elif first == "got" and re.match(r"(?:an?|two|three|the|no)\b", after):
        inner = Predicate(verb="have", rest=after)
    elif _FORMS.get(first, ("", ""))[1] == "past":
        inner = Predicate(verb=_FORMS[first][0], rest=after, happened=_FORMS[first][0] not in _STATES)
    else:
        return None if negated else Predicate(verb="have", rest=rest, new=new)
    return None if inner is None or negated else replace(inner, new=new)


def _being(rest: str, *, past: bool, denied: str) -> Predicate | None:
    rest, adverbs = _stripped(rest)
    first, _, after = rest.partition(" ")
    verb, tense = _FORMS.get(first.casefold(), (None, ""))
    negated = bool(denied)
    new = not _NEW.isdisjoint(adverbs)
    if verb is not None and tense == "going":
        return Predicate(
            verb=verb, rest=after, negated=negated, ended=denied == "no longer", over=past, new=new
        )
    return Predicate(verb="be", rest=rest, negated=negated, ended=denied == "no longer", over=past, new=new)
