"""The scratch buffer in the graph: kept whole, decided once, swept when its time is over, erased with its memory."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from engram.costs import Ledger
from engram.errors import DatabaseError
from engram.graph import Transaction
from engram.llm.structured import ask
from engram.loop.inputs import Entry
from engram.loop.journal import Journal
from engram.loop.scratch import MOST, Overtaken, Scratch, Verdict
from engram.memory import Engram
from engram.records import Turn
from engram.testing import FixedClock, ScriptedModel
from tests.graph.beside import another
from tests.graph.talking import entry, lines, nodes, written

pytestmark = pytest.mark.graph

SWEEP: Any = resolve_name("engram.jobs.sweep:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")


def scratch(memory: Engram) -> Scratch:
    """Return the scratch buffer of the memory's space."""
    return Scratch(memory.graph, space=memory.space)


def keep(memory: Engram, *entries: Entry) -> int:
    """Keep entries as a run does that hears them, and return how many are new."""
    return scratch(memory).hear(entries, run="run", now=memory.now())


def verdict(said: Entry, *, action: str = "drop", buffered: bool = False) -> Verdict:
    """Return what the exit gate may decide about a line."""
    return Verdict(
        entry=said,
        action=action,
        reason="a reason",
        relevance=0.4,
        novelty="novel",
        similarity=0.1,
        buffered=buffered,
    )


def note(memory: Engram, *verdicts: Verdict) -> None:
    """Note verdicts in a transaction of their own."""
    memory.graph.transact(lambda each: scratch(memory).note(each, verdicts, now=memory.now()))


def waiting(memory: Engram, *, by: str = "run", alive: tuple[str, ...] = ()) -> list[str]:
    """Return the ids of what waits for the exit gate."""
    return [each.id for each in scratch(memory).buffered(run=by, alive=alive)[0]]


def test_an_entry_is_kept_with_its_raw_turn(memory: Engram, clock: FixedClock) -> None:
    """One statement leaves both, tied to each other and to the session, and the entry lives for 24 hours."""
    said = entry(
        f"{memory.space}1", clock.now, signals=("fact",), urgent=True, awaits=True, source_confidence=0.4
    )
    assert keep(memory, said) == 1
    (line,) = lines(memory)
    assert line["expires_at"] == clock.now + timedelta(hours=24)
    assert (line["state"], line["looked"], line["urgent"], line["awaits"]) == ("buffered", 0, True, True)
    assert (line["source_tag"], line["source_confidence"], line["signals"]) == (
        "external_user",
        0.4,
        ["fact"],
    )
    (turn,) = nodes(memory, "turns")
    assert (turn["text"], turn["speaker"], turn["at"], turn["source"]) == (
        said.text,
        "user",
        clock.now,
        "chat",
    )
    assert written(memory)["links"] == ["HEARD_AS", "PART_OF"]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40),
    confidence=st.floats(0, 1),
    urgent=st.booleans(),
    signals=st.lists(st.sampled_from(["fact", "remember"]), unique=True).map(tuple),
)
def test_what_is_read_is_what_was_heard(
    memory: Engram, clock: FixedClock, text: str, confidence: float, *, urgent: bool, signals: tuple[str, ...]
) -> None:
    """Whatever an entry holds, the exit gate sees it as it was."""
    said = entry(
        uuid4().hex,
        clock.advance(timedelta(seconds=1)),
        text=text,
        source_confidence=confidence,
        urgent=urgent,
        signals=signals,
    )
    keep(memory, said)
    assert scratch(memory).buffered(run="run", alive=())[0][-1] == said


def test_a_statement_that_fails_leaves_nothing(memory: Engram, clock: FixedClock) -> None:
    """Of entries of which one cannot be stored none is there: no entry, no turn, no session."""
    broken: Any = entry(
        f"{memory.space}2", clock.now + timedelta(seconds=1), source={"a": "map is no property"}
    )
    with pytest.raises(DatabaseError):
        keep(memory, entry(f"{memory.space}1", clock.now), broken)
    assert not any(written(memory).values())


def test_twice_heard_is_there_once(memory: Engram, clock: FixedClock) -> None:
    """A journal that is written twice, by several at once too, adds nothing and changes nothing."""
    said = [entry(f"{memory.space}{n}", clock.now + timedelta(seconds=n)) for n in range(5)]
    with ThreadPoolExecutor(4) as pool:
        heard = list(pool.map(lambda _: keep(memory, *said), range(4)))
    assert sum(heard) == 5
    before = written(memory)
    clock.advance(timedelta(hours=1))
    assert keep(memory, *[replace(each, run="another", awaits=True) for each in said]) == 0
    assert written(memory) == before
    assert before["links"] == ["HEARD_AS"] * 5 + ["PART_OF"] * 5


