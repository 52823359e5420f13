"""The loop under faults: killed, cut off from its database, fed nonsense, talking twice at once. Nothing is lost."""

import time
from collections import Counter
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest

from engram.graph import Row
from engram.memory import Engram
from engram.remembering import turn_key
from tests.conftest import Address
from tests.graph.beside import run
from tests.graph.loop_talkers import Place, Talker, Told

pytestmark = pytest.mark.graph

JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

KILLS = 50
LINES = 30
"""Turns of the person that are acknowledged before it ends."""
TURN_SECONDS = 0.12
STARTING = 0.25
"""Share of the kills that come while the program starts, and takes over what the last one left."""


def place_of(memory: Engram, address: Address, session: str) -> Place:
    """Return where other processes find the memory."""
    return Place(
        uri=address.uri,
        user=address.user,
        password=address.password,
        database=address.database,
        folder=memory.settings.data_dir,
        space=memory.space,
        session=session,
    )


def key(session: str, told: Told) -> str:
    """Return the id of a turn's node."""
    return turn_key(session, told.turn, told.role, told.text)


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
    place = place_of(memory, neo4j_address, "killed")
    generator = np.random.default_rng(2027)
    told: list[Told] = []
    said = 0
    for attempt in range(KILLS):
        # Whoever gets no acknowledgement says it again; the words tell the attempts apart.
        doubt = " and I doubt it" if attempt % 3 == 0 else ""
        texts = [f"Line {said + n} comes at attempt {attempt}{doubt}" for n in range(9)]
        told += killed(place, texts, generator)
        said = sum(each.role == "user" for each in told)
    with Talker(
        place, [f"Line {n} is one of the last" for n in range(said, max(said + 1, LINES))], seed=1
    ) as talker:
        told += (last := talker.rest())
        talker.process.join(30)
        assert talker.process.exitcode == 0
    assert last[-1].role == "assistant"
    kept = run(memory, "loop_read_turns")
    check_kept(kept)
    assert {key(place.session, each) for each in told} <= {each["id"] for each in kept}
    assert memory.graph.read("inspect/list_loop_runs", space=memory.space) == []
    assert run_job(JOBS["health"], memory.graph, space=memory.space, clock=memory.graph.now).broken == 0
    print(Counter(t.role for t in told), len(kept), Counter(e["action"] for k in kept for e in k["entries"]))


def check_kept(kept: list[Row]) -> None:
    """Hold raw turns to what must be so of each: said once, once in the scratch buffer, decided, at most one memory."""
    assert max(Counter(each["text"] for each in kept).values()) == 1
    assert {len(each["entries"]) for each in kept} == {1}
    assert {entry["state"] for each in kept for entry in each["entries"]} <= {"decided", "skipped"}
    assert {len(each["memories"]) for each in kept} <= {0, 1}
