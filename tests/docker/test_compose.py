"""docker-compose.yml on a real engine: healthy, remembered, restarted, backed up, and within its memory."""

import json
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from engram.config import MINILM
from engram.memory import Engram
from tests.bench.budget import RandomEmbedder, turns
from tests.docker.stack import ROOT, Stack

pytestmark = pytest.mark.docker

MEMORIES = 100_000
SECONDS_FOR_A_JOB = 180
ADMIN = ("run", "--rm", "--no-deps", "-T", "--user", "neo4j", "--entrypoint", "neo4j-admin", "neo4j")


class Stranger(RandomEmbedder):
    """Random vectors under the name of the model that the database was set up for."""

    name = MINILM


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Give the database, up and healthy, with three memories in it."""
    stack = Stack(tmp_path_factory.mktemp("stack"))
    try:
        print(f"\nhealthy after {stack.up():.1f} s, {stack.resident():.0f} MB resident")
        for number in (1, 2, 3):
            stack.engram("remember", f"The lighthouse number {number} stands on an island.")
        yield stack
    finally:
        stack.away()


def everything(stack: Stack) -> list[dict[str, Any]]:
    """Return the whole content of the database, in an order of its own."""
    text = (ROOT / "tests" / "graph" / "backup_read.cypher").read_text(encoding="utf-8")
    with GraphDatabase.driver(stack.uri, auth=("neo4j", stack.password)) as driver:
        rows = [record.data() for record in driver.execute_query(text, database_="neo4j").records]
    return sorted(rows, key=repr)


def test_what_the_host_remembers_is_recalled(stack: Stack) -> None:
    """A memory that goes in by the published port comes out again, and only loopback publishes it."""
    assert "lighthouse number 2" in stack.engram("recall", "lighthouse", "number 2")
    state = stack.container()
    assert state["State"]["Health"]["Status"] == "healthy"
    published = [each for bound in state["NetworkSettings"]["Ports"].values() for each in bound or ()]
    assert {each["HostIp"] for each in published} == {"127.0.0.1"}
    assert state["HostConfig"]["Memory"] == 2 << 30


def test_jobs_run_in_a_container_of_their_own(stack: Stack) -> None:
    """The jobs service is built, waits for the database, and leaves the record of its runs there."""
    stack.compose("up", "-d", "--build", "jobs")
    try:
        limit = time.monotonic() + SECONDS_FOR_A_JOB
        runs: list[dict[str, Any]] = []
        while not runs and time.monotonic() < limit:
            time.sleep(2)
            runs = json.loads(stack.engram("--json", "jobs", "history"))
        assert runs, stack.compose("logs", "--tail", "40", "jobs")
        assert not [run for run in runs if run.get("error")]
    finally:
        stack.compose("rm", "--stop", "--force", "jobs")


def test_down_and_up_loses_nothing(stack: Stack) -> None:
    """Containers go, volumes stay: all is as it was, to the last property."""
    before = everything(stack)
    stack.compose("down")
    stack.up()
    assert everything(stack) == before


def test_a_dump_brings_a_lost_volume_back(stack: Stack, tmp_path: Path) -> None:
    """The two commands of docs/how-to/back-up.md bring everything back into empty volumes."""
    before = everything(stack)
    dump = tmp_path / "neo4j.dump"
    stack.compose("stop", "neo4j")
    command = ["docker", "compose", "-p", stack.name, *ADMIN, "database"]
    with dump.open("wb") as file:
        subprocess.run(
            [*command, "dump", "--to-stdout", "neo4j"],
            stdout=file,
            stderr=subprocess.DEVNULL,
            check=True,
            cwd=ROOT,
            env=stack.variables,
        )
    stack.compose("down", "--volumes")
    with dump.open("rb") as file:
        subprocess.run(
            [*command, "load", "--from-stdin", "--overwrite-destination", "neo4j"],
            stdin=file,
            stderr=subprocess.DEVNULL,
            check=True,
            cwd=ROOT,
            env=stack.variables,
        )
    stack.up()
    assert everything(stack) == before


def test_two_gigabytes_are_enough_for_a_hundred_thousand(stack: Stack) -> None:
    """100,000 memories are written and recalled within the memory limit, and the container never fell over."""
    started = stack.container()["State"]["StartedAt"]
    with Engram.open(stack.settings, space="many", embedder=Stranger()) as memory:
        began = time.monotonic()
        memory.remember_turns(turns(MEMORIES))
        rate = MEMORIES / (time.monotonic() - began)
        taken = []
        for number in range(50):
            began = time.monotonic()
            assert memory.recall(f"harnot solma {number}")
            taken.append((time.monotonic() - began) * 1000)
        assert memory.stats().memories == MEMORIES
    state = stack.container()["State"]
    print(
        f"\n{MEMORIES:,} memories: {stack.resident():.0f} MB resident, {rate:.0f} written a second, "
        f"a recall {statistics.median(taken):.0f} ms"
    )
    assert not state["OOMKilled"]
    assert (state["StartedAt"], state["Health"]["Status"]) == (started, "healthy")
