"""Where the managed server keeps things, private files, and what is remembered between starts."""

import contextlib
import importlib.metadata
import json
import secrets
import stat
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal, Self

import filelock

from engram.config import Settings
from engram.errors import ConfigurationError, StartError
from engram.private import write_private

NEO4J_VERSION = "2026.09.0"
BROWSER_VERSION = "5.24.0"
DISTRIBUTION = "engram-neo4j"
_MOMENT = 2.0  # an ordinary stop passes without a word; whatever is longer is said

Backend = Literal["maven", "docker"]


def shipped(name: str) -> Path:
    """Return the path of a file that travels with Engram: `neo4j.conf` or `docker-compose.yml`.

    Raises:
        ConfigurationError: Neither the checkout nor the installed distribution has it.
    """
    root = Path(__file__).resolve().parents[2]
    if (root / "pyproject.toml").is_file() and (root / name).is_file():
        return root / name
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        for entry in importlib.metadata.files(DISTRIBUTION) or []:
            if entry.parts[-3:] == ("share", "engram", name):
                found = Path(str(entry.locate())).resolve()
                if found.is_file():
                    return found
    raise ConfigurationError(
        f"{name}, which comes with Engram, is missing.", remedy=f"Install {DISTRIBUTION} again."
    )


@dataclass(frozen=True, kw_only=True)
class State:
    """What the managed server was last started as; kept after a stop for its ports and backend."""

    backend: Backend
    version: str
    bolt_port: int
    http_port: int
    asked: tuple[int, int]
    """The ports that the settings named then; other settings, other ports."""
    pid: int | None = None
    created: float | None = None
    """The process's creation time, in seconds since the epoch, so that a reused pid is not mistaken for it."""
    started_at: str | None = None
    ready: bool = False
    certificate: str | None = None
    """Path of the certificate by which its bolt port is encrypted."""


@dataclass(frozen=True, kw_only=True)
class Home:
    """The folders and files of one managed server."""

    root: Path
    """Neo4j's home: data, logs and conf lie in it."""

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the home that belongs to `settings.data_dir`."""
        return cls(root=settings.data_dir.expanduser().absolute() / "server")

    @property
    def conf(self) -> Path:
        """Return the folder of the generated neo4j.conf."""
        return self.root / "conf"

    @property
    def logs(self) -> Path:
        """Return the folder of Neo4j's logs."""
        return self.root / "logs"

    @property
    def console(self) -> Path:
        """Return the file that takes the process's own output."""
        return self.logs / "console.log"

    @property
    def log(self) -> Path:
        """Return Neo4j's log for people."""
        return self.logs / "neo4j.log"

    @property
    def debug_log(self) -> Path:
        """Return Neo4j's log for developers, one JSON object a line."""
        return self.logs / "debug.log"

    @property
    def password_file(self) -> Path:
        """Return the file that holds the password."""
        return self.root / "password"

    @property
    def data(self) -> Path:
        """Return the folder of the databases and their transaction logs."""
        return self.root / "data"

    @property
    def draft(self) -> Path:
        """Return the folder in which a backup is loaded and checked, a home like this one."""
        return self.root / "restoring"

    @property
    def before(self) -> Path:
        """Return the folder that keeps what a restore replaces, until the new database has started."""
        return self.root / "data.before"

    @property
    def has_store(self) -> bool:
        """Whether a database has been created here."""
        return (self.data / "databases" / "system").is_dir()

    def prepare(self) -> None:
        """Create the folders, readable by their owner only.

        Raises:
            StartError: The data directory cannot be created or written.
        """
        try:
            self.root.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (self.root, self.conf, self.logs):
                folder.mkdir(exist_ok=True, mode=0o700)
            self.root.chmod(0o700)
        except OSError as error:
            raise self._unwritable(error) from error

    def recover(self) -> None:
        """Take the old databases back where a restore was killed before the new ones were in their place.

        Raises:
            StartError: They cannot be moved.
        """
        if self.before.is_dir() and not self.data.exists():
            try:
                self.before.rename(self.data)
            except OSError as error:
                raise self._unwritable(error) from error

    @contextlib.contextmanager
    def locked(self, timeout: float, notify: Callable[[str], None] | None = None) -> Iterator[None]:
        """Hold this home's lock, so that one process at a time starts, stops or copies its server.

        `notify` gets a line where somebody else holds it for more than a moment.

        Raises:
            StartError: The lock was not free within `timeout` seconds, or the folder cannot be written.
        """
        self.prepare()
        lock = filelock.FileLock(self.root / "server.lock")
        try:
            try:
                lock.acquire(timeout=min(timeout, _MOMENT))
            except filelock.Timeout:
                if notify is not None:
                    notify("Another process is starting, stopping or backing up the server; waiting for it …")
                lock.acquire(timeout=timeout)
        except filelock.Timeout:
            raise StartError(
                f"Another process has had the server in {self.root} in hand for over {timeout:.0f} s.",
                remedy="Wait for it, or look for a hanging `engram` process.",
            ) from None
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            yield
        finally:
            lock.release()

    def password(self) -> str:
        """Return the server's password, made up and stored (mode 0600) the first time.

        Raises:
            StartError: A database exists but its password is gone, or the file cannot be used.
        """
        try:
            text = self.password_file.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            text = ""
        except (OSError, UnicodeDecodeError) as error:
            raise StartError(f"The password file {self.password_file} cannot be read: {error}.") from error
        if text:
            if stat.S_IMODE(self.password_file.stat().st_mode) & 0o077:
                self.password_file.chmod(0o600)
            return text
        if self.has_store:
            raise StartError(
                f"There is a database in {self.root}, but its password file is gone.",
                remedy=f"Put the password back into {self.password_file}, or move {self.root / 'data'} away.",
            )
        # Hex only: no shell, URI, `user/password` pair or argument file can misread it.
        text = secrets.token_hex(24)
        try:
            write_private(self.password_file, text + "\n")
        except OSError as error:
            raise self._unwritable(error) from error
        return text

    def read_state(self) -> State | None:
        """Return what was remembered, or None if there is nothing or it is not readable as a state."""
        try:
            raw = json.loads((self.root / "server.json").read_text(encoding="utf-8"))
            known = {field.name for field in fields(State)}
            values = {name: value for name, value in raw.items() if name in known}
            bolt, http = values.pop("asked")
            return State(**values, asked=(int(bolt), int(http)))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def write_state(self, state: State) -> None:
        """Remember `state`.

        Raises:
            StartError: The file cannot be written.
        """
        try:
            write_private(self.root / "server.json", json.dumps(asdict(state), indent=1) + "\n")
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> StartError:
        return StartError(
            f"The data directory {self.root.parent} cannot be written: {error.strerror or error}.",
            remedy="Free some space, repair its permissions, or set ENGRAM_DATA_DIR to another folder.",
        )
