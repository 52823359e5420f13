"""What becomes of two facts that are compared."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from engram.beliefs.facts import Revision

By = Literal["slots", "words", "model"]
"""What settled it."""


class ConflictOutcome(StrEnum):
    """What becomes of two facts."""

    SUPERSEDE = "supersede"
    TENSION = "tension"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What becomes of a new fact and one that is held."""

    outcome: ConflictOutcome
    reason: str
    """In a few words that quote nothing: what is erased must not stand here."""
    by: By
    correction: bool = False
    """Whether the one that is replaced never held; else it held until then."""
    newer_loses: bool = False
    """Whether the new one was over before the held one began: it is kept, closed, and retires nothing."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict that no model was asked for."""

    verdict: Verdict
    sure: bool = True
    """Whether no model need be asked."""


def revised(revision: Revision, by: By) -> Verdict:
    """Return what becomes of what the words of the new fact take back."""
    if revision == "correction":
        return supersede("corrected", by, correction=True)
    return supersede("said to have changed", by)


def supersede(reason: str, by: By, *, correction: bool = False, newer_loses: bool = False) -> Verdict:
    """Return that one of them replaces the other."""
    return Verdict(
        outcome=ConflictOutcome.SUPERSEDE,
        reason=reason,
        by=by,
        correction=correction,
        newer_loses=newer_loses,
    )


def tension(reason: str, by: By) -> Verdict:
    """Return that they cannot both hold, and both stand."""
    return Verdict(outcome=ConflictOutcome.TENSION, reason=reason, by=by)


def unrelated(reason: str, by: By) -> Verdict:
    """Return that both can hold."""
    return Verdict(outcome=ConflictOutcome.UNRELATED, reason=reason, by=by)
