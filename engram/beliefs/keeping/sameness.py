"""Sameness: whether what was said is known already, whatever its words, and as which memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from engram.beliefs.conflicts.judging import related
from engram.beliefs.conflicts.structure import at_other_times, says_over
from engram.beliefs.facts import Category, HeldFact, value_key
from engram.beliefs.keeping.candidate import Keys
from engram.graph import Row
from engram.loop.contradiction import compare_wording
from engram.loop.words import new_facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A memory that a fact is compared with."""

    held: HeldFact
    worded: bool
    """Whether it has the same words."""
    told: bool
    """Whether it rests on a turn that the fact was drawn from."""
    leaning: tuple[str, ...]
    """Ids of memories whose truth depends on its truth: what disagrees with it, and what cites it."""
    put_away_at: datetime | None = None
    """When a job archived it; None: none did."""

    def stands(self, new: HeldFact) -> bool:
        """Say whether it holds while a new fact does, or held when that began and was replaced or put away later.

        What says that it is over is no evidence that it holds, unless it says so in the very same words.
        """
        if self.held.status == "superseded" or (self.held.status == "archived" and self.put_away_at):
            end = min(self.held.valid_to, self.put_away_at or self.held.valid_to)
            return self.held.valid_from <= new.valid_from < end
        return (
            self.held.status in {"active", "dormant"}
            and not at_other_times(new, self.held)
            and (self.worded or not says_over(new, self.held))
        )


def known_from(row: Row, similarity: float | None, keys: Keys) -> Known:
    """Return the memory in a row of `believe/fact_find_held`, its names by the keys that stand for them."""
    held = HeldFact.from_row(row | {"similarity": similarity})
    return Known(
        held=replace(held, subject=keys.one(held.subject), entities=keys.all(held.entities)),
        worded=row["worded"],
        told=row["told"],
        leaning=tuple(row["leaning"]),
        put_away_at=row["put_away_at"],
    )


def find_same(new: HeldFact, known: Sequence[Known], *, least: float) -> Known | None:
    """Return the memory that a fact is known as, or None where it is new.

    What rests on the same turn comes first, then what was replaced but held when the new one begins, then what holds.
    What was put away counts only for what was said before that: told anew, it is so again.

    Args:
        new: The fact.
        known: What it is compared with.
        least: The cosine from which facts are near.
    """

    def place(each: Known) -> tuple[bool, bool, float]:
        apart = abs((each.held.valid_from - new.valid_from).total_seconds())
        return not each.told, each.held.status != "superseded", apart

    found = [
        each
        for each in known
        if (each.stands(new) or (each.told and not at_other_times(new, each.held)))
        and (each.worded or is_same(new, each.held, least=least))
    ]
    return min(found, key=place, default=None)


def is_same(new: HeldFact, held: HeldFact, *, least: float) -> bool:
    """Say whether two facts say the same, whatever their words.

    Of the same attribute of the same subject, the values decide. Others are the same if they are near, about the same,
    have no different values, numbers or names, and nothing in their words opposes them.

    Args:
        new: One fact.
        held: The other, with its similarity.
        least: The cosine from which facts are near.
    """
    if new.negated != held.negated:
        return False
    if new.slot and new.subject and (new.subject, new.slot) == (held.subject, held.slot):
        return value_key(new.value or "") == value_key(held.value or "")
    return (
        held.similarity is not None
        and held.similarity >= least
        and related(new, held)
        and not (new.value and held.value and value_key(new.value) != value_key(held.value))
        # That somebody promised to is not that they did.
        and (new.category == Category.MOMENT) == (held.category == Category.MOMENT)
        and not _tell_apart(new.content, held.content)
        and compare_wording(new.content, held.content).found is False
    )


def _tell_apart(one: str, other: str) -> bool:
    """Say whether each of two sentences names a number, a date or a name that the other does not."""
    return bool(new_facts(one, other) and new_facts(other, one))
