"""What the structure of two facts says: whether they are about the same, and what slots and times settle."""

from datetime import date

from engram.beliefs.conflicts.verdicts import Judged, revised, supersede, tension, unrelated
from engram.beliefs.facts import HeldFact, Revision, value_key
from engram.entities import entity_key

FIXED_SLOTS = frozenset(
    {
        "birthday", "birth_date", "date_of_birth", "birth_year", "year_of_birth", "birthplace", "place_of_birth",
        "birth_name", "native_language", "mother_tongue", "blood_type", "mother", "father", "origin", "grew_up",
    }
)  # fmt: skip
"""Attributes that do not change: of two values without a word of correction, neither replaces the other.

All others change with time: home, employer, age, diet, phone, partner, and whatever is not known here.
"""


def related(new: HeldFact, held: HeldFact) -> bool:
    """Say whether two facts are about the same: the same subject, or somebody or something that both mention.

    Of two known subjects that differ, one must be mentioned by the other fact: that both mention a third, e.g. an
    employer, says nothing about the two.
    """
    if new.subject and held.subject:
        return new.subject == held.subject or new.subject in held.entities or held.subject in new.entities
    mentioned = {*new.entities, new.subject} - {None}
    return not mentioned.isdisjoint({*held.entities, held.subject})


def at_other_times(new: HeldFact, held: HeldFact) -> bool:
    """Say whether one of them was over when the other began."""
    return held.valid_to <= new.valid_from or new.valid_to <= held.valid_from


def by_slot(new: HeldFact, held: HeldFact, revision: Revision) -> Judged:
    """Judge two facts of the same attribute of the same subject."""
    if says_over(new, held):
        return _over(new, revision)
    if not _excludes(new, held) or _begins_later(new, held):
        return Judged(unrelated("both can hold", "slots"))
    if not same_voice(new, held, revision):
        return Judged(tension("another value, said by somebody else", "slots"))
    if revision != "none" and new.event_at >= held.event_at:
        return Judged(revised(revision, "slots"))
    if _is_fixed(new.slot or ""):
        return Judged(tension("another value of what does not change", "slots"), sure=False)
    return _by_order(new, held)


def _by_order(new: HeldFact, held: HeldFact) -> Judged:
    """Judge two values of what changes with time, by which of them began later, to the day.

    What was said earlier retires nothing that was said later: of a talk that is imported late, the older value is the
    one that was over.
    """
    began = _sign(new.valid_from.date(), held.valid_from.date())
    said = _sign(new.event_at.date(), held.event_at.date())
    if began > 0 and said >= 0:
        return Judged(supersede("another value at a later time", "slots"))
    if began < 0 and said <= 0:
        return Judged(supersede("told out of order", "slots", newer_loses=True))
    why = "another value on the same day" if began == said == 0 else "another value for the same time"
    return Judged(tension(why, "slots"), sure=False)


def says_over(new: HeldFact, held: HeldFact) -> bool:
    """Say whether a new fact says of the same value that it was over when it was said, and the held one that it goes on."""
    return (
        new.negated == held.negated
        and _same_value(new, held)
        and held.valid_from < new.valid_to <= new.event_at < held.valid_to
        and held.event_at <= new.event_at
    )


def _over(new: HeldFact, revision: Revision) -> Judged:
    """Judge what is said to be over: with a day it has ended, without one the speaker may mean an earlier time."""
    if new.valid_to < new.event_at or revision == "change":
        return Judged(supersede("said to be over", "slots"))
    return Judged(tension("said to be over, without a day", "slots"), sure=False)


def _begins_later(new: HeldFact, held: HeldFact) -> bool:
    """Say whether one of two values is planned and the other is not: what has not begun when both were said."""
    said = max(new.event_at, held.event_at).date()
    return (new.valid_from.date() > said) != (held.valid_from.date() > said) and not denies(new, held)


def _sign(one: date, other: date) -> int:
    return (one > other) - (one < other)


def _excludes(new: HeldFact, held: HeldFact) -> bool:
    """Say whether two values of one slot cannot both hold at one time."""
    if new.negated and held.negated:
        return False
    if new.negated or held.negated:
        return denies(new, held)
    return new.single and held.single and not _same_value(new, held)


def denies(new: HeldFact, held: HeldFact) -> bool:
    """Say whether exactly one of two facts of the same subject and slot says that the other's value is not so."""
    if new.negated == held.negated or (new.subject, new.slot) != (held.subject, held.slot) or not new.slot:
        return False
    denied = new if new.negated else held
    return denied.value is None or _same_value(new, held)


def _same_value(new: HeldFact, held: HeldFact) -> bool:
    return value_key(new.value or "") == value_key(held.value or "")


def _is_fixed(slot: str) -> bool:
    return not FIXED_SLOTS.isdisjoint(slot.split(":"))


def same_voice(new: HeldFact, held: HeldFact, revision: Revision) -> bool:
    """Say whether a new fact may replace the held one: the same speaker, or whom it is about says that it changed."""
    speaker = entity_key(new.speaker or "")
    if not speaker:
        return False
    if speaker == entity_key(held.speaker or ""):
        return True
    return revision != "none" and speaker == new.subject
