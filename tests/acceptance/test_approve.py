"""`engram approve` as a person and a script use it."""

from datetime import timedelta

import pytest

from engram.beliefs.promotion.approvals import list_approvals
from engram.beliefs.promotion.promoter import Fate, Promoter
from engram.graph import Graph
from engram.memory import utc_now
from engram.tuning import Tuning
from tests.acceptance.test_command import data, run

pytestmark = pytest.mark.graph


@pytest.fixture
def asked(engram_env: dict[str, str], graph: Graph, space: str) -> str:
    """Give the id of a memory that waits for a person's word."""
    memory = data(engram_env, "remember", "Ida drinks tea every day", "--known-at", "2026-01-01")["id"]
    since = [utc_now() - timedelta(days=each) for each in range(40, 60, 4)]
    graph.write(
        "believe/pattern_note",
        space=space,
        id=memory,
        properties={"weight_alpha": 30.0, "accessed_at": since},
    )
    promoter = Promoter(graph, space=space, tuning=Tuning(), now=utc_now(), by="test")
    assert promoter.promote(memory).fate is Fate.ASKED
    return str(memory)


def test_what_waits_is_listed_and_approved(engram_env: dict[str, str], asked: str) -> None:
    """The list says what it rests on; approved by the memory's id, it weighs more, and can be taken back."""
    said = run(engram_env, "approve").stdout
    assert "Ida drinks tea every day" in said
    assert f"memory {asked[:8]}" in said
    assert "weight 0.88, would be 0.89" in said
    assert "evidence of 6 days over" in said
    assert "truth 0.67 (evidence 1)" in said
    assert data(engram_env, "approve")[0]["memory"] == asked
    done = data(engram_env, "approve", asked[:8])
    assert (done["done"], done["weight"]) == ("promoted", pytest.approx(32 / 36))
    assert "Nothing waits" in run(engram_env, "approve").stdout
    assert "Nothing is asked for" in run(engram_env, "approve", asked, code=3).stderr


def test_what_is_refused_stays(engram_env: dict[str, str], asked: str, graph: Graph, space: str) -> None:
    """Refused by the question's own id; without an id there is nothing to refuse."""
    assert run(engram_env, "approve", "--refuse", code=2).stdout == ""
    (question,) = list_approvals(graph, space=space)
    assert "stays as it is" in run(engram_env, "approve", question.id[:8], "--refuse").stdout
    assert data(engram_env, "approve") == []
    assert data(engram_env, "get", asked)["weight_alpha"] == 30.0
