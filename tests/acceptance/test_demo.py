"""`engram demo` against a real Neo4j, with the default embedder."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engram import demo
from engram.config import Settings
from engram.importing import read_turns
from engram.memory import Engram
from engram.records import Turn

pytestmark = pytest.mark.graph

ENGRAM = Path(sys.executable).with_name("engram")


def run_demo(env: dict[str, str], *args: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the installed command to its end, in the test's own space."""
    return subprocess.run(
        [ENGRAM, "demo", "--space", env["ENGRAM_SPACE"], *args],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def open_memory(env: dict[str, str]) -> Engram:
    """Open the same space as the command does."""
    settings = Settings.load(
        neo4j_uri=env["ENGRAM_NEO4J_URI"],
        neo4j_user=env["ENGRAM_NEO4J_USER"],
        neo4j_password=env["ENGRAM_NEO4J_PASSWORD"],
        neo4j_database=env["ENGRAM_NEO4J_DATABASE"],
    )
    return Engram.open(settings, space=env["ENGRAM_SPACE"])


def test_the_questions_are_answered(engram_env: dict[str, str]) -> None:
    """For at least five of the six questions a turn that answers it is among the best five."""
    with demo.bundled_conversation() as path, open_memory(engram_env) as memory:
        texts = {turn.id: turn.text for turn in read_turns(path) if isinstance(turn, Turn)}
        demo.load(memory, read_turns(path))
        answered = [demo.ask(memory, question, 5) for question in demo.QUESTIONS]

    right = [
        bool({texts[answer] for answer in each.question.answers} & {hit.memory.content for hit in each.hits})
        for each in answered
    ]
    assert sum(right) >= 5, [
        each.question.text for each, found in zip(answered, right, strict=True) if not found
    ]


def test_asked_as_of_a_day_it_does_not_know_what_came_later(engram_env: dict[str, str]) -> None:
    """What is recalled as of a day was said by then."""
    with demo.bundled_conversation() as path, open_memory(engram_env) as memory:
        demo.load(memory, read_turns(path))
        then = next(question for question in demo.QUESTIONS if question.as_of)
        hits = demo.ask(memory, then, 20).hits

    assert hits
    assert then.as_of is not None
    assert all(hit.memory.known_at <= then.as_of for hit in hits)


def test_the_new_address_supersedes_the_old_one_once(engram_env: dict[str, str]) -> None:
    """Changing the address twice leaves one chain: the new fact, and the old one with the reason."""
    with open_memory(engram_env) as memory:
        first, second = demo.change_address(memory), demo.change_address(memory)
        chain = demo.explain(memory, first.id)
        stored = memory.stats()

    assert first.id == second.id
    assert [step.relationship for step in chain] == ["", "SUPERSEDES"]
    assert chain[1].detail["reason"] == "she moved on 19 September"
    assert stored.memories == 2


def test_the_demo_says_all_it_should_and_stores_once(engram_env: dict[str, str]) -> None:
    """The output has the questions, quotes with dates, the chain, the statement to paste, and what to try next."""
    first, second = run_demo(engram_env), run_demo(engram_env)

    assert first.returncode == 0, first.stderr
    for question in demo.QUESTIONS:
        assert question.text in first.stdout
    for part in (
        "110 turns remembered",
        "(as known on 2026-09-01)",
        "Hoveniersstraat 9",
        "she moved on 19 September",
        f":param space => '{engram_env['ENGRAM_SPACE']}';",
        demo.drawing(engram_env["ENGRAM_SPACE"]).statement,
        "Open Neo4j Browser",
        "engram chat --space",
    ):
        assert part in first.stdout
    assert engram_env["ENGRAM_NEO4J_PASSWORD"] not in first.stdout + first.stderr
    assert "\x1b" not in first.stdout
    assert second.returncode == 0, second.stderr
    assert "nothing new; all 110 turns were remembered before" in second.stdout


def test_the_demo_as_json_is_one_object(engram_env: dict[str, str]) -> None:
    """`--json` prints questions, hits, timings and the chain, and nothing else."""
    done = run_demo(engram_env, "--json")

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["questions"]) == 6
    assert all(each["milliseconds"] > 0 and len(each["hits"]) == 3 for each in found["questions"])
    assert found["stored"] == 110
    roles = [(step["depth"], step["relationship"]) for step in found["explained"][0]]
    assert {(1, "DERIVED_FROM"), (2, "DERIVED_FROM"), (3, "PART_OF"), (1, "SUPERSEDES")} <= set(roles)


def test_the_demo_runs_on_a_log_of_ones_own(engram_env: dict[str, str], tmp_path: Path) -> None:
    """`--file` imports the log, asks about what it dwells on, and explains the best hit down to its turn."""
    lines = [f"Ada: Nothing special on day {n}, as always." for n in range(20)]
    lines[5:8] = ["Bo: The accordion is broken.", "Ada: Which accordion?", "Bo: My accordion from Trieste."]
    path = tmp_path / "our chat.txt"
    path.write_text("\n".join(lines))
    done = run_demo(engram_env, "--json", "--file", path)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert "What did Bo say about accordion?" in [each["question"] for each in found["questions"]]
    assert {step["label"] for step in found["explained"][0]} >= {"Episodic", "Turn"}


def test_the_drawing_returns_the_space_and_no_other(engram_env: dict[str, str]) -> None:
    """The statement that is printed to paste gives every memory of its space, each with its turn."""
    with open_memory(engram_env) as memory:
        memory.remember_turns(
            [Turn(text="The kiln is fixed.", speaker="Ada"), Turn(text="Good.", speaker="Bo")]
        )
        rows = memory.graph.read("inspect/draw_space", space=memory.space, limit=10)
        elsewhere = memory.graph.read("inspect/draw_space", space="no such space", limit=10)

    assert len({row["memory"].properties["id"] for row in rows}) == 2
    assert any(row["path"] is not None for row in rows)
    assert elsewhere == []
