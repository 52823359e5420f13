"""`engram idle` as a person or a script uses it."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engram.config import Settings
from engram.graph import Graph
from engram.memory import Engram
from engram.mind.idle import BUSY, IdleMind
from engram.mind.thoughts import Thoughts
from engram.testing import HashEmbedder
from tests.acceptance.test_command import ENGRAM, run
from tests.conftest import DIMENSIONS

pytestmark = pytest.mark.graph


@pytest.fixture
def memory(graph: Graph, space: str, tmp_path: Path) -> Iterator[Engram]:
    """Give the command's own space, filled without the command."""
    settings = Settings.load(data_dir=tmp_path / "data")
    opened = Engram(graph, settings, space=space, embedder=HashEmbedder(DIMENSIONS))
    for text in ("Noor paints the boat", "The boat needs a new sail", "The piano is out of tune"):
        opened.remember(text)
    yield opened
    opened.flush()


def test_a_mind_wanders_from_the_command_line(engram_env: dict[str, str], memory: Engram) -> None:
    """Each thought is a line that says where it goes, why it came up and what it is; that no model thinks is said."""
    memory.tune("idle.pace_seconds", 0)
    said = run(engram_env, "idle", "--minutes", "5", "--cycles", "2", "--seed", "7")
    lines = said.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.split()[0] in {"goal", "insight", "identity"} for line in lines)
    assert "There is no language model" in said.stderr


def test_ctrl_c_ends_it_cleanly(engram_env: dict[str, str], memory: Engram) -> None:
    """Ctrl-C ends the run after the thought in hand, as data what came up is whole, and another may begin at once."""
    with subprocess.Popen(
        [ENGRAM, "idle", "--minutes", "60", "--json"],
        env=engram_env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        thoughts = Thoughts(memory.graph, space=memory.space)
        while not thoughts.list(since=datetime(2020, 1, 1, tzinfo=UTC), limit=1):
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        said, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    found = json.loads(said)
    assert len(found["thoughts"]) == 1
    assert found["thoughts"][0]["thought"]["surfaced"]
    with IdleMind(memory) as mind:
        assert mind.cycle().why != BUSY
