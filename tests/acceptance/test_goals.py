"""`engram goals` as a person and a script see it."""

import pytest

from tests.acceptance.test_command import data, run

pytestmark = pytest.mark.graph


def test_goals_are_set_and_explained(engram_env: dict[str, str]) -> None:
    """Each command shows the goal as it is then, `why` the product term by term; as JSON it is data."""
    boat = data(engram_env, "goals", "add", "Paint the boat", "--tractability", "0.9")
    name = boat["id"][:8]
    why = run(engram_env, "goals", "why", name).stdout
    assert why.startswith(f"[{name}]  0.90  active      Paint the boat\n  priority 0.9")
    assert "= recency 1.000 · mention 1.000 · tractability 0.90 · connections 1.00" in why
    shown = run(engram_env, "goals", "block", name, "--why", "the harbour is closed").stdout
    assert shown == f"[{name}]  0.00  blocked     Paint the boat (waits for: the harbour is closed)\n"
    assert "is blocked already" in run(engram_env, "goals", "accept", name, code=2).stderr


def test_a_goal_found_in_talk_is_accepted_by_a_command(engram_env: dict[str, str]) -> None:
    """The conversation says how; `/goals` has the same commands, and its list shows what waits."""
    talk = run(engram_env, "chat", "--no-llm", stdin="I want to learn Portuguese by June.\n/goals\n")
    assert "That sounds like a goal: “learn Portuguese by June”." in talk.stderr
    (goal,) = data(engram_env, "goals", "list", "--state", "proposed")
    name = goal["id"][:8]
    assert f"[{name}]     -  proposed    learn Portuguese by June (accept it or refuse it)" in talk.stdout
    asked = f"/goals accept {name}\n/goals why {name}\n/goals block {name} no book\n/goals list blocked\n/goals resume\n"
    talk = run(engram_env, "chat", "--no-llm", stdin=asked, code=None)
    assert "priority 0.500 = " in talk.stdout
    assert talk.stdout.count("blocked     learn Portuguese by June (waits for: no book)") == 2
    assert "/goals [add TEXT" in talk.stderr
