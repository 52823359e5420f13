"""The front door to beliefs, as a program uses it: from turns to facts, to a tension, to its end, and back."""

from datetime import timedelta

import pytest

from engram.errors import InvalidInputError, NotFoundError
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


def test_talk_without_times_keeps_its_order(memory: Engram, clock: FixedClock) -> None:
    """Of a transcript that has no times, what stands first was said first: the move comes last."""
    lines = [
        "I live in Lisbon.",
        *(f"Line {number} of the talk." for number in range(12)),
        "I moved to Porto!",
    ]
    memory.remember_turns(Turn(speaker="Zoe", text=line, session="letters") for line in lines)
    assert memory.beliefs.learn()
    assert [each.value for each in memory.beliefs.facts("Zoe", slot="home")] == ["Porto"]
    assert clock.now - memory.beliefs.facts("Zoe", slot="home")[0].valid_from < timedelta(seconds=1)


def test_a_guess_retires_nothing(memory: Engram, clock: FixedClock) -> None:
    """What is only supposed stands beside what is known."""
    say(memory, clock, ("Ben", "I live in Berlin."))
    assert memory.beliefs.learn()
    clock.advance(timedelta(days=3))
    say(memory, clock, ("Ben", "Maybe I live in the Matrix."))
    assert memory.beliefs.learn()
    assert "Berlin" in {each.value for each in memory.beliefs.facts("Ben", slot="home")}
    assert (memory.beliefs.tensions(), memory.beliefs.changes()) == ([], [])


def test_what_has_ended_is_listed_with_the_past(memory: Engram, clock: FixedClock) -> None:
    """A fact whose time is over holds no more, though nothing replaced it."""
    say(memory, clock, ("Jonas", "I used to live in Hamburg."))
    assert memory.beliefs.learn()
    clock.advance(timedelta(days=1))
    assert memory.beliefs.facts("Jonas", slot="home") == []
    assert [each.value for each in memory.beliefs.facts("Jonas", slot="home", replaced=True)] == ["Hamburg"]


def test_an_alias_is_not_given_away(memory: Engram, clock: FixedClock) -> None:
    """Who is another name of somebody is not made another name of a third without being split off first."""
    say(
        memory, clock, ("Noor", "Joni lives in Lille."), ("Felix", "Jonas works at Acme."), ("Mara", "Hello!")
    )
    beliefs = memory.beliefs
    assert beliefs.learn()
    assert beliefs.merge_names("Joni", "Jonas")
    with pytest.raises(InvalidInputError, match="another name of 'jonas'"):
        beliefs.merge_names("Joni", "Mara")
    assert {each.slot for each in beliefs.facts("Joni")} == {"home", "employer"}
