"""Many processes on one graph: `python -m tests.graph.scenarios [ROUNDS]` runs each at full size on a server of its own.

Each scenario sets up a space, lets processes work on it, holds the graph against what must be so, and returns figures.
The tests run the same at a smaller size.
"""

import argparse
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from engram.config import Settings
from engram.energy import DECAY_PER_HOUR, energy_now
from engram.graph import Graph, Row
from engram.lifecycle import tune
from engram.memory import Engram
from engram.records import Turn
from engram.server import ManagedServer
from engram.testing import HashEmbedder
from tests.graph.beside import run
from tests.graph.workers import DIMENSIONS, JOBS, Crew, Done, Task, run_job

Figures = dict[str, Any]
_SAID = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large a scenario is."""

    workers: int = 8
    memories: int = 3_000
    numbers: tuple[tuple[str, float], ...] = ()
    """Numbers that the space has of its own."""
    uses: int = 500
    """Of each worker."""
    rounds: int = 250
    """Hours in which those uses lie."""
    talks: int = 100
    """What each of those says who talk meanwhile."""
    pause: float = 0.05
    """Seconds that a claimed batch takes."""


FULL = Size()


class Ground:
    """A space of its own, and tasks for it."""

    def __init__(self, graph: Graph, address: Any, *, folder: Path, size: Size) -> None:
        """Open the space.

        Args:
            graph: A connection.
            address: What has `uri`, `user`, `password` and `database`.
            folder: For the memory's files.
            size: How large the scenario is.
        """
        self.size = size
        self._address = address
        self.memory = Engram(
            graph,
            Settings.load(data_dir=folder),
            space=f"test-{uuid4().hex[:12]}",
            embedder=HashEmbedder(DIMENSIONS),
        )
        self.tune(dict(size.numbers))

    def tune(self, numbers: dict[str, float]) -> None:
        """Set numbers of the space."""
        memory = self.memory
        for key, value in numbers.items():
            tune(memory.graph, space=memory.space, key=key, value=value, by="test", now=memory.graph.now())

    def task(self, role: str, **more: Any) -> Task:
        """Return a task on this space."""
        address = self._address
        return Task(
            uri=address.uri,
            user=address.user,
            password=address.password,
            database=address.database,
            space=self.memory.space,
            role=role,
            **more,
        )

    def lay_due(self, *, minutes: float = -1.0) -> int:
        """Store memories that are due for promotion so many minutes from the database's time; return how many."""
        turns = (
            Turn(text=f"turn number {n}", speaker="Ann", at=_SAID + timedelta(seconds=n), session="long")
            for n in range(self.size.memories)
        )
        self.memory.remember_turns(turns)
        at = self.memory.graph.now() + timedelta(minutes=minutes)
        due: int = run(self.memory, "make_due", at=at, rates=DECAY_PER_HOUR)[0]["due"]
        assert due == self.size.memories
        # Written once more as neighbours joined the talk; from here on versions count promotions.
        run(self.memory, "begin_versions")
        return due

    def promotions(self) -> Row:
        """Return what `check_promotions` counts."""
        return run(self.memory, "check_promotions")[0]

    def memories(self) -> list[Row]:
        """Return the properties of all memories."""
        nodes = run(self.memory, "read_space")[0]["nodes"]
        return [node["properties"] for node in nodes if "Memory" in node["labels"]]

    def check_promoted(self, *, once: bool = True) -> None:
        """Hold the graph against promotions that are all carried out, each once, and claims that are all ended."""
        health = run_job(JOBS["health"], self.memory.graph, space=self.memory.space)
        assert not health.broken, [row for row in health.report if row.get("broken")]
        found = self.promotions()
        assert found["due"] == found["astray"] == found["claims"] == 0, found
        assert found["archived"] == found["snapshots"], found
        if once:
            assert found["once"] == found["memories"], found


def promotion(ground: Ground, crew: Crew, *, role: str) -> Figures:
    """Let many workers promote the same memories: each is promoted once, and no error reaches a worker."""
    due = ground.lay_due()
    began = time.perf_counter()
    done = crew.run([ground.task(role, pause=ground.size.pause)] * ground.size.workers)
    seconds = time.perf_counter() - began
    assert sum(each.changed for each in done) == due
    assert not any(each.deadlocks for each in done)
    ground.check_promoted()
    assert ground.promotions()["unended"] == 0
    runs = {run_id: each for each in done for run_id in each.runs}
    recorded = {
        row["id"]: row
        for row in ground.memory.graph.read("inspect/list_job_runs", space=None, job=role, limit=10_000)
    }
    assert sum(recorded[run_id]["empty"] for run_id in runs) == sum(each.empty for each in done)
    return {"seconds": seconds, **_work(done)}


