"""`engram import` against a real Neo4j, as a person runs it."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engram.memory import Engram

pytestmark = pytest.mark.graph

ENGRAM = Path(sys.executable).with_name("engram")
CHAT = "[2026-03-01 10:00] Ada: The kiln is fixed.\n[2026-03-01 10:01] Bo: Which part was it?\n"


def engram(
    env: dict[str, str], *args: str | Path, text: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the installed command to its end."""
    return subprocess.run(
        [ENGRAM, *args], env=env, input=text, capture_output=True, text=True, timeout=300, check=False
    )


def stats(env: dict[str, str]) -> dict[str, Any]:
    """Return what the space holds."""
    found: dict[str, Any] = json.loads(engram(env, "stats", "--json").stdout)
    return found


def test_importing_twice_stores_once(engram_env: dict[str, str], tmp_path: Path) -> None:
    """The second import of a file, moved meanwhile, finds all of its turns there."""
    path = tmp_path / "chat.txt"
    path.write_text(CHAT)
    first = engram(engram_env, "import", path)
    (tmp_path / "moved").mkdir()
    second = engram(engram_env, "import", path.rename(tmp_path / "moved" / "chat.txt"))

    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert "2 stored, 0 already there, 0 refused (transcript)" in first.stdout
    assert "0 stored, 2 already there, 0 refused" in second.stdout
    assert (stats(engram_env)["memories"], stats(engram_env)["turns"]) == (2, 2)


def test_several_files_and_formats_at_once(engram_env: dict[str, str], tmp_path: Path) -> None:
    """Files of all formats, a folder and standard input go into one memory; JSON tells each one's count."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "kiln.md").write_text("---\nkind: procedural\n---\n# Kiln\nHeat it slowly.\n")
    jsonl = tmp_path / "a.jsonl"
    jsonl.write_text('{"speaker": "Ada", "text": "One line.", "at": "2026-03-01"}\n')
    locomo = tmp_path / "b.json"
    locomo.write_text(
        json.dumps({"sample_id": "x", "conversation": {"session_1": [{"speaker": "Bo", "text": "Two."}]}})
    )
    done = engram(engram_env, "import", "--json", jsonl, locomo, tmp_path / "notes", "-", text=CHAT)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [each["format"] for each in found["files"]] == ["jsonl", "locomo", "markdown", "transcript"]
    assert [each["stored"] for each in found["files"]] == [1, 1, 1, 2]
    assert stats(engram_env)["by_kind"] == {"episodic": 4, "procedural": 1}


def test_refused_lines_are_told_and_the_rest_is_stored(engram_env: dict[str, str], tmp_path: Path) -> None:
    """Refusals are printed with line and reason, the other turns are there, and the exit code is 1."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"speaker": "Ada", "text": "good"}\nnonsense\n{"speaker": "Ada", "text": "a\\u0000b"}\n')
    done = engram(engram_env, "import", path)

    assert done.returncode == 1
    assert "1 stored, 0 already there, 2 refused" in done.stdout
    assert "a.jsonl:2: is not JSON" in done.stderr
    assert "a.jsonl:3: " in done.stderr


def test_a_strict_import_stores_nothing_if_anything_is_refused(
    engram_env: dict[str, str], tmp_path: Path
) -> None:
    """`--strict` names what would be refused and leaves the memory as it was."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"speaker": "Ada", "text": "good"}\nnonsense\n')
    done = engram(engram_env, "import", "--strict", path)

    assert done.returncode == 2
    assert "a.jsonl:2: is not JSON" in done.stderr
    assert "nothing was stored" in done.stderr
    assert stats(engram_env)["memories"] == 0


def test_an_unusable_file_stores_nothing_of_the_others(engram_env: dict[str, str], tmp_path: Path) -> None:
    """A missing or binary file among several stops the import before the first turn."""
    path = tmp_path / "chat.txt"
    path.write_text(CHAT)
    done = engram(engram_env, "import", path, tmp_path / "none.txt")

    assert done.returncode == 2
    assert "There is no file" in done.stderr
    assert "Traceback" not in done.stderr
    assert stats(engram_env)["memories"] == 0


def test_an_interrupted_import_goes_on_where_it_stopped(
    engram_env: dict[str, str], memory: Engram, tmp_path: Path
) -> None:
    """Ctrl-C leaves whole turns behind, says how many, and the same command stores the rest and no doubles."""
    turns = 1500
    path = tmp_path / "long.jsonl"
    path.write_text(
        "".join(json.dumps({"speaker": "Ada", "text": f"Day {n} at the kiln."}) + "\n" for n in range(turns))
    )
    env = engram_env | {"ENGRAM_BATCH_SIZE": "20"}
    with subprocess.Popen(
        [ENGRAM, "import", path], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        deadline = time.monotonic() + 120
        while memory.stats().memories == 0 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    between = stats(engram_env)

    assert process.returncode == 130
    told = re.search(r"Stopped: at least (\d+) turns are stored", errors.decode())
    assert told is not None
    assert between["memories"] - int(told[1]) in (0, 20)
    assert 0 < between["memories"] == between["turns"] < turns

    again = engram(env, "import", path)

    assert again.returncode == 0
    assert f"{turns - between['memories']:,} stored, {between['memories']:,} already there" in again.stdout
    assert (stats(engram_env)["memories"], stats(engram_env)["turns"]) == (turns, turns)


def test_files_of_one_name_stay_two_conversations(engram_env: dict[str, str], tmp_path: Path) -> None:
    """Equal turns of two files of the same name are both stored, in sessions named by their folders."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "log.txt").write_text(CHAT)
    done = engram(engram_env, "import", tmp_path / "a" / "log.txt", tmp_path / "b" / "log.txt")

    assert done.returncode == 0, done.stderr
    assert (stats(engram_env)["turns"], stats(engram_env)["sessions"]) == (4, 2)


def test_a_plain_error_is_no_interruption(engram_env: dict[str, str], tmp_path: Path) -> None:
    """A folder without notes is told as such, without a word on going on."""
    done = engram(engram_env, "import", tmp_path)

    assert done.returncode == 2
    assert "holds no turns" in done.stderr
    assert "Stopped" not in done.stderr
