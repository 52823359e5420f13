"""Hearing: whatever comes in or goes out is durable before anything else happens to it."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import uuid4

from engram.errors import DatabaseError, DatabaseUnavailableError, EngramError
from engram.loop.entry_gate import EntryGate
from engram.loop.inputs import Entry
from engram.loop.journal import Journal
from engram.loop.scratch import Scratch
from engram.loop.signals import scan
from engram.validation import check_content

_LOG = logging.getLogger(__name__)
LONGEST_TURN = 1_000_000
"""Bytes of UTF-8 that are kept of one thing said; a memory holds less."""
AWAY_SECONDS = 20.0
"""After the database did not answer, for how long nobody waits for it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What became of one thing heard."""

    entry: Entry
    journaled: bool = False
    """Whether it is in the local journal, because the database is away."""
    error: EngramError | None = None
    """Why the graph does not have it."""
    unrecallable: str | None = None
    """Why it is kept and yet no memory can be made of it, for the person."""

    @property
    def kept(self) -> bool:
        """Whether it is durable, here or there."""
        return self.error is None or self.journaled


class Hearing:
    """Hears for one run of the loop."""

    def __init__(
        self,
        scratch: Scratch,
        journal: Journal,
        gate: EntryGate,
        *,
        session: str,
        run: str,
        clock: Callable[[], datetime],
        limit: int,
    ) -> None:
        """Prepare to hear.

        Args:
            scratch: The space's scratch buffer.
            journal: Its journal on this machine.
            gate: Says what passes by.
            session: The conversation.
            run: The run's id; it makes the names of turns unique among runs of one session.
            clock: The time of each entry.
            limit: The most bytes of UTF-8 that a memory may hold.
        """
        self.scratch = scratch
        self.journal = journal
        self._gate = gate
        self._session = session
        self._run = run
        self._clock = clock
        self._limit = limit
        self._count = 0
        self._last: datetime | None = None
        self._away_since = -AWAY_SECONDS
        self._away: DatabaseError | None = None
        self._settled: set[str] = set()

    def hear(
        self,
        text: str,
        *,
        speaker: str,
        source_tag: str,
        source: str,
        confidence: float = 1.0,
        awaits: bool = False,
        answers: str | None = None,
    ) -> Heard:
        """Keep what was said: in the graph, or where the database is away, in the journal.

        Args:
            text: What was said.
            speaker: Who said it.
            source_tag: Whose thought it is, see `engram.loop.inputs.Source`.
            source: Where the turn comes from, e.g. `chat`.
            confidence: Of the source in it, 0 to 1.
            awaits: Whether it is going to be answered.
            answers: Id of the entry that it answers.

        Raises:
            InvalidInputError: The text is blank, too long, or holds what cannot be stored; nothing is kept.
        """
        entry = self._entry(check_content(text, limit=LONGEST_TURN))
        entry = replace(
            entry,
            speaker=speaker,
            source_tag=source_tag,
            source_confidence=confidence,
            source=source,
            awaits=awaits,
            answers=answers,
        )
        if self.away is not None:
            return self._journaled(entry, self.away)
        try:
            self.catch_up()
            self.scratch.hear([entry], run=self._run, now=entry.at)
        except DatabaseUnavailableError as error:
            self._away, self._away_since = error, time.monotonic()
            return self._journaled(entry, error)
        except DatabaseError as error:
            return self._journaled(entry, error)
        except EngramError as error:
            return Heard(entry=entry, error=error)
        size = len(entry.text.encode())
        return Heard(entry=entry, unrecallable=_too_long(size, self._limit) if size > self._limit else None)

    @property
    def away(self) -> DatabaseError | None:
        """Why the database was away a moment ago; None where it is worth trying."""
        return self._away if time.monotonic() < self._away_since + AWAY_SECONDS else None

    def try_again(self) -> None:
        """Forget that the database was away: somebody brought it back."""
        self._away = None

    def settle(self, entry_id: str) -> None:
        """Let an entry wait for no reply any more, in the graph or when the journal is written into it.

        Raises:
            DatabaseError: It waits on in the graph.
        """
        self._settled.add(entry_id)
        if self.away is None:
            self.scratch.settle(entry_id)

    def catch_up(self) -> int:
        """Write into the graph what the journal holds; return how many entries that were.

        Raises:
            DatabaseError: The database is away, or refuses them; they stay.
        """
        try:
            return self.journal.drain(self._take_over)
        except OSError as error:  # a file that cannot be read keeps nobody from being heard
            _LOG.warning("the journal %s waits: %s", self.journal.file, error)
            return 0

    def _take_over(self, entries: Sequence[Entry]) -> None:
        # Whoever writes them decides them: the run that heard them may be over and could not say so.
        ours = [
            replace(entry, run=self._run, awaits=entry.awaits and entry.id not in self._settled)
            for entry in entries
        ]
        self.scratch.hear(ours, run=None, now=self._clock())

    def _entry(self, text: str) -> Entry:
        signals = scan(text)
        verdict = self._gate.lets_in(text, signals=signals)
        self._count += 1
        return Entry(
            id=uuid4().hex,
            session=self._session,
            run=self._run,
            speaker="",
            text=text,
            at=self._now(),
            source_tag="",
            source="",
            turn=f"{self._run}-{self._count:04d}",
            signals=signals.names,
            urgent=signals.high,
            skipped=verdict.skip,
        )

    def _now(self) -> datetime:
        # A message and its reply have an order, however coarse the clock.
        now = self._clock()
        if self._last is not None and now <= self._last:
            now = self._last + timedelta(microseconds=1)
        self._last = now
        return now

    def _journaled(self, entry: Entry, error: EngramError) -> Heard:
        try:
            self.journal.append(entry)
        except (OSError, TimeoutError):
            return Heard(entry=entry, error=error)
        return Heard(entry=entry, journaled=True, error=error)


def _too_long(size: int, limit: int) -> str:
    return (
        f"This has {size:,} bytes, and a memory holds {limit:,}: your words are kept, but recall will not find "
        "them. `engram import` takes a long text apart."
    )