def uses(ground: Ground, crew: Crew) -> Figures:
    """Let many workers use the same memories hour by hour while jobs settle and promote: nothing added is lost.

    All uses of a round are of one instant, so the energy that must come of them does not depend on their order.
    """
    size = ground.size
    ground.tune({"boost.session_cap": 1_000})
    memories = [ground.memory.remember(f"thing {n}") for n in range(8)]
    ids = sorted(memory.id for memory in memories)
    ground.memory.flush()
    at = ground.memory.graph.now()
    expected = {
        memory.id: energy_now(memory.energy, memory.energy_at, at, tier="working") for memory in memories
    }
    each_round = size.uses // size.rounds
    settled, generator, began = 0, random.Random(1), time.perf_counter()
    for place in range(size.rounds):
        before, at = at, at + timedelta(hours=1)
        using = [
            ground.task(
                "use",
                times=each_round,
                # Spread, so that some come before the jobs, some after, and some between.
                pause=generator.uniform(0.0, 0.05),
                at=at.isoformat(),
                ids=ids,
                name=f"session {n}",
            )
            for n in range(size.workers)
        ]
        jobs = [ground.task(role, times=3, at=at.isoformat()) for role in ("decay", "promote")]
        done = crew.run([*jobs, *using])
        settled += done[0].changed
        assert not any(each.deadlocks for each in done)
        # The uses of the first round lead through all tiers at once.
        tier = "longTerm" if place else "working"
        gained = len(using) * each_round
        expected = {key: energy_now(old, before, at, tier=tier) + gained for key, old in expected.items()}
    seconds = time.perf_counter() - began
    crew.run([ground.task("promote", at=at.isoformat())])
    ground.check_promoted(once=False)
    count = size.workers * each_round * size.rounds
    worst = 0.0
    for each in ids:
        memory = ground.memory.get(each)
        assert (memory.tier, memory.access_count) == ("longTerm", count)
        energy = energy_now(memory.energy, memory.energy_at, at, tier="longTerm")
        worst = max(worst, abs(energy - expected[each]) / expected[each])
    assert worst < 1e-9
    pairs = {(row["low"], row["high"]): row["count"] for row in run(ground.memory, "read_pairs")}
    assert pairs == dict.fromkeys(combinations(ids, 2), count)
    return {"seconds": seconds, "uses": count, "settled": settled, "energy": expected[ids[0]], "worst": worst}


def deaths(grounds: dict[str, Ground], crew: Crew, *, restart: Callable[[], None]) -> Figures:
    """Let workers be killed in the middle of a batch, and the server too: all is promoted in the end, nothing twice.

    Args:
        grounds: A space for each of the jobs `promote` and `claimed`.
        crew: Half of its processes work on each.
        restart: Kills the server and starts it again.
    """
    half = len(crew) // 2
    roles = ("promote", "claimed")
    due = {role: grounds[role].lay_due() for role in roles}
    began = time.perf_counter()
    victims = {"promote": (0, "promote and hang"), "claimed": (half, "claim and hang")}
    for role, (number, hanging) in victims.items():
        crew.send(number, grounds[role].task(hanging))
    for number, _ in victims.values():
        crew.wait_until_working(number)
    assert grounds["claimed"].promotions()["claims"] > 0
    working = {
        first + n: grounds[role].task(role, times=0, pause=0.1)
        for role, (first, _) in victims.items()
        for n in range(1, half)
    }
    for number, task in working.items():
        crew.send(number, task)
    for number, _ in victims.values():
        crew.kill(number)
    _wait(lambda: all(grounds[role].promotions()["archived"] > 0 for role in roles))
    left = {role: grounds[role].promotions()["due"] for role in roles}
    assert all(left.values()), "nothing was left for the time after the restart"
    restart()
    done = {number: crew.receive(number) for number in working}
    for role in roles:
        grounds[role].check_promoted()
        # Of the two that were killed at most one batch was committed without being told.
        assert sum(each.changed for number, each in done.items() if working[number].role == role) <= due[role]
    attempts = run(grounds["claimed"].memory, "read_attempts")
    outcomes = Counter(row["attempt"].get("outcome") for row in attempts)
    assert outcomes["lapsed"] > 0
    return {
        "seconds": time.perf_counter() - began,
        "left at the restart": left,
        "outcomes": dict(outcomes),
        **_work(done.values()),
    }


