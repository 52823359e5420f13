"""`engram jobs` as a person, a script or a service manager uses it."""

import json
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from pkgutil import resolve_name
from typing import IO, Any

import pytest

from engram.config import Settings
from engram.graph import Graph
from engram.memory import Engram
from engram.testing import HashEmbedder
from tests.acceptance.test_command import ENGRAM, data, run
from tests.conftest import DIMENSIONS
from tests.graph.beside import run as in_the_graph
from tests.protocol.cable import Cable
from tests.terminal import Terminal

pytestmark = pytest.mark.graph

run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
FACTS = [
    f"The {colour} boat belongs to number {n}" for n, colour in enumerate(("red", "blue", "green", "grey"))
]
WAIT = 60
"""Seconds after which what is waited for fails the test."""
ENDING = 60
"""Seconds after which a process that was told to end fails the test; it promises ten."""


@pytest.fixture
def memory(graph: Graph, space: str, tmp_path: Path) -> Iterator[Engram]:
    """Give the command's own space, to fill it and to look at it without the command."""
    settings = Settings.load(data_dir=tmp_path / "data")
    opened = Engram(graph, settings, space=space, embedder=HashEmbedder(DIMENSIONS))
    yield opened
    opened.flush()


@pytest.fixture
def due(memory: Engram) -> Engram:
    """Give a space that holds facts which have been used often enough to be promoted."""
    for fact in FACTS:
        memory.remember(fact)
    for _ in range(2):
        assert len(memory.recall("boat", len(FACTS))) == len(FACTS)
    assert memory.flush()
    return memory


def tiers(memory: Engram) -> list[str]:
    """Return the facts' tiers."""
    return [hit.memory.tier for hit in memory.recall("boat", len(FACTS), read_only=True)]


def runs(memory: Engram) -> list[dict[str, Any]]:
    """Return the runs over the space, the newest first."""
    rows = memory.graph.read("inspect/list_job_runs", space=memory.space, job=None, limit=1_000)
    return [row for row in rows if row["space"] == memory.space]


