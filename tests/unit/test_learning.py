"""What a recall teaches, and what becomes of it while no database answers."""

import hashlib
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.graph import Graph
from engram.learning import (
    PAIRED,
    WAITING,
    Learner,
    Lesson,
    Lessons,
    Use,
    lost_lessons,
    new_recall_id,
)
from engram.tuning import Tuning
from engram.validation import text_tombstone

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NOBODY = "bolt://127.0.0.1:1"
"""Where nobody listens."""
PATIENCE = 60.0
"""Seconds until a test gives up on a thread; none takes nearly as long."""


def use(memory_id: str, rank: int = 1) -> Use:
    """Return a hit that was used."""
    return Use(
        id=memory_id,
        rank=rank,
        score=0.5,
        activation=0.0,
        terms={"semantic": 0.5},
        lift=[0.1, 0.0, 0.0, 0.0, -0.1],
    )


def lesson(*used: str, missed: tuple[str, ...] = (), query: str = "where is the key?") -> Lesson:
    """Return what a recall teaches that returned these memories, best first."""
    return Lesson(
        id="r1",
        query=query,
        mode="search",
        k=10,
        hops=1,
        session="s1",
        active=(),
        partial=False,
        at=NOON,
        used=tuple(use(memory_id, rank) for rank, memory_id in enumerate(used, start=1)),
        missed=missed,
    )


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    """Give the file for lost lessons, in a folder that is not there yet."""
    return tmp_path / "data" / "lost-lessons.jsonl"


@pytest.fixture
def unreachable() -> Iterator[Graph]:
    """Give a connection that is tried for some seconds and never made."""
    with Graph(NOBODY, "neo4j", "secret", "neo4j") as graph:
        yield graph


@pytest.fixture
def closed() -> Graph:
    """Give a connection that is closed already, so that each write fails at once."""
    graph = Graph(NOBODY, "neo4j", "secret", "neo4j")
    graph.close()
    return graph


@pytest.fixture
def learner(closed: Graph, lost: Path) -> Iterator[Learner]:
    """Give a learner that loses whatever it is told."""
    opened = Learner(closed, space="test", lost=lost, tuned=Tuning)
    yield opened
    opened.close()


# Lessons


def test_a_lesson_says_who_was_used_and_who_was_not() -> None:
    """The statement gets each id once and sorted to lock them by, the hits as ranked, and the near misses."""
    parameters = lesson("b", "a", missed=("d", "c")).parameters("home", Tuning())
    assert parameters["space"] == "home"
    assert parameters["ids"] == ["a", "b", "c", "d"]
    assert [(hit["id"], hit["rank"]) for hit in parameters["hits"]] == [("b", 1), ("a", 2)]
    assert parameters["hits"][0] == {
        "id": "b",
        "rank": 1,
        "score": 0.5,
        "activation": 0.0,
        "terms": {"semantic": 0.5},
        "lift": [0.1, 0.0, 0.0, 0.0, -0.1],
    }
    assert parameters["missed"] == ["c", "d"]
    assert parameters["now"] == NOON


def test_a_lesson_carries_its_recall() -> None:
    """Question, hash of the question in UTF-8, mode, width, hops and session are recorded under its id."""
    assert lesson("a", query="où?").parameters("home", Tuning())["recall"] == {
        "id": "r1",
        "query": "où?",
        "query_hash": hashlib.sha256("où?".encode()).hexdigest(),
        "text_hash": text_tombstone("où?"),
        "active": [],
        "partial": False,
        "mode": "search",
        "k": 10,
        "hops": 1,
        "session": "s1",
    }


def test_a_lesson_carries_what_the_statement_reckons_with() -> None:
    """The space's numbers: what a use adds, and the bars of promotion, which rise from tier to tier."""
    tuning = Tuning({"boost.access": 2.0, "coactivate.half": 7.0, "session.idle_minutes": 5})
    parameters = lesson("a").parameters("home", tuning)
    assert parameters["access"]["energy"] == 2.0
    assert parameters["edge"] == {"half": 7.0, "decay": tuning.edge_decay}
    assert parameters["idle_minutes"] == 5
    bars = parameters["energy"]["bars"]
    assert 0.0 < bars["working"] < bars["shortTerm"]
    assert set(bars) < set(parameters["energy"]["rates"])


