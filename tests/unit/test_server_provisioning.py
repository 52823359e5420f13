"""Installing with a scripted `mvn`, choosing a way with a scripted `docker`, and the server's private files."""

import os
import socket
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import psutil
import pytest

from engram.config import Settings
from engram.errors import InstallError, StartError
from engram.private import write_private
from engram.server import Home, ManagedServer, connect, docker_engine, find_maven, install, installed
from engram.server.artifacts import folder
from engram.server.docker import DockerServer
from engram.server.files import State
from engram.server.ports import choose_ports
from engram.server.process import find_ours, is_alive, port_free, spawn

# Copies as many empty jars as JARS says into the folder that it is told, then ends as END says.
FAKE_MVN = f"""#!{sys.executable}
import os, sys, zipfile
out = next(a.split("=", 1)[1] for a in sys.argv if a.startswith("-DoutputDirectory="))
names = ["neo4j-server-2026.09.0", "neo4j-2026.09.0", "neo4j-dbms-2026.09.0", "neo4j-browser-5.24.0"]
names += [f"other-{{n}}" for n in range(227)]
for name in names[: int(os.environ["JARS"])]:
    print(f"[INFO] Copying {{name}}.jar to {{out}}/{{name}}.jar", flush=True)
    with zipfile.ZipFile(f"{{out}}/{{name}}.jar", "w") as jar:
        jar.writestr("x", "x")
exec(os.environ["END"])
"""
# Keeps its calls in $CALLS; answers as the environment says.
FAKE_DOCKER = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$1 $2" in
  "info --format") [ -n "$ENGINE" ] && echo "$ENGINE" || exit 1 ;;
  "compose version") exit ${COMPOSE:-0} ;;
  "image inspect") exit ${INSPECT:-1} ;;
  "pull --quiet") echo "no route to the registry" >&2; exit 1 ;;
  compose*) case "$*" in *" up "*) [ -n "$NEO4J_PASSWORD" ] || exit 9; echo "No space left on device" >&2; exit 1 ;; esac ;;
