"""`engram forget`: what would go is shown, asked about, and gone or brought back."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.terminal import Terminal

pytestmark = pytest.mark.graph

ENGRAM = shutil.which("engram", path=str(Path(sys.executable).parent)) or "engram"


def run(env: dict[str, str], *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command and check its exit code."""
    done = subprocess.run(
        [ENGRAM, *arguments], check=False, env=env, input="", capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def data(env: dict[str, str], *arguments: str) -> Any:
    """Run the command with --json and return what it printed."""
    return json.loads(run(env, *arguments, "--json").stdout)


def test_all_about_somebody_is_shown_and_erased(engram_env: dict[str, str], tmp_path: Path) -> None:
    """A dry run says what would go, without --yes nobody is asked and nothing goes, and with it nothing is left."""
    notes = tmp_path / "talk.jsonl"
    lines = ["I met Quillfeather at the lake", "The lake is cold", "quillfeather swims"]
    notes.write_text(
        "".join(json.dumps({"speaker": "Noor", "text": text, "session": "lake"}) + "\n" for text in lines)
    )
    run(engram_env, "import", str(notes))
    preview = data(engram_env, "forget", "--about", "Quillfeather", "--erase", "--dry-run")
    assert (preview["goes"]["Memory"], preview["goes"]["Turn"], preview["goes"]["Entity"]) == (2, 2, 1)
    assert {*preview["texts"]} == {lines[0], lines[2]}
    refused = run(engram_env, "forget", "--about", "Quillfeather", "--erase", code=2).stderr
    assert "2 Memory" in refused
    assert refused.splitlines()[-1].strip().startswith("Say --yes")
    assert "Usage" not in refused
    run(engram_env, "forget", "--about", "Quillfeather", "--erase", "--yes")
    assert [hit["memory"]["content"] for hit in data(engram_env, "recall", "lake swims")] == [lines[1]]
    assert run(engram_env, "import", str(notes), code=1).stderr.count("erased at a person's wish") == 2
    assert "Nobody" in run(engram_env, "forget", "--about", "Quillfeather", "--dry-run", code=3).stderr


def test_all_of_a_space_goes_once_its_name_is_typed(engram_env: dict[str, str], space: str) -> None:
    """A space that only the environment names is not meant; another word than its name keeps it."""
    run(engram_env, "remember", "The lake is cold")
    assert "--space NAME" in run(engram_env, "forget", "--erase", "--yes", code=2).stderr
    for typed, held in (("yes", 1), (space, 0)):
        with Terminal.running(ENGRAM, ["forget", "--space", space, "--erase"], engram_env) as asked:
            asked.shows("Type the name of the space")
            asked.keys(f"{typed}\r")
            assert asked.end() == 0
        assert data(engram_env, "stats")["memories"] == held


def test_all_of_a_space_is_forgotten_and_brought_back(engram_env: dict[str, str], space: str) -> None:
    """Without --erase nothing is lost."""
    run(engram_env, "remember", "The lake is cold")
    assert "1 Memory" in run(engram_env, "forget", "--space", space, "--dry-run").stdout
    assert f"--undo --space {space}" in run(engram_env, "forget", "--space", space, "--yes").stdout
    assert data(engram_env, "recall", "lake") == []
    assert data(engram_env, "forget", "--space", space, "--undo")["memories"] == 1
    assert len(data(engram_env, "recall", "lake")) == 1
