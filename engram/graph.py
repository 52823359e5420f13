"""The one module that talks to the Neo4j driver.

Values that leave it are plain Python: `datetime` in UTC, lists, and for graph elements the small
dataclasses below. Errors that leave it are Engram's.
"""

import logging
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self, TypeVar

import neo4j
import neo4j.exceptions
import neo4j.graph
import neo4j.time

from engram.errors import (
    AuthenticationError,
    DatabaseError,
    DatabaseUnavailableError,
    EngramError,
    IndexPopulatingError,
    InvalidInputError,
    SchemaError,
)
from engram.statements import load

T = TypeVar("T")
Row = dict[str, Any]
_LOG = logging.getLogger(__name__)
_ATTEMPTS = 6
"""With doubling pauses from 50 ms these span about 1.5 s: a deadlock or a leader switch is over by then."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node as a path holds it."""

    element_id: str
    labels: frozenset[str]
    properties: Row


@dataclass(frozen=True, slots=True)
class Step:
    """A relationship of a path, with the element ids of its ends."""

    type: str
    start: str
    end: str
    properties: Row


@dataclass(frozen=True, slots=True)
class Path:
    """A path: n nodes and the n - 1 relationships between them."""

    nodes: tuple[Node, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a write returned and how many things it changed."""

    rows: list[Row]
    changed: int
    """Nodes, relationships, labels and properties created, set or deleted."""


class _Rehearsed(Exception):  # noqa: N818  (no error: it carries a result out of a transaction)
    """What a statement returned that is rolled back."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class Transaction:
    """Several statements that are committed together or not at all."""

    def __init__(self, transaction: neo4j.ManagedTransaction) -> None:
        self._transaction = transaction

    def run(self, name: str, /, **parameters: Any) -> Outcome:
        """Run one statement inside the transaction."""
        result = self._transaction.run(load(name).text, parameters)
        rows = [_plain_row(record) for record in result]
        return Outcome(rows, _changed(result.consume()))


class Graph:
    """A connection to one Neo4j database; safe to share between threads."""

    def __init__(self, uri: str, user: str, password: str, database: str) -> None:
        self.uri = uri
        self.database = database
        self._closed = False
        with _translated(uri):
            self._driver = neo4j.GraphDatabase.driver(
                uri,
                auth=(user, password),
                connection_timeout=5,
                connection_acquisition_timeout=20,
                # Long enough for a deadlock or a change of leader, short enough to wait for a dead server.
                max_transaction_retry_time=6,
                # A pooled connection that slept longer than this is tried before use, so a restarted
                # server costs a reconnect and not an error.
                liveness_check_timeout=30,
                notifications_min_severity="OFF",
                user_agent="engram",
            )

    def close(self) -> None:
        """Close every connection; using it afterwards is an error that says so."""
        self._closed = True
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check(self) -> str:
        """Return the server's version, e.g. `2026.09.0`.

        Raises:
            DatabaseUnavailableError: Nobody answers.
            AuthenticationError: The user or the password is refused.
        """
        with _translated(self.uri):
            agent = str(self._driver.get_server_info().agent)
            # The handshake proves the address and the password, not that the database exists.
            with self._session(neo4j.READ_ACCESS) as session:
                session.run("RETURN 1").consume()
        return agent.removeprefix("Neo4j/")

    def read(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run a reading statement and return its rows.

        It runs as one auto-commit transaction (BEGIN and COMMIT would be two more round trips) and is
        tried again on errors that pass by themselves.
        """
        with _translated(self.uri):
            return self._auto_commit(neo4j.READ_ACCESS, name, parameters)

    def keep(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run one writing statement that may be run twice, and return its rows after the commit.

        It is one auto-commit transaction, so a lost answer runs it again; and a server that does not answer is
        given up within a second rather than six, for a caller who has another place to keep things.
        """
        with _translated(self.uri):
            return self._auto_commit(neo4j.WRITE_ACCESS, name, parameters)

    def write(self, name: str, /, **parameters: Any) -> Outcome:
        """Run one writing statement in a transaction of its own; returns after the commit."""
        return self.transact(lambda transaction: transaction.run(name, **parameters))

    def rehearse(self, name: str, /, **parameters: Any) -> Outcome:
        """Run one writing statement and take it back: what it would return and change."""

        def work(transaction: Transaction) -> None:
            raise _Rehearsed(transaction.run(name, **parameters))

        try:
            self.transact(work)
        except _Rehearsed as rehearsed:
            return rehearsed.outcome
        raise AssertionError  # `work` always raises, which is what rolls back

    def now(self) -> datetime:
        """Return the database's time, which all machines that share it agree on."""
        time: datetime = self.read("inspect/read_clock")[0]["now"]
        return time

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one transaction and return its result after the commit.

        On a passing error (a deadlock, a lost connection) the whole of `work` runs again, so it must
        not act outside of the transaction.
        """
        with _translated(self.uri), self._session(neo4j.WRITE_ACCESS) as session:
            for attempt in range(1, _ATTEMPTS + 1):
                try:
                    return session.execute_write(lambda transaction: work(Transaction(transaction)))
                except neo4j.exceptions.ClientError as error:
                    # Somebody deleted what this had found and was waiting to lock; it will not be found again.
                    if "EntityNotFound" not in (error.code or "") or attempt == _ATTEMPTS:
                        raise
                _pause(attempt)
        raise AssertionError  # the last attempt has returned or raised

    def apply(self, name: str, /, **parameters: Any) -> None:
        """Run a schema statement, which must be alone in its transaction; it must not mind running twice."""
        with _translated(self.uri):
            try:
                self._auto_commit(neo4j.WRITE_ACCESS, name, parameters)
            except neo4j.exceptions.ClientError as error:
                # IF NOT EXISTS is looked at before the lock: somebody else made the same thing meanwhile.
                if "AlreadyExists" not in (error.code or ""):
                    raise

    def explain(self, name: str, /, **parameters: Any) -> list[str]:
        """Compile a statement without running it; return its plan's operators, the first to run last.

        Raises what the server finds wrong with it.
        """
        with _translated(self.uri), self._session(neo4j.READ_ACCESS) as session:
            plan = session.run("EXPLAIN " + load(name).text, parameters).consume().plan
        return [] if plan is None else list(_operators(plan))

    def _auto_commit(self, access: str, name: str, parameters: Row) -> list[Row]:
        text = load(name).text
        return _retried(lambda: self._run(access, text, parameters))

    def _run(self, access: str, text: str, parameters: Row) -> list[Row]:
        with self._session(access) as session:
            return [_plain_row(record) for record in session.run(text, parameters)]

    def _session(self, access: str) -> neo4j.Session:
        if self._closed:
            raise DatabaseError(
                f"This connection to Neo4j at {self.uri} is closed.",
                remedy="Open another with `Engram.open`.",
            )
        return self._driver.session(
            database=self.database,
            default_access_mode=access,
            # Shared, so that a read sees this process's writes on a cluster too.
            bookmark_manager=self._driver.execute_query_bookmark_manager,
        )


def _retried(work: Callable[[], list[Row]]) -> list[Row]:
    """Return what an auto-commit statement returns, trying again on errors that pass by themselves."""
    attempt = 1
    while True:
        try:
            return work()
        except neo4j.exceptions.Neo4jError as error:
            if not error.is_retryable() or attempt == _ATTEMPTS:
                raise
        except neo4j.exceptions.DriverError as error:
            # One more try: the connection may just have been a stale one from before a restart.
            if not error.is_retryable() or attempt > 1 or _interrupt(error):
                raise
        _pause(attempt)
        attempt += 1


def _pause(attempt: int) -> None:
    # Jitter only spreads the retries of several clients; it decides nothing that is remembered.
    time.sleep(0.05 * 2 ** (attempt - 1) * random.uniform(0.5, 1.0))  # noqa: S311


def _operators(plan: Row) -> Iterator[str]:
    yield plan["operatorType"].partition("@")[0]
    for child in plan.get("children", ()):
        yield from _operators(child)


def _changed(summary: neo4j.ResultSummary) -> int:
    counters = summary.counters
    return sum(
        (
            counters.nodes_created,
            counters.nodes_deleted,
            counters.relationships_created,
            counters.relationships_deleted,
            counters.properties_set,
            counters.labels_added,
            counters.labels_removed,
        )
    )


def _plain_row(record: neo4j.Record) -> Row:
    return {key: _plain(record[key]) for key in record.keys()}  # noqa: SIM118  (a Record iterates over values)


def _plain(value: Any) -> Any:  # noqa: PLR0911  (one case a type)
    match value:
        case neo4j.time.DateTime():
            return value.to_native().astimezone(UTC)
        case neo4j.graph.Path():
            return Path(tuple(map(_plain, value.nodes)), tuple(map(_plain, value.relationships)))
        case neo4j.graph.Node():
            return Node(value.element_id, frozenset(value.labels), _plain(dict(value)))
        case neo4j.graph.Relationship():
            ends = [node.element_id if node else "" for node in value.nodes]
            return Step(value.type, ends[0], ends[1], _plain(dict(value)))
        case dict():
            return {key: _plain(value[key]) for key in value}
        case list() if value and isinstance(value[0], float):
            return value  # an embedding: nothing inside to convert
        case list():
            return [_plain(item) for item in value]
        case _:
            return value


@contextmanager
def _translated(uri: str) -> Iterator[None]:  # noqa: C901  (one clause a cause)
    """Turn the driver's exceptions into Engram's."""
    try:
        try:
            yield
        except Exception as error:
            # Ctrl-C in the middle of a message breaks the connection, and the driver tells of that instead.
            if interrupt := _interrupt(error):
                raise interrupt from None
            raise
    except EngramError:
        raise
    except neo4j.exceptions.AuthError as error:
        raise AuthenticationError(
            f"Neo4j at {uri} refused the user or the password.",
            remedy="Check ENGRAM_NEO4J_USER and ENGRAM_NEO4J_PASSWORD.",
        ) from error
    except (neo4j.exceptions.ServiceUnavailable, neo4j.exceptions.SessionExpired) as error:
        raise DatabaseUnavailableError(
            f"Neo4j at {uri} does not answer: {_reason(error)}.",
            remedy="Check the address and that the server runs; `engram doctor` looks for the cause, and "
            "`engram server start` starts the managed one.",
        ) from error
    except neo4j.exceptions.ConfigurationError as error:
        raise DatabaseError(f"The address {uri} is not usable: {_first_line(error)}.") from error
    except neo4j.exceptions.Neo4jError as error:
        raise _from_server(uri, error) from error
    except neo4j.exceptions.DriverError as error:
        raise DatabaseUnavailableError(
            f"The connection to Neo4j at {uri} failed: {_first_line(error)}."
        ) from error
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            "The text holds an unpaired surrogate, which no database can store.",
            remedy="Decode it with errors='replace' first.",
        ) from error
    except OSError as error:
        raise DatabaseUnavailableError(f"The connection to Neo4j at {uri} failed: {error}.") from error


def _interrupt(error: BaseException) -> BaseException | None:
    """Return the Ctrl-C or exit that was under way when an error came up."""
    inner = error.__cause__ or error.__context__
    while inner is not None and not isinstance(inner, KeyboardInterrupt | SystemExit):
        inner = inner.__cause__ or inner.__context__
    return inner


def _from_server(uri: str, error: neo4j.exceptions.Neo4jError) -> DatabaseError:  # noqa: PLR0911  (one case a cause)
    code, text = error.code or "", _first_line(error)
    _LOG.debug("server error %s: %s", code, text)
    if "AuthenticationRateLimit" in code:
        return AuthenticationError(
            f"Neo4j at {uri} blocks this user for a moment after too many wrong passwords.",
            remedy="Wait five seconds and try again with the right one.",
        )
    if "DatabaseNotFound" in code:
        return DatabaseError(f"Neo4j at {uri} has no such database.", remedy="Check ENGRAM_NEO4J_DATABASE.")
    if "IndexNotFound" in code and "not ready" in text:
        return IndexPopulatingError(
            "An index is still being built, so nothing can be searched by meaning yet.",
            remedy="Wait a moment; `engram doctor` shows how far it is.",
        )
    if "IndexNotFound" in code or "no such fulltext schema index" in text:
        return SchemaError(f"An index is missing: {text}.", remedy="`engram schema apply` creates it.")
    if "DatabaseUnavailable" in code:
        return DatabaseUnavailableError(
            f"The database at {uri} is not available: {text}.", remedy="`engram server logs` shows why."
        )
    if "MemoryPoolOutOfMemory" in code or "OutOfMemory" in code:
        return DatabaseError(
            "Neo4j ran out of memory for this transaction.",
            remedy="Lower ENGRAM_BATCH_SIZE, or raise ENGRAM_SERVER_HEAP and restart the server.",
        )
    if code.startswith("Neo.TransientError"):
        return DatabaseError(f"Neo4j is too busy: {text}.", remedy="Try again in a moment.")
    if "Forbidden" in code or "ReadOnly" in code:
        return DatabaseError(f"Neo4j does not let this user write: {text}.")
    return DatabaseError(f"Neo4j refused a statement: {text} ({code}).")


def _reason(error: BaseException) -> str:
    """Return why a connection failed; the driver says it in the last of several lines."""
    found = re.search(r"\(reason (?:\[Errno \d+\] )?(.*?)\)\s*$", str(error))
    return found[1].lower() if found else _first_line(error)


def _first_line(error: BaseException) -> str:
    message = getattr(error, "message", None) or str(error) or type(error).__name__
    return str(message).strip().splitlines()[0].rstrip(".")
