"""What is said again, and what is taken back by saying what is known."""

from datetime import timedelta
from typing import Any

import pytest

from engram.beliefs.changes import ChangeKind, list_changes, record, undo
from engram.beliefs.facts import Category, Fact, Quote
from engram.beliefs.keeping.keeper import Became, Outcome, keep_facts
from engram.memory import Engram
from engram.records import USER_TAG, Turn
from engram.remembering import turn_key
from engram.testing import FixedClock

pytestmark = pytest.mark.graph


def tell(memory: Engram, clock: FixedClock, speaker: str, day: str, **more: Any) -> Outcome:
    """Let somebody say on which day the sofa arrives, and keep it."""
    text = f"The sofa arrives on {day}."
    at = clock.advance(timedelta(hours=1))
    name = at.isoformat()
    memory.remember_turns([Turn(text=text, speaker=speaker, at=at, session="sofa", id=name)])
    fact = Fact(
        content=text,
        category=Category.FACT,
        quotes=(Quote(turn=turn_key("sofa", name, speaker, text), text=text),),
        at=at,
        speaker=speaker,
        source_tag=USER_TAG,
        subject="sofa",
        slot="date:arrive",
        value=day,
        single=True,
        **more,
    )
    (outcome,) = keep_facts(memory, [fact])
    return outcome


def test_a_correction_that_says_what_is_known_takes_back_the_other(memory: Engram, clock: FixedClock) -> None:
    """Two disagree; who was wrong says what the other said: it is evidence for that, and the mistake is retired."""
    wrong = tell(memory, clock, "Jonas", "Wednesday")
    right = tell(memory, clock, "Mara", "Friday")
    again = tell(memory, clock, "Jonas", "Friday", revision="correction")
    assert (again.became, again.memory) == (Became.MERGED, right.memory)
    assert wrong.memory is not None
    assert memory.get(wrong.memory).status == "superseded"
    assert again.changes
    told = tell(memory, clock, "Jonas", "Friday")
    assert (told.became, told.changes) == (Became.MERGED, ())


def test_changes_of_one_instant_are_taken_back_in_order(memory: Engram, clock: FixedClock) -> None:
    """A run has one time for all that it does; the log knows what came after what."""

    def note(reason: str) -> str:
        return memory.graph.transact(
            lambda transaction: record(
                transaction,
                space=memory.space,
                kind=ChangeKind.SUPERSEDED,
                by="test",
                reason=reason,
                now=clock.now,
            )
        )

    reasons = [f"{number}" for number in range(6)]
    for reason in reasons:
        note(reason)
    listed = list_changes(memory.graph, space=memory.space)
    assert [each.reason for each in listed] == reasons[::-1]
    with pytest.raises(ValueError, match="cannot be taken back"):
        undo(memory.graph, space=memory.space, change=listed[0].id, now=clock.now)
