"""`engram tensions`, `resolve`, `changes` and `undo`, as a person or a script uses them."""

import re
from pathlib import Path

import pytest

from engram.beliefs.conflicts.outcomes import Disagreement, flag
from engram.beliefs.conflicts.tensions import describe_missing
from engram.graph import Graph
from engram.memory import Engram
from engram.testing import HashEmbedder
from tests.acceptance.test_command import data, run
from tests.conftest import DIMENSIONS, Address

pytestmark = pytest.mark.graph


@pytest.fixture
def disputed(
    engram_env: dict[str, str], graph: Graph, neo4j_address: Address, tmp_path: Path
) -> dict[str, str]:
    """Give the environment of somebody who was told two things that cannot both be so."""
    sides = [
        data(engram_env, "remember", f"Anna lives in {place}", "--speaker", speaker)
        for place, speaker in (("Leiden", "Bob"), ("Utrecht", "Carl"))
    ]
    settings = neo4j_address.settings(data_dir=tmp_path / "data", space=engram_env["ENGRAM_SPACE"])
    one, other = (side["id"] for side in sides)
    found = Disagreement(one=one, other=other, why="another place", by="slots", reason="another value")
    memory = Engram(graph, settings, space=settings.space, embedder=HashEmbedder(DIMENSIONS))
    memory.graph.transact(lambda each: flag(each, [found], space=memory.space, now=memory.now()))
    describe_missing(memory)
    return engram_env | {"ONE": one, "OTHER": other}


def test_a_tension_is_seen_and_resolved(disputed: dict[str, str]) -> None:
    """Both sides are listed and told beside what is recalled; resolved, one is retired; undone, it is as before."""
    lines = run(disputed, "tensions").stdout.splitlines()
    assert re.fullmatch(r"[0-9a-f]{8}  open since \d{4}-\d\d-\d\d \(because: another place\)", lines[0])
    assert re.match(
        rf"  A  {disputed['ONE'][:8]}  .*  Bob: Anna lives in Leiden  \(truth 0\.\d\d\)", lines[1]
    )
    recalled = run(disputed, "recall", "where does Anna live?", "--read-only").stdout
    assert f"in tension with {disputed['ONE'][:8]}: Anna lives in Leiden" in recalled
    done = run(disputed, "resolve", lines[0][:8], "--keep", "B")
    assert re.findall(r"(kept|retired) +([0-9a-f]{8})", done.stdout) == [
        ("kept", disputed["OTHER"][:8]),
        ("retired", disputed["ONE"][:8]),
    ]
    assert data(disputed, "get", disputed["ONE"])["status"] == "superseded"
    assert data(disputed, "tensions") == []
    assert "B holds, resolved by user" in run(disputed, "tensions", "--all").stdout
    assert "resolved by user" in run(disputed, "why", disputed["ONE"]).stdout
    change = re.findall(r"engram undo ([0-9a-f]{8})", done.stderr)[0]
    assert run(disputed, "undo", change).stdout.startswith("Taken back: resolved")
    assert data(disputed, "get", disputed["ONE"])["status"] == "active"
    assert [each["state"] for each in data(disputed, "tensions")] == ["open"]
    run(disputed, "undo", change, code=2)


def test_changes_are_listed(disputed: dict[str, str]) -> None:
    """The log names each change, who made it and what it touched; nonsense is refused in words."""
    run(disputed, "resolve", disputed["ONE"], "--keep", "both")
    lines = run(disputed, "changes").stdout.splitlines()
    assert re.fullmatch(r"[0-9a-f]{8}  [\d-]{10} [\d:]{5}  resolved by user: both hold", lines[0])
    assert any("Anna lives in Leiden" in line for line in lines[1:3])
    assert [each["kind"] for each in data(disputed, "changes", "-n", "1")] == ["resolution"]
    assert "both hold" in run(disputed, "tensions", "--all").stdout
    refused = run(disputed, "resolve", disputed["ONE"], "--keep", "A", code=None)
    assert refused.returncode != 0
    assert "no tension" in refused.stderr