def test_a_session_spans_what_was_said_in_it(memory: Engram, clock: FixedClock) -> None:
    """Its beginning and end follow what is heard, in whatever order."""
    hour = timedelta(hours=1)
    keep(memory, entry(f"{memory.space}1", clock.now))
    keep(memory, entry(f"{memory.space}2", clock.now + hour), entry(f"{memory.space}0", clock.now - hour))
    (session,) = nodes(memory, "sessions")
    assert (session["started_at"], session["ended_at"]) == (clock.now - hour, clock.now + hour)


def test_a_reply_ends_the_waiting(memory: Engram, clock: FixedClock) -> None:
    """What is answered waits no longer, and both are tied; what was never answered is told, the newest first."""
    for n in range(3):
        keep(memory, entry(f"{memory.space}{n}", clock.now + timedelta(seconds=n), awaits=True))
    keep(memory, entry(f"{memory.space}r", clock.now + timedelta(minutes=1), answers=f"{memory.space}1"))
    told = scratch(memory).unanswered(alive=())
    assert [row["id"] for row in told] == [f"{memory.space}2", f"{memory.space}0"]
    assert [row["id"] for row in scratch(memory).unanswered(alive=(), limit=1)] == [f"{memory.space}2"]
    assert scratch(memory).unanswered(alive=["run"]) == []
    scratch(memory).settle(f"{memory.space}2")
    assert [row["id"] for row in scratch(memory).unanswered(alive=())] == [f"{memory.space}0"]


def test_the_answer_may_come_with_what_it_answers(memory: Engram, clock: FixedClock) -> None:
    """A journal holds both: written in one go, nothing is left unanswered."""
    asked, reply = f"{memory.space}q", f"{memory.space}a"
    keep(
        memory,
        entry(reply, clock.now + timedelta(seconds=1), answers=asked),
        entry(asked, clock.now, awaits=True),
    )
    assert scratch(memory).unanswered(alive=()) == []


def test_spaces_do_not_mix(memory: Engram, clock: FixedClock) -> None:
    """Nobody sees, settles, answers or decides the lines of another space."""
    other = another(memory, clock)
    theirs = entry(f"{other.space}1", clock.now, awaits=True)
    keep(other, theirs)
    keep(memory, entry(f"{memory.space}1", clock.now, answers=theirs.id))
    scratch(memory).settle(theirs.id)
    with pytest.raises(Overtaken):
        note(memory, verdict(theirs))
    assert waiting(memory) == [f"{memory.space}1"]
    assert waiting(other) == [theirs.id]
    assert [row["id"] for row in scratch(other).unanswered(alive=())] == [theirs.id]


def test_a_run_takes_what_it_heard_and_what_the_dead_left(memory: Engram, clock: FixedClock) -> None:
    """The oldest first; not what another run that goes on has heard, nor what the entry gate let pass by."""
    for place, name in enumerate(("dead", "run", "alive")):
        keep(memory, entry(f"{memory.space}-{name}", clock.now + timedelta(seconds=place), run=name))
    keep(memory, entry(f"{memory.space}-skipped", clock.now, skipped=True))
    assert waiting(memory, alive=("alive",)) == [f"{memory.space}-dead", f"{memory.space}-run"]
    assert waiting(memory, by="alive", alive=("run",)) == [f"{memory.space}-dead", f"{memory.space}-alive"]


def test_what_is_a_memory_already_is_known(memory: Engram, clock: FixedClock) -> None:
    """Somebody may have imported the same conversation before the exit gate came to it."""
    said = entry(f"{memory.space}1", clock.now)
    keep(memory, said, entry(f"{memory.space}2", clock.now + timedelta(seconds=1)))
    memory.remember_turns(
        [Turn(text=said.text, speaker=said.speaker, at=said.at, session=said.session, id=said.turn)]
    )
    (held,) = nodes(memory, "memories")
    assert scratch(memory).buffered(run="run", alive=())[1] == {said.id: held["id"]}


def test_no_more_are_decided_at_once_than_are_bearable(memory: Engram, clock: FixedClock) -> None:
    """Whatever a run has left, a flush takes the oldest ones first."""
    said = [entry(f"{memory.space}{n:03}", clock.now + timedelta(seconds=n)) for n in range(MOST + 3)]
    keep(memory, *reversed(said))
    assert waiting(memory) == [each.id for each in said[:MOST]]


def test_a_verdict_is_noted_once(memory: Engram, clock: FixedClock) -> None:
    """What is decided is not decided again; what is buffered waits on and was looked at once more."""
    first, second = entry(f"{memory.space}1", clock.now), entry(f"{memory.space}2", clock.now)
    keep(memory, first, second)
    note(memory, verdict(first), verdict(second, buffered=True))
    decided, buffered = lines(memory)
    assert (decided["state"], decided["looked"], decided["action"]) == ("decided", 1, "drop")
    assert (decided["reason"], decided["relevance"], decided["decided_at"]) == ("a reason", 0.4, clock.now)
    assert (buffered["state"], buffered["looked"]) == ("buffered", 1)
    assert waiting(memory) == [second.id]
    with pytest.raises(Overtaken):
        note(memory, verdict(first), verdict(second))
    assert waiting(memory) == [second.id]


