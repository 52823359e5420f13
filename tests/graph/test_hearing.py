"""Hearing: whatever comes in is durable when it is heard, in the graph or in the journal."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from engram.errors import DatabaseError, DatabaseUnavailableError, InvalidInputError
from engram.loop import hearing
from engram.loop.entry_gate import EntryGate
from engram.loop.hearing import Heard, Hearing
from engram.loop.inputs import Entry
from engram.loop.journal import Journal
from engram.loop.scratch import Scratch
from engram.memory import Engram
from engram.testing import FixedClock
from engram.tuning import Tuning
from tests.graph.talking import lines, nodes

pytestmark = pytest.mark.graph


class Breaking(Scratch):
    """A scratch buffer whose database can be taken away, or refuse what it is given."""

    error: DatabaseError | None = None

    def hear(self, entries: Sequence[Entry], **more: Any) -> int:
        """Keep entries, or fail."""
        if self.error is not None:
            raise self.error
        return super().hear(entries, **more)

    def settle(self, entry_id: str) -> None:
        """Let an entry wait no more, or fail."""
        if self.error is not None:
            raise self.error
        super().settle(entry_id)


AWAY = DatabaseUnavailableError("away")


def ear(
    memory: Engram, clock: FixedClock, *, run: str = "run", skip: float = 0.0
) -> tuple[Hearing, Breaking]:
    """Return the hearing of a run, and its scratch buffer."""
    scratch = Breaking(memory.graph, space=memory.space)
    numbers = {**Tuning(), "gate.skip_short": skip, "gate.skip_mechanical": skip}
    heard = Hearing(
        scratch,
        Journal(memory.settings, space=memory.space, database=memory.database_id),
        EntryGate(np.random.default_rng(1), lambda: numbers),
        session="evening",
        run=run,
        clock=clock,
        limit=memory.settings.max_content_bytes,
    )
    return heard, scratch


def hear(hearing: Hearing, text: str, **more: Any) -> Heard:
    """Hear a person say something."""
    return hearing.hear(text, **{"speaker": "user", "source_tag": "external_user", "source": "chat"} | more)


def test_what_is_heard_is_there_when_it_returns(memory: Engram, clock: FixedClock) -> None:
    """With its tag and confidence, its signals, and a name that no other turn of the session has."""
    ours, _ = ear(memory, clock)
    heard = hear(ours, "I just remembered the boat", source_tag="internal_dmn", confidence=0.4)
    assert (heard.kept, heard.journaled, heard.error) == (True, False, None)
    hear(ours, "Remember that my name is Ada")
    first, second = lines(memory)
    assert (first["source_tag"], first["source_confidence"]) == ("internal_dmn", 0.4)
    assert [line["turn"] for line in (first, second)] == ["run-0001", "run-0002"]
    assert (first["urgent"], second["urgent"]) == (False, True)
    assert {"remember", "fact"} <= set(second["signals"])


def test_what_was_heard_has_an_order(memory: Engram, clock: FixedClock) -> None:
    """However coarse the clock is, or when it goes back, what comes later is later."""
    ours, _ = ear(memory, clock)
    for number in range(3):
        hear(ours, f"Line number {number}")
    clock.now -= timedelta(hours=1)
    hear(ours, "Line number 3")
    assert [line["text"][-1] for line in lines(memory)] == list("0123")
    assert len({line["at"] for line in lines(memory)}) == 4


@pytest.mark.parametrize("text", ["", "  \n", "\u200b", "word " * 220_000, "a\x00b", "a\ud800b"])
def test_what_cannot_be_kept_is_refused_whole(memory: Engram, clock: FixedClock, text: str) -> None:
    """Blank, too long, or with characters that no text has: an error, and no trace here or there."""
    ours, _ = ear(memory, clock)
    with pytest.raises(InvalidInputError):
        hear(ours, text)
    assert lines(memory) == nodes(memory, "turns") == []
    assert len(ours.journal) == 0


def test_what_the_entry_gate_lets_pass_by_keeps_its_raw_turn(memory: Engram, clock: FixedClock) -> None:
    """It is kept as it was said, and waits for nothing."""
    ours, scratch = ear(memory, clock, skip=1.0)
    hear(ours, "ok")
    assert [turn["text"] for turn in nodes(memory, "turns")] == ["ok"]
    assert [line["state"] for line in lines(memory)] == ["skipped"]
    assert scratch.buffered(run="run", alive=())[0] == []


def test_while_the_database_is_away_the_journal_hears(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is on the disk, nobody waits for the database again for a while, and it is written once that is back."""
    monkeypatch.setattr(hearing, "AWAY_SECONDS", 3_600.0)
    ours, scratch = ear(memory, clock)
    scratch.error = AWAY
    heard = hear(ours, "My cat is called Mies")
    assert (heard.kept, heard.journaled, heard.error) == (True, True, AWAY)
    scratch.error = None
    assert hear(ours, "She sleeps all day").journaled
    assert len(ours.journal) == 2
    assert lines(memory) == []
    ours.try_again()
    assert not hear(ours, "She eats fish").journaled
    assert [line["text"] for line in lines(memory)] == [
        "My cat is called Mies",
        "She sleeps all day",
        "She eats fish",
    ]
    assert len(ours.journal) == 0


