"""A cluster as its clients see it: members that tell one another's addresses and roles, over one real server.

Each member is a port that passes Bolt on to the server and writes down what it passed. It answers two things itself: a
request for the routing table, and, as long as it is not the leader, a write.
"""

import contextlib
import socket
import struct
import threading
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from engram import statements
from tests.protocol.packstream import decode, message

RUN, BEGIN, ROUTE, RESET = 0x10, 0x11, 0x66, 0x0F
SUCCESS, IGNORED, FAILURE = 0x70, 0x7E, 0x7F
NOT_A_LEADER = {
    "neo4j_code": "Neo.ClientError.Cluster.NotALeader",
    "message": "No write operations are allowed on this member.",
    "gql_status": "08N06",
    "description": "error: connection exception - protocol error",
}
_MANIFEST = b"\x00\x00\x01\xff"
_NAMES = {statements.load(name).text: name for name in statements.names()}


@dataclass(frozen=True, slots=True)
class Request:
    """One statement that a member was asked to run."""

    access: str
    """`r` or `w`."""
    statement: str
    bookmarks: tuple[str, ...]


class Cluster:
    """Members over one server; the first is the leader until another is."""

    def __init__(self, uri: str, members: int = 3) -> None:
        """Listen on as many ports.

        Args:
            uri: The real server's address.
            members: How many.
        """
        parts = urlsplit(uri)
        server = (parts.hostname or "127.0.0.1", parts.port or 7687)
        self.members = [Member(self, server) for _ in range(members)]
        self.leader: Member | None = self.members[0]
        self.told: Member | None = None
        """Whom the routing table calls the leader, where that is not the leader."""
        self.uri = f"neo4j://{self.members[0].address}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for member in self.members:
            member.die()

    @property
    def followers(self) -> list["Member"]:
        """All members but the leader."""
        return [member for member in self.members if member is not self.leader]

    def table(self) -> dict[str, Any]:
        """Return the routing table, without the dead."""
        alive = [member.address for member in self.members if member.alive]
        leader = self.told or self.leader
        writers = [leader.address] if leader is not None else []
        readers = [address for address in alive if address not in writers]
        servers = [
            {"role": "ROUTE", "addresses": alive},
            {"role": "READ", "addresses": readers},
            {"role": "WRITE", "addresses": writers},
        ]
        return {"rt": {"ttl": 300, "db": "neo4j", "servers": servers}}


class Member:
    """One port of a cluster."""

    def __init__(self, cluster: Cluster, server: tuple[str, int]) -> None:
        self._cluster = cluster
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.alive = True
        self.requests: list[Request] = []
        """What it passed on, in order."""
        self.refused = 0
        """Writes that it refused, since it is not the leader."""
        threading.Thread(target=self._accept, daemon=True).start()

    def die(self) -> None:
        """Close the port and every connection."""
        self.alive = False
        for each in (self._listener, *self._sockets):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._server)
                self._sockets += [client, server]
                threading.Thread(target=self._serve, args=(client, server), daemon=True).start()

    def _serve(self, client: socket.socket, server: socket.socket) -> None:
        # A client that goes away in the middle of a message is of no interest.
        with contextlib.suppress(OSError, struct.error, IndexError):
            hello = _exactly(client, 20)
            offers = [hello[at : at + 4] for at in range(4, 20, 4)]
            # The older negotiation, in which the server's answer is four bytes and that is all.
            plain = [offer for offer in offers if offer != _MANIFEST]
            server.sendall(hello[:4] + b"".join(plain).ljust(16, b"\x00"))
            client.sendall(_exactly(server, 4))
            threading.Thread(target=_pass, args=(server, client), daemon=True).start()
            self._listen(client, server)

    def _listen(self, client: socket.socket, server: socket.socket) -> None:
        ignoring, access, bookmarks = False, None, ()
        while True:
            raw, data = _message(client)
            signature, fields = decode(data)
            if signature == RESET:
                ignoring = False
            if ignoring:
                client.sendall(message(IGNORED))
                continue
            if signature == ROUTE:
                client.sendall(message(SUCCESS, self._cluster.table()))
                continue
            if signature in {RUN, BEGIN}:
                extra = fields[-1]
                # Inside of a transaction, the access is the transaction's.
                if signature == BEGIN or access is None:
                    bookmarks = tuple(extra.get("bookmarks", ()))
                asked = extra.get("mode", "w") if signature == BEGIN or access is None else access
                access = asked if signature == BEGIN else access
                if asked == "w" and self._cluster.leader is not self:
                    self.refused += 1
                    ignoring, access = True, None
                    client.sendall(message(FAILURE, NOT_A_LEADER))
                    continue
                if signature == RUN:
                    self.requests.append(Request(asked, _NAMES.get(fields[0], fields[0]), bookmarks))
            if signature in {0x12, 0x13, RESET}:  # COMMIT, ROLLBACK
                access = None
            server.sendall(raw)


def _message(source: socket.socket) -> tuple[bytes, bytes]:
    """Return one message as it came, and without its frame."""
    raw, data = b"", b""
    while True:
        head = _exactly(source, 2)
        size = int.from_bytes(head, "big")
        chunk = _exactly(source, size)
        raw, data = raw + head + chunk, data + chunk
        if not size and data:
            return raw, data


def _exactly(source: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = source.recv(count - len(data))
        if not part:
            raise ConnectionResetError
        data += part
    return data


def _pass(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_RDWR)
