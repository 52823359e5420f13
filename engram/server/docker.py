"""The same server in a container, from the shipped docker-compose.yml, through the docker command."""

import contextlib
import hashlib
import shutil
import subprocess
import time
from dataclasses import replace
from datetime import UTC, datetime

import platformdirs

from engram.config import Settings, child_environment
from engram.errors import StartError
from engram.server import diagnosis, exchange, process
from engram.server.connection import Connection
from engram.server.files import NEO4J_VERSION, Home, State, shipped
from engram.server.managed import Notify, Status, bolt_uri, browser_url
from engram.server.ports import choose_ports

IMAGE = f"neo4j:{NEO4J_VERSION}-community"
_PULL_LIMIT = 1800.0
_MOVE_LIMIT = 600.0


def docker_engine() -> str | None:
    """Return the version of the Docker engine that answers, or None."""
    done = _docker("info", "--format", "{{.ServerVersion}}", limit=10)
    version = done.stdout.strip() if done and done.returncode == 0 else ""
    return version or None


def find_docker() -> str | None:
    """Return the path of `docker`, or None."""
    return shutil.which("docker", path=child_environment().get("PATH", ""))


def has_compose() -> bool:
    """Whether the docker command has its compose plugin."""
    done = _docker("compose", "version", limit=10)
    return done is not None and done.returncode == 0


def image_name() -> str:
    """Return the image that docker-compose.yml will use."""
    return child_environment().get("ENGRAM_NEO4J_IMAGE") or IMAGE


