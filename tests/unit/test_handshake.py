"""What is said where something listens at the database's address that is no Neo4j."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engram.errors import DatabaseUnavailableError
from engram.graph import Graph


@contextmanager
def listening(greeting: bytes) -> Iterator[str]:
    """Give the address of something that says this to everybody, whatever it is told."""

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(20)
                connection.sendall(greeting)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
@pytest.mark.parametrize(
    ("greeting", "told"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak Bolt (it speaks HTTP)"),
        (b"SSH-2.0-OpenSSH\r\n", "does not speak Bolt."),
        (b"", "ends the connection at once"),
    ],
    ids=["http", "ssh", "nothing"],
)
def test_a_stranger_at_the_address_is_told_of(scheme: str, greeting: bytes, told: str) -> None:
    """Its address is named as it was given, with what it seems to be, and nothing of the driver's own forms."""
    with (
        listening(greeting) as address,
        Graph(f"{scheme}://{address}", "neo4j", "x", "neo4j") as graph,
        pytest.raises(DatabaseUnavailableError) as caught,
    ):
        graph.check()
    assert told in caught.value.message
    assert f"{scheme}://{address}" in caught.value.message
    assert "resolved" not in caught.value.message
    assert caught.value.remedy
