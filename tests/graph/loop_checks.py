"""What must be so of everything that the loop heard, whatever went wrong."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pkgutil import resolve_name
from typing import Any
from uuid import uuid4

from engram.graph import Row
from engram.loop.inputs import Entry, Source
from engram.memory import Engram
from tests.graph.beside import run

JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")


def kept_turns(memory: Engram) -> list[Row]:
    """Return the space's raw turns in order; each stands once in the scratch buffer, decided, as one memory at most."""
    kept = run(memory, "loop_read_turns")
    assert {len(each["entries"]) for each in kept} == {1}
    assert {entry["state"] for each in kept for entry in each["entries"]} <= {"decided", "skipped"}
    assert {len(each["memories"]) for each in kept} <= {0, 1}
    assert max(Counter(entry["id"] for each in kept for entry in each["entries"]).values()) == 1
    return kept


def twice(kept: list[Row]) -> list[str]:
    """Return what was said more than once."""
    return [text for text, times in Counter(each["text"] for each in kept).items() if times > 1]


def said(memory: Engram) -> list[tuple[str, str]]:
    """Return speaker and text of everything said, in the order of its time."""
    return [(each["speaker"], each["text"]) for each in run(memory, "loop_read_turns")]


def broken(memory: Engram) -> int:
    """Return how many things the health check finds wrong with the space."""
    count: int = run_job(JOBS["health"], memory.graph, space=memory.space, clock=memory.graph.now).broken
    return count


def missed(count: int, at: datetime) -> list[Entry]:
    """Return lines that were heard while the database was away."""
    return [
        Entry(
            id=uuid4().hex,
            session="away",
            run="over",
            speaker="user",
            text=f"While you were away the {number}th parcel came",
            at=at + timedelta(seconds=number),
            source_tag=Source.USER.value,
            source="chat",
            turn=f"over-{number:04d}",
        )
        for number in range(count)
    ]
