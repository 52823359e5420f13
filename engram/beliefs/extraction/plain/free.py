"""Free statements: promises, plans, decisions and rules of conduct, which are kept in their own words. English."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from engram.beliefs.extraction.plain.claims import Claim
from engram.beliefs.extraction.plain.clauses import Clause
from engram.beliefs.extraction.plain.predicates import Predicate
from engram.beliefs.extraction.plain.words import MONTHS, PERSON, pattern, words
from engram.beliefs.extraction.slots import conjugate
from engram.beliefs.facts import Category, slot_key
from engram.dates import Span, find_spans

_LONGEST = 160
"""Characters of such a statement."""
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DUE = pattern(
    rf"\b(?:by|until|before|on|next|this|at|in) (?:the )?(?:next |this |coming )?(?:{'|'.join(_WEEKDAYS)}|weekend|end of|week|month|year"
    rf"|noon|midnight|\d{{1,2}}(?:st|nd|rd|th)?\b|{MONTHS})\b|\b(?:tomorrow|tonight|today|this (?:afternoon|evening|weekend))\b"
)
_WEEKDAY = pattern(rf"\b(?:by|on|before|until|next|this|this coming) (?P<day>{'|'.join(_WEEKDAYS)})\b")
_LEANING = pattern(
    r"\b(?:it|this|that(?! [a-z]+ (?:is|are|will))|them|there|these|those|him|her|his|he|she|they|one|something|someone|somebody|anything|here)\b"
)
_VERBS = pattern(
    r"(?:send|call|bring|pay|finish|deliver|write|e-?mail|book|buy|pick|return|submit|fix|repair|prepare|organi[sz]e|visit|meet|drive"
    r"|cook|clean|check|review|make|give|help|remind|take|cancel|renew|move|ask|lend|water|feed|collect|sign|present|attend|run"
    r"|hand in|turn in|go to|fly to|travel to|start|read|study|practi[sc]e|apply|register|order|get|see|do|pack|teach|paint|build)\b"
)
_OWN = tuple(
    (pattern(source), into)
    for source, into in (
        (r"\b(?:my|our)\b", "their"),
        (r"\b(?:mine|ours)\b", "theirs"),
        (r"\b(?:myself|ourselves)\b", "themselves"),
        (r"\b(?:me|us)\b", "them"),
    )
)
_STOP = pattern(
    r",? (?:but|because|since|so that|so|and (?:I|we)|which|even though|although|if|when)\b.*|[(;].*"
)
_NO_PLAN = re.compile(
    r"(?:be (?:honest|fair)|say|tell|the|an?|my|our|your|bed|sleep|work|school|town|church|see how|[^a-z])\b|[^a-z]"
)
_PROMISED = pattern(
    rf"(?:(?P<whom>{PERSON}|my \w+|you|them|him|her) )?(?:(?:that )?(?:I|we) would |(?:that )?(?:I|we) will |to )(?P<what>.+)"
)
_DECIDED = pattern(r"(?P<what>(?:not )?to .+|on .+|against .+)")
_NO_RULE = words(
    "feel think know love like want forget get find enjoy wonder hate see say hear wish hope dream be look seem remember have had "
    "knew thought said got was were did went saw felt wanted liked loved understood realized realised found made took came told "
    "left kept put grew been expected imagined heard seen done gone met tried need miss end manage understand would could will "
    "happen mind really quite a the so too ever actually even had did really got gets makes made learned learnt worked lived"
)


def free_claims(said: Predicate, at: datetime, other: str | None) -> Iterator[Claim]:
    """Yield what the speaker promises, plans, decides or holds to.

    Args:
        said: What a clause says of the speaker.
        at: When it was said.
        other: Who is spoken to, where that is known.
    """
    if said.negated or said.over:
        return
    rest = said.rest
    match said.verb:
        case "promise" if found := _PROMISED.match(rest):
            whom = found["whom"] or ""
            yield from _kept(
                f"promise {whom}{' ' if whom else ''}to {found['what']}",
                Category.COMMITMENT,
                at,
                other,
                form="past",
            )
        case "must" if _DUE.search(rest):
            yield from _kept(f"have to {rest}", Category.COMMITMENT, at, other)
        case "will" if _DUE.search(rest) and _VERBS.match(rest):
            yield from _kept(f"be going to {rest}", Category.COMMITMENT, at, other)
        case "plan" if _DUE.search(rest) or find_spans(rest, at):
            if not _NO_PLAN.match(rest):
                yield from _kept(f"plan to {rest}", Category.COMMITMENT, at, other)
        case "decide" if found := _DECIDED.match(rest):
            yield from _kept(f"decide {found['what']}", Category.DECISION, at, other, form="past")
        case "make" if found := re.match(r"(?i)up (?:my|our) minds? (?P<what>to .+)", rest):
            yield from _kept(f"decide {found['what']}", Category.DECISION, at, other, form="past")
        case "always" | "never":
            yield from _rule(said.verb, rest, at, other)


def _rule(how: str, rest: str, at: datetime, other: str | None) -> Iterator[Claim]:
    verb, _, more = rest.partition(" ")
    if verb.casefold() in _NO_RULE or verb.endswith(("ed", "ing")) or not more:
        return
    for claim in _kept(f"{verb} {more}", Category.PRINCIPLE, at, other):
        phrase = (claim.content or "").removeprefix("{who} ").rstrip(".")
        first, _, after = phrase.partition(" ")
        what = f"{verb} {after}".strip()
        yield Claim(
            slot=f"habit:{slot_key(what)[:60]}",
            value=how,
            content=f"{{who}} {how} {first} {after}".rstrip() + ".",
            polar=True,
        )


def _kept(
    phrase: str, category: Category, at: datetime, other: str | None, *, form: str = "holds"
) -> Iterator[Claim]:
    """Yield a statement in words that stand by themselves, if it can be said so.

    Args:
        phrase: What the subject does, its verb in the base form.
        category: What sort of statement it is.
        at: When it was said.
        other: Who "you" is; None: nobody knows.
        form: Of the verb: `holds`, `past`, or `as it is`.
    """
    phrase = _STOP.sub("", phrase).strip(" ,.!")
    if _LEANING.search(phrase) or len(phrase) > _LONGEST:
        return
    for own, into in _OWN:
        phrase = own.sub(into, phrase)
    if re.search(r"\b(?:I|we|We)\b", phrase) or len(phrase.split()) < 3:
        return
    if re.search(r"(?i)\byou(?:r|rs|rself)?\b", phrase):
        if other is None:
            return
        phrase = re.sub(r"(?i)\byours?\b", f"{other}'s", re.sub(r"(?i)\byou(?:rself)?\b", other, phrase))
    verb, _, rest = phrase.partition(" ")
    said = {"past": f"{verb}{'d' if verb.endswith('e') else 'ed'}", "as it is": verb}.get(form) or conjugate(
        verb, "holds"
    )
    dated = _dated(rest, at, past=form == "as it is")
    yield Claim(category=category, content=f"{{who}} {said} {dated}.")


_DAY, _LONGEST_MONTH = timedelta(days=1), timedelta(days=31)


def _dated(text: str, at: datetime, *, past: bool) -> str:
    """Return a text with the date of the day or month that it tells by its distance."""
    if not past and (found := _WEEKDAY.search(text)):
        ahead = (_WEEKDAYS.index(found["day"].casefold()) - at.weekday() - 1) % 7 + 1
        return f"{text[: found.end()]} ({(at + timedelta(days=ahead)).date()}){text[found.end() :]}"
    spans = find_spans(text, at)
    if not past and len(spans) == 1 and spans[0].end <= at:
        # Without a year it is the next one that is meant.
        spans = find_spans(text, at + timedelta(days=364))
    place = text.find(spans[0].text) if len(spans) == 1 else -1
    if place < 0 or re.search(r"\d{4}", spans[0].text):
        return text
    date = _date(spans[0])
    end = place + len(spans[0].text)
    return f"{text[:end]} ({date}){text[end:]}" if date else text


def _date(span: Span) -> str | None:
    """Return a day, a week's first day or a month as people write dates; None for what is longer."""
    length = span.end - span.start
    if length <= _DAY:
        return f"{span.start:%Y-%m-%d}"
    middle = span.start + length / 2
    if length <= timedelta(days=8):
        return f"about {middle:%Y-%m-%d}"
    return f"{middle:%Y-%m}" if length <= _LONGEST_MONTH else None


