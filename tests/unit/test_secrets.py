"""Secrets: hidden wherever settings are shown, kept from other programs, and files for their owner's eyes."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from engram.config import Settings, child_environment
from engram.embedding.cache import VectorCache
from engram.errors import ConfigurationError
from engram.learning import lost_file
from engram.loop.inputs import Entry
from engram.loop.journal import Journal
from engram.private import append_private, make_private
from engram.server.configuration import generate, overrides, parse
from engram.server.files import shipped
from engram.testing import FixedClock

SECRET = "correct-horse-battery-staple"
HIDDEN = [name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation)]


def variables(name: str) -> list[str]:
    """Return the environment variables that a setting is read from."""
    alias: Any = Settings.model_fields[name].validation_alias
    named = [each for each in getattr(alias, "choices", []) if each.isupper()]
    return [f"ENGRAM_{name.upper()}", *named]


def test_there_are_secrets() -> None:
    """The password and both keys are among what is hidden, and nothing that sounds like one is not."""
    assert {"neo4j_password", "gemini_api_key", "anthropic_api_key"} <= {*HIDDEN}
    sounding = {
        name
        for name, field in Settings.model_fields.items()
        if name.endswith(("password", "key", "token", "secret")) and "Path" not in str(field.annotation)
    }
    assert sounding <= {*HIDDEN}


@pytest.mark.parametrize("name", HIDDEN)
def test_a_secret_is_not_shown(name: str) -> None:
    """Neither the settings' own text nor what is dumped of them has it."""
    settings = Settings.load(**{name: SECRET})
    held = getattr(settings, name)
    assert isinstance(held, SecretStr)
    assert held.get_secret_value() == SECRET
    assert SECRET not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"


def test_a_wrong_setting_beside_a_secret_does_not_tell_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error about another setting quotes that one alone."""
    monkeypatch.setenv("ENGRAM_BATCH_SIZE", "none")
    with pytest.raises(ConfigurationError) as caught:
        Settings.load(neo4j_password=SECRET, gemini_api_key=SECRET)
    told = f"{caught.value} {caught.value.__cause__}"
    assert "batch_size" in told.lower()
    assert SECRET not in told


@pytest.mark.parametrize("name", HIDDEN)
def test_a_secret_is_kept_from_other_programs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Java, Maven and Docker get none of the variables that a secret may stand in."""
    for variable in variables(name):
        monkeypatch.setenv(variable, SECRET)
    assert SECRET not in child_environment().values()


def test_a_managed_server_always_asks_for_a_password() -> None:
    """No setting turns authentication off, opens the server to the network, or lets it write down what is asked."""
    text = shipped("neo4j.conf").read_text(encoding="utf-8")
    values = dict(parse(generate(text, overrides(Settings.load(server_heap="1g"), 7000, 7001))))
    assert values["dbms.security.auth_enabled"] == "true"
    assert values["server.default_listen_address"] == "127.0.0.1"
    assert values["db.logs.query.enabled"] == "OFF"


@pytest.fixture
def _open_umask() -> Iterator[None]:
    """Let new files be as open as whoever makes them says."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_open_umask")
def test_what_was_said_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Whatever the umask, files that hold something of what was said are 0600 and their folders 0700."""
    settings = Settings.load(data_dir=tmp_path / "home" / "data", cache_dir=tmp_path / "home" / "cache")
    journal = Journal(settings, space="s", database="d")
    journal.append(
        Entry(
            id="1",
            session="s",
            run="r",
            speaker="user",
            text="t",
            at=FixedClock().now,
            source_tag="x",
            source="x",
            turn="1",
        )
    )
    cache = VectorCache(settings.cache_dir)
    cache.store(["text"], np.eye(1, 4, dtype=np.float32), b"variant")
    history = resolve_name("engram.cli.lines:open_history")(settings.data_dir / "chat_history")
    history.store_string("hello")
    append_private(lost_file(settings), "{}\n", durable=False)
    held = [path for path in (tmp_path / "home").rglob("*") if path.is_dir() or path.stat().st_size]
    modes = {path.relative_to(tmp_path).as_posix(): stat.S_IMODE(path.stat().st_mode) for path in held}
    cache.close()
    assert len(modes) >= 7
    assert not {name: oct(mode) for name, mode in modes.items() if mode & 0o077}


@pytest.mark.usefixtures("_open_umask")
def test_a_folder_that_is_there_keeps_its_rights(tmp_path: Path) -> None:
    """Only what is made is closed: a person's own folder stays as they have it."""
    tmp_path.chmod(0o755)
    make_private(tmp_path / "a" / "b")
    assert [
        stat.S_IMODE(each.stat().st_mode) for each in (tmp_path, tmp_path / "a", tmp_path / "a" / "b")
    ] == [
        0o755,
        0o700,
        0o700,
    ]


def test_every_claim_names_a_test_that_is_there() -> None:
    """The tests that docs/security.md points to exist."""
    root = Path(__file__).parents[2]
    named = set(re.findall(r"tests/[\w/]+\.py", (root / "docs" / "security.md").read_text(encoding="utf-8")))
    assert len(named) > 15
    assert not sorted(name for name in named if not (root / name).is_file())
