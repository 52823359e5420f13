"""The saved queries over a small lived space: each draws, keeps to its space and to its limit."""

from datetime import timedelta
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.beliefs.conflicts.tensions import describe_missing
from engram.explore import queries, style
from engram.explore.picture import picture
from engram.graph import Node, Row
from engram.graph import Path as GraphPath
from engram.memory import Engram
from engram.records import Memory, Turn
from engram.testing import FixedClock
from tests.acceptance.test_command import data, run
from tests.graph.beside import another
from tests.graph.test_tensions import contradict

pytestmark = pytest.mark.graph
LIMIT = 6


@pytest.fixture
def lived(memory: Engram, clock: FixedClock) -> Memory:
    """Live a little in a space; return a memory that has much behind it."""
    return live(memory, clock)


def live(memory: Engram, clock: FixedClock) -> Memory:
    """Be told things, conclude some, change one's mind, disagree, use some together, and sleep over it."""
    told = memory.remember_turns(
        [
            Turn(speaker="Noor", text="I live in Utrecht, near the Dom.", session="coffee", at=clock.now),
            Turn(speaker="Felix", text="I moved to Ghent with Noor.", session="coffee", at=clock.now),
        ]
    ).memories
    old = memory.remember("Noor lives in Utrecht", derived_from=told[:1], event_at=clock.now)
    clock.advance(timedelta(hours=1))
    new = memory.remember("Noor lives in Ghent", derived_from=told, supersedes=old.id, reason="moved")
    contradict(memory, clock, "Anna lives in Leiden", "Anna lives in Utrecht")
    describe_missing(memory)
    for _ in range(3):
        memory.recall("Where does Noor live?", 4, session="coffee")
        clock.advance(timedelta(minutes=1))
    assert memory.flush()
    memory.end_session("coffee")
    clock.advance(timedelta(minutes=5))
    run_job: Any = resolve_name("engram.jobs.job:run_job")
    for name in ("coactivate", "promote"):
        job = resolve_name(f"engram.jobs.{name}:JOB")
        run_job(job, memory.graph, space=memory.space, clock=clock)
    return new


def draw(memory: Engram, name: str, limit: int = LIMIT, **more: object) -> list[Row]:
    """Return what a saved query returns."""
    given = {"space": memory.space, "limit": limit, "now": memory.now(), "id": ""} | more
    wanted = queries.saved_query(name).parameters
    return memory.graph.read(f"explore/draw_{name}", **{each: given[each] for each in wanted})


def nodes(rows: list[Row]) -> list[Node]:
    """Return every node in the rows, in paths or alone."""
    found: list[Node] = []
    for value in (value for row in rows for value in row.values()):
        found += value.nodes if isinstance(value, GraphPath) else [value] if isinstance(value, Node) else []
    return found


def test_each_query_draws(memory: Engram, lived: Memory, clock: FixedClock) -> None:
    """Each returns paths with a relationship, all in its space and in the style sheet, within its limit."""
    live(another(memory, clock), clock)
    assert lived.id
    for name in queries.ORDER:
        rows = draw(memory, name)
        paths = [row["path"] for row in rows if row["path"] is not None]
        assert any(path.steps for path in paths), name
        assert {node.properties["space"] for node in nodes(rows)} == {memory.space}, name
        for path in paths:
            assert {step.type for step in path.steps} <= style.relationships().keys(), name
            assert all(style.node_label(node.labels) for node in path.nodes), name
        # One thing, and what hangs on it.
        assert 1 <= len(draw(memory, name, limit=1)) <= 8, name


def test_an_empty_space_draws_nothing(memory: Engram) -> None:
    """Each query of a space without memories returns no row, and no error."""
    assert [draw(memory, name) for name in queries.ORDER] == [[] for _ in queries.ORDER]


def test_fading_is_by_the_time_asked_at(memory: Engram, lived: Memory, clock: FixedClock) -> None:
    """What will have left the working set within a day is drawn, what lasts longer or has been promoted is not."""
    working = {node.properties["id"] for node in nodes(draw(memory, "fading")) if "Memory" in node.labels}
    assert working
    assert lived.id not in working
    assert draw(memory, "fading", now=clock.now - timedelta(days=30)) == []


