"""Keeping both sides of a conversation: what was said is durable, and the talk knows where."""

from contextlib import suppress

from engram.errors import EngramError, InvalidInputError
from engram.llm.base import Role
from engram.loop.events import Event, Failed, Notice, Stored
from engram.loop.hearing import Heard, Hearing
from engram.loop.inputs import Entry, Source
from engram.loop.lately import Lately
from engram.loop.talk import THOUGHT, Talk
from engram.text import printable

SOURCE = "chat"
INTERRUPTED = "chat:interrupted"
"""The source of a reply that was stopped or cut off: what there is of it is kept."""


class Keeping:
    """Keeps what one person and one agent say to each other."""

    def __init__(
        self, hearing: Hearing, talk: Talk, lately: Lately, *, user: str, assistant: str, answered: bool
    ) -> None:
        """Prepare to keep.

        Args:
            hearing: Makes it durable.
            talk: The conversation.
            lately: Knows the vectors of what was said lately.
            user: The person's name.
            assistant: The agent's name.
            answered: Whether a model answers, so that a message waits for that.
        """
        self._hearing = hearing
        self._talk = talk
        self._lately = lately
        self._user = user
        self._assistant = assistant
        self._answered = answered
        self.unsaved: EngramError | None = None
        """Why the last reply could not be kept; None if it was."""

    def person(self, text: str) -> tuple[Entry | None, list[Event]]:
        """Keep what the person said, and return it with the events of that."""
        try:
            heard = self._hearing.hear(
                text,
                speaker=self._user,
                source_tag=Source.USER.value,
                source=SOURCE,
                awaits=self._answered,
            )
        except InvalidInputError as error:
            self._talk.add("user", text, entry=None)
            return None, [Notice(text=f"This was not stored: {error}")]
        self._talk.add("user", text, entry=heard.entry.id, waits=not heard.entry.skipped)
        return heard.entry, _events(heard, "user")

    def agent(self, text: str, *, complete: bool, answers: str | None, aloud: bool) -> list[Event]:
        """Keep what the agent said, and return the events of that.

        Args:
            text: As far as it came.
            complete: Whether that is all of it.
            answers: Id of the entry that it answers.
            aloud: Whether it belongs to the conversation; a thought of its own does not.
        """
        self.unsaved = None
        text = printable(text)
        if not text.strip():
            return []
        try:
            heard = self._hearing.hear(
                text,
                speaker=self._assistant,
                source_tag=Source.REPLY.value,
                source=(SOURCE if complete else INTERRUPTED) if aloud else THOUGHT,
                answers=answers,
            )
        except InvalidInputError as error:
            self.unsaved = error
            if aloud:
                self._talk.add("assistant", text, entry=None)
            self.settle(answers)
            return [Notice(text=f"This was not stored: {error}")]
        if aloud:
            self._talk.add("assistant", text, entry=heard.entry.id, waits=not heard.entry.skipped)
            self._lately.expect(text)
        self.unsaved = None if heard.kept else heard.error
        return _events(heard, "assistant")

    def settle(self, entry_id: str | None) -> None:
        """The person knows what became of the reply: nothing is left unanswered."""
        if entry_id is not None and self._answered:
            with suppress(EngramError):
                self._hearing.settle(entry_id)


def _events(heard: Heard, role: Role) -> list[Event]:
    """Return the events of something that was heard."""
    if not heard.kept and heard.error is not None:
        return [Failed(error=heard.error, doing="store")]
    events: list[Event] = [Stored(role=role, turn=heard.entry.turn, journaled=heard.journaled)]
    if heard.unrecallable:
        events.append(Notice(text=heard.unrecallable))
    return events
