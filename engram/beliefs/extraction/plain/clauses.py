"""Clauses: who says what of whom in a text, as far as word order tells it. English.

A text is taken apart into sentences and these into clauses, each with its subject. What is asked, imagined, quoted or
reported of others has no clauses here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from engram.beliefs.extraction.plain.words import KIN, PERSON, PETS, is_name, pattern
from engram.beliefs.facts import Revision
from engram.dates import find_spans

LONGEST = 20_000
"""Characters of a text that are looked at."""
_LONGEST_CLAUSE = 400
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_HIDDEN, _DOT = "\u2592", "\u2024"

_QUOTED = re.compile(
    r"\u201c[^\u201d\n]{1,2000}\u201d|\"[^\"\n]{1,2000}\"|\u00ab[^\u00bb\n]{1,2000}\u00bb|```.{1,5000}?```|`[^`\n]{1,500}`"
    r"|(?<![\w'])'[^'\n]{2,500}'(?!\w)|^>[^\n]*|^\s{0,3}(?:```)[^\n]*",
    re.MULTILINE | re.DOTALL,
)
_SHORT_QUOTE = 3
"""Words of a quotation that is a name or a title rather than what somebody said."""
_ABBREVIATED = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|vs|approx|No)\.(?=\s)")
_SENTENCE = re.compile(r"(?:[^.!?\u2026\n]|[.!?\u2026](?=[^\s.!?\u2026]))+[.!?\u2026]*")
_QUESTION = pattern(
    r"(?:(?:and|so|but|or|hey|well|ok|okay)\b,?\s+)*(?:who|whose|what|when|where|why|how|which|do|does|did|is|are|am|was|were|can"
    r"|could|would|will|should|shall|may|has|have you|have i|isn't|aren't|don't you|didn't)\b(?! (?:a|an|the) (?:day|time|week)\b)"
)
_IMAGINED = pattern(
    r"\b(?:if|unless|whether|imagine|imagining|pretend|pretending|suppose that|supposing|dreamt|dreamed|in my dreams?"
    r"|joking|kidding|hypothetically|wish|wished|what if|as though|role[- ]?play)\b"
)
_REPORTED = pattern(
    r"\b(?:says|say|said|saying|tells|told|claims|claimed|thinks|thought|believes|believed|mentioned|asked|asks|wrote|writes"
    r"|heard|hear|according to|rumou?r|pretends|insists|insisted|swears|denies|denied|lyrics?"
    r"|in (?:the|this|that|a|my) (?:\w+ )?(?:book|novel|film|movie|story|game|song|show|series|play))\b"
)
_LEAD = pattern(
    r"(?:well|yes|yeah|yep|nope|oh|ah|aw|hey|hi|hello|hm+|ok|okay|alright|so|and|but|or|also|anyway|anyways|btw|fyi|by the way"
    r"|just so you know|for the record|to be (?:honest|fair|clear)|honestly|frankly|of course|in fact|indeed|fortunately"
    r"|luckily|sadly|unfortunately|great|thanks|thank you|sure|right|haha|lol|wow|because|although|though|while|whereas|since"
    r"|yet|plus|then|good (?:morning|evening|night)|as (?:i|you) (?:said|know|mentioned)|like i (?:said|mentioned)|please"
    r"|the truth is|the thing is|important one|important|news|update|big news|good news|bad news|also|that)"
    r"\b(?:,? (?:that|there))?[\s,!.:;\u2013\u2014-]+"
    r"|(?:please )?(?:remember|note|keep in mind|do not forget|you should know|let me tell you|you know)"
    r"(?: this| that)?[,:]?\s+(?=i\b|we\b|my\b)"
    r"|i (?:already |just )?(?:told you|mentioned|wanted to tell you|want you to know|wanted you to know)(?: that)?,?\s+"
    r"(?=i\b|we\b|my\b)"
)
_HEDGE = pattern(
    r"(?:i (?:think|believe|guess|suppose|assume|suspect|reckon)(?: that)?|maybe|perhaps|probably|possibly|apparently"
    r"|presumably|supposedly|as far as i (?:know|remember)|i am (?:pretty|fairly|quite|almost) sure(?: that)?"
    r"|i am not sure,? but|it (?:seems|looks like)(?: that)?)\b[\s,]*"
)
_HEDGED_INSIDE = pattern(
    r"\b(?:maybe|perhaps|probably|possibly|apparently|presumably|i (?:think|guess|believe|suppose))\b"
)
_VERB_S = r"(?:is|has|was|lives|works|studies|speaks|loves|likes|hates|enjoys|moved|got|drives|plays|does|just|now|used)\b"
_NAMED_VERB = rf"{PERSON}\s+{_VERB_S}"
_HEDGED_AFTER = pattern(
    r",? (?:but )?(?:i (?:think|guess|believe|suppose|reckon)|(?:i am |i'm )?not (?:entirely |quite )?sure|who knows|god knows"
    r"|maybe|perhaps|probably|possibly)[.!\u2026]*$"
)
_ASIDE = pattern(
    rf"(?P<head>{PERSON})(?P<aside>, (?:(?:i|we|they|people|friends|everyone|everybody) (?:all )?calls?|who|whom|also known as"
    rf"|known as|called|nicknamed|or|aka)\b [^,;:.!?\n]{{1,60}},)(?= {_VERB_S})"
)
"""What stands between a name and its verb, as in "Theodor, we call him Teddy, is"."""
_CORRECTS = pattern(
    r"(?:(?:no|nope|sorry|oops|wait|correction|actually|my mistake|my bad|scratch that)\b[\s,:.!\u2013\u2014-]+){0,3}"
    r"(?:i meant(?: to say)?(?: that)?\b|what i meant (?:is|was)(?: that)?\b|let me correct (?:myself|that)\b)[\s,:]+"
    r"|(?:no|sorry|oops|wait)[\s,.!]+(?:actually|sorry|wait)\b[\s,]+|correction[\s,:.!\u2013\u2014-]+|actually[\s,]+"
    r"|(?:(?:no|nope|sorry|oops|wait|actually)\b[\s,.!]+){0,3}"
    r"(?:my mistake|my bad|scratch that|i misspoke|i was (?:wrong|mistaken))[\s,:.!\u2013\u2014-]+"
    rf"|(?:no|nope)(?:,|\s*[\u2013\u2014-])\s+(?=(?:i|we|my|our)\b|{_NAMED_VERB})"
)
"""A "no" before a whole statement corrects what somebody said."""
_WAS_WRONG = pattern(
    r"(?:(?:no|nope|sorry|oops|wait|actually|well|hm+)[\s,]+)*(?:(?:that|this|what i said)(?: is| was|'s) "
    r"(?:\w+ )?(?:wrong|incorrect|a mistake|not (?:right|true|correct))|i was (?:wrong|mistaken)|i misspoke|correction"
    r"|you (?:got|have) (?:that|it|this) wrong|i told you wrong|my mistake)\b(?:,? (?:sorry|actually|about \w+|there|before|earlier|last time))*"
)
_SELF = r"(?:i|we)\b"
_CUT = pattern(
    rf"\s*[;:\u2013\u2014]\s+|\s+-\s+|,\s+(?:(?:and|but|so|or|yet|because|though|although|while|since)\s+)?(?={_SELF}|my\b(?! (?:\w+ )?{KIN},)|{PERSON}\s+{_VERB_S})"
    rf"|\s+(?:and|but|so|yet|because|although|though|while|whereas)\s+(?:now\s+)?(?={_SELF}|my\b|{PERSON}\s+{_VERB_S})"
)
_ELIDED = pattern(
    r",?\s+(?:and|but)\s+(?=(?:now |also |currently )?(?:live|lives|work|works|study at|studies at|speak|speaks|have a|has a|own|loves|hates|likes"
    r"|enjoys|moved to|started|quit|do not|does not|am|used to|play|plays|drive|drives|can)\b)"
)
_TIME_LEAD = pattern(
    r"(?:in|on|since|last|this|yesterday|today|earlier|back|early|late|a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d+)\b"
    r"[\w\s'-]{0,30}?,?\s+(?=(?:i|we|my|our)\b)"
)
_CONTRACTIONS = tuple(
    (pattern(source), into)
    for source, into in (
        (r"[\u2018\u2019\u02bc]", "'"),
        (r"\bi['\s]?m\b(?<!\bi m)", "I am"),
        (r"\b(i|we|you|they)'?ve\b", r"\1 have"),
        (r"\b(we|you|they)'re\b", r"\1 are"),
        (r"\b(\w+)'ll\b", r"\1 will"),
        (r"\b(\w+)'d\b", r"\1 would"),
        (r"\bwon't\b", "will not"),
        (r"\b(?:can't|cannot|cant)\b", "can not"),
        (r"\b(do|does|did|is|are|was|were|has|have|had|would|could|should|must|need)n'?t\b", r"\1 not"),
        (r"\bit's\b", "it is"),
        (r"\bthat's\b", "that is"),
        (r"\bname's\b", "name is"),
        (r"\bgonna\b", "going to"),
        (r"\bgotta\b", "have to"),
        (r"\bwanna\b", "want to"),
        (r"\bi\b", "I"),
    )
)
_NAME_IS = pattern(
    rf"\b({PERSON})'s (?=(?:an?|called|named|allergic|vegetarian|vegan|married|single|\d+|living|working|studying|from|my|now|not)\b)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """The subject of a clause."""

    name: str | None = None
    """None: the speaker."""
    kin: str | None = None
    """What this person is to the speaker, e.g. `sister`."""
    pet: str | None = None
    """What animal of the speaker's it is."""
    plural: bool = False
    """Whether the speaker speaks for others too."""
    other: str | None = None
    """Who else, where the name is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One statement."""

    text: str
    """With whole forms in place of short ones, without what leads up to it."""
    whole: str
    """With what leads up to it."""
    span: str
    """As it stands."""
    who: Who | None
    """None where the subject is neither the speaker nor somebody named."""
    rest: str
    """What follows the subject, or all of it."""
    hedged: bool = False
    new: bool = False
    """It is so since lately."""
    revision: Revision = "none"


