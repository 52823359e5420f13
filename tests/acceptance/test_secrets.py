"""What the installed command tells of its secrets: nothing, on the screen, in files, in the graph or to other programs."""

import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engram.errors import AuthenticationError
from engram.graph import Graph
from engram.memory import Engram
from tests.conftest import Address
from tests.graph.beside import run as read

pytestmark = pytest.mark.graph

ENGRAM = shutil.which("engram", path=str(Path(sys.executable).parent)) or "engram"
KEY = "sk-test-correct-horse-battery-staple"


@pytest.fixture
def keyed(engram_env: dict[str, str]) -> dict[str, str]:
    """Give an environment with keys in it, which no model answers to."""
    return engram_env | {
        "ENGRAM_ANTHROPIC_API_KEY": KEY,
        "GEMINI_API_KEY": KEY,
        "ENGRAM_ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        "ENGRAM_GEMINI_BASE_URL": "http://127.0.0.1:9",
    }


def told(env: dict[str, str], *arguments: str, stdin: str = "") -> str:
    """Run the command and return all that it printed."""
    done = subprocess.run(
        [ENGRAM, *arguments], check=False, env=env, input=stdin, capture_output=True, text=True, timeout=120
    )
    return done.stdout + done.stderr


def test_no_command_tells_a_secret(keyed: dict[str, str], memory: Engram, tmp_path: Path) -> None:
    """Shown settings, a driver's log, errors, a failed talk, an export, files and the graph hold neither key nor password."""
    secrets = (KEY, keyed["ENGRAM_NEO4J_PASSWORD"])
    away = keyed | {"ENGRAM_NEO4J_URI": "bolt://127.0.0.1:1"}
    wrong = keyed | {"ENGRAM_NEO4J_USER": "nobody-that-is-known"}
    shown = [
        told(keyed, "config", "list"),
        told(keyed, "config", "list", "--json"),
        *(told(keyed, "config", "get", name) for name in ("neo4j_password", "anthropic_api_key")),
        told(keyed, "--debug", "remember", "I have a cat"),
        told(away, "--debug", "stats"),
        told(wrong, "--debug", "stats"),
        told(keyed, "chat", stdin="hello\n/exit\n"),
        told(keyed, "doctor", "--json"),
        told(keyed, "config", "set", "batch_size", "100"),
        told(keyed, "export", str(tmp_path / "space.jsonl")),
    ]
    assert "refuse" in shown[6]
    for secret in secrets:
        assert not [text for text in shown if secret in text]
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert {path.name for path in files} >= {"config.toml", "space.jsonl"}
        assert not [path.name for path in files if secret.encode() in path.read_bytes()]
        assert read(memory, "erasing_grep", words=[secret.lower()]) == []


def test_what_is_written_is_for_its_owner_alone(engram_env: dict[str, str], tmp_path: Path) -> None:
    """An export and the files of the data folder are readable by nobody else."""
    told(engram_env, "remember", "I have a cat")
    told(engram_env, "export", str(tmp_path / "data" / "out.jsonl"))
    told(engram_env, "chat", stdin="hello\n/exit\n")
    told(engram_env, "config", "set", "batch_size", "100")
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]
    assert tmp_path / "config.toml" in written
    assert not [path.name for path in written if stat.S_IMODE(path.stat().st_mode) & 0o077]


def test_a_server_asks_for_a_password(neo4j_address: Address) -> None:
    """Without one, or with a stranger's, nobody gets in."""
    address = neo4j_address
    for user, password in (("neo4j", ""), ("nobody-that-is-known", address.password)):
        with (
            Graph(address.uri, user, password, address.database) as graph,
            pytest.raises(AuthenticationError),
        ):
            graph.check()


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="there is no list of processes to read")
def test_no_list_of_processes_shows_a_secret(keyed: dict[str, str]) -> None:
    """While the jobs run, no command line holds a secret, nor the environment of anything that Engram has started."""
    secrets = [secret.encode() for secret in (KEY, keyed["ENGRAM_NEO4J_PASSWORD"])]
    jobs = subprocess.Popen(
        [ENGRAM, "jobs", "start"], env=keyed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        own = Path("/proc", str(jobs.pid), "cmdline")
        deadline = time.monotonic() + 60
        while b"jobs" not in _read(own) and time.monotonic() < deadline:
            time.sleep(0.01)  # a process that has just begun shows no command line for a moment
        seen = [each for each in Path("/proc").iterdir() if each.name.isdigit() and _read(each / "cmdline")]
        assert any(each.name == str(jobs.pid) for each in seen)
        assert not [_read(each / "cmdline") for each in seen if _holds(each / "cmdline", secrets)]
        servers = [each for each in seen if b"org.neo4j.server" in _read(each / "cmdline")]
        assert not [each for each in servers if _holds(each / "environ", secrets)]
    finally:
        jobs.terminate()
        jobs.wait(30)


def _holds(path: Path, secrets: list[bytes]) -> bool:
    return any(secret in _read(path) for secret in secrets)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # it has ended, or is somebody else's
