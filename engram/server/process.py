"""A process of ours: started apart from the terminal, known again later, ended when asked."""

import contextlib
import http.client
import json
import socket
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

from engram.config import child_environment
from engram.errors import StartError
from engram.server.configuration import home_argument

LOOPBACK = "127.0.0.1"
# The creation time is derived from the boot time, which moves when the clock is set.
_CLOCK_TOLERANCE = 30.0
_TOOL_GRACE = 5.0


def spawn(command: list[str], *, log: Path, folder: Path) -> psutil.Process:
    """Start `command` apart from this process and its terminal, its output appended to `log`.

    A shell starts it in the background and goes: nothing is left to wait for, Ctrl-C does not reach it, and it
    lives on when this process ends.

    Raises:
        StartError: It could not be started, or it ended at once.
    """
    script = 'exec 3>&1; log=$1; shift; "$@" </dev/null >>"$log" 2>&1 3>&- & echo $! >&3'
    try:
        shell = subprocess.run(
            ["/bin/sh", "-c", script, "engram", str(log), *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
            start_new_session=True,
            cwd=folder,
            env=child_environment(),
        )
        return psutil.Process(int(shell.stdout))
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise StartError(f"{command[0]} could not be started: {error}.") from error
    except psutil.NoSuchProcess as error:
        raise StartError(f"{command[0]} ended at once.") from error


def is_alive(process: psutil.Process) -> bool:
    """Whether the process runs; one that ended and was not collected by its parent does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def find_ours(pid: int | None, created: float | None, home: Path) -> psutil.Process | None:
    """Return the process that was started for `home` under this pid, or None if it is gone.

    The pid alone proves nothing after a crash or a reboot: the creation time and the command line must fit too.
    """
    if pid is None or created is None:
        return None
    try:
        process = psutil.Process(pid)
        fits = (
            abs(process.create_time() - created) < _CLOCK_TOLERANCE
            and home_argument(home) in process.cmdline()
        )
    except (psutil.Error, ValueError):
        return None
    return process if fits and is_alive(process) else None


def end(process: psutil.Process, grace: float) -> bool:
    """Ask a process to end and wait `grace` seconds, then end it; return whether it went by itself.

    Raises:
        StartError: It belongs to someone else.
    """
    try:
        process.terminate()
        if _gone(process, grace):
            return True
        process.kill()
        _gone(process, 10)
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied as error:
        raise StartError(f"Process {process.pid} is not ours to end: {error}.") from error
    return False


def tool_mark(home: Path) -> str:
    """Return the Java flag by which an administration tool that works on this home's database is known."""
    return f"-Dengram.home={home}"


def end_tools(home: Path) -> None:
    """End the administration tools that a killed process left at work on this home's database.

    They only read it, or write to a draft; but none may hold it open when the server starts. For whoever has the
    home's lock: nobody else has any at work then.

    Raises:
        StartError: One belongs to someone else.
    """
    for each in psutil.process_iter(["cmdline"]):
        if tool_mark(home) in (each.info["cmdline"] or []):
            end(each, _TOOL_GRACE)


def _gone(process: psutil.Process, seconds: float) -> bool:
    """Wait until the process has ended; one that only waits to be collected counts as ended."""
    for _ in range(max(1, round(seconds / 0.1))):
        with contextlib.suppress(psutil.TimeoutExpired):
            process.wait(timeout=0.1)
            return True
        if not is_alive(process):
            return True
    return False


def port_free(port: int) -> bool:
    """Whether a server could listen on this port of the loopback address."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As Java does: a connection that lingers after its server's end does not hold the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
            probe.listen(1)
        except OSError:
            return False
    # Some systems let two programs bind a port when one of them binds all addresses.
    return not accepts(port)


def wait_free(ports: Iterable[int], seconds: float) -> None:
    """Wait until all of these ports are free, but not longer than this."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit and not all(port_free(port) for port in ports):
        time.sleep(0.1)


def accepts(port: int) -> bool:
    """Whether somebody accepts connections on this port of the loopback address."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=2):
            return True
    except OSError:
        return False


def listens(child: psutil.Process, ports: Iterable[int]) -> bool:
    """Whether it is this process that listens on all of these ports, and not somebody who was quicker."""
    try:
        held = {
            connection.laddr.port
            for connection in child.net_connections(kind="tcp")
            if connection.status == psutil.CONN_LISTEN
        }
    except psutil.Error:
        return False
    return held.issuperset(ports)


def discovered_version(http_port: int) -> str | None:
    """Return the version that the Neo4j at this HTTP port gives for itself, or None if none answers."""
    connection = http.client.HTTPConnection(LOOPBACK, http_port, timeout=2)
    try:
        connection.request("GET", "/", headers={"Accept": "application/json"})
        answer = json.loads(connection.getresponse().read(65_536))
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    version = answer.get("neo4j_version") if isinstance(answer, dict) else None
    return str(version) if version else None
