"""The installed command, as a person or a script uses it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.graph

ENGRAM = str(Path(sys.executable).with_name("engram"))


def run(
    environment: dict[str, str], *arguments: str, stdin: str | bytes = "", code: int | None = 0
) -> subprocess.CompletedProcess[str]:
    """Run the command and check its exit code."""
    data = stdin if isinstance(stdin, bytes) else stdin.encode()
    done = subprocess.run(
        [ENGRAM, *arguments], check=False, env=environment, input=data, capture_output=True, timeout=120
    )
    text = subprocess.CompletedProcess(
        done.args,
        done.returncode,
        done.stdout.decode("utf-8", "replace"),
        done.stderr.decode("utf-8", "replace"),
    )
    assert "Traceback" not in text.stderr
    assert code is None or text.returncode == code, text.stderr
    return text


def data(environment: dict[str, str], *arguments: str) -> Any:
    """Run the command with --json and return what it printed."""
    return json.loads(run(environment, *arguments, "--json").stdout)


def test_a_first_conversation_with_the_command(engram_env: dict[str, str]) -> None:
    """Remember, recall, get, why, forget and bring back, by the ids that are printed."""
    said = run(engram_env, "remember", "I live in Utrecht", "--speaker", "Noor").stdout
    old = re.findall(r"[0-9a-f]{8}", said)[0]
    assert "now seen 2 times" in run(engram_env, "remember", "I live in Utrecht", "--speaker", "Noor").stdout
    run(engram_env, "remember", "I live in Ghent", "--supersedes", old, "--reason", "moved for work")
    assert "I live in Ghent" in run(engram_env, "recall", "where", "do", "I", "live?").stdout
    assert "Utrecht" not in run(engram_env, "recall", "where do I live?").stdout
    new = data(engram_env, "recall", "where do I live?")[0]["memory"]["id"]
    tree = run(engram_env, "why", new[:8]).stdout
    assert "replaced" in tree
    assert "because: moved for work" in tree
    assert "superseded" in run(engram_env, "get", old).stdout
    run(engram_env, "forget", new)
    assert data(engram_env, "recall", "where do I live?") == []
    run(engram_env, "forget", "--undo", new)
    assert len(data(engram_env, "recall", "where do I live?")) == 1


def test_erase_asks_first(engram_env: dict[str, str]) -> None:
    """Without --yes and without a person at the terminal nothing is erased."""
    found = data(engram_env, "remember", "the code of the safe is 4711 4711 4711")
    assert "--yes" in run(engram_env, "forget", found["id"], "--erase", code=2).stderr
    run(engram_env, "forget", found["id"], "--erase", "--yes")
    assert run(engram_env, "get", found["id"], code=3).stderr.startswith("engram: There is no memory")
    assert "erased" in run(engram_env, "remember", "the code of the safe is 4711 4711 4711", code=3).stderr


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["remember", ""], 2, "empty"),
        (["remember", "   "], 2, "empty"),
        (["remember", "x" * 40_000], 2, "40,000 bytes; the limit is 32,768"),
        (["remember", "bell \x07"], 2, "U+0007"),
        (["remember", "x", "--kind", "idea"], 2, "episodic, semantic"),
        (["remember", "x", "--event-at", "31/12/2026"], 2, "2026-05-01"),
        (["remember", "x", "--importance", "7"], 2, "between 0 and 1"),
        (["remember", "x", "--supersedes", "0123456789"], 3, "no memory"),
        (["recall", "x", "-k", "0"], 2, "k must be"),
        (["recall", "x", "-k", "-1"], 2, "k must be"),
        (["recall", "x", "-k", "1000000000"], 2, "k must be"),
        (["recall", "x", "--as-of", "someday"], 2, "not a date"),
        (["recall", "x", "--mode", "psychic"], 2, "psychic"),
        (["recall"], 2, "Say what to recall"),
        (["get", "zz"], 2, "not a memory's id"),
        (["get", "0123456789"], 3, "no memory"),
        (["why", "0123456789"], 3, "no memory"),
        (["config", "get", "nonsense"], 2, "config list"),
        (["config", "set", "batch_size", "0"], 2, "batch_size"),
        (["jobs", "run", "nonsense"], 3, "decay"),
        (["--space", "", "stats"], 2, "space"),
        (["rememer", "x"], 2, "remember"),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else None,
)
def test_bad_input_is_answered_in_words(
    engram_env: dict[str, str], arguments: list[str], code: int, says: str
) -> None:
    """Every mistake has an exit code, a reason on stderr, and leaves the space empty."""
    assert says in run(engram_env, *arguments, code=code).stderr
    assert data(engram_env, "stats")["memories"] == 0


def test_content_from_a_pipe(engram_env: dict[str, str]) -> None:
    """`-` reads standard input; bytes that are no text are refused."""
    run(engram_env, "remember", "-", stdin="a line from a pipe\nand another")
    assert data(engram_env, "recall", "pipe")[0]["memory"]["content"] == "a line from a pipe\nand another"
    assert "surrogate" in run(engram_env, "remember", "-", stdin=b"caf\xe9", code=2).stderr


def test_json_is_one_document_also_for_errors(engram_env: dict[str, str]) -> None:
    """With --json, before or after the command's name, stdout is JSON whatever happens."""
    assert json.loads(run(engram_env, "--json", "recall", "anything").stdout) == []
    failed = run(engram_env, "get", "0123456789", "--json", code=3)
    assert json.loads(failed.stdout)["error"] == "NotFoundError"
    for arguments in (["get", "--json"], ["--json", "nonsense"], ["get", "--nonsense", "--json"]):
        refused = json.loads(run(engram_env, *arguments, code=2).stdout)
        assert (refused["error"], refused.keys()) == ("UsageError", {"error", "message", "remedy"})


