"""`engram config` with the numbers of the lifecycle, which stand in the graph."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engram.config import Settings
from engram.graph import Graph
from engram.identity import person
from engram.memory import Engram
from engram.testing import HashEmbedder
from engram.tuning import number_changes
from tests.acceptance.test_command import ENGRAM, data, run
from tests.conftest import DIMENSIONS

pytestmark = pytest.mark.graph

SHARED = "sweep.keep_days"
"""A number to change for every space of a server that others test on: it is far from any that would matter."""


@pytest.fixture
def memory(graph: Graph, space: str, tmp_path: Path) -> Engram:
    """Give the command's own space, to look at it without the command."""
    settings = Settings.load(data_dir=tmp_path / "data")
    return Engram(graph, settings, space=space, embedder=HashEmbedder(DIMENSIONS))


@pytest.fixture
def everywhere(memory: Engram) -> Iterator[None]:
    """Set one number for every space, for the time of a test."""
    memory.tune(SHARED, 300, everywhere=True)
    yield
    memory.tune(SHARED, None, everywhere=True)


def numbers(environment: dict[str, str]) -> dict[str, Any]:
    """Return what `config numbers` says, by key."""
    return {row["key"]: row for row in data(environment, "config", "numbers")}


def changes(memory: Engram) -> list[tuple[str, float | None, float | None]]:
    """Return what was changed in the space: the key, what it was, what it became; the newest first."""
    rows = number_changes(memory.graph, space=memory.space, key=None, limit=1_000)
    return [(row["key"], row["before"], row["after"]) for row in rows if row["space"] == memory.space]


def test_a_number_is_set_and_put_back(engram_env: dict[str, str], memory: Engram) -> None:
    """Set, it is the space's own, and the settings file knows nothing of it; unset, it is the default again."""
    said = run(engram_env, "config", "set", "decay.working", "0.4")
    assert said.stderr == f"decay.working is 0.4 per hour in the space '{memory.space}'.\n"
    assert memory.tuning()["decay.working"] == 0.4
    assert not Path(engram_env["ENGRAM_CONFIG_FILE"]).exists()
    held = numbers(engram_env)
    assert (held["decay.working"]["value"], held["decay.working"]["origin"]) == (0.4, "space")
    assert (held["decay.shortTerm"]["value"], held["decay.shortTerm"]["origin"]) == (0.05, "default")
    assert all(row["unit"] and row["why"] for row in held.values())
    assert run(engram_env, "config", "get", "decay.working").stdout == "0.4\n"
    assert "back to 0.5 per hour" in run(engram_env, "config", "unset", "decay.working").stderr
    assert data(engram_env, "config", "get", "decay.working") == {"decay.working": 0.5}


@pytest.mark.usefixtures("everywhere")
def test_a_number_for_every_space(engram_env: dict[str, str]) -> None:
    """It holds where a space has none of its own, and is what `unset` puts back there."""
    assert re.search(
        rf"^{SHARED} +300 days +everywhere ", run(engram_env, "config", "numbers").stdout, re.MULTILINE
    )
    run(engram_env, "config", "set", SHARED, "310")
    assert numbers(engram_env)[SHARED]["origin"] == "space"
    assert run(engram_env, "config", "get", SHARED, "--everywhere").stdout == "300\n"
    assert "back to 300 days" in run(engram_env, "config", "unset", SHARED).stderr
    run(engram_env, "config", "set", SHARED, "320", "--everywhere")
    assert run(engram_env, "config", "get", SHARED).stdout == "320\n"


def test_an_interval_says_for_whom_it_holds(engram_env: dict[str, str], memory: Engram) -> None:
    """The scheduler serves every space by default, so one space's interval may not be what was meant."""
    said = run(engram_env, "config", "set", "decay.interval_minutes", "7").stderr
    assert f"engram jobs start --space {memory.space}`" in said
    assert "--everywhere" in said


def test_changes_are_kept(engram_env: dict[str, str], memory: Engram) -> None:
    """The history has what a number was and became, where, when and by whom; the same again is no change."""
    for value in (0.4, 0.4, 0.3):
        memory.tune("decay.working", value)
    run(engram_env, "config", "set", "promote.days", "4")
    run(engram_env, "config", "unset", "decay.working")
    assert changes(memory) == [
        ("decay.working", 0.3, None),
        ("promote.days", None, 4),
        ("decay.working", 0.4, 0.3),
        ("decay.working", None, 0.4),
    ]
    newest, *older = run(engram_env, "config", "history", "decay.working").stdout.splitlines()
    assert f"decay.working 0.3 → default {memory.space} {person()}" in " ".join(newest.split())
    assert len(older) == 2
    assert len(data(engram_env, "config", "history", "-n", "1")) == 1


def test_numbers_that_cannot_be(engram_env: dict[str, str], memory: Engram) -> None:
    """What is no number's name, or no value that it can have, is answered in words and changes nothing."""
    for arguments, says in (
        (["set", "decay.working", "-1"], "1e-06 to 10 per hour"),
        (["set", "decay.working", "half"], "cannot be 'half'"),
        (["set", "promote.working", "9"], "They ascend"),
        (["set", "decay.wroking", "1"], "decay.working"),
        (["get", "."], "config numbers"),
        (["history", "decay.wroking"], "decay.working"),
        (["set", "batch_size", "7", "--everywhere"], "--everywhere is for numbers"),
    ):
        assert says in run(engram_env, "config", *arguments, code=2).stderr
    assert not changes(memory)


def test_settings_need_no_database(engram_env: dict[str, str]) -> None:
    """A name without a dot is a setting's, in its file, wherever the database is; one with a dot asks for it."""
    away = engram_env | {"ENGRAM_NEO4J_URI": "bolt://127.0.0.1:1"}
    run(away, "config", "set", "batch_size", "17")
    assert run(away, "config", "get", "batch_size").stdout == "17\n"
    assert "does not answer" in run(away, "config", "set", "decay.working", "0.4", code=4).stderr


def test_several_who_set_one_number(engram_env: dict[str, str], memory: Engram) -> None:
    """All succeed, the last one holds, and the history is an unbroken chain of what it was."""
    processes = [
        subprocess.Popen([ENGRAM, "config", "set", "decay.working", value], env=engram_env)
        for value in ("0.3", "0.4", "0.45")
    ]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    third, second, first = changes(memory)
    assert (first[1], second[1], third[1]) == (None, first[2], second[2])
    assert memory.tuning()["decay.working"] == third[2]
