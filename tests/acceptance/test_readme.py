"""The README's commands and its Python, as written."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from engram.config import Settings

pytestmark = pytest.mark.graph

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent


def blocks(language: str) -> list[str]:
    """Return the README's code blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


COMMANDS = [
    line
    for block in blocks("sh")
    for line in block.splitlines()
    # The managed server has tests of its own; here one is configured.
    if line.startswith("engram ") and not line.startswith("engram server")
]


def test_commands_run_as_written(engram_env: dict[str, str]) -> None:
    """Each command of the README that needs no key succeeds, one after the other."""
    assert len(COMMANDS) >= 4
    for command in COMMANDS:
        words = [str(BIN / "engram"), *shlex.split(command)[1:]]
        done = subprocess.run(words, env=engram_env, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert done.stdout.strip(), command


def test_python_runs_as_written(engram_env: dict[str, str]) -> None:
    """The README's Python prints what it remembered."""
    for code in blocks("python"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=engram_env,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        assert "city library" in done.stdout


def test_every_setting_and_make_target_named_is_there() -> None:
    """Variables and make targets that the README names exist."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"make ([a-z-]+)", README)) <= targets
    known = {f"ENGRAM_{name.upper()}" for name in Settings.model_fields}
    assert set(re.findall(r"ENGRAM_[A-Z0-9_]+", README)) <= known


def test_tree_is_as_drawn() -> None:
    """Every folder and file of the README's tree exists."""
    tree = README.partition("## Where things are")[2].split("```")[1]
    top = ""
    for line in tree.strip().splitlines():
        name = line.split()[0]
        path = ROOT / (top + name if line.startswith("  ") else name)
        assert path.exists(), path
        if name.endswith("/") and not line.startswith("  "):
            top = name
