"""The driver's options for an address: how the connection is encrypted, and whom it trusts."""

import ipaddress
import logging
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import neo4j

from engram.errors import ConfigurationError

_LOG = logging.getLogger(__name__)


def is_routed(uri: str) -> bool:
    """Whether the server at `uri` says which member of its cluster takes what."""
    return uri.startswith("neo4j")


def encryption(uri: str, ca_file: Path | None) -> tuple[str, dict[str, Any]]:
    """Return the address as the driver takes it, and the options that go with it.

    Args:
        uri: As a person gives it; `+s` is encrypted and checked, `+ssc` is encrypted and not checked.
        ca_file: Certificates in PEM to check the server's against, instead of the system's; makes plain `bolt://` and
            `neo4j://` encrypted too.

    Raises:
        ConfigurationError: The file cannot be read, or `+ssc` would ignore it.
    """
    scheme, _, rest = uri.partition("://")
    if ca_file is None:
        if "+" not in scheme and not is_loopback(urlsplit(uri).hostname or ""):
            _LOG.warning(
                "The connection to %s is not encrypted: password and memories can be read on the way. "
                "Use %s+s://, or set ENGRAM_NEO4J_CA_FILE.",
                uri,
                scheme,
            )
        return uri, {}
    if scheme.endswith("+ssc"):
        raise ConfigurationError(
            f"{uri} checks no certificate, so neo4j_ca_file would be ignored.",
            remedy=f"Use {scheme.removesuffix('ssc')}s://, or leave out ENGRAM_NEO4J_CA_FILE.",
        )
    try:
        ca_file.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"neo4j_ca_file {ca_file} cannot be read: {error.strerror or error}.",
            remedy="Give the certificate of the authority that signed the server's, in PEM.",
        ) from error
    # The driver takes certificates of one's own only beside an address without `+s`.
    plain = f"{scheme.removesuffix('+s')}://{rest}"
    return plain, {"encrypted": True, "trusted_certificates": neo4j.TrustCustomCAs(str(ca_file))}


def is_loopback(host: str) -> bool:
    """Return whether only this machine is behind a host's name or address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
