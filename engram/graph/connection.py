"""A connection to one database: statements and transactions, each where it belongs in a cluster."""

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Self, TypeVar

import neo4j
import neo4j.api
import neo4j.exceptions

from engram.errors import DatabaseError
from engram.graph.address import encryption, is_routed
from engram.graph.errors import translated
from engram.graph.retries import ATTEMPTS, PATIENCE, pause, retried
from engram.graph.values import Outcome, Row, changed, operators, plain_row
from engram.observing.operation import Passed, operation
from engram.statements import Slot, load

T = TypeVar("T")
_BOOKMARKS: dict[tuple[str, str], neo4j.api.BookmarkManager] = {}
"""What this process last wrote, by address and database."""


class _Rehearsed(Passed):
    """What a statement returned that is rolled back."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class Transaction:
    """Several statements that are committed together or not at all."""

    def __init__(self, transaction: neo4j.ManagedTransaction, graph: "Graph") -> None:
        self._transaction = transaction
        self._graph = graph

    def run(self, name: str, /, **parameters: Any) -> Outcome:
        """Run one statement inside the transaction."""
        text, parameters = self._graph.bound(name, parameters)
        with operation(
            "statement", name, access="write", database=self._graph.database, space=parameters.get("space")
        ):
            result = self._transaction.run(text, parameters)
            rows = [plain_row(record) for record in result]
            return Outcome(rows, changed(result.consume()))


class Graph:
    """A connection to one Neo4j database; safe to share between threads.

    At a `neo4j://` address reads go to any member of the cluster and writes to its leader, and what one `Graph` of a
    process has committed, every other one to the same address reads.
    """

    def __init__(
        self, uri: str, user: str, password: str, database: str, *, ca_file: Path | None = None
    ) -> None:
        """Prepare to connect; nobody is contacted yet.

        Args:
            uri: The server's address; `bolt://`, or `neo4j://` for a cluster, with `+s` or `+ssc`.
            user: The database user.
            password: Theirs.
            database: The database's name.
            ca_file: Certificates in PEM to check the server's against, instead of the system's.

        Raises:
            ConfigurationError: `ca_file` is not usable.
            DatabaseError: The address is not.
        """
        self.uri = uri
        self.database = database
        self.slot: Slot = "a"
        """Where the vectors are that statements read and write."""
        self.generation = 0
        """Of those vectors; statements that take `$generation` get it by themselves."""
        self._closed = False
        self._lost = ATTEMPTS if is_routed(uri) else 2
        address, options = encryption(uri, ca_file)
        with translated(uri):
            self._driver = neo4j.GraphDatabase.driver(
                address,
                auth=(user, password),
                connection_timeout=5,
                connection_acquisition_timeout=20,
                max_transaction_retry_time=PATIENCE,
                # A pooled connection that slept longer than this is tried before use, so a restarted
                # server costs a reconnect and not an error.
                liveness_check_timeout=30,
                notifications_min_severity="OFF",
                user_agent="engram",
                # The driver would tell the server which of its functions are used.
                telemetry_disabled=True,
                **options,
            )
        self._bookmarks = (
            _BOOKMARKS.setdefault((uri, database), neo4j.GraphDatabase.bookmark_manager())
            if is_routed(uri)
            else self._driver.execute_query_bookmark_manager
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
        with translated(self.uri):
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
        with translated(self.uri):
            return self._auto_commit(neo4j.READ_ACCESS, name, parameters)

    def keep(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run one writing statement that may be run twice, and return its rows after the commit.

        It is one auto-commit transaction, so a lost answer runs it again; and a server that does not answer is
        given up within a second rather than six, for a caller who has another place to keep things.
        """
        with translated(self.uri):
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
        at: datetime = self.read("inspect/read_clock")[0]["now"]
        return at

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one transaction and return its result after the commit.

        On a passing error (a deadlock, a lost connection) the whole of `work` runs again, so it must
        not act outside of the transaction.
        """
        with (
            translated(self.uri),
            operation("transaction", database=self.database) as under_way,
            self._session(neo4j.WRITE_ACCESS) as session,
        ):
            tries = 0

            def once(transaction: neo4j.ManagedTransaction) -> T:
                nonlocal tries
                tries += 1
                if tries > 1:
                    under_way.again()
                return work(Transaction(transaction, self))

            began = time.monotonic()
            for attempt in range(1, ATTEMPTS + 1):
                try:
                    return session.execute_write(once)
                except neo4j.exceptions.ClientError as error:
                    # Somebody deleted what this had found and was waiting to lock; it will not be found again.
                    over = attempt == ATTEMPTS or time.monotonic() - began > PATIENCE
                    if "EntityNotFound" not in (error.code or "") or over:
                        raise
                pause(attempt)
        raise AssertionError  # the last attempt has returned or raised

    def apply(self, name: str, /, *, slot: Slot | None = None, **parameters: Any) -> None:
        """Run a schema statement, which must be alone in its transaction; it must not mind running twice.

        Args:
            name: The statement's.
            slot: As it reads for this slot of vectors; the one in use if left out.
            parameters: Its parameters.
        """
        with translated(self.uri):
            try:
                self._auto_commit(neo4j.WRITE_ACCESS, name, parameters, slot)
            except neo4j.exceptions.ClientError as error:
                # IF NOT EXISTS is looked at before the lock: somebody else made the same thing meanwhile.
                if "AlreadyExists" not in (error.code or ""):
                    raise

    def explain(self, name: str, /, **parameters: Any) -> list[str]:
        """Compile a statement without running it; return its plan's operators, the first to run last.

        Raises what the server finds wrong with it.
        """
        with translated(self.uri), self._session(neo4j.READ_ACCESS) as session:
            text, parameters = self.bound(name, parameters)
            plan = session.run("EXPLAIN " + text, parameters).consume().plan
        return [] if plan is None else list(operators(plan))

    def bound(self, name: str, parameters: Row, slot: Slot | None = None) -> tuple[str, Row]:
        """Return a statement's text for a slot of vectors, the one in use if left out, and all its parameters."""
        statement = load(name, slot or self.slot)
        own = {"generation": self.generation} if "generation" in statement.declared else {}
        return statement.text, own | parameters

    def _auto_commit(self, access: str, name: str, parameters: Row, slot: Slot | None = None) -> list[Row]:
        text, parameters = self.bound(name, parameters, slot)
        with operation(
            "statement", name, access=access.lower(), database=self.database, space=parameters.get("space")
        ) as under_way:
            return retried(
                lambda: self._run(access, text, parameters), lost=self._lost, again=under_way.again
            )

    def _run(self, access: str, text: str, parameters: Row) -> list[Row]:
        with self._session(access) as session:
            return [plain_row(record) for record in session.run(text, parameters)]

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
            bookmark_manager=self._bookmarks,
        )
