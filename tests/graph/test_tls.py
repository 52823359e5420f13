"""Encryption: a server that proves who it is, and what is said of one that does not."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from engram.config import Settings
from engram.errors import DatabaseUnavailableError
from engram.graph import Graph
from engram.server import Connection, ManagedServer

pytestmark = pytest.mark.graph


def self_signed(folder: Path, name: str) -> tuple[Path, Path]:
    """Return the files of a certificate for this machine, which signed itself, and of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    hosts = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = folder / f"{name}.crt", folder / f"{name}.key"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return files


def check(connection: Connection, scheme: str, ca_file: Path | None) -> str:
    """Connect by that scheme and return the server's version."""
    uri = f"{scheme}://{connection.uri.partition('://')[2]}"
    with Graph(uri, connection.user, connection.password, connection.database, ca_file=ca_file) as graph:
        return graph.check()


def test_a_managed_server_with_a_certificate_is_reached_by_who_trusts_it_only(tmp_path: Path) -> None:
    """With its certificate trusted all addresses work, encrypted; with another, or with none, they say why not."""
    certificate, key = self_signed(tmp_path, "server")
    stranger, _ = self_signed(tmp_path, "stranger")
    settings = Settings.load(
        data_dir=tmp_path / "data",
        server_backend="maven",
        server_certificate=certificate,
        server_key=key,
    )
    server = ManagedServer(settings)
    connection = server.start(print)
    try:
        assert connection.uri.startswith("bolt+s://")
        assert (connection.ca_file, server.running()) == (certificate, connection)
        version = check(connection, "bolt+s", connection.ca_file)
        for scheme in ("bolt", "neo4j", "neo4j+s"):
            assert check(connection, scheme, certificate) == version
        for scheme in ("bolt+ssc", "neo4j+ssc"):
            assert check(connection, scheme, None) == version
        for wrong in (stranger, None):
            with pytest.raises(DatabaseUnavailableError, match="does not prove who it is") as refused:
                check(connection, "bolt+s", wrong)
            assert "ENGRAM_NEO4J_CA_FILE" in (refused.value.remedy or "")
        with pytest.raises(DatabaseUnavailableError, match="takes encrypted connections only"):
            check(connection, "bolt", None)
    finally:
        server.stop()