def clauses_of(text: str) -> Iterator[Clause]:
    """Yield the statements of a text, in order."""
    shown = text[:LONGEST]
    masked = _ABBREVIATED.sub(lambda found: f"{found[1]}{_DOT}", _QUOTED.sub(_masked, shown))
    masked = _ASIDE.sub(_without_aside, masked)
    corrects = False
    for found in _SENTENCE.finditer(masked):
        start, end = _trimmed(masked, *found.span())
        sentence = masked[start:end]
        if _WAS_WRONG.fullmatch(sentence.rstrip(".! ")):
            corrects = True
            continue
        if not _is_statement(sentence):
            corrects = False
            continue
        for each in _clauses(shown, masked, start, end):
            yield replace(each, revision="correction") if corrects and each.revision == "none" else each
        corrects = False


def _is_statement(sentence: str) -> bool:
    plain = whole_forms(sentence)
    if plain.rstrip("\")' ").endswith("?") or _QUESTION.match(plain):
        return False
    told = re.sub(
        r"(?i)\b(?:as|like) i (?:said|mentioned)\b|\bi (?:already |just )?(?:told you|mentioned)\b", "", plain
    )
    return not (_IMAGINED.search(told) or _REPORTED.search(told))


def _masked(found: re.Match[str]) -> str:
    """Hide what is quoted, at the same length; a name in quotation marks stays, without them."""
    words = found[0].strip("\"'\u201c\u201d\u00ab\u00bb`>").split()
    if (
        found[0][0] in "\"'\u201c\u00ab"
        and len(words) <= _SHORT_QUOTE
        and words
        and words[0].casefold() not in {"i", "i'm", "my"}
    ):
        return f" {found[0][1:-1]} "
    return re.sub(r"[^\n]", _HIDDEN, found[0])


