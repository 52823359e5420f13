"""The files of a database that lies in Docker's volume, reached through containers that live for one command."""

from typing import IO

from engram.config import child_environment
from engram.errors import BackupError
from engram.server.archive import Sink
from engram.server.configuration import DATABASE
from engram.server.docker import DockerServer, find_docker
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
# The transaction logs go in first: while there is no databases/neo4j, the old pair can be taken back as it was.
_PUT_IN_PLACE = f"""set -e
cd /data
mkdir -p databases transactions before/databases before/transactions
for part in databases transactions; do
  if [ -d $part/{DATABASE} ]; then mv $part/{DATABASE} before/$part/; fi
done
for part in transactions databases; do mv restoring/$part/{DATABASE} $part/; done
"""
_PUT_BACK = f"""set -e
cd /data
if [ -d before/databases/{DATABASE} ]; then
  for part in transactions databases; do
    if [ -d before/$part/{DATABASE} ]; then
      rm -rf $part/{DATABASE}
      mv before/$part/{DATABASE} $part/
    fi
  done
fi
"""
# Whoever was cut off while putting in place left no databases/neo4j.
_TIDY = f"""if [ ! -d /data/databases/{DATABASE} ]; then
{_PUT_BACK}
fi
rm -rf /data/restoring /data/before
"""


class DockerStore:
    """The database of a server that runs in a container."""

    def __init__(self, server: DockerServer, state: State) -> None:
        self._server = server
        self._state = state

    def size(self) -> int:
        """Return the bytes that the database takes; 0 if there is none."""
        return self._number(_SIZE)

    def free(self) -> int | None:
        """Return the bytes that are free beside it; None if that is not known."""
        return self._number(_FREE) or None

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
        self._shell("load", _PUT_IN_PLACE)

    def put_back(self) -> None:
        """Undo `put_in_place`."""
        self._shell("load", _PUT_BACK)

    def tidy(self) -> None:
        """Remove what was loaded and what was kept."""
        self._shell("load", _TIDY)

    def _number(self, script: str) -> int:
        done = self._server.compose(self._state, *_one_off(script), limit=120)
        text = done.stdout.strip() if done and done.returncode == 0 else ""
        return int(text) if text.isdecimal() else 0

    def _shell(
        self, verb: str, script: str, *, source: IO[bytes] | None = None, sink: Sink | None = None
    ) -> None:
        program = find_docker()
        if program is None:
            raise BackupError("There is no docker command.", remedy="Install Docker.")
        command = [program, *self._server.compose_arguments(*_one_off(script))]
        environment = child_environment(**self._server.compose_variables(self._state))
        run_tool(command, environment, verb, source=source, sink=sink)


def _one_off(script: str) -> list[str]:
    """Return the arguments that run a shell script in a container of the service's image, with its volumes.

    The image's entry point is passed by: it writes to the output that is to hold the dump, and changes owners.
    """
    return ["run", "--rm", "--no-deps", "-T", "--user", "neo4j", "--entrypoint", "sh", "neo4j", "-c", script]
