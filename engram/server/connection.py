"""How to reach a Neo4j, and the one that a person configured."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from engram.config import Settings
from engram.errors import ConfigurationError

SCHEMES = ("bolt", "neo4j", "bolt+s", "bolt+ssc", "neo4j+s", "neo4j+ssc")


@dataclass(frozen=True, kw_only=True)
class Connection:
    """Everything needed to reach a Neo4j server."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str
    origin: Literal["configured", "managed", "docker"]
    """`configured` by `neo4j_uri`, `managed` by Engram from jars, or `docker` by Engram from docker-compose.yml."""
    browser_url: str | None = None
    ca_file: Path | None = None
    """Certificates to check the server's against, instead of the system's."""


def configured(settings: Settings) -> Connection | None:
    """Return the server that `neo4j_uri` names, without contacting it; None if it is not set.

    Raises:
        ConfigurationError: The address is not one of Neo4j's, or there is no password.
    """
    if settings.neo4j_uri is None:
        return None
    uri = settings.neo4j_uri.strip()
    try:
        parts = urlsplit(uri)
        sound = parts.scheme in SCHEMES and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    # The driver refuses these later with words that do not name the setting.
    if not sound or parts.username or parts.password or parts.path not in ("", "/") or parts.fragment:
        shown = "an address with a user in it" if "@" in uri else repr(uri)
        raise ConfigurationError(
            f"neo4j_uri is {shown}, which is not an address like bolt://host:7687.",
            remedy=f"Use one of {', '.join(f'{scheme}://' for scheme in SCHEMES)} and put user and password "
            "into ENGRAM_NEO4J_USER and ENGRAM_NEO4J_PASSWORD.",
        )
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    if not password:
        raise ConfigurationError(
            f"neo4j_uri is {uri}, but no password is set.", remedy="Set ENGRAM_NEO4J_PASSWORD."
        )
    return Connection(
        uri=uri.rstrip("/"),
        user=settings.neo4j_user,
        password=password,
        database=settings.neo4j_database,
        origin="configured",
        ca_file=settings.neo4j_ca_file,
    )
