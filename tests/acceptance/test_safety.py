"""`engram safety` as a person and a script see it."""

import json

import pytest

from engram.graph import Graph
from engram.memory import utc_now
from engram.safety import CEILINGS, Change, Safety
from tests.acceptance.test_command import run

pytestmark = pytest.mark.graph


def test_what_fired_is_shown(engram_env: dict[str, str], graph: Graph, space: str) -> None:
    """In words: what is enforced, what fired and the newest of it. As JSON: the same, and never a table."""
    record = Safety(graph, space=space, clock=utc_now)
    for name, after in (("weight_cap", 0.97), ("rate_limit", 0.97)):
        event = CEILINGS[name].fired(Change(subject="f" * 32, before=0.5, after=after), at=utc_now())
        assert event is not None
        record.record([event])
    said = run(engram_env, "safety").stdout
    assert "enforced:   weight_cap, goal_budget" in said
    assert "last cycle: none yet" in said
    assert "weight_cap (phase A): stopped 1 time in 30 days" in said
    assert "rate_limit (phase B): would have been stopped 1 time in 30 days" in said
    assert "ffffffff: the weight would be 0.9700, over 0.95" in said
    data = json.loads(run(engram_env, "safety", "--json", "--days", "1").stdout)
    assert data["enforced"]["weight_cap"] is True
    assert data["enforced"]["entropy"] is False
    assert [(row["ceiling"], row["count"]) for row in data["fired"]] == [("weight_cap", 1), ("rate_limit", 1)]
