"""Notes: what is kept at once, and waits for the next version of the working memory (seed: scratch buffer).

A note is a memory, so it is durable and found by a search when this returns; in the same transaction it is put on the list
of those that the next version takes in. The three signals stand beside that list.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from engram.context import Said, contextualize
from engram.graph import Transaction
from engram.loop.inputs import Source
from engram.memory import Engram
from engram.mind.state.signals import NOTE_IMPORTANCE, SPIKE, Levels, Signal
from engram.mind.state.versions import levels_of
from engram.records import FOREVER, Kind, Memory
from engram.remembering import Draft
from engram.text import single_line
from engram.validation import check_content, check_fraction

SOURCE = "note"
IMPORTANCE = 0.7
"""Of a note that says nothing of it (seed)."""
WAITING = 100
"""Notes that wait at most; the oldest give way, and stay memories."""
AUTO = "[AUTO]"
"""What a note begins with that nobody made."""


def take_note(
    memory: Engram, text: str, *, importance: float = IMPORTANCE, source_tag: str = Source.REPLY.value
) -> Memory:
    """Keep a note, and return the memory that it is.

    Args:
        memory: The space.
        text: What is noted.
        importance: 0 to 1.
        source_tag: Whose thought it is.

    Raises:
        InvalidInputError: The text is blank or too long, or the importance out of range.
        ErasedError: A person had it erased for good.
    """
    now = memory.now()
    content = check_content(text, limit=memory.settings.max_content_bytes)
    draft = Draft(
        content=content,
        contextualized=contextualize([Said(text=content, speaker=None, at=now)], 0),
        kind=Kind.SEMANTIC,
        source=SOURCE,
        identity=SOURCE,
        source_tag=source_tag,
        speaker=None,
        category=None,
        importance=check_fraction(importance, "importance"),
        event_at=now,
        known_at=now,
        valid_from=now,
        valid_to=FOREVER,
        reopen=True,
    )

    def then(transaction: Transaction, stored: Memory) -> None:
        transaction.run("mind/state_add_note", space=memory.space, id=stored.id, most=WAITING, now=now)

    return memory.writer.write(draft, now, then=then)


def tell(memory: Engram, events: Sequence[str], *, why: str, now: datetime) -> Levels:
    """Raise the signals by what has happened, note those that rose high, and return the levels.

    Args:
        memory: The space.
        events: Names of `signals.EVENTS`.
        why: What happened, for a note.
        now: When.
    """
    return _raise(memory, lambda _transaction, _counted_at: (events, why), now=now)


def count(memory: Engram, *, since: datetime, most: int) -> Levels:
    """Raise the signals by what the graph records since they were counted last, and return the levels.

    It is looked up behind the lock of the levels, so that of two who count at the same time one finds nothing any more.

    Args:
        memory: The space.
        since: From when, where nothing was counted yet.
        most: Events of one sort that count.
    """
    now = memory.now()

    def recorded(transaction: Transaction, counted_at: datetime | None) -> tuple[Sequence[str], str]:
        rows = transaction.run(
            "mind/state_list_events", space=memory.space, since=counted_at or since, limit=most
        ).rows
        events = [row["event"] for row in rows for _ in range(row["times"])]
        return events, ", ".join(f"{row['event'].replace('_', ' ')} ({row['times']})" for row in rows)

    return _raise(memory, recorded, now=now, counted=True)


def _raise(
    memory: Engram,
    happened: Callable[[Transaction, datetime | None], tuple[Sequence[str], str]],
    *,
    now: datetime,
    counted: bool = False,
) -> Levels:
    """Raise the signals, whoever else does, note those that rose high, and return the levels.

    The notes come behind the transaction: a memory is locked before the levels are, and embedded behind no lock. Where the
    process dies in between, the level has risen without a note.

    Args:
        memory: The space.
        happened: Returns what raises them and why in words; it is given the transaction, and until when was counted.
        now: When.
        counted: Whether all was counted until now.
    """

    def work(transaction: Transaction) -> tuple[Levels, Levels, str]:
        held = transaction.run("mind/state_lock_signals", space=memory.space, now=now).rows[0]
        events, why = happened(transaction, held["counted_at"])
        before = (levels_of(held) or Levels(at=now)).after(now)
        levels = before
        for event in events:
            levels = levels.told(event, now)
        moved = {signal.value: getattr(levels, signal.value) for signal in Signal}
        transaction.run(
            "mind/state_move_signals",
            space=memory.space,
            levels={**moved, "signals_at": levels.at},
            counted=max(now, held["counted_at"] or now) if counted else None,
        )
        return before, levels, why

    before, levels, why = memory.graph.transact(work)
    for signal in levels.spikes(before):
        take_note(
            memory,
            _automatic(signal, levels, why, now),
            importance=NOTE_IMPORTANCE,
            source_tag=Source.GUT.value,
        )
    return levels


def _automatic(signal: Signal, levels: Levels, why: str, now: datetime) -> str:
    level = getattr(levels, signal.value)
    return f"{AUTO} {signal.value} rose to {level:.2f}, over {SPIKE}, at {now:%Y-%m-%d %H:%M}: {single_line(why)}"
