"""Presence: what of the mind between conversations shows while one is held.

Nothing of it is needed for an answer. Where a part fails, the conversation goes on without it, and the log says so.
"""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from engram.errors import EngramError
from engram.loop.events import Event
from engram.mind.feeling import Feeling
from engram.mind.part import AgentTool, MindPart, Situation, Utterance
from engram.mind.pressing import Pressing
from engram.mind.pursuing import Pursuing
from engram.mind.reading import Reading
from engram.mind.state.carried import Carried

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")


class Presence:
    """The mind in one conversation."""

    def __init__(self, situation: Situation) -> None:
        self.feeling = Feeling(situation)
        self.pressing = Pressing(situation)
        self._parts: tuple[MindPart, ...] = (
            Pursuing(situation),
            self.feeling,
            Carried(situation),
            self.pressing,
            Reading(situation),
        )
        self.greeting: tuple[str, ...] = ()
        """What a person should hear at once, a line each."""

    def begin(self) -> None:
        """Take up the conversation."""
        self.greeting = tuple(self._gathered(lambda part: part.begin()))

    def hear(self, utterance: Utterance) -> list[Event]:
        """Take in what a person said, before it is answered, and return what is to be said of it."""
        return self._gathered(lambda part: part.hear(utterance))

    def sections(self) -> dict[str, tuple[str, ...]]:
        """Return the lines of sections of the prompt, by name."""
        found: dict[str, tuple[str, ...]] = {}
        for name, lines in self._gathered(lambda part: [*part.sections().items()]):
            found[name] = (*found.get(name, ()), *lines)
        return found

    def tools(self) -> tuple[AgentTool, ...]:
        """Return what the answering model may use."""
        return tuple(self._gathered(lambda part: part.tools()))

    def compacted(self) -> None:
        """Take note that part of the conversation has left the model's window."""
        self._each(lambda part: part.compacted())

    def forget(self, memory_id: str) -> None:
        """Take note that a memory was forgotten: it is told no more."""
        self._each(lambda part: part.forget(memory_id))

    def end(self) -> None:
        """Do what is due after a conversation."""
        self._each(lambda part: part.end())

    def _gathered(self, asked: Callable[[MindPart], Sequence[_T]]) -> list[_T]:
        return [each for answer in self._each(asked) for each in answer]

    def _each(self, asked: Callable[[MindPart], _T]) -> list[_T]:
        """Ask every part, and return what those said that could."""
        answers = []
        for part in self._parts:
            try:
                answers.append(asked(part))
            except EngramError as error:
                _LOG.info("%s is left out: %s", type(part).__name__, error.message)
        return answers
