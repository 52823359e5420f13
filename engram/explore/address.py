"""Where Neo4j Browser is, with the connection filled in, and how to log in."""

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from engram.server import Connection

_DEFAULT_DATABASE = "neo4j"
_AURA = ".databases.neo4j.io"


@dataclass(frozen=True, kw_only=True)
class Address:
    """What a person needs to open Browser on a database."""

    url: str | None
    """Browser's address; None where it is known to be elsewhere."""
    user: str
    password: str = field(repr=False)
    password_file: Path | None
    """Where the password lies; None: with the person whose server it is."""
    note: str | None = None
    """What could not be found out."""

    @property
    def origins(self) -> frozenset[str]:
        """Where Browser's pages come from, as a web browser says it."""
        if self.url is None:
            return frozenset()
        parts = urlsplit(self.url)
        hosts = {parts.hostname or ""}
        if "localhost" in hosts:
            hosts.add("127.0.0.1")
        return frozenset(f"{parts.scheme}://{host}:{parts.port}" for host in hosts)

    def with_guide(self, guide: str) -> str | None:
        """Return Browser's address so that it opens the guide at this address."""
        return self.url and f"{self.url}&{urlencode({'cmd': 'guide', 'arg': guide}, safe=':/')}"


def address(connection: Connection, password_file: Path) -> Address:
    """Return where Browser is for a connection.

    Args:
        connection: The server's; one of a person's own is not asked.
        password_file: The managed server's.
    """
    managed = connection.origin != "configured"
    page, note = (connection.browser_url, None) if managed else _own(connection.uri)
    return Address(
        url=page and f"{page}?{_filled_in(connection)}",
        user=connection.user,
        password=connection.password,
        password_file=password_file if managed else None,
        note=note,
    )


def _own(uri: str) -> tuple[str | None, str]:
    """Return where a server of one's own has Browser as a rule, and what to say about it."""
    parts = urlsplit(uri)
    host = parts.hostname or ""
    if host.endswith(_AURA):
        return (
            None,
            "Aura has no Browser of its own: open Query in the Aura console and paste from --queries.",
        )
    secure = "+" in parts.scheme
    name = f"[{host}]" if ":" in host else host
    page = f"https://{name}:7473/browser/" if secure else f"http://{name}:7474/browser/"
    return page, "Your own server: this is where Browser is unless it was moved or switched off."


def _filled_in(connection: Connection) -> str:
    parts = urlsplit(connection.uri)
    dbms = f"{parts.scheme}://{quote(connection.user, safe='')}@{parts.netloc}"
    # Browser answers its own default, when it is asked for by name, with an error.
    named = {} if connection.database == _DEFAULT_DATABASE else {"db": connection.database}
    return urlencode({"dbms": dbms} | named, safe=":/@")
