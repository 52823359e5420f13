"""A Neo4j of a test's own, for what concerns a whole database: one for each process that runs tests, emptied each time."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from neo4j import Driver, GraphDatabase

from engram.config import Settings
from engram.graph import Graph
from engram.server import ManagedServer
from tests.graph.test_server_lifecycle import free_port


@cache
def _server() -> tuple[Settings, Driver]:
    folder = Path(tempfile.mkdtemp(prefix="engram-apart-"))
    server = ManagedServer(
        Settings.load(
            data_dir=folder,
            server_backend="maven",
            neo4j_uri=None,
            bolt_port=free_port(),
            http_port=free_port(),
        )
    )
    connection = server.start()
    settings = Settings.load(
        neo4j_uri=connection.uri,
        neo4j_user=connection.user,
        neo4j_password=connection.password,
        data_dir=folder / "data",
    )
    driver = GraphDatabase.driver(connection.uri, auth=(connection.user, connection.password))

    def end() -> None:
        driver.close()
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    return settings, driver


def empty_database(*, indexes: bool = False) -> Settings:
    """Return settings for a database in which there is nothing.

    Args:
        indexes: Whether those that belong to no length of vectors may stay: making them takes longer than a test.
    """
    settings, _ = _server()
    ask("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS")
    if not indexes:
        for constraint in ask("SHOW CONSTRAINTS YIELD name RETURN name"):
            ask(f"DROP CONSTRAINT {constraint['name']}")
    kinds = ["VECTOR"] if indexes else ["VECTOR", "RANGE", "FULLTEXT"]
    for index in ask("SHOW INDEXES YIELD name, type WHERE type IN $kinds RETURN name", kinds=kinds):
        ask(f"DROP INDEX {index['name']}")
    return settings


def connect(settings: Settings) -> Graph:
    """Return a connection that knows nothing of what the database records."""
    assert settings.neo4j_uri is not None
    assert settings.neo4j_password is not None
    password = settings.neo4j_password.get_secret_value()
    return Graph(settings.neo4j_uri, settings.neo4j_user, password, settings.neo4j_database)


def ask(statement: str, **parameters: Any) -> list[dict[str, Any]]:
    """Run a statement as it is and return its rows, with the driver's own values."""
    _, driver = _server()
    with driver.session(database="neo4j") as session:
        return [dict(record) for record in session.run(statement, parameters)]