@given(st.lists(st.text("abcdef", min_size=1, max_size=4), unique=True, max_size=12))
def test_the_best_hits_are_paired_each_with_each_once(used: list[str]) -> None:
    """Of the first eight, in whatever order: each pair once, its lower id first, and the pairs sorted."""
    pairs = lesson(*used).parameters("home", Tuning())["pairs"]
    best = used[:PAIRED]
    assert len(pairs) == len(best) * (len(best) - 1) // 2
    assert all(one < other for one, other in pairs)
    assert {each for pair in pairs for each in pair} == (set(best) if len(best) > 1 else set())
    assert pairs == sorted(pairs)
    assert lesson(*reversed(best)).parameters("home", Tuning())["pairs"] == pairs


def test_nothing_used_teaches_only_what_was_not() -> None:
    """Without hits there are no pairs, and the near misses alone are touched."""
    parameters = lesson(missed=("b", "a")).parameters("home", Tuning())
    assert (parameters["hits"], parameters["pairs"]) == ([], [])
    assert parameters["ids"] == parameters["missed"] == ["a", "b"]


def test_each_recall_has_an_id_of_its_own() -> None:
    """A hundred of them differ, and each is 32 hexadecimal digits."""
    made = {new_recall_id() for _ in range(100)}
    assert len(made) == 100
    assert all(len(each) == 32 and int(each, 16) >= 0 for each in made)


# Lost lessons


def test_what_cannot_be_written_is_counted(learner: Learner, lost: Path) -> None:
    """Each lost lesson counts in this process and in the file, with the reason; nothing waits any longer."""
    for _ in range(3):
        learner.learn(lesson("a"))
    assert learner.flush(PATIENCE)
    state = learner.state
    assert (state.written, state.waiting, state.dropped) == (0, 0, 3)
    assert state.reason is not None
    assert NOBODY in state.reason
    assert lost_lessons(lost) == (3, state.reason)


def test_a_server_that_is_away_costs_the_lesson_and_nothing_else(unreachable: Graph, lost: Path) -> None:
    """Telling it raises nothing; after the driver's own attempts the lesson is lost, and the reason is told."""
    learner = Learner(unreachable, space="test", lost=lost, tuned=Tuning)
    learner.learn(lesson("a"))
    assert not learner.flush(0.0)
    assert learner.state == Lessons(written=0, waiting=1, dropped=0, reason=None)
    assert learner.flush(PATIENCE)
    learner.close()
    assert learner.state.dropped == 1
    count, reason = lost_lessons(lost)
    assert count == 1
    assert reason is not None
    assert "does not answer" in reason


def test_what_a_full_queue_cannot_take_is_lost(unreachable: Graph, lost: Path) -> None:
    """A thousand may wait, one is being written; one more is lost at once, and says how many were before it."""
    learner = Learner(unreachable, space="test", lost=lost, tuned=Tuning)
    for _ in range(WAITING + 2):
        learner.learn(lesson("a"))
    overflow = learner.state.dropped
    assert 1 <= overflow <= 2
    assert lost_lessons(lost) == (overflow, "1,000 recalls were waiting already")
    unreachable.close()
    assert learner.flush(PATIENCE)
    learner.close()
    assert (learner.state.waiting, learner.state.dropped) == (0, WAITING + 2)


def test_a_file_that_cannot_be_written_hides_no_loss(closed: Graph, tmp_path: Path) -> None:
    """With a file where its folder should be, losses still count in this process."""
    (tmp_path / "data").write_text("in the way", encoding="utf-8")
    learner = Learner(closed, space="test", lost=tmp_path / "data" / "lost-lessons.jsonl", tuned=Tuning)
    learner.learn(lesson("a"))
    assert learner.flush(PATIENCE)
    learner.close()
    assert learner.state.dropped == 1
    assert (tmp_path / "data").read_text(encoding="utf-8") == "in the way"


def test_losses_of_several_add_up(closed: Graph, lost: Path) -> None:
    """Learners that share a file append to it, threads of one learner too."""
    learners = [Learner(closed, space="test", lost=lost, tuned=Tuning) for _ in range(3)]
    tellers = [
        threading.Thread(target=lambda told=each: [told.learn(lesson("a")) for _ in range(20)])
        for each in learners * 2
    ]
    for teller in tellers:
        teller.start()
    for teller in tellers:
        teller.join()
    for each in learners:
        each.close()
    assert [each.state.dropped for each in learners] == [40] * 3
    assert lost_lessons(lost)[0] == 120


