"""The built wheel, installed in a fresh environment outside of the checkout."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from engram.config import Settings
from engram.server import installed as installed_server

ROOT = Path(__file__).parents[2]
LIMIT = 600_000_000
"""Bytes of everything that Engram needs without extras, Neo4j included."""


def call(*command: str | Path, cwd: Path) -> str:
    """Run a program and return what it printed."""
    done = subprocess.run(
        list(map(str, command)), check=False, cwd=cwd, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def size(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the wheel, built from a copy, so that the checkout stays as it is."""
    folder = tmp_path_factory.mktemp("build")
    leave = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, folder / "source", ignore=leave)
    call(
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        folder,
        folder / "source",
        cwd=folder,
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def fresh(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a new environment with the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("fresh")
    call(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    call(
        sys.executable,
        "-m",
        "pip",
        f"--python={folder / 'venv' / 'bin' / 'python'}",
        "install",
        "-q",
        "-c",
        ROOT / ".ci" / "constraints.txt",
        wheel,
        cwd=folder,
    )
    return folder


def test_wheel_holds_every_statement_and_the_configuration(wheel: Path) -> None:
    """Each .cypher file is in the wheel once, with neo4j.conf, the prompts and the demo's conversation."""
    held = [name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")]
    statements = sorted(name.removeprefix("engram/cypher/") for name in held if name.endswith(".cypher"))
    assert statements == sorted(
        path.relative_to(ROOT / "cypher").as_posix() for path in (ROOT / "cypher").rglob("*.cypher")
    )
    for ending in (
        "share/engram/neo4j.conf",
        "share/engram/docker-compose.yml",
        "engram/data/demo.jsonl",
        "py.typed",
    ):
        assert [name for name in held if name.endswith(ending)], ending
    assert not [name for name in held if "test" in name.lower().split("/")[0]]


def test_installed_wheel_works_away_from_the_checkout(fresh: Path) -> None:
    """The command starts, a statement loads, the configuration is found, and only `engram` can be imported."""
    python = fresh / "venv" / "bin" / "python"
    assert "Usage: engram" in call(fresh / "venv" / "bin" / "engram", "--help", cwd=fresh)
    code = """
from importlib.util import find_spec
from engram import statements
from engram.server.files import shipped
assert statements.load("recall/find_candidates").text.startswith("CYPHER 25")
assert statements.names()
assert shipped("neo4j.conf").is_file(), shipped("neo4j.conf")
from engram.mind.library import shipped as library
assert library().read("recall").parts, library().pages
from engram import demo
with demo.bundled_conversation() as path:
    assert path.is_file()
from engram.jobs.scheduler import JOBS
assert JOBS
print([name for name in ("cli", "jobs", "cypher", "tests") if find_spec(name)])
"""
    assert call(python, "-c", code, cwd=fresh).strip() == "[]"


def test_everything_together_is_under_600_mb(fresh: Path) -> None:
    """Python packages without extras and Neo4j's jars are small enough for a small board."""
    jars = installed_server(Settings.load())
    total = size(fresh / "venv") + (size(jars) if jars else 0)
    print(f"\npackages {size(fresh / 'venv') / 1e6:.0f} MB, Neo4j {size(jars) / 1e6 if jars else 0:.0f} MB")
    assert total < LIMIT
