"""Episodes in boxes and boxes in traces, against a real Neo4j."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.memory import Engram
from engram.records import Turn
from engram.testing import FixedClock
from tests.graph.beside import another, everything

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.boxes:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
MINUTE = timedelta(minutes=1)
TEA = "The green tea from the tea shop tastes of fresh green tea leaves"
TAX = "Quarterly invoices: accountant wants receipts by noon"


def box(memory: Engram, clock: FixedClock, **options: Any) -> Any:
    """Run the job over the memory's space."""
    return run_job(JOB, memory.graph, space=memory.space, clock=clock, **options)


def say(memory: Engram, clock: FixedClock, session: str, *texts: str, first: int = 0) -> None:
    """Store what was said, a minute apart."""
    memory.remember_turns(
        Turn(text=text, speaker="Ida", session=session, at=clock.advance(MINUTE), id=f"{first + place}")
        for place, text in enumerate(texts)
    )


def boxes(memory: Engram) -> list[dict[str, Any]]:
    """Return the space's boxes, each with what is in it and its trace, by their beginning."""
    nodes, relationships = everything(memory)
    contents = {each["id"]: each["properties"].get("content") for each in nodes}
    found = [each["properties"] for each in nodes if "MemoryBox" in each["labels"]]
    for each in found:
        members = sorted(
            (r["properties"]["place"], contents[r["start"]])
            for r in relationships
            if r["type"] == "IN_BOX" and r["end"] == each["id"]
        )
        each["places"] = [place for place, _ in members]
        each["contents"] = [content for _, content in members]
        each["traces"] = [
            r["end"] for r in relationships if r["type"] == "IN_TRACE" and r["start"] == each["id"]
        ]
    return sorted(found, key=lambda each: (each["session"], each["started_at"], each["id"]))


def test_a_gap_and_a_change_of_subject_close_a_box(memory: Engram, clock: FixedClock) -> None:
    """What followed closely on one subject is one box; a change of subject or half an hour begins another."""
    memory.tune("boxes.overlap", 0.6)
    say(memory, clock, "talk", TEA, TEA + "!", TAX, TAX + "!", TAX + "?")
    clock.advance(45 * MINUTE)
    say(memory, clock, "talk", TAX + " again", first=5)
    end = clock.now
    clock.advance(10 * MINUTE)
    box(memory, clock)
    one, two, three = boxes(memory)
    assert (len(one["contents"]), one["sealed_why"]) == (2, "topic shift")
    assert (len(two["contents"]), two["sealed_why"]) == (3, "time gap")
    assert two["sealed_at"] == two["ended_at"] + 30 * MINUTE
    assert (three["contents"], three.get("sealed_at"), three["due"]) == ([TAX + " again"], None, "seal")
    assert one["topics"]
    assert three["ended_at"] == end


def test_boxing_in_parts_comes_to_the_same(memory: Engram, clock: FixedClock) -> None:
    """Told and boxed bit by bit, or all at once, a conversation is in the same boxes."""
    texts = [TEA if n % 7 < 4 else TAX for n in range(12)]
    bit_by_bit = another(memory, clock)
    begun = clock.now
    for each in (memory, bit_by_bit):
        clock.now = begun
        each.tune("boxes.memories", 5)
        for place, text in enumerate(texts):
            say(each, clock, "talk", f"{text} {place}", first=place)
            if each is bit_by_bit:
                box(each, clock)
        box(each, clock)
    shapes = [
        [(found["contents"], found["places"], found.get("sealed_at")) for found in boxes(each)]
        for each in (memory, bit_by_bit)
    ]
    assert shapes[0] == shapes[1]
    assert sum(len(contents) for contents, _, _ in shapes[0]) == 12


