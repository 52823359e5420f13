"""The doctor's checks of the machine and its files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engram.config import Settings
from engram.doctor import REPORT_VERSION, Finding, Report, files, machine
from engram.doctor.database import check_transport
from engram.doctor.finding import guarded
from engram.errors import StartError


def states(findings: Sequence[Finding]) -> list[str]:
    """Return what the findings come to."""
    return [finding.state for finding in findings]


@pytest.mark.parametrize(
    ("uri", "state"),
    [
        ("bolt://localhost:7687", []),
        ("bolt://127.0.0.1", []),
        ("neo4j://[::1]:7687", []),
        ("bolt://db.example:7687", ["note"]),
        ("neo4j://10.0.0.7", ["note"]),
        ("neo4j+ssc://db.example", ["note"]),
        ("neo4j+s://db.example", ["ok"]),
    ],
)
def test_plain_transport_to_another_machine_is_noted(uri: str, state: list[str]) -> None:
    """A password in the clear on a network is worth a word; on the loopback address it is nobody's."""
    assert states([*check_transport(Settings.load(neo4j_uri=uri, neo4j_password="x"))]) == state


def test_a_ca_file_encrypts_plain_addresses(tmp_path: Path) -> None:
    """With certificates to check against, bolt:// is encrypted too."""
    settings = Settings.load(
        neo4j_uri="bolt://db.example", neo4j_password="x", neo4j_ca_file=tmp_path / "ca.pem"
    )
    assert states([*check_transport(settings)]) == ["ok"]


def test_files_that_others_can_read_are_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever holds a secret or what was said is its owner's alone; a settings file without secrets is not looked at."""
    config = tmp_path / "config.toml"
    monkeypatch.setenv("ENGRAM_CONFIG_FILE", str(config))
    settings = Settings.load(data_dir=tmp_path)
    password = tmp_path / "server" / "password"
    password.parent.mkdir()
    for file, text in ((password, "secret"), (config, "batch_size = 10\n")):
        file.write_text(text)
        file.chmod(0o644)
    assert [finding.detail.split()[3] for finding in files.check_private(settings)] == [str(password)]
    config.write_text('gemini_api_key = "k"\n')
    found = [*files.check_private(settings)]
    assert states(found) == ["problem", "problem"]
    assert found[0].remedy == f"`chmod 600 {password}`"
    for file in (password, config):
        file.chmod(0o600)
    assert states([*files.check_private(settings)]) == ["ok"]


def test_limits_are_held_against_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that wants nearly all memory is noted, and one that wants more than there is is a problem."""
    settings = Settings.load(server_heap="4g", server_page_cache="2g")
    for gigabytes, state in ((16, "ok"), (7, "note"), (4, "problem")):
        monkeypatch.setattr(machine, "machine_bytes", lambda total=gigabytes << 30: total)
        assert states([*machine.check_limits(settings)]) == [state]


def test_a_check_that_fails_is_a_finding() -> None:
    """An error of one check ends that check and no other, and what it had found stays."""

    def check() -> Iterator[Finding]:
        yield Finding(name="first", state="ok", detail="well")
        raise StartError("It broke.", remedy="Mend it.")

    first, second = guarded("second", check)
    assert first.state == "ok"
    assert second == Finding(name="second", state="problem", detail="It broke.", remedy="Mend it.")


def test_notes_are_no_problem() -> None:
    """A report is well as long as no finding is a problem."""
    note = Finding(name="one", state="note", detail="could be better")
    bad = Finding(name="two", state="problem", detail="is bad")
    assert Report.of([note]) == Report(version=REPORT_VERSION, ok=True, findings=(note,))
    assert not Report.of([note, bad]).ok
