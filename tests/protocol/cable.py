"""A cable between a program and Neo4j that a test can freeze or cut."""

import contextlib
import socket
import threading
from typing import Self
from urllib.parse import urlsplit


class Cable:
    """Passes bytes on between a port of its own and the server, until it is frozen or cut."""

    def __init__(self, uri: str) -> None:
        """Listen.

        Args:
            uri: The server's address.
        """
        parts = urlsplit(uri)
        self._server = (parts.hostname or "127.0.0.1", parts.port or 7687)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.uri = f"bolt://127.0.0.1:{self._listener.getsockname()[1]}"
        self.used = threading.Event()
        """Set once a client has sent something, or wanted to, since the cable was frozen or cut."""
        self._frozen = self._cut = False
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def freeze(self) -> None:
        """Let nothing through any more, and say so to nobody."""
        self.used.clear()
        self._frozen = True

    def cut(self) -> None:
        """Close every connection; new ones are closed at once."""
        self.used.clear()
        self._cut = True
        for each in self._sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def mend(self) -> None:
        """Let new connections through again."""
        self._frozen = self._cut = False

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._cut:
                self.used.set()
                client.close()
                continue
            server = socket.create_connection(self._server)
            self._sockets += [client, server]
            threading.Thread(target=self._pass, args=(client, server, self.used), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, threading.Event()), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, dropped: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if not self._frozen:
                    target.sendall(data)
                else:
                    dropped.set()
            target.shutdown(socket.SHUT_WR)