class DockerServer:
    """A Neo4j that Engram runs in a container; its data lies in a named volume."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.home = Home.of(settings)

    @property
    def project(self) -> str:
        """Return compose's project name: one per data directory, so that each has its own volume."""
        if self.home.root == platformdirs.user_data_path("engram").absolute() / "server":
            return "engram"
        return "engram-" + hashlib.sha256(str(self.home.root).encode()).hexdigest()[:8]

    def available(self, notify: Notify) -> bool:
        """Whether a container can be started: the engine answers and the image is here or can be pulled.

        When the engine answers and something else is missing, `notify` gets a line.
        """
        if docker_engine() is None:
            return False
        if not has_compose():
            notify("Docker answers but has no compose plugin; going on without Docker.")
            return False
        image = image_name()
        found = _docker("image", "inspect", "--format", "{{.Id}}", image, limit=30)
        if found is not None and found.returncode == 0:
            return True
        notify(f"Pulling the image {image} …")
        pulled = _docker("pull", "--quiet", image, limit=_PULL_LIMIT)
        if pulled is not None and pulled.returncode == 0:
            return True
        why = (pulled.stderr.strip().splitlines() or ["no answer"])[-1] if pulled else "no answer"
        notify(f"The image {image} cannot be pulled ({why[:200]}); going on without Docker.")
        return False

    def start(self, notify: Notify | None = None) -> Connection:
        """Start the container unless it runs, wait until it is healthy, and say how to reach it.

        Raises:
            StartError: It did not become healthy; the message has the last lines of its log and a remedy.
        """
        say = notify or (lambda _text: None)
        if there := self.running():
            return there
        with self.home.locked(self.settings.server_start_timeout + 60, say):
            return self.start_held(say)

    def start_held(self, say: Notify, *, trial: bool = False) -> Connection:
        """Start the container as `start` does, for a caller who holds the home's lock.

        The exchange of a restore that was cut off is undone first, unless this is that restore's own `trial`: then
        others do not find the server.
        """
        if there := self.running():
            return there
        if not trial:
            self.recover_held(say)
        state = self.planned()
        if trial:
            self.home.write_state(state)  # by which it can be stopped, even if it does not get healthy
        say(f"Starting Neo4j {NEO4J_VERSION} in Docker (project {self.project}) …")
        began = time.monotonic()
        limit = self.settings.server_start_timeout
        done = self.compose(
            state, "up", "-d", "--wait", "--wait-timeout", str(round(limit)), "neo4j", limit=limit + 30
        )
        if done is None or done.returncode != 0:
            raise self._failure(state, done)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.home.write_state(replace(state, started_at=now, ready=not trial))
        seconds = time.monotonic() - began
        say(f"Neo4j is ready after {seconds:.1f} s: {bolt_uri(state)}, Browser {browser_url(state)}")
        return self._connection(state)

    def recover_held(self, say: Notify) -> None:
        """Stop the container and take the old database back, where a restore did not get to prove the new one.

        Raises:
            StartError: Docker did not answer, or did not do it; the old database is kept.
        """
        state = self.home.read_state() or self.planned()
        if self.in_volume(state, exchange.LOOK):
            self.stop_held(say)
            say("Taking back the database that a restore had replaced …")
            self.in_volume(state, exchange.UNDO)

    def in_volume(self, state: State, script: str) -> str:
        """Run a shell script where the volume is and return what it prints.

        Raises:
            StartError: Docker did not do it.
        """
        done = self.compose(state, *one_off(script), limit=_MOVE_LIMIT)
        if done is None or done.returncode != 0:
            why = last_line(done.stderr) if done else f"no answer within {_MOVE_LIMIT:.0f} s"
            raise StartError(
                f"Docker could not look after Neo4j's volume: {why or 'it did not say why'}.",
                remedy="`docker info` says whether Docker answers; then try again. No database was removed.",
            )
        return done.stdout.strip()

    def planned(self) -> State:
        """Return what the container would be started as now."""
        bolt, http = choose_ports(self.settings, self.home.read_state())
        return State(
            backend="docker",
            version=NEO4J_VERSION,
            bolt_port=bolt,
            http_port=http,
            asked=(self.settings.bolt_port, self.settings.http_port),
        )

    def stop(self, notify: Notify | None = None) -> bool:
        """Stop the container; return whether it ran. The volume, and with it every memory, stays.

        Raises:
            StartError: Docker did not stop it.
        """
        say = notify or (lambda _text: None)
        if self.home.read_state() is None:
            return False
        with self.home.locked(self.settings.server_start_timeout + 60, say):
            return self.stop_held(say)

    def stop_held(self, say: Notify) -> bool:
        """Stop the container as `stop` does, for a caller who holds the home's lock."""
        state = self.home.read_state()
        if state is None or state.backend != "docker":
            return False
        ran = self._up(state)
        if ran:
            say("Stopping Neo4j …")
        done = self.compose(state, "stop", "neo4j", limit=120)
        if (done is None or done.returncode != 0) and (ran or self._has_container(state)):
            raise StartError(
                f"Docker did not stop Neo4j: {last_line(done.stderr) if done else 'no answer'}.",
                remedy="Try again; or find the container with `docker ps` and stop it with `docker stop`.",
            )
        self.home.write_state(replace(state, started_at=None, ready=False))
        return ran

    def running(self) -> Connection | None:
        """Return how to reach the container's server if it answers, else None."""
        state = self.home.read_state()
        return self._connection(state) if state is not None and self._up(state) else None

    def status(self) -> Status:
        """Return what is known, whether it runs or not."""
        state = self.home.read_state()
        up = state is not None and self._up(state)
        uptime = None
        if up and state and state.started_at:
            with contextlib.suppress(ValueError):
                uptime = max(0.0, time.time() - datetime.fromisoformat(state.started_at).timestamp())
        return Status(
            running=up,
            backend="docker",
            version=state.version if state else None,
            uri=bolt_uri(state) if up and state else None,
            browser_url=browser_url(state) if up and state else None,
            pid=None,
            started_at=state.started_at if up and state else None,
            uptime_seconds=uptime,
            rss_bytes=None,
            data=self.home.root,
            log=self.home.log,
            password_file=self.home.password_file,
        )

    def logs(self, lines: int) -> list[str]:
        """Return the last lines of the container's log."""
        state = self.home.read_state()
        done = (
            self.compose(state, "logs", "--no-color", "--no-log-prefix", "--tail", str(lines), "neo4j")
            if state
            else None
        )
        return (done.stdout + done.stderr).splitlines() if done else []

    def _up(self, state: State) -> bool:
        """Whether the container runs: HTTP answers on its port, and compose says that it is ours."""
        if (
            state.backend != "docker"
            or not state.ready
            or process.discovered_version(state.http_port) is None
        ):
            return False
        return self._has_container(state)

    def _has_container(self, state: State) -> bool:
        """Whether compose knows a container of ours that runs, healthy or not."""
        done = self.compose(state, "ps", "--status", "running", "--quiet", "neo4j")
        return done is not None and done.returncode == 0 and bool(done.stdout.strip())

    def _failure(self, state: State, done: subprocess.CompletedProcess[str] | None) -> StartError:
        asked = self.compose(state, "logs", "--no-color", "--no-log-prefix", "--tail", "100", "neo4j")
        lines = [
            *(done.stderr.splitlines() if done else ["no answer in time"]),
            *(asked.stdout.splitlines() if asked else []),
        ]
        cause = diagnosis.find_cause("\n".join(lines))
        shown = "".join(f"\n  {line[:300]}" for line in diagnosis.telling_lines(lines, 8))
        return StartError(
            f"Neo4j did not start in Docker: {cause.meaning}. The last lines:{shown}\n", remedy=cause.remedy
        )

    def compose(
        self, state: State, *arguments: str, limit: float = 60
    ) -> subprocess.CompletedProcess[str] | None:
        """Run `docker compose` on our project; None if it cannot be run or did not end within `limit` seconds."""
        return _docker(*self.compose_arguments(*arguments), limit=limit, given=self.compose_variables(state))

    def compose_arguments(self, *arguments: str) -> list[str]:
        """Return the arguments of a docker command on our project."""
        return ["compose", "-p", self.project, "-f", str(shipped("docker-compose.yml")), *arguments]

    def compose_variables(self, state: State) -> dict[str, str]:
        """Return what docker-compose.yml takes from the environment: no list of processes shows the password."""
        return {
            "NEO4J_PASSWORD": self.home.password(),
            "ENGRAM_BOLT_PORT": str(state.bolt_port),
            "ENGRAM_HTTP_PORT": str(state.http_port),
            "ENGRAM_SERVER_HEAP": self.settings.server_heap,
            "ENGRAM_SERVER_PAGE_CACHE": self.settings.server_page_cache,
        }

    def _connection(self, state: State) -> Connection:
        return Connection(
            uri=bolt_uri(state),
            user="neo4j",
            password=self.home.password(),
            database="neo4j",
            origin="docker",
            browser_url=browser_url(state),
        )


def one_off(script: str) -> list[str]:
    """Return the arguments that run a shell script in a container of the service's image, with its volumes.

    The image's entry point is passed by: it writes to the output that is to hold the dump, and changes owners.
    """
    return ["run", "--rm", "--no-deps", "-T", "--user", "neo4j", "--entrypoint", "sh", "neo4j", "-c", script]


def last_line(said: str) -> str:
    """Return the last line of what a command said, cut to a length that a message can hold."""
    return (said.strip().splitlines() or [""])[-1][:300]


def _docker(
    *arguments: str, limit: float, given: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str] | None:
    """Run the docker command; None if there is none or it did not end in time."""
    environment = child_environment(**(given or {}))
    program = find_docker()
    if program is None:
        return None
    try:
        return subprocess.run(
            [program, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