def test_whoever_writes_the_journal_decides_it(memory: Engram, clock: FixedClock) -> None:
    """The run that heard it may be over and could not say so: its lines are the writer's own."""
    ours, scratch = ear(memory, clock, run="dead")
    scratch.error = AWAY
    hear(ours, "My cat is called Mies")
    theirs, other = ear(memory, clock, run="next")
    assert theirs.catch_up() == 1
    assert theirs.catch_up() == 0
    assert [entry.run for entry in other.buffered(run="next", alive=["dead"])[0]] == ["next"]


def test_an_answer_without_a_connection_is_no_lost_thread(memory: Engram, clock: FixedClock) -> None:
    """A message that the graph has, answered while it is away, waits for nothing once the journal is written."""
    ours, scratch = ear(memory, clock)
    asked = hear(ours, "What is my cat called?", awaits=True)
    scratch.error = AWAY
    hear(ours, "Mies", speaker="assistant", answers=asked.entry.id)
    scratch.error = None
    ours.try_again()
    ours.catch_up()
    assert scratch.unanswered(alive=()) == []


def test_what_is_settled_while_the_database_is_away_stays_settled(memory: Engram, clock: FixedClock) -> None:
    """A message in the journal that the person knows not to be answered is not brought up again."""
    ours, scratch = ear(memory, clock)
    scratch.error = AWAY
    asked = hear(ours, "What is my cat called?", awaits=True)
    ours.settle(asked.entry.id)
    scratch.error = None
    ours.try_again()
    ours.catch_up()
    assert len(lines(memory)) == 1
    assert scratch.unanswered(alive=()) == []


def test_a_database_that_refuses_loses_nothing(memory: Engram, clock: FixedClock) -> None:
    """Whatever it has against what it is given, that is in the journal, and the next message is tried again."""
    ours, scratch = ear(memory, clock)
    scratch.error = DatabaseError("it is read-only")
    assert hear(ours, "My cat is called Mies").journaled
    scratch.error = None
    assert not hear(ours, "She sleeps all day").journaled
    assert len(lines(memory)) == 2


def test_nowhere_to_keep_it_is_told(memory: Engram, clock: FixedClock) -> None:
    """With neither database nor disk it is not kept, and says so, with the database's reason."""
    ours, scratch = ear(memory, clock)
    memory.settings.data_dir.mkdir(parents=True)
    ours.journal.file.parent.write_text("a file where the folder should be", encoding="utf-8")
    scratch.error = AWAY
    heard = hear(ours, "My cat is called Mies")
    assert (heard.kept, heard.journaled, heard.error) == (False, False, AWAY)


def test_a_journal_that_cannot_be_read_keeps_nobody_from_being_heard(
    memory: Engram, clock: FixedClock
) -> None:
    """What is said goes into the graph; the journal waits."""
    ours, _ = ear(memory, clock)
    ours.journal.file.mkdir(parents=True)
    assert hear(ours, "My cat is called Mies").kept
    assert len(lines(memory)) == 1