def test_why_goes_down_to_what_was_said(memory: Engram, lived: Memory) -> None:
    """From an id or its beginning the chain leads to the sentences, their conversation and what was replaced."""
    for given in (lived.id, lived.id[:8]):
        found = nodes(draw(memory, "why", limit=40, id=given))
        assert {"Turn", "Session"} <= {label for node in found for label in node.labels}
        assert "Noor lives in Utrecht" in {node.properties.get("content") for node in found}
    assert draw(memory, "why", id="' OR 1=1 //") == []
    around = memory.graph.read("explore/draw_around", space=memory.space, ids=[lived.id, "none"], limit=LIMIT)
    assert {row["memory"].properties["id"] for row in around} == {lived.id}
    assert {"SUPERSEDES", "DERIVED_FROM"} <= {step.type for row in around for step in row["path"].steps}
    assert memory.graph.read("explore/draw_around", space="elsewhere", ids=[lived.id], limit=LIMIT) == []
    assert lived.id in {node.properties["id"] for node in nodes(draw(memory, "why"))}


def test_tensions_show_both_sides(memory: Engram, lived: Memory) -> None:
    """The two who disagree are joined, and so is the memory that says so; no vector comes into the picture."""
    assert lived.id
    rows = draw(memory, "contradictions")
    drawn = picture(rows)
    assert {"Anna lives in Leiden", "Anna lives in Utrecht"} <= {dot.caption for dot in drawn.dots}
    assert {"IN_TENSION_WITH", "TENSION_BETWEEN"} <= {line.kind for line in drawn.lines}
    # Neither Cypher nor Browser can leave a property out of a node; the picture can.
    assert any("embedding" in node.properties for node in nodes(rows))
    assert not any("[" in text for dot in drawn.dots for text in dot.details.values())


def test_browse_tells_how_to_log_in(engram_env: dict[str, str]) -> None:
    """The address and the user are told, the password only to who asks for it; queries have their parameters."""
    told = data(engram_env, "browse")
    assert told["browser"].startswith("http://")
    assert engram_env["ENGRAM_NEO4J_PASSWORD"] not in str(told)
    assert engram_env["ENGRAM_NEO4J_PASSWORD"] in run(engram_env, "browse", "--show-password").stdout
    listed = run(engram_env, "browse", "--queries", "--space", "somebody's").stdout
    assert ":param space => 'somebody\\'s';" in listed
    assert listed.count("CYPHER 25") == len(queries.ORDER)
    held = data(engram_env, "remember", "I live in Ghent")["id"]
    assert f"'{held}'" in run(engram_env, "browse", "--queries", "--memory", held[:8]).stdout
    assert "no memory 'nosuch'" in run(engram_env, "browse", "--queries", "--memory", "nosuch", code=3).stderr


def test_view_writes_private_files(engram_env: dict[str, str], tmp_path: Path) -> None:
    """What a question brings back is drawn in each form that was asked for, for its owner's eyes only."""
    run(engram_env, "remember", "I live in Ghent", "--speaker", 'Noor "O\'Hara" </script>')
    page, dot = tmp_path / "memory.html", tmp_path / "memory.dot"
    run(engram_env, "view", "where", "do", "I", "live", "--html", str(page), "--dot", str(dot))
    for file in (page, dot):
        assert file.stat().st_mode & 0o077 == 0
        assert "I live in Ghent" in file.read_text(encoding="utf-8")
    assert "Say where to" in run(engram_env, "view", code=2).stderr
    assert "No memory ghent1;" in run(engram_env, "view", "ghent1", "--dot", str(dot)).stderr
    assert "No memory" not in run(engram_env, "view", "Ghent", "--dot", str(dot)).stderr
    assert "no memory 'deadbeef'" in run(engram_env, "view", "deadbeef", "--dot", "-", code=3).stderr
    assert "nothing to draw" in run(engram_env, "view", "--saved", "recalls", "--dot", "-", code=3).stderr