@pytest.mark.parametrize("arguments", [["--help"], ["config", "list"], ["stats", "--json"], ["export", "-"]])
def test_a_reader_that_leaves_is_no_failure(engram_env: dict[str, str], arguments: list[str]) -> None:
    """Into a pipe that nobody reads any more a command ends with 141, without a word."""
    run(engram_env, "remember", "x")
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        done = subprocess.run(
            [ENGRAM, *arguments], check=False, env=engram_env, stdout=pipe, stderr=subprocess.PIPE, timeout=60
        )
    assert (done.returncode, done.stderr) == (141, b"")


def test_wrong_password(engram_env: dict[str, str]) -> None:
    """A refused password is one message with its remedy."""
    wrong = engram_env | {"ENGRAM_NEO4J_PASSWORD": "swordfish"}
    done = run(wrong, "stats", code=4)
    assert "ENGRAM_NEO4J_PASSWORD" in done.stderr
    assert "swordfish" not in done.stderr + done.stdout


def test_bad_address(engram_env: dict[str, str]) -> None:
    """An address of another kind is refused before anything is tried."""
    assert "bolt" in run(engram_env | {"ENGRAM_NEO4J_URI": "http://127.0.0.1:1"}, "stats", code=2).stderr


def test_model_folder_with_a_missing_file(engram_env: dict[str, str], tmp_path: Path) -> None:
    """A model folder without its weights is named with the file that is missing; nothing is written."""
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    broken = engram_env | {"ENGRAM_EMBED_MODEL": str(tmp_path / "model")}
    done = run(broken, "remember", "x", code=6)
    assert "tokenizer.json" in done.stderr or "model.safetensors" in done.stderr
    assert data(engram_env, "stats")["memories"] == 0


def test_folders_that_are_none(engram_env: dict[str, str], tmp_path: Path) -> None:
    """A data or cache folder that cannot be one costs no memory: remembering goes on without the cache."""
    (tmp_path / "file").write_text("")
    odd = engram_env | {"ENGRAM_CACHE_DIR": str(tmp_path / "file"), "ENGRAM_DATA_DIR": str(tmp_path / "file")}
    done = run(odd, "remember", "x", code=None)
    assert done.returncode in {0, 6}
    assert done.returncode == 0 or "file" in done.stderr
    report = run(odd, "doctor", code=1).stdout
    assert report.count("is not a folder") == 2


def test_settings_survive_in_their_file(engram_env: dict[str, str]) -> None:
    """`config set` checks and keeps a value, hides secrets, keeps the file private, and `unset` takes it back."""
    run(engram_env, "config", "set", "batch_size", "17")
    run(engram_env, "config", "set", "gemini_api_key", "hunter2")
    assert run(engram_env, "config", "get", "batch_size").stdout.strip() == "17"
    assert "hunter2" not in run(engram_env, "config", "list").stdout
    path = Path(run(engram_env, "config", "path").stdout.strip())
    assert path.stat().st_mode & 0o077 == 0
    assert "hunter2" in path.read_text()
    run(engram_env, "config", "unset", "batch_size")
    assert run(engram_env, "config", "get", "batch_size").stdout.strip() == "200"


