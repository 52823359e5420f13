"""`engram export` and `engram import --restore`, as a person runs them."""

import json
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

pytestmark = pytest.mark.graph

ENGRAM = Path(sys.executable).with_name("engram")
CHAT = "[2026-03-01 10:00] Ada: The kiln is fixed.\n[2026-03-01 10:01] Bo: Which part was it?\n"


def engram(
    env: dict[str, str], *args: str | Path, data: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the installed command to its end."""
    return subprocess.run([ENGRAM, *args], env=env, input=data, capture_output=True, timeout=300, check=False)


def test_export_and_restore_a_copy(engram_env: dict[str, str], tmp_path: Path) -> None:
    """A packed file restores into another space, with the same checksum told; again it changes nothing; a pipe will do."""
    chat, file = tmp_path / "chat.txt", tmp_path / "alice.jsonl.gz"
    chat.write_text(CHAT)
    assert engram(engram_env, "import", chat).returncode == 0
    exported = engram(engram_env, "export", file, "--json")
    told = json.loads(exported.stdout)
    assert (told["nodes"]["Memory"], told["relationships"]["FOLLOWS"]) == (2, 1)
    assert file.stat().st_mode & 0o777 == 0o600
    kept = file.read_bytes()
    refused = engram(engram_env, "export", file)
    assert (refused.returncode, b"--overwrite" in refused.stderr, file.read_bytes()) == (2, True, kept)
    told = json.loads(engram(engram_env, "export", file, "--overwrite", "--json").stdout)

    space = f"{engram_env['ENGRAM_SPACE']}-{uuid4().hex[:6]}"
    restored = engram(engram_env, "import", "--restore", file, "--space", space, "--new-ids")
    assert restored.returncode == 0, restored.stderr
    assert b"(2 memories)" in restored.stdout
    assert told["sha256"].encode() in restored.stdout
    piped = engram(
        engram_env,
        "import",
        "--restore",
        "-",
        "--space",
        space,
        "--new-ids",
        "--json",
        data=file.read_bytes(),
    )
    again = json.loads(piped.stdout)
    assert again["created"] == {"nodes": {}, "relationships": {}}
    assert again["there"]["nodes"] == told["nodes"]


def test_other_forms_and_faults(engram_env: dict[str, str], tmp_path: Path) -> None:
    """Standard output holds the lines alone; a cut file is refused; no broken export leaves a file."""
    empty = engram(engram_env, "export", tmp_path / "nothing.jsonl")
    assert (empty.returncode, b"holds nothing" in empty.stderr) == (3, True)
    assert list(tmp_path.glob("*nothing*")) == []
    assert engram(engram_env, "remember", "Ada keeps bees.").returncode == 0
    lines = engram(engram_env, "export", "-", "--no-embeddings").stdout.splitlines(keepends=True)
    assert [next(iter(json.loads(line))) for line in (lines[0], lines[-1])] == ["engram", "end"]
    assert b"float32" not in b"".join(lines)
    script = engram(engram_env, "export", "-", "--format", "cypher").stdout
    assert script.count(b"Ada keeps bees.") >= 1
    assert script.startswith(b"CYPHER 25\n")
    refused = engram(engram_env, "export", "-", "--format", "cypher", "--embeddings")
    assert (refused.returncode, b"Only jsonl holds vectors" in refused.stderr) == (2, True)

    cut = engram(engram_env, "import", "--restore", "-", "--space", "cut", data=b"".join(lines[:-1]))
    assert (cut.returncode, b"cut off" in cut.stderr) == (2, True)
