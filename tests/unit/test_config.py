"""Settings: where they come from and what is said about wrong ones."""

from pathlib import Path

import pytest

from engram.config import Collector, Settings, child_environment, collector, settings_file
from engram.errors import ConfigurationError


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an empty settings file that is the one in use."""
    path = tmp_path / "config.toml"
    path.write_text("")
    monkeypatch.setenv("ENGRAM_CONFIG_FILE", str(path))
    return path


def test_arguments_beat_the_environment_which_beats_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order is argument, variable, file, default, and the origin can be told."""
    assert Settings.load().origin("batch_size") == "default"
    file.write_text("batch_size = 7\n")
    assert (Settings.load().batch_size, Settings.load().origin("batch_size")) == (7, "file")
    monkeypatch.setenv("ENGRAM_BATCH_SIZE", "8")
    assert (Settings.load().batch_size, Settings.load().origin("batch_size")) == (8, "environment")
    assert Settings.load(batch_size=9).batch_size == 9


def test_every_wrong_setting_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All problems come at once, by name, and no secret's value is shown."""
    file.write_text("nonsense = 1\nbatch_size = 0\n")
    monkeypatch.setenv("ENGRAM_SERVER_HEAP", "plenty")
    with pytest.raises(ConfigurationError) as caught:
        Settings.load(neo4j_password=["hunter2"])
    for name in ("nonsense", "batch_size", "server_heap", "neo4j_password"):
        assert name in caught.value.message
    assert "hunter2" not in str(caught.value)


def test_a_wrong_setting_says_where_it_comes_from(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable or the file that holds it is named, with what is allowed and how to be rid of it."""
    file.write_text('log_level = "loud"\nbatch_size = 0\n')
    monkeypatch.setenv("ENGRAM_LOG_LEVEL", "loud")
    with pytest.raises(ConfigurationError) as caught:
        Settings.load(log_format="prose")
    assert "log_level (from the variable ENGRAM_LOG_LEVEL): Input should be 'off'" in caught.value.message
    assert f"batch_size (in {file}): Input should be greater" in caught.value.message
    assert "log_format: Input should be 'text'" in caught.value.message
    assert caught.value.remedy is not None
    assert "`engram config unset batch_size`, `unset ENGRAM_LOG_LEVEL`" in caught.value.remedy
    assert "config list" not in caught.value.remedy


def test_what_is_said_of_a_collector_holds_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the address in the standard variable nothing but scheme, host and port is kept; the trace's own one wins."""
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", raising=False)
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_TIMEOUT", raising=False)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://noor:hunter2@example.org:4318/v1?key=hunter2")
    found = collector()
    assert found == Collector("https://example.org:4318", "OTEL_EXPORTER_OTLP_ENDPOINT", has_timeout=False)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://[::1")
    with pytest.raises(ConfigurationError, match="OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        collector()


def test_broken_settings_file_is_named(file: Path) -> None:
    """A file that is no TOML gives an error with its path."""
    file.write_text("= = =")
    with pytest.raises(ConfigurationError, match="cannot be read") as caught:
        Settings.load()
    assert str(settings_file()) in str(caught.value)


def test_usual_key_variables_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    """The providers' own variables work, and ours win over them."""
    monkeypatch.setenv("GEMINI_API_KEY", "theirs")
    assert Settings.load().gemini_api_key.get_secret_value() == "theirs"  # type: ignore[union-attr]
    monkeypatch.setenv("ENGRAM_GEMINI_API_KEY", "ours")
    assert Settings.load().gemini_api_key.get_secret_value() == "ours"  # type: ignore[union-attr]


def test_secrets_are_not_in_the_text_of_settings() -> None:
    """Printing settings, in a log or a traceback, shows no secret."""
    settings = Settings.load(neo4j_password="hunter2", gemini_api_key="hunter3", anthropic_api_key="hunter4")
    assert "hunter" not in f"{settings!r} {settings}"


def test_child_processes_get_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Engram starts does not inherit Engram's keys."""
    monkeypatch.setenv("ENGRAM_NEO4J_PASSWORD", "hunter2")
    environment = child_environment(EXTRA="1")
    assert environment["EXTRA"] == "1"
    assert "hunter2" not in environment.values()
