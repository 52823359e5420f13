"""`engram cost`, and the settings that it goes by, as a person or a script uses them."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from engram.costs import Ledger
from engram.graph import Graph
from engram.llm.base import Message
from engram.prices import Price
from engram.testing import ScriptedModel
from tests.acceptance.test_command import data, run

pytestmark = pytest.mark.graph


@pytest.fixture
def ledger(graph: Graph, space: str) -> Iterator[Ledger]:
    """Give a ledger of the command's own space."""
    opened = Ledger(
        graph, space=space, clock=lambda: datetime.now(UTC), prices={"dear": Price(input=0, output=500_000)}
    )
    yield opened
    opened.close()


def test_what_was_spent(engram_env: dict[str, str], ledger: Ledger) -> None:
    """A line for each day, purpose or model, unknown prices by name; as data the same."""
    assert "No language model has been asked" in run(engram_env, "cost").stderr
    for name, purpose in (("dear", "reply"), ("llama3", "gut")):
        model = ledger.model(ScriptedModel("two words", name=name), purpose=purpose)
        with model.stream("s", [Message(role="user", text="Hello")], max_tokens=9) as stream:
            list(stream)
    assert ledger.flush()
    said = run(engram_env | {"ENGRAM_DAILY_BUDGET": "5"}, "cost", "--by", "purpose").stdout
    assert "reply" in said
    assert "No price is known for llama3" in said
    assert "Today (UTC): $1.00 of $5.00. Of all time: $1.00." in said
    found = data(engram_env, "cost", "--by", "model", "--days", "2")
    assert [(line["key"], line["calls"], line["cost_usd"]) for line in found["lines"]] == [
        ("dear", 1, 1.0),
        ("llama3", 1, 0.0),
    ]
    assert found["spent"]["lifetime"] == 1.0


def test_prices_and_budget_are_settings(engram_env: dict[str, str]) -> None:
    """A price is set as JSON, kept as a table, and listed in words; nonsense is refused and changes nothing."""
    price = {"llama3": {"input": 0.1, "output": 0.4}}
    run(engram_env, "config", "set", "prices", json.dumps(price))
    run(engram_env, "config", "set", "daily_budget", "2.5")
    assert run(engram_env, "config", "get", "prices").stdout == "llama3 0.1 in, 0.4 out\n"
    listed = {row["name"]: row for row in data(engram_env, "config", "list")}
    assert listed["prices"]["value"] == "llama3 0.1 in, 0.4 out"
    assert (listed["daily_budget"]["value"], listed["daily_calls"]["value"]) == ("2.5", "")
    for wrong in ("cheap", '{"llama3": {"input": 1}}'):
        assert "prices" in run(engram_env, "config", "set", "prices", wrong, code=2).stderr
    run(engram_env, "config", "unset", "prices")
    assert run(engram_env, "config", "get", "prices").stdout == "\n"