def test_doctor_reports_all_at_once(engram_env: dict[str, str]) -> None:
    """A healthy set-up passes; with a wrong password and a wrong model both are reported in one run."""
    assert "FAIL" not in run(engram_env, "doctor").stdout
    sick = engram_env | {
        "ENGRAM_NEO4J_PASSWORD": "wrong",
        "ENGRAM_EMBED_MODEL": "no/such-model",
        "HF_HUB_OFFLINE": "1",
    }
    report = run(sick, "doctor", code=1)
    assert report.stdout.count("FAIL") >= 2
    findings = {
        row["name"]: row for row in json.loads(run(sick, "doctor", "--json", code=1).stdout)["findings"]
    }
    assert findings["server"]["state"] == findings["embedder"]["state"] == "problem"
    assert findings["server"]["remedy"]
    assert findings["embedder"]["remedy"]


def test_schema_and_jobs_from_the_command_line(engram_env: dict[str, str]) -> None:
    """The schema applies twice without a change, and a job's run is in the history."""
    assert data(engram_env, "schema", "apply") == data(engram_env, "schema", "apply")
    assert all(index["state"] == "ONLINE" for index in data(engram_env, "schema", "show")["indexes"])
    run(engram_env, "remember", "something that fades")
    ran = data(engram_env, "jobs", "run", "decay", "--dry-run")
    assert ran["dry_run"]
    listed = data(engram_env, "jobs", "history", "--space", engram_env["ENGRAM_SPACE"])
    assert any(row["id"] == ran["id"] for row in listed)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(engram_env: dict[str, str], shell: str) -> None:
    """Each shell gets a script that calls back into the command, which then names the commands."""
    assert "_ENGRAM_COMPLETE" in run(engram_env, "completion", shell).stdout
    asked = engram_env | {"_ENGRAM_COMPLETE": "bash_complete", "COMP_WORDS": "engram rec", "COMP_CWORD": "1"}
    assert "recall" in run(asked).stdout


def test_help_needs_nothing(tmp_path: Path) -> None:
    """Every command's help prints without a server, settings or a home of its own."""
    bare = {"PATH": "/nonexistent", "HOME": str(tmp_path), "ENGRAM_NEO4J_URI": "nonsense"}
    listing = run(bare, "--help").stdout
    names = re.findall(r"^  ([a-z]+)  ", listing.partition("Commands:")[2], re.MULTILINE)
    assert {"chat", "demo", "doctor", "recall", "remember", "server", "why"} <= set(names)
    for name in names:
        summary = re.search(rf"^  {name}\s+(.*)$", listing, re.MULTILINE)
        assert summary
        assert "Usage: engram " + name in run(bare, name, "--help").stdout


def test_help_loads_nothing_heavy() -> None:
    """`engram --help` imports neither the driver nor numpy nor any model library."""
    code = (
        "import sys\nfrom engram.cli.main import engram\n"
        "engram.main(['--help'], standalone_mode=False)\n"
        "print(sorted({'neo4j', 'numpy', 'pydantic', 'rich', 'onnxruntime', 'google.genai', 'anthropic', "
        "'prompt_toolkit', 'apscheduler', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip().endswith("[]")


def test_nobody_there_is_two_lines(engram_env: dict[str, str]) -> None:
    """Without a server one reads what happened and what to do, and nothing of the driver's own log."""
    lines = run(engram_env | {"ENGRAM_NEO4J_URI": "bolt://127.0.0.1:1"}, "stats", code=4).stderr.splitlines()
    assert len(lines) == 2
    assert "127.0.0.1:1 does not answer: connection refused" in lines[0]


def test_erasing_says_what_it_had_replaced(engram_env: dict[str, str]) -> None:
    """The older fact stays superseded; its id and the command that brings it back are printed, and work."""
    old = data(engram_env, "remember", "The shop opens at nine o'clock")["id"]
    new = data(engram_env, "remember", "The shop opens at ten o'clock", "--supersedes", old)["id"]
    assert f"--undo {old[:8]}" in run(engram_env, "forget", new, "--erase", "--yes").stderr
    run(engram_env, "forget", "--undo", old)
    assert data(engram_env, "recall", "shop")[0]["memory"]["id"] == old


def test_bringing_back_says_what_replaces_it_no_more(engram_env: dict[str, str]) -> None:
    """What had replaced it, and why, is told before that link is gone; what was never forgotten is told as such."""
    old = data(engram_env, "remember", "I drive a Saab")["id"]
    assert "was not forgotten" in run(engram_env, "forget", "--undo", old).stderr
    new = data(engram_env, "remember", "I drive a Volvo", "--supersedes", old, "--reason", "sold it")["id"]
    told = run(engram_env, "forget", "--undo", old).stderr
    assert f"{new[:8]} “I drive a Volvo” replaces it no more (it had because: sold it)" in told
    assert {hit["memory"]["id"] for hit in data(engram_env, "recall", "I drive")} == {old, new}
