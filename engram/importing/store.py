"""Turns from a reading into a memory, in portions, with a running count."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Protocol

from engram.errors import ErasedError, InvalidInputError
from engram.records import Ingested, Kind, Memory, Turn

from .markdown import Note
from .reading import Reading, Refused

PORTION = 1_000
"""Turns handed over at once; a portion ends with its session, so that what came before and after is seen together."""

MAX_PORTION = 5_000
"""Turns in memory at most, where one session goes on and on."""


class Store(Protocol):
    """What an import needs of an `engram.memory.Engram`."""

    def remember_turns(
        self, turns: Iterable[Turn], *, progress: Callable[[int], None] | None = None
    ) -> Ingested:
        """Store a conversation."""
        ...

    def remember(
        self,
        content: str,
        *,
        kind: Kind | str = ...,
        event_at: datetime | str | None = ...,
        source: str = ...,
        speaker: str | None = ...,
        category: str | None = ...,
    ) -> Memory:
        """Store one thing."""
        ...


class Tally:
    """The count of an import under way; it stays right when the import is interrupted."""

    def __init__(self) -> None:
        self.begun = False
        """Something was handed over, so that something may have been stored."""
        self.done = 0
        """Turns that the database has acknowledged, new ones and those there before."""
        self.stored = 0
        self.seen = 0
        self.refused = 0
        self.reasons: list[Refused] = []
        """The first `REASONS` refusals."""

    REASONS = 1_000

    def refuse(self, refused: Refused) -> None:
        """Count one refusal, and keep its reason while there are few."""
        self.refused += 1
        if len(self.reasons) < self.REASONS:
            self.reasons.append(refused)


def store_turns(
    memory: Store,
    reading: Iterable[Turn | Refused],
    tally: Tally,
    *,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Store all turns of a reading; what was stored before is counted as seen.

    Args:
        memory: Where to.
        reading: As `read_turns` returns it.
        tally: Counted up as the database acknowledges.
        progress: Called with the number of further turns that are done, refused ones included.
    """

    def advance(count: int) -> None:
        tally.done += count
        if progress is not None:
            progress(count)

    for portion in _portions(reading, tally):
        tally.begun = True
        done = tally.done
        turns = [turn for _, turn in portion if not _is_fact(turn)]
        lines = [line for line, turn in portion if not _is_fact(turn)]
        if turns:
            ingested = memory.remember_turns(turns, progress=advance)
            tally.stored += ingested.stored
            tally.seen += ingested.seen
            for index, reason in ingested.refused:
                tally.refuse(Refused(line=lines[index], reason=reason))
        for line, turn in portion:
            if isinstance(turn, Note) and _is_fact(turn):
                _store_fact(memory, line, turn, tally)
        # Whatever the store reported on the way, the portion is done now.
        advance(max(0, done + len(portion) - tally.done))


def _store_fact(memory: Store, line: int, note: Note, tally: Tally) -> None:
    try:
        fact = memory.remember(
            note.text,
            kind=note.kind,
            event_at=note.at,
            source=f"{note.source}#{note.id}",
            speaker=note.speaker,
            category=note.category,
        )
    except (InvalidInputError, ErasedError) as error:
        tally.refuse(Refused(line=line, reason=error.message))
        return
    tally.stored += fact.created
    tally.seen += not fact.created


def _is_fact(turn: Turn) -> bool:
    return isinstance(turn, Note) and turn.kind is not Kind.EPISODIC


def _portions(reading: Iterable[Turn | Refused], tally: Tally) -> Iterable[list[tuple[int, Turn]]]:
    portion: list[tuple[int, Turn]] = []
    for item in reading:
        if isinstance(item, Refused):
            tally.refuse(item)
            continue
        full = len(portion) >= PORTION and portion[-1][1].session != item.session
        if full or len(portion) >= MAX_PORTION:
            yield portion
            portion = []
        portion.append((reading.line if isinstance(reading, Reading) else 0, item))
    if portion:
        yield portion


def find_refusals(reading: Iterable[Turn | Refused], *, max_content_bytes: int) -> list[Refused]:
    """Read to the end without storing and return what would be refused, as far as the file alone tells.

    Args:
        reading: As `read_turns` returns it; it is used up.
        max_content_bytes: The longest text that the memory takes.
    """
    tally = Tally()
    for item in reading:
        if isinstance(item, Refused):
            tally.refuse(item)
        elif (size := len(item.text.encode())) > max_content_bytes:
            line = reading.line if isinstance(reading, Reading) else 0
            tally.refuse(
                Refused(line=line, reason=f"is {size:,} bytes long, of {max_content_bytes:,} at most")
            )
    return tally.reasons
