"""Reading: turn after turn, from clauses to facts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from engram.beliefs.extraction.plain.claims import Claim
from engram.beliefs.extraction.plain.clauses import Clause, clauses_of
from engram.beliefs.extraction.plain.free import free_claims, moments, spoken_to
from engram.beliefs.extraction.plain.mine import own_claims
from engram.beliefs.extraction.plain.people import kin, pet_told
from engram.beliefs.extraction.plain.predicates import Predicate, predicate_of
from engram.beliefs.extraction.plain.rules import claims_of
from engram.beliefs.extraction.plain.things import thing_claims
from engram.beliefs.extraction.plain.words import KIN_SLOTS, NAME, pattern, words
from engram.beliefs.extraction.slots import Slot, conjugate, find_slot
from engram.beliefs.facts import Category, Fact, Quote, Revision, SourceTurn, value_key
from engram.dates import Span, find_spans
from engram.entities import entity_key
from engram.loop.entry_gate import is_mechanical
from engram.text import normal

SURE, LIKELY, SUPPOSED = 0.9, 0.7, 0.3
"""Confidence of what is said outright, of tastes and free statements, and of what is hedged."""
_ABOUT_OTHERS = words(
    "live move work study start be have like love enjoy hate dislike adore speak drive play marry retire relocate leave quit join"
)
"""Verbs by which something is told of others."""
_MEANT = pattern(
    rf"(?:(?P<sign>(?:no|nope|sorry|oops|wait|correction|actually|my mistake)[\s,:.!\u2013\u2014-]+)*)"
    rf"(?:(?P<meant>I (?:meant|mean)(?: to say)?|make that|it should be)|(?P<it>it is|that is))\s+(?:in |at |on )?"
    rf"(?P<value>{NAME}|\d[\w ]{{0,20}}|[a-z]+)(?:,? (?:and )?not (?:in |at |on )?(?P<old>[\w' -]{{1,40}}))?"
)


def plain_facts(turns: Sequence[SourceTurn], *, before: Sequence[SourceTurn] = ()) -> list[Fact]:
    """Return the facts that patterns find in turns, in order.

    Args:
        turns: In order of time.
        before: What was said earlier in the same conversations: a correction may go back to it.
    """
    reader = _Reader((*before, *turns))
    for turn in before:
        reader.read(turn)
    return [fact for turn in turns for fact in reader.read(turn)]


class _Reader:
    """Reads turn after turn, and knows what was claimed last."""

    def __init__(self, turns: Iterable[SourceTurn]) -> None:
        self._speakers: dict[str, list[str]] = {}
        """By session, who speaks in it."""
        for turn in turns:
            self._speakers.setdefault(turn.session, []).append(turn.speaker)
        self._last: dict[tuple[str, str], Fact] = {}
        """By session and speaker, the last claim about one value: what "I meant" goes back to."""

    def read(self, turn: SourceTurn) -> list[Fact]:
        """Return the facts of one turn, each once."""
        if is_mechanical(turn.text):
            return []
        found: dict[tuple[str, bool], Fact] = {}
        denied: Fact | None = None
        for clause in clauses_of(turn.text):
            for each in _without_denied(list(self._facts(clause, turn))):
                fact = _corrected(each, denied)
                denied = fact if fact.negated else None
                found.setdefault((normal(fact.content), fact.valid_to is None), fact)
                if fact.single and fact.value and not fact.negated and fact.valid_to is None:
                    self._last[turn.session, turn.speaker] = fact
        ended = {
            (each.subject, each.slot, each.value) for each in found.values() if each.negated and each.value
        }
        # "I was a waiter, but I'm not one any more" tells the end of it once.
        return [
            each
            for each in found.values()
            if each.negated or each.valid_to is None or (each.subject, each.slot, each.value) not in ended
        ]

    def _facts(self, clause: Clause, turn: SourceTurn) -> Iterator[Fact]:
        if found := _MEANT.fullmatch(clause.whole):
            yield from self._meant(found, clause, turn)
        else:
            yield from self._told(clause, turn)

    def _told(self, clause: Clause, turn: SourceTurn) -> Iterator[Fact]:
        who = clause.who
        for claim in (*own_claims(clause), *thing_claims(clause)):
            yield _fact(claim, clause, turn, claim.of or turn.speaker)
        if who is None:
            return
        if who.kin and (name := who.name or who.other):
            yield from (_fact(claim, clause, turn, turn.speaker) for claim in kin(who.kin, name))
        if who.pet and who.name:
            before = clause.text[: len(clause.text) - len(clause.rest)]
            told_of = pet_told(who.pet, who.name, before=before, after=clause.rest)
            yield from (_fact(claim, clause, turn, turn.speaker) for claim in told_of)
        said = predicate_of(clause)
        if who.name is not None:
            if said is not None and said.verb in _ABOUT_OTHERS and not said.bare:
                yield from (_fact(claim, clause, turn, who.name) for claim in claims_of(said))
            return
        told = [] if said is None else list(self._own(clause, said, turn))
        yield from told or (_fact(claim, clause, turn, turn.speaker) for claim in moments(clause, turn.at))

    def _own(self, clause: Clause, said: Predicate, turn: SourceTurn) -> Iterator[Fact]:
        """Yield what speakers say of themselves by a verb that is known."""
        other = clause.who.other if clause.who else None
        beside = clause.who.kin if clause.who else None
        for claim in claims_of(said):
            # "Tom and I broke up" says from whom.
            parts = claim.slot == "partner" and claim.denied
            if parts and beside and KIN_SLOTS.get(beside, beside) not in {"partner", "friend"}:
                continue
            parted = parts and other
            own = replace(claim, value=other, content=None) if parted else claim
            yield _fact(own, clause, turn, turn.speaker, corrects=said.corrects)
        whom = spoken_to(self._speakers[turn.session], turn.speaker)
        for claim in free_claims(said, turn.at, whom):
            yield _fact(claim, clause, turn, turn.speaker)

    def _meant(self, found: re.Match[str], clause: Clause, turn: SourceTurn) -> Iterator[Fact]:
        """Yield the last claim with another value, where a clause says that this was meant."""
        last = self._last.get((turn.session, turn.speaker))
        slot = find_slot(last.slot) if last is not None and last.slot else None
        if last is None or last.value is None or slot is None or not (slot.verb or slot.of):
            return
        value, old = found["value"], found["old"]
        rejected = old is not None and value_key(old) == value_key(last.value)
        meant = old is None and (found["meant"] is not None or clause.revision == "correction")
        if not (rejected or meant) or _shape(value) != _shape(last.value):
            return
        if value_key(value) != value_key(last.value):
            claim = Claim(slot=last.slot, value=value, named=value[0].isupper())
            yield replace(_fact(claim, clause, turn, last.subject or turn.speaker), revision="correction")


def _without_denied(facts: list[Fact]) -> list[Fact]:
    """Return the facts of a clause without those that it denies: "my wife Anna and I separated"."""
    denied = [each for each in facts if each.negated and each.revision == "change"]
    return [
        each
        for each in facts
        if each.negated
        or each.slot is None
        or not any(
            (other.subject, other.slot) == (each.subject, each.slot) and other.value in {None, each.value}
            for other in denied
        )
    ]


def _corrected(fact: Fact, denied: Fact | None) -> Fact:
    """Return a fact that follows the denial of its slot as the correction that it is.

    As in "I don't live in Utrecht, I live in Leiden"; what is denied because it has changed is no mistake.
    """
    follows = denied is not None and denied.slot == fact.slot and denied.revision != "change"
    return replace(fact, revision="correction") if follows and not fact.negated else fact


def _shape(value: str) -> str:
    return "number" if value[0].isdigit() else "name" if value[0].isupper() else "word"


@dataclass(frozen=True, slots=True)
class _Times:
    """Since when and until when something holds."""

    start: datetime | None = None
    end: datetime | None = None
    told: bool = False
    """Whether the clause says since when."""


def _fact(claim: Claim, clause: Clause, turn: SourceTurn, subject: str, *, corrects: bool = False) -> Fact:
    slot = find_slot(claim.slot) if claim.slot else None
    category = claim.category or (slot.category if slot else Category.FACT)
    times = _times(claim, clause, turn.at)
    revision: Revision = "none"
    if claim.changed or (times.told and not claim.over and slot is not None and slot.single):
        revision = "change"
    elif claim.slot is not None and (clause.revision == "correction" or corrects or claim.corrects):
        revision = "correction"
    sure = LIKELY if slot is None or category in {Category.PREFERENCE, Category.PRINCIPLE} else SURE
    names = [name for name in (claim.value if claim.named else None, claim.about) if name]
    return Fact(
        content=_content(claim, slot, subject),
        category=category,
        quotes=(Quote(turn=turn.id, text=clause.span),),
        at=turn.at,
        speaker=turn.speaker,
        source_tag=turn.source_tag,
        subject=subject,
        slot=claim.slot,
        value=claim.value,
        single=slot is not None and slot.single and not claim.several,
        negated=claim.denied and not claim.polar and not claim.over,
        revision=revision,
        confidence=SUPPOSED if clause.hedged else sure,
        valid_from=times.start,
        valid_to=times.end,
        entities=tuple(name for name in dict.fromkeys(names) if entity_key(name) != entity_key(subject)),
    )


def _content(claim: Claim, slot: Slot | None, subject: str) -> str:
    who = "The user" if normal(subject) == "user" else subject
    form = "once" if claim.over else "holds"
    if claim.denied and not claim.over:
        form = "ended" if claim.changed else "denied"
    if claim.content is not None and "{who}" in claim.content:
        return claim.content.replace("{who}", who)
    if claim.content is not None:
        return f"{who} {conjugate(claim.content, form)}."
    if slot is None or claim.slot is None:
        raise AssertionError("a claim without a slot has a sentence")
    what = claim.slot.partition(":")[2].replace("_", " ")
    return slot.says(who, what, claim.value or "", form=form)


def _times(claim: Claim, clause: Clause, at: datetime) -> _Times:
    """Return since when and until when a claim holds, as far as its clause says so."""
    spans = [span for span in find_spans(clause.span, at) if span.start < at]
    if claim.left:
        return _Times(end=_instant(spans[0]) if len(spans) == 1 else at)
    if claim.over:
        return _past(spans, at, told=claim.event)
    since = [span for span in spans if _SINCE.match(span.text)]
    if len(since) == 1:
        return _Times(start=since[0].start, told=True)
    if (claim.event or claim.category is Category.MOMENT) and len(spans) == 1:
        return _Times(start=_instant(spans[0]))
    return _Times()


_SINCE, _UNTIL = pattern("since"), pattern("until|till|up to")


def _past(spans: Sequence[Span], at: datetime, *, told: bool) -> _Times:
    """Return when something was that is over; what the words leave open ended when it was said."""
    until = [span for span in spans if _UNTIL.match(span.text)]
    if len(until) == 1:
        return _Times(end=min(until[0].end, at))
    if told and len(spans) == 1 and not _SINCE.match(spans[0].text):
        return _Times(start=spans[0].start, end=min(spans[0].end, at))
    return _Times(end=at)


def _instant(span: Span) -> datetime:
    """Return when within a span something happened: its begin, or where it was counted back its middle."""
    counted = span.text.casefold().endswith((" ago", " back"))
    return span.start + (span.end - span.start) / 2 if counted else span.start
