"""The loop under faults: killed, cut off from its database, fed nonsense, talking twice at once. Nothing is lost."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import numpy as np
import psutil
import pytest

from engram.graph import Graph
from engram.llm import Message, Models
from engram.llm.structured import Parsed, parse
from engram.loop.agent import Agent
from engram.loop.escalation import Deliberation, triggers
from engram.loop.events import Delta, Event, Failed, Notice, Stored
from engram.loop.gate_judge import settle
from engram.loop.inputs import Entry
from engram.loop.journal import Journal
from engram.loop.responding import Asking, Responder, Response
from engram.loop.restart import is_alive
from engram.memory import Engram
from engram.testing import FixedClock, ScriptedModel
from engram.text import printable
from tests.conftest import Address
from tests.graph.loop_checks import broken, kept_turns, missed, said, twice
from tests.graph.loop_noise import FULL, LONG, Noise, babble, check_nonsense, talk_nonsense
from tests.graph.loop_talkers import Place, Talker, Told, models
from tests.protocol.cable import Cable

pytestmark = pytest.mark.graph

KILLS = 50
LINES = 30
"""Turns of the person that are acknowledged before it ends."""
TURN_SECONDS = 0.25
"""About as long as two turns."""
ANSWERS = 300
"""Of models that make no sense; `python -m tests.graph.loop_noise` runs the same with 2,000."""
STARTING = 0.25
"""Share of the kills that come while the program starts, and takes over what the last one left."""


def killed(place: Place, texts: list[str], generator: np.random.Generator) -> list[Told]:
    """Kill a process at some moment of its start or of the first turn or two; return what it told."""
    seed, moment = int(generator.integers(2**32)), float(generator.uniform(0.0, TURN_SECONDS))
    with Talker(place, texts, seed=seed) as talker:
        if generator.random() >= STARTING:
            assert talker.begun()
        time.sleep(moment)
        talker.kill()
        return talker.rest()


def test_nothing_acknowledged_is_lost_however_often_it_is_killed(
    memory: Engram, neo4j_address: Address
) -> None:
    """After SIGKILL at 50 moments each turn that was acknowledged is there once, decided, and the talk goes on."""
    place = Place.of(memory, neo4j_address, "killed")
    generator = np.random.default_rng(2027)
    told: list[Told] = []
    heard = 0
    for attempt in range(KILLS):
        # Whoever gets no acknowledgement says it again; the words tell the attempts apart.
        doubt = " and I doubt it" if attempt % 3 == 0 else ""
        texts = [f"Line {heard + n} comes at attempt {attempt}{doubt}" for n in range(9)]
        told += killed(place, texts, generator)
        heard = sum(each.role == "user" for each in told)
    with Talker(
        place, [f"Line {n} is one of the last" for n in range(heard, max(heard + 1, LINES))], seed=1
    ) as talker:
        told += (last := talker.rest())
        talker.process.join(30)
        assert talker.process.exitcode == 0
    assert last[-1].role == "assistant"
    kept = kept_turns(memory)
    assert not twice(kept)
    assert {each.key(place.session) for each in told} <= {each["id"] for each in kept}
    assert memory.graph.read("inspect/list_loop_runs", space=memory.space) == []
    assert broken(memory) == 0


def test_a_process_that_nobody_buried_is_over() -> None:
    """A run whose killed process is still in the process table, because its parent never asked, does not go on."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        child = psutil.Process(process.pid)
        row = {"host": socket.gethostname(), "pid": process.pid, "process_started_at": child.create_time()}
        now = datetime.now(UTC)
        assert is_alive(row, now=now)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert child.status() == psutil.STATUS_ZOMBIE
        assert not is_alive(row, now=now)


@contextmanager
def cabled(memory: Engram) -> Iterator[tuple[Engram, Cable]]:
    """Give the same memory over a connection that the test can cut and mend."""
    at = memory.settings
    password = at.neo4j_password.get_secret_value() if at.neo4j_password else ""
    with (
        Cable(at.neo4j_uri or "") as cable,
        Graph(cable.uri, at.neo4j_user, password, at.neo4j_database) as graph,
        Engram(graph, at, space=memory.space, embedder=memory.embedder, clock=memory.now) as far,
    ):
        yield far, cable


def test_a_database_that_goes_away_in_mid_turn_gets_all_of_it_later(
    memory: Engram, clock: FixedClock
) -> None:
    """What it misses is told as journaled, and is there in order and once when it is back."""
    lines = [
        "I live in Lisbon",
        "My cat is Mies",
        "The tram is late\u2028and it rains\x85really",
        "Here again",
    ]
    with cabled(memory) as (far, cable):
        chat = Agent(far, models("far"), session="tram", clock=clock, generator=np.random.default_rng(3))
        for number, line in enumerate(lines):
            clock.advance(timedelta(minutes=1))
            stored: list[Stored] = []
            for event in chat.say(line):
                if isinstance(event, Stored):
                    stored.append(event)
                if isinstance(event, Delta) and number == 1:
                    cable.cut()
                assert not isinstance(event, Failed) or event.doing == "recall"
            assert [each.journaled for each in stored] == [
                [False, False],
                [False, True],
                [True, True],
                [False, False],
            ][number]
            if number == 2:
                assert len(chat._hearing.journal) == 3
                cable.mend()
                chat.try_again()
        assert chat.finish() == 0
    kept = kept_turns(memory)
    assert [each["text"] for each in kept if each["speaker"] == "user"] == [printable(line) for line in lines]
    assert [each["speaker"] for each in kept] == ["user", "assistant"] * 4
    assert memory.graph.read("inspect/list_unanswered", space=memory.space, alive=[], limit=9) == []