def test_who_is_overtaken_leaves_nothing(memory: Engram, clock: FixedClock) -> None:
    """Whatever else was written in that transaction is undone with it."""
    first, second = entry(f"{memory.space}1", clock.now), entry(f"{memory.space}2", clock.now)
    keep(memory, first, second)
    note(memory, verdict(first))
    before = written(memory)

    def work(transaction: Transaction) -> None:
        transaction.run("write/settle_entry", space=memory.space, id=second.id)
        transaction.run("write/hear_entries", space=memory.space, rows=[], run="run", now=clock.now)
        scratch(memory).note(transaction, [verdict(second), verdict(first)], now=clock.now)

    with pytest.raises(Overtaken):
        memory.graph.transact(work)
    assert written(memory) == before


def test_many_decide_each_entry_once(memory: Engram, clock: FixedClock) -> None:
    """Of several that decide the same entries at the same time, one does, and the others hear of it."""
    said = [entry(f"{memory.space}{n}", clock.now) for n in range(4)]
    keep(memory, *said)

    def decide(_: int) -> bool:
        try:
            note(memory, *map(verdict, said))
        except Overtaken:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(decide, range(4))) == 1
    assert [line["looked"] for line in lines(memory)] == [1] * 4


def test_sweeping_takes_what_was_decided_a_day_ago(memory: Engram, clock: FixedClock) -> None:
    """Never what waits for the exit gate, never what waits for a reply within a month, and never a raw turn."""
    names = ("decided", "skipped", "buffered", "unanswered")
    said = {name: entry(f"{memory.space}-{name}", clock.now) for name in names}
    said["skipped"] = replace(said["skipped"], skipped=True)
    said["unanswered"] = replace(said["unanswered"], awaits=True)
    keep(memory, *said.values())
    note(memory, verdict(said["decided"]), verdict(said["unanswered"]))

    def left(after: timedelta) -> set[str]:
        clock.now += after
        run_job(SWEEP, memory.graph, space=memory.space, clock=clock)
        return {line["id"].rpartition("-")[2] for line in lines(memory)}

    assert left(timedelta(hours=23, minutes=59)) == set(names)
    assert left(timedelta(minutes=1)) == {"buffered", "unanswered"}
    assert left(timedelta(days=30)) == {"buffered"}
    assert len(nodes(memory, "turns")) == 4
    (counter,) = [each for each in nodes(memory, "counters") if each["kind"] == "ScratchEntry"]
    assert (counter["count"], counter["kept"]) == (3, 0)


SECRET = "The safe opens with 4711"


class Shape(BaseModel):
    """An answer of a shape."""

    name: str


def test_erasing_takes_every_trace_of_the_words(memory: Engram, clock: FixedClock) -> None:
    """Its entries, its raw turn, where it was said again, what a model made of it, and lines of the journal."""
    said = entry(f"{memory.space}1", clock.now, text=SECRET)
    again = entry(f"{memory.space}2", clock.now, text=f"Remember: {SECRET.upper()}!", speaker="assistant")
    other = entry(f"{memory.space}3", clock.now, text="The cat sleeps")
    keep(memory, said, again, other)
    memory.remember_turns([Turn(text=SECRET, speaker="user", at=said.at, session="evening", id=said.turn)])
    journal = Journal(memory.settings, space=memory.space, database=memory.database_id)
    for each in (said, other):
        journal.append(each)
    ledger = Ledger(memory.graph, space=memory.space, clock=clock, prices={})
    for answer in (f"I think {SECRET.lower()}.", "I think the cat sleeps."):
        ask(ledger.model(ScriptedModel(answer), purpose="gate"), "s", "t", Shape, max_tokens=9)
    ledger.close()
    held = {each["raw"] for each in nodes(memory, "calls")}
    assert held == {f"I think {SECRET.lower()}.", "I think the cat sleeps."}

    memory.forget(memory.recall(SECRET, 1, read_only=True)[0].memory.id, erase=True)

    assert [line["id"] for line in lines(memory)] == [other.id]
    assert [turn["text"] for turn in nodes(memory, "turns")] == [other.text]
    assert [each.get("raw") for each in nodes(memory, "calls") if each.get("raw")] == [
        "I think the cat sleeps."
    ]
    assert SECRET.lower() not in journal.file.read_text(encoding="utf-8").lower()
    assert len(journal) == 1
    assert "4711" not in str(written(memory))
