"""Which connections are encrypted, and what is said of those that are not."""

from pathlib import Path

import pytest

from engram.config import Settings
from engram.errors import ConfigurationError
from engram.graph.address import encryption
from engram.server.configuration import overrides


def test_a_password_that_crosses_a_network_in_the_clear_is_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Addresses that are encrypted or of this machine pass without a word."""
    for uri in ("bolt://127.0.0.1:7687", "neo4j://localhost", "bolt://[::1]:1", "neo4j+s://example.org"):
        assert encryption(uri, None) == (uri, {})
    assert not caplog.records
    encryption("neo4j://example.org:7687", None)
    assert "not encrypted" in caplog.text


def test_certificates_of_ones_own_are_for_checked_connections(tmp_path: Path) -> None:
    """They encrypt a plain address; where nothing would be checked, or the file is not there, that is an error."""
    file = tmp_path / "ca.crt"
    with pytest.raises(ConfigurationError, match="cannot be read"):
        encryption("bolt://example.org", file)
    file.write_text("-----BEGIN CERTIFICATE-----")
    for uri in ("neo4j://example.org:7687", "neo4j+s://example.org:7687"):
        address, options = encryption(uri, file)
        assert address == "neo4j://example.org:7687"
        assert options["encrypted"]
    with pytest.raises(ConfigurationError, match="checks no certificate"):
        encryption("neo4j+ssc://example.org", file)


def test_a_certificate_and_its_key_belong_together(tmp_path: Path) -> None:
    """With both the bolt port speaks TLS only; with one of them no server is started in the clear."""
    both = Settings.load(server_certificate=tmp_path / "a.crt", server_key=tmp_path / "a.key")
    assert overrides(both, 1, 2)["server.bolt.tls_level"] == "REQUIRED"
    assert "server.bolt.tls_level" not in overrides(Settings.load(), 1, 2)
    for half in ("server_certificate", "server_key"):
        with pytest.raises(ConfigurationError, match="belong together"):
            overrides(both.model_copy(update={half: None}), 1, 2)
