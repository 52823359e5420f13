"""The front door to beliefs, as a program uses it: from turns to facts, to a tension, to its end, and back."""

from datetime import timedelta

import pytest

from engram.errors import NotFoundError
from engram.memory import Engram
from engram.records import Turn
from engram.testing import FixedClock

pytestmark = pytest.mark.graph


def say(memory: Engram, clock: FixedClock, *said: tuple[str, str]) -> None:
    """Let people say something, one after the other."""
    memory.remember_turns(
        Turn(speaker=speaker, text=text, session="kitchen", at=clock.advance(timedelta(minutes=1)))
        for speaker, text in said
    )


def test_from_what_was_said_to_what_is_held(memory: Engram, clock: FixedClock) -> None:
    """Facts are drawn once, a move replaces the home before, and the log of it leads back."""
    beliefs = memory.beliefs
    assert beliefs.learn() is None
    say(memory, clock, ("Noor", "I live in Utrecht."), ("Felix", "I work at Acme."))
    batch = beliefs.learn()
    assert batch is not None
    assert (batch.turns, batch.kept, batch.plain) == (2, 2, True)
    clock.advance(timedelta(days=30))
    say(memory, clock, ("Noor", "I moved to Ghent."))
    assert beliefs.learn()
    (home,) = beliefs.facts("Noor", slot="home")
    assert home.value == "Ghent"
    assert [each.value for each in beliefs.facts("Noor", slot="home", replaced=True)] == ["Ghent", "Utrecht"]
    (change,) = beliefs.changes()
    beliefs.undo(change.id)
    assert {each.value for each in beliefs.facts("Noor", slot="home")} == {"Ghent", "Utrecht"}
    assert beliefs.entity("noor").name == "Noor"
    with pytest.raises(NotFoundError):
        beliefs.entity("Nobody")


def test_a_tension_is_open_until_somebody_settles_it(memory: Engram, clock: FixedClock) -> None:
    """Two who disagree are both heard; who is kept is decided once, and can be decided again."""
    say(memory, clock, ("Noor", "Ana lives in Lille."), ("Felix", "Ana lives in Lyon."))
    beliefs = memory.beliefs
    assert beliefs.learn()
    (tension,) = beliefs.tensions()
    lille, lyon = tension.sides
    assert (lille.truth, lille.status, lyon.status) == (lyon.truth, "active", "active")
    change = beliefs.resolve(lille.id, lille.id)
    assert beliefs.tensions() == []
    assert [each.value for each in beliefs.facts("Ana", slot="home")] == ["Lille"]
    beliefs.undo(change.id)
    assert len(beliefs.tensions()) == 1


def test_names_are_taken_for_one_and_apart(memory: Engram, clock: FixedClock) -> None:
    """What is said of one name is known of the other, until they are two again."""
    say(memory, clock, ("Noor", "Bob lives in Lille."), ("Felix", "Robert Miller works at Acme."))
    beliefs = memory.beliefs
    assert beliefs.learn()
    assert beliefs.merge_names("Bob", "Robert Miller")
    assert beliefs.merge_names("Bob", "Robert Miller") is None
    assert {each.slot for each in beliefs.facts("Bob")} == {"home", "employer"}
    beliefs.split_name("Bob")
    assert {each.slot for each in beliefs.facts("Bob")} == {"home"}
    assert beliefs.approvals() == []