def wrong_clocks(ground: Ground, crew: Crew) -> Figures:
    """Let workers whose clocks are wrong work beside others: time is the database's, so nothing is early or late."""
    ground.tune({"decay.tolerance": 0})
    # Due in five minutes: no worker may think so, the one included whose clock is ten minutes ahead.
    due = ground.lay_due(minutes=5.0)
    off = (-10.0, 0.0, 10.0)
    before = ground.memories()
    early = crew.run(
        [ground.task(role, clock_off=minutes) for minutes in off for role in ("promote", "claimed")]
    )
    assert [each.changed for each in early] == [0] * len(early)
    for number, each in enumerate(early):
        ahead = datetime.fromisoformat(each.clock) - ground.memory.graph.now()
        assert abs(ahead - timedelta(minutes=off[number // 2])) < timedelta(minutes=4)
    assert ground.memories() == before
    # Due a minute ago: each worker must see it, the one included whose clock is ten minutes behind.
    run(ground.memory, "make_due", at=ground.memory.graph.now() - timedelta(minutes=1), rates=DECAY_PER_HOUR)
    slow = crew.run([ground.task("claimed", clock_off=-10.0)])[0]
    assert slow.changed == due
    ground.check_promoted()
    settled = crew.run([ground.task("decay", clock_off=minutes) for minutes in off])
    now = ground.memory.graph.now()
    # Those that came second may have found nothing left.
    assert any(each.changed for each in settled)
    assert all(memory["energy_at"] <= now for memory in ground.memories())
    for row in run(ground.memory, "read_attempts"):
        times = [row["attempt"][name] for name in ("started_at", "ended_at", "lease_until")]
        assert [*times[:2], now] == sorted([*times[:2], now])
        assert times[0] < times[2] < now + timedelta(minutes=6)
    return {"promoted": slow.changed, "settled": sum(each.changed for each in settled)}


def talk(ground: Ground, crew: Crew) -> Figures:
    """Let some remember and recall while others promote and decay: nobody sees an error, and nothing is lost."""
    size = ground.size
    ground.tune({"decay.tolerance": 0})
    due = ground.lay_due()
    half = size.workers // 2
    talkers = [ground.task("talk", times=size.talks, name=f"speaker {n}") for n in range(half)]
    roles = ["promote", "claimed", "decay"]
    jobs = [ground.task(roles[n % len(roles)], pause=size.pause, times=3) for n in range(size.workers - half)]
    began = time.perf_counter()
    done = crew.run([*talkers, *jobs])
    seconds = time.perf_counter() - began
    said = done[:half]
    # What became due meanwhile is left to the next run.
    crew.run([ground.task("promote")])
    ground.check_promoted(once=False)
    stored = {each for talker in said for each in talker.stored}
    assert len(stored) == half * size.talks
    assert ground.memory.stats().memories == due + len(stored)
    assert [talker.learned for talker in said] == [size.talks] * half
    assert not any(talker.dropped for talker in said)
    counted = Counter[str]()
    for talker in said:
        counted.update(talker.uses)
    memories = {memory["id"]: memory for memory in ground.memories()}
    assert stored <= memories.keys()
    assert counted == {key: count for key, each in memories.items() if (count := each["access_count"])}
    return {"seconds": seconds, "stored": len(stored), "uses": counted.total(), **_work(done)}


def _work(done: Iterable[Done]) -> Figures:
    """Return what workers did, summed up."""
    done = list(done)
    return {
        "by worker": [each.changed for each in done],
        "empty": sum(each.empty for each in done),
        "notes": sorted({note for each in done for note in each.notes}),
        "away": sum(each.away for each in done),
        "deadlocks": sum(each.deadlocks for each in done),
    }


def _wait(true: Callable[[], bool], *, seconds: float = 60.0) -> None:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def restarted(server: ManagedServer) -> None:
    """Kill a server without a warning and start it again, at the same address."""
    pid = server.status().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    _wait(lambda: server.running() is None)
    server.start(lambda line: print(line, file=sys.stderr))


# ----- At full size


def main() -> None:
    """Run every scenario at full size, as often as asked, and print its figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", type=int, nargs="?", default=1)
    parser.add_argument("--only", choices=("promote", "claimed", "uses", "deaths", "clocks", "talk"))
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        server = ManagedServer(Settings.load(data_dir=folder / "server", server_backend="maven"))
        address = server.start(lambda line: print(line, file=sys.stderr))
        try:
            with (
                Graph(address.uri, address.user, address.password, address.database) as graph,
                Crew(FULL.workers + 2, seconds=600) as crew,
            ):
                _all(graph, address, crew, folder=folder, server=server, rounds=asked.rounds, only=asked.only)
        finally:
            server.stop()


def _all(
    graph: Graph,
    address: Any,
    crew: Crew,
    *,
    folder: Path,
    server: ManagedServer,
    rounds: int,
    only: str | None,
) -> None:
    Ground(graph, address, folder=folder, size=FULL).memory.ensure_schema()

    def ground(**numbers: float) -> Ground:
        given = tuple((key.replace("_", ".", 1), value) for key, value in numbers.items())
        size = replace(FULL, numbers=given)
        return Ground(graph, address, folder=folder, size=size)

    scenarios: dict[str, Callable[[], Figures]] = {
        "promote": lambda: promotion(ground(), crew, role="promote"),
        "claimed": lambda: promotion(ground(), crew, role="claimed"),
        "uses": lambda: uses(ground(), crew),
        "deaths": lambda: deaths(
            {"promote": ground(promote_batch_size=50), "claimed": ground(claim_lease_seconds=5)},
            crew,
            restart=lambda: restarted(server),
        ),
        "clocks": lambda: wrong_clocks(ground(), crew),
        "talk": lambda: talk(ground(), crew),
    }
    for number in range(1, rounds + 1):
        for name, scenario in scenarios.items():
            if only in (None, name):
                print(json.dumps({"round": number, "scenario": name, **scenario()}), flush=True)


if __name__ == "__main__":
    main()
