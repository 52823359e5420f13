"""Recollecting: what comes to mind at a message, what of it is used, and what may be quoted."""

from collections.abc import Generator, Sequence

from engram.errors import EngramError, InvalidInputError
from engram.loop.assembly import Assembled
from engram.loop.composing import TOLD
from engram.loop.events import Event, Failed, Notice, Recalled
from engram.loop.quoting import answers, fresh, ranked, related
from engram.loop.talk import Talk
from engram.memory import Engram
from engram.mind.gut import Delta
from engram.records import Hit, Hits, Memory

SEARCHED = 32
"""Memories looked at for a turn: earlier copies of a question come first and are left out."""
QUOTED = 8
"""Memories that are quoted where there is no model."""


class Recollection:
    """Recalls for one conversation; what was used is learned from, and nothing else."""

    def __init__(self, memory: Engram, talk: Talk, *, session: str, user: str, spoken: bool) -> None:
        """Begin with nothing in mind.

        Args:
            memory: Where to recall from.
            talk: The conversation.
            session: Its name.
            user: The person's name.
            spoken: Whether a model speaks, which is told the conversation itself.
        """
        self._memory = memory
        self._talk = talk
        self._session = session
        self._user = user
        self._spoken = spoken
        self._found = Hits()
        self.felt: Delta | None = None
        """The gut feeling that the next recall is coloured by."""
        self.recalled: tuple[Hit, ...] = ()
        """What came to mind at the last turn."""
        self.used: tuple[Hit, ...] = ()
        """What the last turn was answered from."""
        self.recall: str | None = None
        """Id of the recall that the last turn was answered from; None where nothing was used."""
        self.quotable: tuple[Hit, ...] | None = None
        """What may be quoted at this turn; None where the search failed, which is not the same as nothing."""

    def recollect(self, text: str) -> Generator[Event, None, Hits | None]:
        """Recall what bears on `text`, and say so; nothing is learned from it yet. None where that fails."""
        at_hand = [hit.memory.id for hit in self.recalled]
        self.recalled, self.used, self.quotable, self.recall = (), (), None, None
        try:
            found = self._memory.recall(
                text, k=SEARCHED, read_only=True, session=self._session, active=at_hand, felt=self.felt
            )
        except EngramError as error:
            yield Failed(error=error, doing="recall")
            return None
        self._found = found
        for note in found.notes:
            yield Notice(text=f"{note[0].upper()}{note[1:]}")
        said = self._talk.said
        replies = {one.memory for one in said if one.role == "assistant"}
        others = [hit for hit in found if hit.memory.id not in replies]
        self.quotable = answers(others, text, user=self._user)[:QUOTED]
        # A model is told the conversation itself; without one, it is as good a memory as any.
        self.recalled = ranked(fresh(found, said)[:TOLD]) if self._spoken else self.quotable
        yield Recalled(hits=self.recalled)
        return found

    def quotes(self, text: str) -> tuple[Hit, ...] | None:
        """Return what may be quoted to `text`, as used; None where the search failed."""
        if self.quotable is None:
            return None
        hits = ranked(related(text, self.quotable, self._memory.embedder))
        self.use(hits)
        return hits

    def tell(self, assembled: Assembled) -> None:
        """Note what of it all found a place in the prompt."""
        told = {placed.memory.id for placed in assembled.situational}
        self.recalled = ranked([hit for hit in self.recalled if hit.memory.id in told])
        came = (*assembled.immutable, *assembled.identity, *assembled.reflections)
        self._talk.show((*came, *(hit.memory for hit in self.recalled)))

    def use(self, hits: Sequence[Hit]) -> None:
        """Learn from what was used."""
        if hits:
            self.used = tuple(hits)
            self._talk.show(hit.memory for hit in hits)
            self.recall = self._found.learn([hit.memory.id for hit in hits]).recall

    def judge(self, *, useful: bool, which: str | None) -> tuple[Hit, ...]:
        """Say whether what the last turn was answered from was of use; see `Agent.judge`."""
        if self.recall is None:
            raise InvalidInputError(
                "Nothing came to mind at your last message, so there is nothing to judge."
            )
        judged = tuple(
            hit
            for place, hit in enumerate(self.used, start=1)
            if which is None or which == str(place) or (len(which) >= 6 and hit.memory.id.startswith(which))
        )
        if not judged:
            raise InvalidInputError(
                f"Your last message was not answered with {which!r}.",
                remedy=f"Give a number from 1 to {len(self.used)} or the beginning of an id, or nothing for all.",
            )
        self._memory.judge(self.recall, useful=useful, memories=[hit.memory.id for hit in judged])
        return judged

    def forget(self, memory: Memory) -> None:
        """Leave a memory out."""
        self.recalled = tuple(hit for hit in self.recalled if hit.memory.id != memory.id)
        self._talk.forget(memory)
