"""The files of a database that lies in Docker's volume, reached through containers that live for one command."""

from typing import IO

from engram.config import child_environment
from engram.errors import BackupError
from engram.server import exchange
from engram.server.archive import Sink
from engram.server.configuration import DATABASE
from engram.server.docker import DockerServer, find_docker, last_line, one_off
from engram.server.files import State
from engram.server.store import run_tool

_CONFIGURED = "--additional-config=/data/restoring/neo4j.conf"
_SIZE = f"cd /data && du -sbc databases/{DATABASE} transactions/{DATABASE} 2>/dev/null | tail -n 1 | cut -f 1"
_FREE = "df --output=avail -B 1 /data | tail -n 1"
_LOAD = f"""set -e
mkdir /data/restoring
echo server.directories.data=/data/restoring > /data/restoring/neo4j.conf
exec neo4j-admin database load {_CONFIGURED} --from-stdin {DATABASE}
"""
_CHECK = f"""exec neo4j-admin database check {_CONFIGURED} --max-off-heap-memory=256m \
--report-path=/data/restoring {DATABASE}"""
_SIZE_LIMIT = 120.0


class DockerStore:
    """The database of a server that runs in a container."""

    def __init__(self, server: DockerServer, state: State) -> None:
        self._server = server
        self._state = state

    def size(self) -> int:
        """Return the bytes that the database takes; 0 if there is none.

        Raises:
            BackupError: Docker did not say. That must not pass for an empty volume, which a restore may fill.
        """
        size, why = self._number(_SIZE)
        if size is None:
            raise BackupError(
                f"Docker did not say how large the database is: {why}.",
                remedy="`docker info` says whether Docker answers; then try again. The database was not touched.",
            )
        return size

    def free(self) -> int | None:
        """Return the bytes that are free beside it; None if that is not known."""
        free, _why = self._number(_FREE)
        return free

    def dump(self, sink: Sink) -> None:
        """Write the server's own dump of the database; the server is stopped."""
        self._shell("dump", f"exec neo4j-admin database dump --to-stdout {DATABASE}", sink=sink)

    def load_draft(self, dump: IO[bytes]) -> None:
        """Load a dump beside the database, which may be served meanwhile."""
        self._shell("load", _LOAD, source=dump)

    def check_draft(self) -> None:
        """Let the server's consistency checker read what was loaded."""
        self._shell("check", _CHECK)

    def put_in_place(self) -> None:
        """Put what was loaded in the place of the database, which is kept; the server is stopped."""
        self._server.in_volume(self._state, exchange.PUT_IN_PLACE)

    def mark_proven(self) -> None:
        """Say that what was put in place works: what it replaced need not be kept."""
        self._server.in_volume(self._state, exchange.MARK_PROVEN)

    def tidy(self) -> None:
        """Remove what was loaded and what was replaced; undo an exchange that was not proven."""
        self._server.in_volume(self._state, exchange.DISCARD)

    def _number(self, script: str) -> tuple[int | None, str]:
        """Return the number that a script prints, or None and why there is none."""
        done = self._server.compose(self._state, *one_off(script), limit=_SIZE_LIMIT)
        if done is None:
            return None, f"no answer within {_SIZE_LIMIT:.0f} s"
        text = done.stdout.strip()
        if done.returncode == 0 and text.isdecimal():
            return int(text), ""
        return None, last_line(done.stderr) or f"it answered {text[:100]!r}"

    def _shell(
        self, verb: str, script: str, *, source: IO[bytes] | None = None, sink: Sink | None = None
    ) -> None:
        program = find_docker()
        if program is None:
            raise BackupError("There is no docker command.", remedy="Install Docker.")
        command = [program, *self._server.compose_arguments(*one_off(script))]
        environment = child_environment(**self._server.compose_variables(self._state))
        run_tool(command, environment, verb, source=source, sink=sink)
