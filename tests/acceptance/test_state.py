"""`engram state` as a person and a script use it."""

import re
from pathlib import Path

import pytest

from tests.acceptance.test_command import data, run

pytestmark = pytest.mark.graph


def test_a_text_is_taken_in_shown_and_compared(engram_env: dict[str, str], tmp_path: Path) -> None:
    """From nothing to two versions: each command says what there is, in words and as JSON, and taking in twice does nothing."""
    own = tmp_path / "MEMORY.md"
    own.write_text("# Own words\n\nNoor paints boats in the harbour of Lake Asnen\n", encoding="utf-8")
    taken = data(engram_env, "state", "import", str(own))
    assert (taken["version"], taken["again"], len(taken["memories"])) == (1, False, 1)
    assert Path(taken["backup"]).read_text(encoding="utf-8") == own.read_text(encoding="utf-8")
    assert "nothing is done" in run(engram_env, "state", "import", str(own)).stdout
    run(engram_env, "config", "set", "state.fewest", "1")
    run(engram_env, "remember", "Noor sold a boat to Tomas")
    run(engram_env, "jobs", "run", "state")
    shown = run(engram_env, "state", "show")
    assert shown.stdout.startswith("# Own words")
    assert "## Active Context" in shown.stdout
    file = re.search(r"also in (\S+MEMORY\.md)", shown.stderr)
    assert file is not None
    assert Path(file[1]).read_text(encoding="utf-8").rstrip() == shown.stdout.rstrip()
    assert [each["version"] for each in data(engram_env, "state", "history")] == [2, 1]
    assert "+- " in run(engram_env, "state", "diff").stdout
    assert "no version 9" in run(engram_env, "state", "show", "--version", "9", code=3).stderr


def test_what_is_no_text_is_refused(engram_env: dict[str, str], tmp_path: Path) -> None:
    """A file that says nothing, or is none, changes nothing and leaves no copy."""
    blank = tmp_path / "blank.md"
    blank.write_text(" \n", encoding="utf-8")
    assert "says nothing" in run(engram_env, "state", "import", str(blank), code=2).stderr
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\xff\xfe")
    assert "not text" in run(engram_env, "state", "import", str(picture), code=2).stderr
    assert not [each for each in tmp_path.iterdir() if each.suffix == ".seed-backup"]
    assert data(engram_env, "state", "history") == []
