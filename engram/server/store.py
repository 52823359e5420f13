"""The files of a database whose server is stopped: dumped, loaded beside it, checked, put in its place."""

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Protocol

from engram.config import child_environment
from engram.errors import BackupError
from engram.server import configuration, diagnosis, exchange, process
from engram.server.archive import Sink
from engram.server.configuration import DATABASE
from engram.server.files import Home
from engram.server.java import Java

_CHUNK = 1 << 20


class Store(Protocol):
    """Where a managed server's database lies, and what can be done with its files."""

    def size(self) -> int:
        """Return the bytes that the database takes; 0 if there is none."""
        ...

    def free(self) -> int | None:
        """Return the bytes that are free beside it; None if that is not known."""
        ...

    def dump(self, sink: Sink) -> None:
        """Write the server's own dump of the database; the server is stopped."""
        ...

    def load_draft(self, dump: IO[bytes]) -> None:
        """Load a dump beside the database, which may be served meanwhile."""
        ...

    def check_draft(self) -> None:
        """Let the server's consistency checker read what was loaded."""
        ...

    def put_in_place(self) -> None:
        """Put what was loaded in the place of the database, which is kept; the server is stopped."""
        ...

    def mark_proven(self) -> None:
        """Say that what was put in place works: what it replaced need not be kept."""
        ...

    def tidy(self) -> None:
        """Remove what was loaded, and what was replaced by a database that was proven to work.

        An exchange that was not proven is undone; then the server is stopped.
        """
        ...


class JarStore:
    """The database of a server that runs from jars, in its data directory."""

    def __init__(self, home: Home, java: Java, jars: Path, heap: str) -> None:
        self._home = home
        self._java = java
        self._jars = jars
        self._heap = heap

    def size(self) -> int:
        """Return the bytes that the database takes; 0 if there is none."""
        folders = (self._home.data / "databases" / DATABASE, self._home.data / "transactions" / DATABASE)
        return sum(_size(path) for folder in folders for path in folder.rglob("*"))

    def free(self) -> int:
        """Return the bytes that are free beside it."""
        return shutil.disk_usage(self._home.root).free

    def dump(self, sink: Sink) -> None:
        """Write the server's own dump of the database; the server is stopped."""
        self._admin(self._home.root, "dump", "--to-stdout", DATABASE, sink=sink)

    def load_draft(self, dump: IO[bytes]) -> None:
        """Load a dump beside the database, which may be served meanwhile."""
        self._home.draft.mkdir(mode=0o700)
        self._admin(self._home.draft, "load", "--from-stdin", DATABASE, source=dump)

    def check_draft(self) -> None:
        """Let the server's consistency checker read what was loaded."""
        report = f"--report-path={self._home.draft}"
        self._admin(self._home.draft, "check", "--max-off-heap-memory=256m", report, DATABASE)

    def put_in_place(self) -> None:
        """Put what was loaded in the place of the database, which is kept; the server is stopped."""
        exchange.put_in_place(self._home)

    def mark_proven(self) -> None:
        """Say that what was put in place works: what it replaced need not be kept."""
        exchange.mark_proven(self._home)

    def tidy(self) -> None:
        """Remove what was loaded and what was replaced; undo an exchange that was not proven."""
        process.end_tools(self._home.root)
        exchange.undo(self._home)
        exchange.discard(self._home)

    def _admin(
        self,
        root: Path,
        verb: str,
        *arguments: str,
        source: IO[bytes] | None = None,
        sink: Sink | None = None,
    ) -> None:
        command = configuration.admin_command(self._java, self._jars, "database", verb, *arguments)
        # Checking needs more than the 192 MB of the tool's other commands; the last flag of a kind counts.
        at = command.index("-cp")
        command[at:at] = [f"-Xmx{self._heap}", process.tool_mark(self._home.root)]
        environment = child_environment(NEO4J_HOME=str(root), NEO4J_CONF=str(self._home.conf))
        run_tool(command, environment, verb, source=source, sink=sink)


def run_tool(
    command: Sequence[str],
    environment: dict[str, str],
    verb: str,
    *,
    source: IO[bytes] | None = None,
    sink: Sink | None = None,
) -> None:
    """Run Neo4j's administration tool to its end, feeding it `source` and passing what it writes to `sink`.

    Raises:
        BackupError: It failed; the message has its last lines.
    """
    with tempfile.TemporaryFile() as said:
        try:
            tool = subprocess.Popen(
                command,
                stdin=subprocess.PIPE if source else subprocess.DEVNULL,
                stdout=subprocess.PIPE if sink else said,
                stderr=said,
                env=environment,
            )
        except OSError as error:
            raise BackupError(f"{command[0]} could not be started: {error}.") from error
        with _ended(tool):
            if sink and tool.stdout:
                shutil.copyfileobj(tool.stdout, sink, _CHUNK)
            if source and tool.stdin:
                # It stops reading when it fails, and says why.
                with contextlib.suppress(BrokenPipeError), tool.stdin:
                    shutil.copyfileobj(source, tool.stdin, _CHUNK)
            code = tool.wait()
        if code != 0:
            said.seek(0)
            raise _failure(verb, said.read().decode("utf-8", "replace").splitlines())


@contextlib.contextmanager
def _ended(tool: subprocess.Popen[bytes]) -> Iterator[None]:
    """End the tool if what is done with it fails."""
    try:
        yield
    except BaseException:
        tool.kill()
        tool.wait()
        raise
    finally:
        if tool.stdout:
            tool.stdout.close()


def _size(path: Path) -> int:
    """Return a file's bytes; 0 for what is none or, as a running server may have it, is gone again."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:
        return 0


def _failure(verb: str, lines: list[str]) -> BackupError:
    cause = diagnosis.find_cause("\n".join(lines))
    told = [line for line in lines if not line.startswith(("Files: ", "WARNING: ", "....", "----"))]
    shown = "".join(f"\n  {line[:300]}" for line in diagnosis.telling_lines(told, 8)) or "\n  (nothing)"
    return BackupError(
        f"Neo4j's `database {verb}` failed: {cause.meaning}. Its last lines:{shown}\n", remedy=cause.remedy
    )