# Closing


def test_nothing_told_starts_no_thread(learner: Learner, lost: Path) -> None:
    """A learner that is never used is flushed and closed at once, and leaves no file."""
    before = threading.active_count()
    assert learner.flush(0.0)
    learner.close()
    assert threading.active_count() == before
    assert learner.state == Lessons(written=0, waiting=0, dropped=0, reason=None)
    assert not lost.exists()


def test_closing_waits_for_what_was_told_and_ends_the_thread(learner: Learner) -> None:
    """Afterwards nothing waits and nobody writes; closing again changes nothing."""
    before = set(threading.enumerate())
    for _ in range(5):
        learner.learn(lesson("a"))
    learner.close()
    learner.close()
    assert (learner.state.waiting, learner.state.dropped) == (0, 5)
    assert set(threading.enumerate()) <= before


def test_after_closing_nothing_is_learned(learner: Learner, lost: Path) -> None:
    """A lesson told then is lost and counted, and starts no thread, whether one had been started or not."""
    learner.close()
    before = threading.active_count()
    learner.learn(lesson("a"))
    assert threading.active_count() == before
    assert learner.flush(0.0)
    assert lost_lessons(lost) == (1, "the memory is closed")


# The file


def test_no_file_is_no_loss(tmp_path: Path) -> None:
    """A file that is missing, empty or a folder counts none."""
    (tmp_path / "empty").touch()
    assert lost_lessons(tmp_path / "missing") == (0, None)
    assert lost_lessons(tmp_path / "empty") == (0, None)
    assert lost_lessons(tmp_path) == (0, None)


def test_the_last_reason_is_told(tmp_path: Path) -> None:
    """Counts add up over the lines; the reason is the last line's."""
    file = tmp_path / "lost"
    file.write_text('{"count": 2, "reason": "away"}\n{"count": 40, "reason": "zu spät"}\n', encoding="utf-8")
    assert lost_lessons(file) == (42, "zu spät")


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "\x00\x00",
        '{"count": 1, "rea',
        "5",
        '"text"',
        "null",
        "[1]",
        "{}",
        '{"count": 1}',
        '{"reason": "x"}',
        '{"count": "many", "reason": "x"}',
        '{"count": null, "reason": "x"}',
        '{"count": NaN, "reason": "x"}',
    ],
)
def test_a_damaged_line_is_passed_over(tmp_path: Path, damage: str) -> None:
    """The lines before and after it count all the same, and it leaves no reason of its own."""
    file = tmp_path / "lost"
    whole = '{"count": 1, "reason": "away"}\n'
    file.write_text(f"{whole}{damage}\n", encoding="utf-8")
    assert lost_lessons(file) == (1, "away")
    file.write_text(f"{damage}\n{whole}{damage}\n{whole}", encoding="utf-8")
    assert lost_lessons(file) == (2, "away")


@pytest.mark.parametrize("damage", [b"\xff\xfe\n", b'{"count": 1e999, "reason": "x"}\n', b"[" * 200_000])
def test_a_damaged_count_is_passed_over(tmp_path: Path, damage: bytes) -> None:
    """Whatever else stands in the file, the lines that count still do."""
    file = tmp_path / "lost.jsonl"
    file.write_bytes(b'{"count": 2, "reason": "away"}\n' + damage)
    assert lost_lessons(file) == (2, "away")


def test_what_is_about_to_be_erased_leaves_the_questions_that_wait(closed: Graph, lost: Path) -> None:
    """A lesson that waits behind others keeps what it teaches and forgets a question that holds the words."""
    learner = Learner(closed, space="test", lost=lost, tuned=Tuning)
    with learner._writing:  # as if the database were slow
        for query in ("first in line", "The doctor says SO", "harmless"):
            learner.learn(lesson("a", query=query))
        while learner._queue.qsize() > 2:
            time.sleep(0.01)
        with learner._queue.mutex:
            assert len(learner._queue.queue) == 2
        scrubber = threading.Thread(target=learner.forget, args=(lambda query: "doctor" in query,))
        scrubber.start()
        time.sleep(0.05)
        with learner._queue.mutex:
            waiting = [each.query for each in learner._queue.queue if each is not None]
        assert waiting == [None, "harmless"]
    scrubber.join()
    learner.close()