def test_boxes_that_come_back_to_a_subject_make_a_trace(memory: Engram, clock: FixedClock) -> None:
    """Two boxes on one subject, days apart, are in one trace; one on another subject or long after is not."""
    for day, (session, text) in enumerate((("a", TEA), ("b", TAX), ("c", TEA))):
        say(memory, clock, session, text, text + "!", first=day)
        clock.advance(timedelta(days=2))
    box(memory, clock)
    clock.advance(timedelta(days=60))
    say(memory, clock, "d", TEA, TEA + "!")
    clock.advance(timedelta(days=1))
    assert box(memory, clock).changed > 0
    tea, tax, again, late = (each["traces"] for each in boxes(memory))
    assert tea == again
    assert len({*tea, *tax, *late}) == 3


def test_what_belongs_to_no_conversation_is_boxed_too(memory: Engram, clock: FixedClock) -> None:
    """Episodes without a session make boxes of their own; other kinds of memories go into none."""
    memory.remember("We went out for tea", kind="episodic")
    memory.remember("Ada drinks tea")
    clock.advance(timedelta(hours=2))
    assert box(memory, clock).changed > 0
    (found,) = boxes(memory)
    assert (found["session"], found["contents"]) == ("", ["We went out for tea"])


@settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(gaps=st.lists(st.integers(0, 40), min_size=1, max_size=8), runs=st.integers(0, 255))
def test_every_episode_is_in_one_box(memory: Engram, clock: FixedClock, gaps: list[int], runs: int) -> None:
    """However often the job runs, each episode is in exactly one box, in order; run again, nothing changes."""
    memory = another(memory, clock)
    for place, gap in enumerate(gaps):
        clock.advance(gap * MINUTE)
        say(memory, clock, "talk", f"{TEA} {place}", first=place)
        if runs >> place & 1:
            box(memory, clock)
    box(memory, clock)
    found = boxes(memory)
    assert [text for each in found for text in each["contents"]] == [f"{TEA} {n}" for n in range(len(gaps))]
    assert all(each["size"] == len(each["contents"]) for each in found)
    before = everything(memory)
    assert box(memory, clock).changed == 0
    assert everything(memory) == before


def test_many_workers_box_each_episode_once(memory: Engram, clock: FixedClock) -> None:
    """Three runs at once leave what one leaves; who came too late says so."""
    for session in "abc":
        say(memory, clock, session, *(f"{TEA} {n}" for n in range(5)))
    clock.advance(timedelta(days=1))
    with ThreadPoolExecutor(3) as pool:
        runs = [each.result() for each in [pool.submit(box, memory, clock) for _ in range(3)]]
    box(memory, clock)
    assert any(each.changed for each in runs)
    found = boxes(memory)
    assert sum(len(each["contents"]) for each in found) == 15
    assert all(len(each["traces"]) == 1 for each in found)


def test_other_spaces_and_dry_runs(memory: Engram, clock: FixedClock) -> None:
    """A dry run counts and leaves nothing; a run leaves another space as it is."""
    other = another(memory, clock)
    for each in (memory, other):
        say(each, clock, "talk", TEA, TEA + "!")
    clock.advance(timedelta(days=1))
    mine, theirs = everything(memory), everything(other)
    assert box(memory, clock, dry_run=True).changed > 0
    assert everything(memory) == mine
    box(memory, clock)
    assert everything(other) == theirs


def test_erasing_leaves_nothing_of_the_words(memory: Engram, clock: FixedClock) -> None:
    """What is erased is gone from its box and its trace: their words and centroids may show it."""
    say(memory, clock, "talk", TEA, TAX)
    clock.advance(timedelta(days=1))
    box(memory, clock)
    erased = memory.recall(TEA, 1)[0].memory.id
    memory.forget(erased, erase=True)
    nodes, _ = everything(memory)
    held = [each["properties"] for each in nodes if {"MemoryBox", "Trace"} & {*each["labels"]}]
    emptied = [each for each in held if each.get("topics") is None]
    assert emptied
    assert all("centroid" not in each for each in emptied)
    assert sum(each["size"] for each in boxes(memory)) == 1
    box(memory, clock)