esac
"""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that is all of PATH, a home that is empty, and nothing from the person's own settings."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("ENGRAM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return folder


def put(path: Path, text: str) -> None:
    """Write a program."""
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings with folders of their own and a Java that is only looked at."""
    java = tmp_path / "java"
    (java / "bin").mkdir(parents=True)
    (java / "release").write_text('JAVA_VERSION="25.0.1"\n')
    put(java / "bin" / "java", "#!/bin/sh\necho 'Error: Could not find or load main class X' >&2; exit 1\n")
    return Settings.load(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache", java_home=java)


def fake_maven(tools: Path, monkeypatch: pytest.MonkeyPatch, jars: int, end: str = "") -> None:
    """Put a scripted `mvn` on PATH."""
    put(tools / "mvn", FAKE_MVN)
    monkeypatch.setenv("JARS", str(jars))
    monkeypatch.setenv("END", end)


def test_an_install_is_complete_and_reports_progress(
    tools: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All jars arrive in one folder, progress goes up to the end, and a second install does nothing."""
    fake_maven(tools, monkeypatch, 231)
    seen: list[tuple[int, int | None]] = []
    home = install(settings, lambda done, total, _what: seen.append((done, total)))
    assert home == installed(settings) == folder(settings)
    assert len(list(home.glob("*.jar"))) == 231
    assert seen[-1] == (231, 231)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    (tools / "mvn").unlink()
    assert install(settings) == home


@pytest.mark.parametrize(
    ("jars", "end", "words"),
    [
        (
            100,
            "print('[ERROR] Could not transfer artifact a:b: Network is unreachable'); sys.exit(1)",
            "network",
        ),
        (230, "print('[ERROR] No space left on device'); sys.exit(1)", "Free some"),
        (100, "os.kill(os.getpid(), 9)", "again"),
        (50, "", "not complete"),
        (231, "open(out + '/other-3.jar', 'w').write('cut')", "other-3.jar"),
    ],
)
def test_a_failed_install_leaves_nothing(
    tools: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, jars: int, end: str, words: str
) -> None:
    """Whatever stops Maven, the folder is absent afterwards and the error quotes it and says what to do."""
    fake_maven(tools, monkeypatch, jars, end)
    with pytest.raises(InstallError, match=words):
        install(settings)
    assert installed(settings) is None
    left = {path.name for path in folder(settings).parent.iterdir() if not path.name.endswith(".lock")}
    assert left == set()


def test_a_failed_reinstall_keeps_the_old_files(
    tools: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --force the jars in use are replaced only by a complete set."""
    fake_maven(tools, monkeypatch, 231)
    install(settings)
    fake_maven(tools, monkeypatch, 10, "sys.exit(1)")
    with pytest.raises(InstallError):
        install(settings, force=True)
    assert installed(settings) is not None


def test_a_missing_jar_is_noticed_and_mended(
    tools: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder that lost a file does not count as installed, and installing again replaces it."""
    fake_maven(tools, monkeypatch, 231)
    jar = install(settings) / "other-7.jar"
    jar.unlink()
    assert installed(settings) is None
    install(settings)
    assert zipfile.is_zipfile(jar)


def test_without_maven_the_error_names_it(tools: Path, settings: Settings) -> None:
    """No `mvn` on PATH is an install error that says what to install."""
    assert find_maven() is None
    with pytest.raises(InstallError, match="Maven"):
        install(settings)


def test_an_unusable_cache_is_an_install_error(
    tools: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file where the cache directory should be is told as such, with the setting that helps."""
    fake_maven(tools, monkeypatch, 231)
    settings.cache_dir.write_text("in the way")
    with pytest.raises(InstallError, match="ENGRAM_CACHE_DIR"):
        install(settings)


def test_with_nothing_installed_one_error_names_everything(tools: Path, settings: Settings) -> None:
    """No address, no Docker, no Maven: a single error says what would help."""
    with pytest.raises(StartError, match=r"Docker.*Maven.*ENGRAM_NEO4J_URI"):
        connect(settings)
    assert not settings.data_dir.exists()


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        ({}, None),
        ({"ENGINE": "28", "COMPOSE": "1"}, "compose plugin"),
        ({"ENGINE": "28"}, "no route to the registry"),
    ],
)
def test_docker_falls_through(
    tools: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    answers: dict[str, str],
    line: str | None,
) -> None:
    """No engine, no compose plugin or a failed pull leads on to the jars, with one line where Docker did answer."""
    put(tools / "docker", FAKE_DOCKER)
    fake_maven(tools, monkeypatch, 3)
    for name, value in answers.items():
        monkeypatch.setenv(name, value)
    said: list[str] = []
    assert docker_engine() == answers.get("ENGINE")
    with pytest.raises(InstallError, match="not complete"):
        connect(settings, said.append)
    assert sum("going on without Docker" in text for text in said) == (line is not None)
    assert line is None or any(line in text for text in said)


def test_docker_alone_when_asked_for(tools: Path, settings: Settings) -> None:
    """With server_backend=docker nothing else is tried."""
    with pytest.raises(StartError, match="server_backend is docker"):
        connect(settings.model_copy(update={"server_backend": "docker"}))


def test_a_container_that_fails_shows_why(
    tools: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Compose gets the password by environment, its failure is told with a remedy, and no state claims a server."""
    put(tools / "docker", FAKE_DOCKER)
    monkeypatch.setenv("ENGINE", "28")
    monkeypatch.setenv("INSPECT", "0")
    with pytest.raises(StartError, match="disk is full"):
        connect(settings)
    calls = (tmp_path / "calls").read_text()
    assert "up -d --wait" in calls
    assert Home.of(settings).password() not in calls
    assert not DockerServer(settings).status().running


def test_memories_in_a_volume_are_not_hidden_by_an_empty_database(tools: Path, settings: Settings) -> None:
    """A data directory that was run with Docker is not silently started from jars when Docker is away."""
    home = Home.of(settings)
    home.prepare()
    home.write_state(
        State(backend="docker", version="x", bolt_port=1, http_port=2, asked=(7687, 7474), ready=True)
    )
    with pytest.raises(StartError, match="Docker volume"):
        connect(settings)


def test_private_files_are_private(settings: Settings) -> None:
    """The password is made once, folder and files are for their owner only, a loosened mode is tightened."""
    home = Home.of(settings)
    home.prepare()
    password = home.password()
    assert len(password) == 48
    home.password_file.chmod(0o644)
    assert home.password() == password
    assert stat.S_IMODE(home.password_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.root.stat().st_mode) == stat.S_IMODE(settings.data_dir.stat().st_mode) == 0o700
    write_private(home.root / "x", "1")
    assert stat.S_IMODE((home.root / "x").stat().st_mode) == 0o600
    assert {path.name for path in home.root.iterdir()} == {"conf", "logs", "password", "x"}


def test_an_unusable_data_directory_is_told_as_such(tools: Path, settings: Settings) -> None:
    """A file where the data directory should be is a start error that names the setting."""
    settings.data_dir.write_text("in the way")
    with pytest.raises(StartError, match="ENGRAM_DATA_DIR"):
        ManagedServer(settings).start()


def test_a_lost_password_is_not_replaced(settings: Settings) -> None:
    """Where a database exists, a missing password file is an error: a new password would not open it."""
    home = Home.of(settings)
    home.prepare()
    (home.root / "data/databases/system").mkdir(parents=True)
    with pytest.raises(StartError, match="password file is gone"):
        home.password()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', '{"asked": [1]}', "null", '{"asked": 3}'])
def test_a_broken_state_file_is_no_state(settings: Settings, text: str) -> None:
    """A state file that was cut or edited counts as none."""
    home = Home.of(settings)
    home.prepare()
    (home.root / "server.json").write_text(text)
    assert home.read_state() is None
    assert ManagedServer(settings).stop() is False


def test_taken_ports_are_passed_over_and_remembered_ones_kept(settings: Settings) -> None:
    """A pair of which either is taken is skipped; the remembered pair is used until the settings name another."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert not port_free(port)
        asked = settings.model_copy(update={"bolt_port": 20_001, "http_port": port})
        bolt, http = choose_ports(asked, None)
        assert http > port
        assert http - port == bolt - 20_001
    state = State(backend="maven", version="x", bolt_port=bolt, http_port=http, asked=(20_001, port))
    assert choose_ports(asked, state) == (bolt, http)
    other = settings.model_copy(update={"bolt_port": 20_101, "http_port": 20_201})
    assert choose_ports(other, state) != (bolt, http)


def test_a_reused_pid_is_not_ours_and_is_left_alone(settings: Settings) -> None:
    """A state that points at a living process of somebody else means: not running, and stop does not touch it."""
    server = ManagedServer(settings)
    server.home.prepare()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        created = psutil.Process(other.pid).create_time()
        assert find_ours(other.pid, created, server.home.root) is None
        server.home.write_state(
            State(
                backend="maven",
                version="x",
                bolt_port=1,
                http_port=2,
                asked=(7, 8),
                pid=other.pid,
                created=created,
                ready=True,
            )
        )
        assert not server.status().running
        assert server.running() is None
        assert server.stop() is False
        assert other.poll() is None
        other.communicate(b"\n")
    kept = server.home.read_state()
    assert kept is not None
    assert (kept.pid, kept.bolt_port) == (None, 1)


def test_a_spawned_process_stands_apart(tmp_path: Path) -> None:
    """It has a session of its own, no input, its output in the log, and is not our child to wait for."""
    code = "import os, sys, time; print(os.getsid(0), sys.stdin.read() == '', flush=True); time.sleep(60)"
    child = spawn([sys.executable, "-c", code], log=tmp_path / "log", folder=tmp_path)
    try:
        while not (tmp_path / "log").read_text().endswith("\n"):
            assert is_alive(child)
        session, quiet = (tmp_path / "log").read_text().split()
        assert (int(session) != os.getsid(0), quiet) == (True, "True")
        assert child.ppid() != os.getpid()
    finally:
        child.kill()


def test_a_java_that_dies_is_told_with_its_words(
    tools: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When Java ends at once, the error quotes it; the next try is not hindered by what is left."""
    fake_maven(tools, monkeypatch, 231)
    for _ in range(2):
        with pytest.raises(StartError, match=r"Could not find or load main class X"):
            ManagedServer(settings).start()
    assert not ManagedServer(settings).status().running