def test_a_line_that_the_end_of_a_process_cut_off_spoils_no_other(memory: Engram, clock: FixedClock) -> None:
    """Half a line at the end of the journal never counted as kept; what stands before and after it is written."""
    journal = Journal(memory.settings, space=memory.space, database=memory.database_id)
    first, second, third = missed(3, clock.now)
    journal.append(first)
    whole = journal.file.read_bytes()
    journal.append(second)
    journal.file.write_bytes(journal.file.read_bytes()[: len(whole) + 40])
    journal.append(third)
    with Agent(memory, session="next", clock=clock):
        assert [text for _, text in said(memory)] == [first.text, third.text]
    assert not journal.file.exists()


def test_who_keeps_a_line_does_not_wait_for_who_writes_them(memory: Engram, clock: FixedClock) -> None:
    """While one process waits for the database with the journal, another keeps lines in it, and they stay."""
    first, second, third = missed(3, clock.now)
    one, other = (Journal(memory.settings, space=memory.space, database=memory.database_id) for _ in range(2))
    one.append(first)
    written: list[Entry] = []

    def write(entries: Sequence[Entry]) -> None:
        written.extend(entries)
        other.append(second)
        assert other.drain(written.extend) == 0

    assert one.drain(write) == 1
    one.append(third)
    assert written == [first]
    assert other.drain(written.extend) == 2
    assert written == [first, second, third]
    assert not one.file.exists()


def test_a_journal_that_cannot_be_read_keeps_nobody_from_being_heard(
    memory: Engram, clock: FixedClock
) -> None:
    """Where its file is broken, what is said goes into the graph all the same."""
    journal = Journal(memory.settings, space=memory.space, database=memory.database_id)
    journal.file.mkdir(parents=True)  # reading it is an error, whoever asks
    with Agent(memory, session="next", clock=clock) as agent:
        list(agent.say("I live in Lisbon"))
        journal.file.rmdir()
    assert said(memory) == [("user", "I live in Lisbon")]


def test_senseless_answers_change_nothing_that_they_should_not(memory: Engram, clock: FixedClock) -> None:
    """Whatever the models say, the loop goes on, no turn is lost or doubled, and nothing is half applied."""
    noise = Noise(77)
    figures = check_nonsense(memory, noise, talk_nonsense(memory, clock, noise, answers=ANSWERS))
    assert {"reply", "deliberate", "gate", "confidence"} <= figures.keys()


@pytest.mark.parametrize("place", range(len(LONG)))
def test_a_megabyte_is_only_a_long_answer(memory: Engram, clock: FixedClock, place: int) -> None:
    """As a reply it is shown and kept, and no memory of it is made; as anything else it is of no use."""
    text = LONG[place]
    chunks = [text[start : start + 65_536] for start in range(0, len(text), 65_536)]
    model = ScriptedModel(respond=lambda _: chunks)
    with Agent(
        memory, Models(system1=model, system2=model, quiet=model), session="long", clock=clock
    ) as agent:
        events = list(agent.say("Where did my cousin live, and what did I tell you about it? Be careful."))
    (notice,) = (event.text for event in events if isinstance(event, Notice) and "bytes" in event.text)
    assert "recall will not find them" in notice
    asked, answered = kept_turns(memory)
    assert (asked["speaker"], answered["speaker"]) == ("user", "assistant")
    assert answered["text"] == printable(text).strip()
    assert answered["memories"] == []


def responded(steps: Generator[Event, None, Response]) -> Response:
    """Return what a response came to."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            response: Response = done.value
            return response


def test_two_thousand_senseless_answers() -> None:
    """None of so many ends a response, and none brings a correction that System 2 did not say whole."""
    noise, draw = Noise(78), np.random.default_rng(78)
    model = ScriptedModel(respond=noise)
    responder = Responder(model, model, model, max_tokens=99)
    corrections = 0
    while len(model.asked) < FULL:
        before = len(noise.said)
        line = babble(len(model.asked), draw)
        asking = Asking(
            system="Be brief.",
            messages=(Message(role="user", text=line),),
            question=line,
            context="",
            fok=None,
            threshold=0.78,
            triggers=triggers(line),
        )
        response = responded(responder.respond(asking))
        assert response.failure is not None or printable(response.text).strip()
        read = [parse(text, Deliberation) for shape, text in noise.said[before:] if shape is Deliberation]
        whole = [outcome.value.correction for outcome in read if isinstance(outcome, Parsed)]
        assert response.correction is None or response.correction in whole
        corrections += response.correction is not None
        settle(model, [line], [(line, "My cousin lives elsewhere.")])
    assert corrections
