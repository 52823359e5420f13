"""`engram doctor`, as a monitor reads it."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engram.config import Settings
from engram.graph import Graph
from engram.memory import Engram
from engram.records import STOPPED
from engram.testing import HashEmbedder
from tests.acceptance.test_command import data, run
from tests.conftest import DIMENSIONS
from tests.graph.beside import everything
from tests.graph.beside import run as in_the_graph

pytestmark = pytest.mark.graph


@pytest.fixture
def memory(graph: Graph, space: str, tmp_path: Path) -> Engram:
    """Give the command's own space, to put things into it that the command finds."""
    settings = Settings.load(data_dir=tmp_path / "data")
    return Engram(graph, settings, space=space, embedder=HashEmbedder(DIMENSIONS))


def findings(report: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return a report's findings by name."""
    named: dict[str, list[dict[str, Any]]] = {}
    for finding in report["findings"]:
        named.setdefault(finding["name"], []).append(finding)
    return named


def test_report_of_a_healthy_set_up(engram_env: dict[str, str], memory: Engram) -> None:
    """The report has its documented form; looking changes neither the graph nor the data folder."""
    memory.remember("All is well")
    before = everything(memory)
    report = data(engram_env, "doctor")
    assert report["version"] == 1
    assert report["ok"] is True
    assert {key for finding in report["findings"] for key in finding} == {"name", "state", "detail", "remedy"}
    assert {finding["state"] for finding in report["findings"]} <= {"ok", "note"}
    named = findings(report)
    for name in ("server", "clock", "schema", "indexes", "graph", "embedder"):
        assert [finding["state"] for finding in named[name]] == ["ok"], name
    assert everything(memory) == before
    assert not Path(engram_env["ENGRAM_DATA_DIR"]).exists()


def test_what_was_left_behind_is_found(engram_env: dict[str, str], memory: Engram) -> None:
    """A broken memory, a lease that hangs, a late job, an open journal: each is named with its remedy."""
    broken = memory.remember("A hand in the Browser took my energy")
    past = datetime.now(UTC) - timedelta(days=3)
    in_the_graph(memory, "set_properties", id=broken.id, properties={"energy": None})
    in_the_graph(memory, "give_lease", until=past)
    runs = [
        {
            "id": f"{memory.space}-1",
            "job": "decay",
            "space": memory.space,
            "started_at": past,
            "error": "no room",
            "failed": 1,
        },
        {
            "id": f"{memory.space}-2",
            "job": "promote",
            "space": memory.space,
            "started_at": past,
            "error": STOPPED,
            "failed": 0,
        },
    ]
    in_the_graph(memory, "create_runs", runs=runs)
    journal = Path(engram_env["ENGRAM_DATA_DIR"]) / "journal" / "0.jsonl"
    journal.parent.mkdir(parents=True)
    journal.write_text('{"text": "hello"}\n')
    journal.chmod(0o644)
    report = json.loads(run(engram_env, "doctor", "--json", code=1).stdout)
    assert report["ok"] is False
    named = findings(report)
    assert named["graph"][0]["detail"] == "broken: properties 1"
    assert named["private files"][0]["remedy"] == f"`chmod 600 {journal}`"
    assert named["leases"][0]["state"] == "note"
    details = " / ".join(finding["detail"] for finding in named["jobs"])
    assert "decay failed" in details
    assert "no room" in details
    assert "promote failed" not in details  # somebody stopped it
    assert "late: decay" in details
    assert "never ended" in details
    assert named["journal"][0]["detail"].startswith("1 things said")