def _without_aside(found: re.Match[str]) -> str:
    """Blank what stands between a name and its verb, at the same length, unless it says how sure the rest is."""
    aside = found["aside"]
    unsure = any(each.search(aside) for each in (_IMAGINED, _REPORTED, _HEDGED_INSIDE))
    return found[0] if unsure else found["head"] + " " * len(aside)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _clauses(shown: str, masked: str, start: int, end: int) -> Iterator[Clause]:
    """Yield the clauses of one sentence; one without a subject of its own has that of the one before."""
    before: Who | None = None
    hedged = False
    doubtful = _HEDGED_AFTER.search(masked[start:end]) is not None
    for first, last, elided in _parts(masked, start, end):
        begin, stop = _trimmed(masked, first, last)
        if _HIDDEN in masked[begin:stop] or not 0 < stop - begin <= _LONGEST_CLAUSE:
            before = None
            continue
        clause = _clause(masked[begin:stop], shown[begin:stop], before if elided else None)
        hedged = clause.hedged or doubtful or (elided and hedged)
        yield replace(clause, hedged=hedged)
        before = clause.who


def _parts(masked: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Yield where the clauses of a sentence stand, and whether each goes on with the subject before it."""
    cuts = [(found.start(), found.end(), False) for found in _CUT.finditer(masked, start, end)]
    taken = [(a, b) for a, b, _ in cuts]
    cuts += [
        (found.start(), found.end(), True)
        for found in _ELIDED.finditer(masked, start, end)
        if not any(a < found.end() and found.start() < b for a, b in taken)
    ]
    begin, elided = start, False
    for cut, after, is_elided in sorted(cuts):
        if cut < begin or (not is_elided and _leads(masked[begin:cut])):
            continue
        yield begin, cut, elided
        begin, elided = after, is_elided
    yield begin, end, elided


def _leads(text: str) -> bool:
    """Say whether a part of a sentence is no clause: words that lead up to one, or a name beside an "I"."""
    plain = whole_forms(text)
    return (
        not _unled(f"{plain}, I ")[0].removeprefix("I ").strip()
        or _WE.fullmatch(f"{plain} and I ") is not None
    )


def whole_forms(text: str) -> str:
    """Return a text with whole forms in place of short ones: `I am` for `I'm`, `do not` for `don't`."""
    for source, into in _CONTRACTIONS:
        text = source.sub(into, text)
    return " ".join(_NAME_IS.sub(r"\1 is ", text).replace(_DOT, ".").split())


def _clause(masked: str, span: str, before: Who | None) -> Clause:
    whole = whole_forms(masked).rstrip(".!\u2026 ")
    text, leads = _unled(whole)
    who, rest = _subject(text)
    if who is None and before is not None:
        who, rest = before, text
    return Clause(
        text=text,
        whole=whole,
        span=span,
        who=who,
        rest=rest,
        hedged="hedge" in leads or _HEDGED_INSIDE.search(text) is not None,
        new="new" in leads,
        revision="correction" if "correction" in leads else "none",
    )


def _unled(text: str) -> tuple[str, set[str]]:
    """Return a clause without what leads up to it, and what that says."""
    leads = set[str]()
    while True:
        found: re.Match[str] | None = None
        for name, lead in _LEADS:
            if (
                (found := lead.match(text))
                and found.end()
                and (name != "time" or find_spans(found[0], _EPOCH))
            ):
                leads.add(name)
                break
            found = None
        if found is None:
            return text, leads
        text = text[found.end() :]


_LEADS = (
    ("time", _TIME_LEAD),
    ("correction", _CORRECTS),
    ("hedge", _HEDGE),
    ("new", pattern(r"(?:now|currently|these days|nowadays|recently|lately)\b,?\s+")),
    ("lead", _LEAD),
)


_WE = pattern(
    rf"(?:(?P<name>{PERSON})|my (?P<kin>{KIN})(?:,? (?P<named>{PERSON}),?)?) and I\s+|(?P<we>we)(?: (?:both|all))?\s+"
)
_I = pattern(r"I\s+")
_MINE = pattern(
    rf"(?:my|our) (?:(?:younger|older|little|big|best|elder|good|dear|old|late|oldest|youngest|twin) )*(?:(?P<kin>{KIN})|(?P<pet>{PETS})),?\s+(?P<name>(?-i:{PERSON}))(?:,)?\s+"
)
_NAMED = pattern(
    rf"(?P<name>{PERSON})(?:,? (?:my|our) (?:(?:younger|older|little|big|best|elder|good|old|twin) )*(?:(?P<kin>{KIN})|(?P<pet>{PETS})),)?\s+"
)


def _subject(text: str) -> tuple[Who | None, str]:
    """Return the subject of a clause and what follows it."""
    if (found := _WE.match(text)) and (found["we"] or found["kin"] or is_name(found["name"])):
        other = found["name"] or found["named"]
        kin = found["kin"].casefold() if found["kin"] else None
        return Who(plural=True, other=other, kin=kin), text[found.end() :]
    if found := _I.match(text):
        return Who(), text[found.end() :]
    found = _MINE.match(text) or _NAMED.match(text)
    if found and is_name(found["name"]):
        kin, pet = (found[each].casefold() if found[each] else None for each in ("kin", "pet"))
        return Who(name=found["name"], kin=kin, pet=pet), text[found.end() :]
    return None, text