_IRREGULAR = words(
    "went met saw bought had got made took began ran won lost found gave ate drank wrote read flew drove came left built broke "
    "caught chose fell felt heard held kept led paid rode sang sat sold sent spent stood swam taught threw tore held hosted"
)
_NO_EVENT = words(
    "used needed wanted liked loved hated missed hoped wished tried felt heard thought kept guessed seemed"
)
_HAPPENED = pattern(r"(?:(?:just|also|finally|recently|actually) )*(?P<verb>[a-z]+) (?P<rest>.+)")
_PARTIAL = pattern(
    r"\b(?:together|more|another|others?|again)$|\b(?:together|a few more|some more|the rest)\b"
)
"""Words that lean on who else or what else was told of."""
_FEWEST, _MOST = 4, 24
"""Words of an event."""


def moments(clause: Clause, at: datetime) -> Iterator[Claim]:
    """Yield what happened to the speaker at a time that is told by its distance or its date.

    Args:
        clause: Whose subject is the speaker.
        at: When it was said.
    """
    found = _HAPPENED.match(clause.rest)
    if found is None or not _FEWEST <= len(clause.rest.split()) <= _MOST:
        return
    verb = found["verb"].casefold()
    spans = find_spans(clause.span, at)
    dated = len(spans) == 1 and spans[0].start < at and _date(spans[0]) is not None
    if (
        dated
        and verb not in _NO_EVENT
        and not _PARTIAL.search(found["rest"])
        and (verb in _IRREGULAR or verb.endswith("ed"))
    ):
        phrase = f"{found['verb']} {found['rest']}"
        date = "" if spans[0].text in phrase else f" ({_date(spans[0])})"
        for claim in _kept(phrase, Category.MOMENT, at, None, form="as it is"):
            yield replace(claim, content=f"{(claim.content or '').rstrip('.')}{date}.")


def spoken_to(speakers: Iterable[str], speaker: str) -> str | None:
    """Return who a speaker talks to, as a sentence names them: the only other one; None where there are more."""
    others = [each for each in dict.fromkeys(speakers) if each != speaker]
    if len(others) != 1:
        return None
    return f"the {others[0]}" if others[0] in {"assistant", "user"} else others[0]
