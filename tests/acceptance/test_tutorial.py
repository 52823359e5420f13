"""The tutorial's commands, as written."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.graph

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
ID = re.compile(r"\b[0-9a-f]{8}\b")


def commands() -> list[str]:
    """Return the tutorial's commands in order, a file that is typed in as one; setting up is somebody else's test."""
    blocks = re.findall(r"^```sh\n(.*?)^```", TUTORIAL.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = re.findall(r"cat > .*?^END$|^[^\n]+$", "\n".join(blocks), re.MULTILINE | re.DOTALL)
    return [line for line in lines if line.startswith(("engram ", "cat "))]


def test_tutorial_runs_as_written(engram_env: dict[str, str], tmp_path: Path) -> None:
    """Each command succeeds and says something; `ID` is the first id that the one before has printed."""
    env = engram_env | {"PATH": f"{Path(sys.executable).parent}:{engram_env['PATH']}"}
    said: dict[str, str] = {}
    before = ""
    for command in commands():
        found = ID.search(before)
        typed = command.replace("ID", found[0]) if found else command
        done = subprocess.run(
            ["bash", "-ec", typed],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, f"{typed}\n{done.stdout}{done.stderr}"
        said[command] = before = done.stdout
    assert len(said) >= 12
    assert "Utrecht" in said["engram recall where does Noor live"]
    assert "home: Ghent" in said["engram facts Noor"]
    assert "I moved to Ghent last week" in said["engram why ID"]
    assert "I live in Utrecht" in said["engram history ID"]
