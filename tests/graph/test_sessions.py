"""The list of a space's conversations."""

from datetime import timedelta

import pytest

from engram.memory import Engram
from engram.records import Turn
from engram.sessions import FIRST_CHARACTERS, list_sessions
from engram.testing import FixedClock
from tests.graph.beside import another

pytestmark = pytest.mark.graph


def talk(memory: Engram, session: str, *texts: str, after: timedelta = timedelta()) -> tuple[str, ...]:
    """Store a conversation, a minute between its turns, and return the ids of its memories."""
    start = memory.now() + after
    turns = [
        Turn(
            text=text,
            speaker="Ada",
            at=start + timedelta(minutes=number),
            session=session,
            id=f"{session}-{number}",
        )
        for number, text in enumerate(texts)
    ]
    return memory.remember_turns(turns).memories


def test_the_newest_conversation_comes_first(memory: Engram) -> None:
    """Each has its name, its times, how much was said and how it began, by the time of its last turn."""
    now = memory.now()
    talk(memory, "long", "Hello there", "How are you?", "Fine.")
    talk(memory, "late", "Good evening", after=timedelta(hours=1))
    late, long = list_sessions(memory.graph, space=memory.space)
    assert (late.id, late.turns, late.first) == ("late", 1, "Good evening")
    assert (long.id, long.turns, long.first) == ("long", 3, "Hello there")
    assert (long.started_at, long.ended_at) == (now, now + timedelta(minutes=2))
    assert [each.id for each in list_sessions(memory.graph, space=memory.space, limit=1)] == ["late"]


def test_what_was_forgotten_is_not_how_it_began(memory: Engram) -> None:
    """The first words are those of the first turn that is left; with none left there are none."""
    first, second = talk(memory, "walk", "My code is 4711", "It rains")
    memory.forget(first)
    assert [each.first for each in list_sessions(memory.graph, space=memory.space)] == ["It rains"]
    memory.forget(second)
    assert [each.first for each in list_sessions(memory.graph, space=memory.space)] == [""]


def test_a_long_beginning_is_cut(memory: Engram) -> None:
    """However long the first turn is, a list stays a list."""
    talk(memory, "walk", "word " * 1_000)
    (only,) = list_sessions(memory.graph, space=memory.space)
    assert len(only.first) == FIRST_CHARACTERS


def test_conversations_of_other_spaces_are_theirs(memory: Engram, clock: FixedClock) -> None:
    """A conversation of the same name in another space changes nothing here."""
    other = another(memory, clock)
    talk(other, "walk", "Elsewhere", after=-timedelta(hours=1))
    assert list_sessions(memory.graph, space=memory.space) == []
    talk(memory, "walk", "Here")
    (only,) = list_sessions(memory.graph, space=memory.space)
    assert (only.turns, only.first) == (1, "Here")
    other.flush()
