"""Work: where people work and study, and as what."""

from collections.abc import Iterator
from dataclasses import replace

from engram.beliefs.extraction.plain.claims import END, ORG, Claim, article, named
from engram.beliefs.extraction.plain.predicates import Predicate
from engram.beliefs.extraction.plain.words import FIELDS, NAME, OCCUPATIONS, WHOLE, pattern

_JOB = rf"(?P<job>(?:[\w-]+ ){{0,2}}{OCCUPATIONS})\b"
_AT_ORG = rf"(?:at|for|with) (?P<org>{ORG}){WHOLE}"
_WORK = pattern(rf"(?:as (?:an? |the )?{_JOB}\s*)?(?:{_AT_ORG}(?: as (?:an? )?(?P<role>{OCCUPATIONS})\b)?)?")
_PRAISE = pattern(
    r"\b(?:good|great|bad|terrible|horrible|awful|amazing|lousy|big|bit|huge|real|natural|such|better|decent|not|future"
    r"|former|failed|aspiring|would-be|excellent|fantastic|wonderful|lot|kind|sort|very|too|happy)\b"
)
"""What makes an occupation a judgement: a good cook need not be one."""
_STUDY = pattern(rf"(?P<field>(?:[\w-]+ )?{FIELDS})?\b\s*(?:at (?P<school>{ORG}){WHOLE})?")
_STARTED = pattern(
    r"(?:(?:working|work|a new job|my new job|a job|a new position)\b\s*)?"
    rf"(?:as (?:an? )?{_JOB}\s*)?(?:{_AT_ORG})?"
)
_QUIT = pattern(
    rf"(?:(?:my|the|our) (?:old |day |last )?(?:job|position|work)(?: {_AT_ORG})?"
    rf"|from (?P<from>{ORG})|(?P<it>{NAME})){WHOLE}"
)
_IS = pattern(
    rf"(?:now )?an? (?P<job>(?:[\w-]+ ){{0,3}}{OCCUPATIONS})(?:(?: (?:at|for) (?P<org>{ORG}){WHOLE})|{END})"
)
_GOT = pattern(rf"(?:an?|the) (?:new )?(?:job|position)(?: as (?:an? )?{_JOB})?(?: {_AT_ORG})?")
_FIRED = pattern(
    rf"(?:fired|laid off|made redundant|let go)(?: (?:from|by|at) (?P<org>{ORG}){WHOLE}|(?= from my job)|{END})"
)
_RETIRED = pattern(r"(?:$|last |in |this |on |\w+ \w+ ago)")


def work(said: Predicate) -> Iterator[Claim]:
    """Work somewhere, or as something."""
    found = _WORK.match(said.rest)
    if found is None:
        return
    if found["org"]:
        yield from named("employer", found["org"], event=said.over)
    if job := found["job"] or found["role"]:
        yield from _occupation(job)


def study(said: Predicate) -> Iterator[Claim]:
    """Study something, or somewhere."""
    found = _STUDY.match(said.rest)
    if found is None:
        return
    if found["school"]:
        yield from named("school", found["school"], event=said.over)
    if found["field"]:
        yield Claim(slot="studies", value=found["field"].casefold())


def be_something(said: Predicate) -> Iterator[Claim]:
    """Be something by occupation, perhaps somewhere."""
    if said.rest.casefold() == "retired":
        yield Claim(slot="occupation", value="retired", content="be retired")
    elif found := _IS.match(said.rest):
        yield from _occupation(found["job"])
        if found["org"]:
            yield from named("employer", found["org"])


def become(said: Predicate) -> Iterator[Claim]:
    """Have become something by occupation."""
    if said.happened:
        yield from _since_then(be_something(said))


def start(said: Predicate) -> Iterator[Claim]:
    """Have started somewhere, or as something."""
    found = _STARTED.match(said.rest)
    if not said.happened or found is None:
        return
    if found["org"]:
        yield from _since_then(named("employer", found["org"]))
    if found["job"]:
        yield from _since_then(_occupation(found["job"]))


def get_job(said: Predicate) -> Iterator[Claim]:
    """Have got a job, or lost one."""
    if not said.happened:
        return
    if found := _FIRED.match(said.rest):
        yield from _left(found["org"])
    elif found := _GOT.match(said.rest):
        if found["org"]:
            yield from _since_then(named("employer", found["org"]))
        if found["job"]:
            yield from _since_then(_occupation(found["job"]))


def be_fired(said: Predicate) -> Iterator[Claim]:
    """Have been laid off."""
    if (said.over or said.happened) and (found := _FIRED.match(said.rest)):
        yield from (replace(each, timeless=True) for each in _left(found["org"]))


def leave_job(said: Predicate) -> Iterator[Claim]:
    """Have given up a job. Who leaves what has only a name may leave a town."""
    found = _QUIT.match(said.rest)
    if said.happened and found and not (found["it"] and said.verb != "quit"):
        yield from _left(found["org"] or found["from"] or found["it"])


def retire(said: Predicate) -> Iterator[Claim]:
    """Have retired."""
    if said.happened and _RETIRED.match(said.rest):
        yield Claim(slot="occupation", value="retired", content="be retired", changed=True, event=True)


def _left(org: str | None) -> Iterator[Claim]:
    if org:
        yield from named("employer", org, denied=True, changed=True, event=True)
    else:
        content = "{who} left their job."
        yield Claim(slot="employer", content=content, denied=True, changed=True, event=True)


def _occupation(job: str) -> Iterator[Claim]:
    if not _PRAISE.search(job):
        yield Claim(slot="occupation", value=job, content=f"be {article(job)} {job}")


def _since_then(claims: Iterator[Claim]) -> Iterator[Claim]:
    return (replace(claim, changed=True, event=True) for claim in claims)
