"""The managed server: one Neo4j per data directory, started once and shared by whoever asks."""

import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from engram.config import Settings, child_environment
from engram.errors import ServerError, StartError
from engram.private import write_private
from engram.server import artifacts, configuration, diagnosis, exchange, process
from engram.server.connection import Connection
from engram.server.files import NEO4J_VERSION, Backend, Home, State, shipped
from engram.server.java import Java, find_java, missing_java
from engram.server.ports import choose_ports

_STOP_GRACE = 60.0  # the final checkpoint of a busy server on a slow disk
_STARTS_TRIED = 4

Notify = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Status:
    """What is known about a managed server."""

    running: bool
    backend: Backend | None
    version: str | None
    uri: str | None
    browser_url: str | None
    pid: int | None
    started_at: str | None
    """ISO 8601, UTC."""
    uptime_seconds: float | None
    rss_bytes: int | None
    """Resident memory of the server process; None when it runs in a container."""
    data: Path
    log: Path
    password_file: Path

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self) | {
            "data": str(self.data),
            "log": str(self.log),
            "password_file": str(self.password_file),
        }


class PortTakenError(StartError):
    """Another program took the port while Neo4j was starting."""


class ManagedServer:
    """A Neo4j that Engram runs itself, from jars, in `settings.data_dir`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.home = Home.of(settings)

    def start(self, notify: Notify | None = None, progress: artifacts.Progress | None = None) -> Connection:
        """Start the server unless it runs, wait until it is ready, and say how to reach it.

        Raises:
            InstallError: Its jars are missing and cannot be fetched.
            StartError: It did not get ready; the message has the last lines of its log and a remedy.
        """
        say = notify or (lambda _text: None)
        if there := self.running():
            return there
        # Whoever holds the lock may be fetching jars first.
        with self.home.locked(self.settings.server_start_timeout + 900, say):
            return self.start_held(say, progress)

    def start_held(
        self, say: Notify, progress: artifacts.Progress | None = None, *, trial: bool = False
    ) -> Connection:
        """Start the server as `start` does, for a caller who holds the home's lock.

        The exchange of a restore that was cut off is undone first, unless this is that restore's own `trial`: then
        others do not find the server.
        """
        if not trial:
            self.recover_held(say)
        for _ in range(_STARTS_TRIED - 1):
            try:
                return self.running() or self._start_locked(say, progress)
            except PortTakenError:
                # Free when it was looked at, and somebody else's ten seconds later: take the next ones.
                say("Another program took the port meanwhile; trying the next one.")
        return self.running() or self._start_locked(say, progress)

    def recover_held(self, say: Notify) -> None:
        """Stop the server and take the old database back, where a restore did not get to prove the new one.

        Raises:
            StartError: That failed; the old database is kept.
        """
        if exchange.is_unproven(self.home):
            self.stop_held(say)
            say("Taking back the database that a restore had replaced …")
            exchange.undo(self.home)

    def stop(self, notify: Notify | None = None) -> bool:
        """Stop the server; return whether there was one.

        It is asked to end, and ended after a minute if it does not; only the process that was started for this
        data directory is touched.

        Raises:
            StartError: The process cannot be ended.
        """
        say = notify or (lambda _text: None)
        if self.home.read_state() is None:
            return False
        with self.home.locked(self.settings.server_start_timeout + 60, say):
            return self.stop_held(say)

    def stop_held(self, say: Notify) -> bool:
        """Stop the server as `stop` does, for a caller who holds the home's lock."""
        state = self.home.read_state()
        ours = self._process(state)
        if state is None or state.backend != "maven":
            return False
        stopped = replace(state, pid=None, created=None, started_at=None, ready=False)
        if ours is None:
            self.home.write_state(stopped)
            return False
        say("Stopping Neo4j …")
        if not process.end(ours, _STOP_GRACE):
            say(
                f"Neo4j did not stop within {_STOP_GRACE:.0f} s and was ended; it will check its data when it starts."
            )
        self.home.write_state(stopped)
        return True

    def runtime(self, say: Notify, progress: artifacts.Progress | None = None) -> tuple[Java, Path]:
        """Return the Java and the folder of jars that the server runs from; fetch the jars if need be.

        Raises:
            StartError: There is no fitting Java.
            InstallError: The jars are missing and cannot be fetched.
        """
        java = find_java(self.settings)
        if java is None:
            raise StartError(
                missing_java() + ".", remedy="Install a JDK 25, or `pip install 'engram-neo4j[embedded]'`."
            )
        if artifacts.installed(self.settings) is None:
            say("Installing Neo4j (about 170 MB, once) …")
        return java, artifacts.install(self.settings, progress, java=java)

    def running(self) -> Connection | None:
        """Return how to reach the server if it runs and is ready, else None."""
        state = self.home.read_state()
        if (
            state is None
            or not state.ready
            or process.find_ours(state.pid, state.created, self.home.root) is None
        ):
            return None
        return self._connection(state)

    def status(self) -> Status:
        """Return what is known, whether it runs or not; contacts nobody."""
        state = self.home.read_state()
        ours = self._process(state)
        if state is None or ours is None:
            return Status(
                running=False,
                backend=state.backend if state else None,
                version=state.version if state else None,
                uri=None,
                browser_url=None,
                pid=None,
                started_at=None,
                uptime_seconds=None,
                rss_bytes=None,
                data=self.home.root,
                log=self.home.log,
                password_file=self.home.password_file,
            )
        try:
            rss = ours.memory_info().rss
        except psutil.Error:
            rss = None
        return Status(
            running=True,
            backend="maven",
            version=state.version,
            uri=bolt_uri(state),
            browser_url=browser_url(state),
            pid=ours.pid,
            started_at=state.started_at,
            uptime_seconds=max(0.0, time.time() - ours.create_time()),
            rss_bytes=rss,
            data=self.home.root,
            log=self.home.log,
            password_file=self.home.password_file,
        )

    def _process(self, state: State | None) -> psutil.Process | None:
        return process.find_ours(state.pid, state.created, self.home.root) if state else None

    def _start_locked(self, say: Notify, progress: artifacts.Progress | None) -> Connection:
        state = self.home.read_state()
        ours = self._process(state)
        if state is not None and ours is not None:
            # Whoever started it was interrupted before it was ready.
            say("Waiting for Neo4j, which is starting …")
            return self._wait(state, ours, say, time.monotonic(), marks={})
        process.end_tools(self.home.root)
        java, jars = self.runtime(say, progress)
        if state is not None and state.pid is not None:
            # It did not end by `stop`. A killed Java lets go of its ports and its store only some moments later.
            process.wait_free((state.bolt_port, state.http_port), 5.0)
        bolt, http = choose_ports(self.settings, state)
        say(f"Starting Neo4j {NEO4J_VERSION} in {self.home.root} (Java {java.full_version}) …")
        began = time.monotonic()
        text = self._configure(bolt, http)
        self._set_password(java, jars)
        command = configuration.server_command(
            java, jars, self.home.root, self.home.conf, configuration.java_flags(text, java)
        )
        if _size(self.home.console) > 1_000_000:
            self.home.console.replace(self.home.console.with_suffix(".log.1"))
        marks = {log: _size(log) for log in (self.home.console, self.home.log, self.home.debug_log)}
        child = process.spawn(command, log=self.home.console, folder=self.home.root)
        try:
            certificate = self.settings.server_certificate
            state = State(
                backend="maven",
                version=NEO4J_VERSION,
                bolt_port=bolt,
                http_port=http,
                asked=(self.settings.bolt_port, self.settings.http_port),
                pid=child.pid,
                created=child.create_time(),
                started_at=datetime.fromtimestamp(child.create_time(), UTC).isoformat(timespec="seconds"),
                certificate=str(certificate.absolute()) if certificate is not None else None,
            )
            self.home.write_state(state)
        except psutil.NoSuchProcess:
            raise self._crash(marks) from None
        except ServerError:
            # Unrecorded it could not be stopped later.
            process.end(child, _STOP_GRACE)
            raise
        return self._wait(state, child, say, began, marks)

    def _wait(
        self, state: State, child: psutil.Process, say: Notify, began: float, marks: Mapping[Path, int]
    ) -> Connection:
        """Wait until this process serves both ports and HTTP discovery answers, as long as it lives."""
        limit = self.settings.server_start_timeout
        ports = state.http_port, state.bolt_port
        # Another server that took the port in between would answer too: with another password and other data.
        while not (process.listens(child, ports) and process.discovered_version(state.http_port)):
            if not process.is_alive(child):
                raise self._crash(marks)
            if time.monotonic() - began > limit:
                process.end(child, _STOP_GRACE)
                raise StartError(
                    f"Neo4j was not ready within {limit:.0f} s and was stopped.{self._last_lines(marks)}",
                    remedy="Raise ENGRAM_SERVER_START_TIMEOUT if this machine is slow; `engram server logs` shows more.",
                )
            self._check_databases(child, marks)
            time.sleep(0.2)
        self._check_databases(child, marks)
        # A database that a restore has yet to prove is not for others to find.
        state = replace(state, ready=not exchange.is_unproven(self.home))
        self.home.write_state(state)
        say(
            f"Neo4j is ready after {time.monotonic() - began:.1f} s: {bolt_uri(state)}, Browser {browser_url(state)}"
        )
        return self._connection(state)

    def _check_databases(self, child: psutil.Process, marks: Mapping[Path, int]) -> None:
        """End a server of which a database did not come up, and say why."""
        lines = (
            diagnosis.tail(self.home.debug_log, 400, start=marks.get(self.home.debug_log, 0)) if marks else []
        )
        if why := diagnosis.failed_database(lines):
            process.end(child, _STOP_GRACE)
            raise self._failure("Neo4j could not open its database and was stopped", why)

    def _configure(self, bolt: int, http: int) -> str:
        text = configuration.generate(
            shipped("neo4j.conf").read_text(encoding="utf-8"),
            configuration.overrides(self.settings, bolt, http),
        )
        try:
            write_private(self.home.conf / "neo4j.conf", text)
        except OSError as error:
            raise StartError(
                f"The configuration cannot be written to {self.home.conf}: {error.strerror or error}.",
                remedy="Free some space, repair its permissions, or set ENGRAM_DATA_DIR to another folder.",
            ) from error
        return text

    def _set_password(self, java: Java, jars: Path) -> None:
        """Give a database that does not exist yet its password."""
        self.home.password()
        if self.home.has_store:
            return
        # The tool reads arguments from a file named after @, so the password shows in no list of processes.
        command = configuration.admin_command(
            java, jars, "dbms", "set-initial-password", f"@{self.home.password_file}"
        )
        environment = child_environment(NEO4J_HOME=str(self.home.root), NEO4J_CONF=str(self.home.conf))
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
                env=environment,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise StartError(f"Neo4j's administration tool could not be run: {error}.") from error
        if done.returncode != 0:
            lines = (done.stdout + done.stderr).splitlines()
            raise self._failure("Neo4j's password could not be set", lines)

    def _crash(self, marks: Mapping[Path, int]) -> StartError:
        return self._failure("Neo4j stopped while it was starting", self._log_since(marks))

    def _failure(self, what: str, lines: list[str]) -> StartError:
        cause = diagnosis.find_cause("\n".join(lines))
        shown = "".join(f"\n  {line[:300]}" for line in diagnosis.telling_lines(lines, 8)) or "\n  (nothing)"
        error = PortTakenError if cause.port else StartError
        return error(f"{what}: {cause.meaning}. The last lines of its log:{shown}\n", remedy=cause.remedy)

    def _last_lines(self, marks: Mapping[Path, int]) -> str:
        lines = diagnosis.telling_lines(self._log_since(marks), 5)
        return "".join(f"\n  {line[:300]}" for line in lines) + "\n" if lines else ""

    def _log_since(self, marks: Mapping[Path, int]) -> list[str]:
        """Return what this start wrote: Neo4j's log, then the process's own words."""
        return [
            *diagnosis.tail(self.home.log, 200, start=marks.get(self.home.log, 0)),
            *diagnosis.tail(self.home.console, 200, start=marks.get(self.home.console, 0)),
        ]

    def _connection(self, state: State) -> Connection:
        certificate = None if state.certificate is None else Path(state.certificate)
        return Connection(
            uri=bolt_uri(state),
            user="neo4j",
            password=self.home.password(),
            database="neo4j",
            origin="managed",
            browser_url=browser_url(state),
            # One that signed itself is its own authority.
            ca_file=certificate and (self.settings.neo4j_ca_file or certificate),
        )


def bolt_uri(state: State) -> str:
    """Return the address of the managed server."""
    # Not `localhost`: that may be ::1 first, where somebody else's server may listen.
    scheme = "bolt" if state.certificate is None else "bolt+s"
    return f"{scheme}://{process.LOOPBACK}:{state.bolt_port}"


def browser_url(state: State) -> str:
    """Return the address of Neo4j Browser at the managed server."""
    return f"http://localhost:{state.http_port}/browser/"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