@contextmanager
def serving(environment: dict[str, str], *arguments: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """Start the scheduler over the environment's own space, and give it and what it says once it has begun."""
    command = [ENGRAM, "jobs", "start", "--space", environment["ENGRAM_SPACE"], *arguments]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            assert process.stderr.readline().startswith("Running decay, promote")
            yield process, process.stderr
        finally:
            process.kill()


def test_the_list_has_the_intervals_in_force(engram_env: dict[str, str], memory: Engram) -> None:
    """Each job has its interval, what else starts it and why; a space's own interval shows for that space."""
    memory.tune("promote.interval_minutes", 7)
    assert "promote      every 10 minutes\n" in run(engram_env, "jobs", "list").stdout
    listed = {job["name"]: job for job in data(engram_env, "jobs", "list", "--space", memory.space)}
    assert listed["promote"]["interval_minutes"] == 7
    assert listed["promote"]["undo"]
    assert not listed["decay"]["undo"]
    assert all(job["why"] and job["again"] for job in listed.values())


def test_dry_run_then_run_then_undo(engram_env: dict[str, str], due: Engram) -> None:
    """A dry run says what would change, the run does it, and undo takes it back once."""
    planned = run(engram_env, "jobs", "run", "promote", "--dry-run").stdout
    assert planned.startswith("promote: would change 4, for example:\n")
    assert "from working, to shortTerm" in planned
    assert tiers(due) == ["working"] * 4

    done = run(engram_env, "jobs", "run", "promote")
    assert done.stdout.startswith("promote: changed 4, for example:\n")
    assert tiers(due) == ["shortTerm"] * 4
    promoted = runs(due)[0]["id"]
    assert f"engram jobs undo {promoted[:8]}" in done.stderr

    planned = run(engram_env, "jobs", "undo", promoted[:8], "--dry-run").stdout
    assert planned.startswith("promote: would take back 4")
    assert tiers(due) == ["shortTerm"] * 4
    assert run(engram_env, "jobs", "undo", promoted[:8]).stdout.startswith("promote: took back 4")
    assert tiers(due) == ["working"] * 4
    assert runs(due)[0]["undoes"] == promoted

    assert "undone already" in run(engram_env, "jobs", "undo", promoted, code=2).stderr
    listed = run(engram_env, "jobs", "history", "promote", "--space", due.space).stdout
    assert f"4 taken back of {promoted[:8]}" in listed
    assert "4 changed, undone " in listed
    assert {row["space"] for row in data(engram_env, "jobs", "history", "--space", due.space)} <= {
        due.space,
        None,
    }


def test_undo_leaves_what_was_used_since(engram_env: dict[str, str], due: Engram) -> None:
    """A memory that has been used after its promotion stays promoted, and that is said."""
    promoted = run_job(JOBS["promote"], due.graph, space=due.space)
    due.recall(FACTS[0], 1)
    due.flush()
    undone = run(engram_env, "jobs", "undo", promoted.id).stdout
    assert undone.startswith("promote: took back 3")
    assert "  1 stay promoted: they have been used or changed since\n" in undone
    assert sorted(tiers(due)) == ["shortTerm", "working", "working", "working"]


def test_what_cannot_be_undone(engram_env: dict[str, str], due: Engram) -> None:
    """Dry runs, runs of jobs without an undo, undoings, ids that are nobody's: a reason and a way on."""
    decayed = run_job(JOBS["decay"], due.graph, space=due.space).id
    tried = run_job(JOBS["promote"], due.graph, space=due.space, dry_run=True).id
    undoing = run_job(JOBS["promote"], due.graph, space=due.space, undoing=tried).id
    for given, code, says, remedy in (
        (decayed, 2, "'decay', which cannot be undone", "promote"),
        (tried[:8], 2, "was a dry run", "jobs history"),
        (undoing[:8], 2, "cannot be undone itself", "jobs run promote"),
        ("0" * 8, 3, "There is no run", "jobs history"),
        ("' OR 1", 2, "is not a run's id", "6 characters"),
    ):
        said = run(engram_env, "jobs", "undo", given, code=code).stderr
        assert says in said
        assert remedy in said
    assert not any(row["undone_at"] for row in runs(due))


def test_bad_words(engram_env: dict[str, str], memory: Engram) -> None:
    """Every mistake has its exit code and its reason, and nothing has run."""
    for arguments, code, says in (
        (["run", "nonsense"], 3, "Jobs: decay"),
        (["history", "nonsense"], 3, "Jobs: decay"),
        (["run", "decay", "--space", memory.space, "--all-spaces"], 2, "one of the two"),
        (["start", "--no-llm"], 2, "--with-chat"),
        (["start", "--with-chat", "--nonsense"], 2, "--nonsense"),
    ):
        assert says in run(engram_env, "jobs", *arguments, code=code).stderr
    assert not runs(memory)


def test_health_shows_what_is_broken_and_fails(engram_env: dict[str, str], memory: Engram) -> None:
    """Its rows are a table; what is broken has its remedy below it, and makes the exit code 1."""
    old = memory.remember("The shop opens at nine")
    assert "nothing is broken" in run(engram_env, "jobs", "run", "health").stdout
    in_the_graph(memory, "set_properties", id=old.id, properties={"tier": "forever"})
    found = run(engram_env, "jobs", "run", "health", code=1).stdout
    assert found.startswith("health: 1 broken\n")
    assert re.search(
        rf"^  tier +1 +0  {old.id[:8]}\n      Nothing of Engram's writes this", found, re.MULTILINE
    )


def test_two_runs_at_once(engram_env: dict[str, str], due: Engram) -> None:
    """Two processes that run one job at the same time promote each memory once, and neither fails."""
    command = [ENGRAM, "jobs", "run", "promote", "--json"]
    both = [subprocess.Popen(command, env=engram_env, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    ended = [process.communicate(timeout=ENDING)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum(json.loads(out)["changed"] for out in ended) == len(FACTS)
    assert tiers(due) == ["shortTerm"] * len(FACTS)


def test_the_scheduler_runs_and_ends(engram_env: dict[str, str], due: Engram) -> None:
    """It promotes what is due soon after its start; SIGTERM ends it well, with every run recorded."""
    with serving(engram_env) as (process, said):
        assert any(line.startswith("promote: changed 4") for line in said)
        process.terminate()
        assert process.wait(ENDING) == 0
        assert said.read().endswith("Stopped.\n")
    assert tiers(due) == ["shortTerm"] * 4
    assert all(row["ended_at"] for row in runs(due))


def test_the_scheduler_ends_though_the_database_hangs(engram_env: dict[str, str]) -> None:
    """A batch that never comes back does not keep it: it names the job, and leaves with 0."""
    with (
        Cable(engram_env["ENGRAM_NEO4J_URI"]) as cable,
        serving(engram_env | {"ENGRAM_NEO4J_URI": cable.uri}) as (process, said),
    ):
        cable.freeze()
        assert cable.used.wait(WAIT)
        process.terminate()
        assert process.wait(ENDING) == 0
        assert "Left in the middle of a batch: " in said.read()


def test_the_scheduler_outlives_the_database(engram_env: dict[str, str]) -> None:
    """A database that goes away is one line for each run that failed, and the end of nothing."""
    with (
        Cable(engram_env["ENGRAM_NEO4J_URI"]) as cable,
        serving(engram_env | {"ENGRAM_NEO4J_URI": cable.uri}) as (process, said),
    ):
        cable.cut()
        assert any(": failed: " in line for line in said)
        process.terminate()
        assert process.wait(ENDING) == 0
        assert "Traceback" not in said.read()


def test_the_scheduler_needs_a_database_to_begin_with(engram_env: dict[str, str]) -> None:
    """Where nobody answers at the start, it says so in two lines; whoever started it tries again."""
    said = run(engram_env | {"ENGRAM_NEO4J_URI": "bolt://127.0.0.1:1"}, "jobs", "start", code=4).stderr
    assert len(said.splitlines()) == 2
    assert "does not answer" in said


def test_jobs_behind_a_conversation(engram_env: dict[str, str], due: Engram) -> None:
    """With --with-chat they run while one talks, and say nothing; the chat's own options go to the chat."""
    options = ["jobs", "start", "--with-chat", "--no-llm", "--session", "walk", "--space", due.space]
    with Terminal.running(ENGRAM, options, engram_env) as chat:
        chat.prompt()
        patience = threading.Event()
        for _ in range(10 * WAIT):
            if any(row["job"] == "promote" and row["ended_at"] for row in runs(due)):
                break
            patience.wait(0.1)
        chat.enter("/exit")
        assert chat.end() == 0
        assert "session walk" in chat.text
        assert "promote" not in chat.text
        assert "failed" not in chat.text
    assert tiers(due) == ["shortTerm"] * 4


def test_failures_behind_a_conversation_are_told_at_its_end(engram_env: dict[str, str]) -> None:
    """What failed while one talked is counted, and the last reason is given."""
    command = [ENGRAM, "jobs", "start", "--with-chat", "--space", engram_env["ENGRAM_SPACE"], "--json"]
    with (
        Cable(engram_env["ENGRAM_NEO4J_URI"]) as cable,
        subprocess.Popen(
            command,
            env=engram_env | {"ENGRAM_NEO4J_URI": cable.uri},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["event"] == "session"
        cable.cut()
        assert cable.used.wait(WAIT)
        out, said = process.communicate(timeout=ENDING)
    assert process.returncode == 0
    assert not out
    assert "failed meanwhile. The last: " in said
    assert "Traceback" not in said


def test_the_end_of_a_chat_is_the_end_of_its_session(engram_env: dict[str, str], memory: Engram) -> None:
    """What was used in a conversation is due for promotion when it has ended, by the lower bar of a session's end."""
    run(engram_env, "chat", "--no-llm", stdin="My dog Rex eats carrots\nWhat does my dog Rex eat?\n")
    assert run_job(JOBS["promote"], memory.graph, space=memory.space).changed == 1
    promoted = [hit.memory for hit in memory.recall("dog Rex carrots") if hit.memory.tier == "shortTerm"]
    assert [each.content for each in promoted] == ["My dog Rex eats carrots"]


def test_a_database_that_is_away_does_not_spoil_the_goodbye(engram_env: dict[str, str]) -> None:
    """The session cannot be ended then; one is told goodbye all the same, and nothing else."""
    with Cable(engram_env["ENGRAM_NEO4J_URI"]) as cable:
        env = engram_env | {"ENGRAM_NEO4J_URI": cable.uri}
        with Terminal.running(ENGRAM, ["chat", "--no-llm"], env) as chat:
            chat.enter("My dog Rex eats carrots")
            chat.shows("^Noted")
            chat.prompt()
            cable.cut()
            chat.enter("/exit")
            assert chat.end() == 0
            assert re.search("^Goodbye. To go on: ", chat.text, re.MULTILINE)
            assert "engram:" not in chat.text
