"""`engram why`, `engram history` and `engram believed`, as a person or a script uses them."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.acceptance.test_command import data, run

pytestmark = pytest.mark.graph


@pytest.fixture
def moved(engram_env: dict[str, str]) -> dict[str, str]:
    """Give the environment of somebody who moved."""
    since = ("--known-at", "2026-01-05", "--event-at", "2026-01-05")
    old = run(engram_env, "remember", "I live in Utrecht", "--speaker", "Noor", *since).stdout
    name = re.findall(r"[0-9a-f]{8}", old)[0]
    run(engram_env, "remember", "I live in Ghent", "--supersedes", name, "--reason", "moved for work")
    return engram_env | {"OLD": name}


def test_why_in_every_form(moved: dict[str, str]) -> None:
    """The tree, Graphviz, JSON and the statement tell of the same memory and what replaced it."""
    tree = run(moved, "why", moved["OLD"]).stdout.splitlines()
    assert re.fullmatch(
        r"[0-9a-f]{8}  2026-01-05 Noor: “I live in Utrecht”, truth 0.67, evidence 1, superseded", tree[0]
    )
    assert "was replaced by" in tree[1]
    assert "(because: moved for work)" in tree[1]
    assert "nothing is recorded below this" in tree[2]
    chain = data(moved, "why", moved["OLD"])
    assert [step["relationship"] for step in chain] == ["", "SUPERSEDED_BY"]
    assert '[label="SUPERSEDES"]' in run(moved, "why", moved["OLD"], "--dot").stdout
    statement = run(moved, "why", moved["OLD"], "--cypher").stdout
    assert f":param id => '{chain[0]['id']}';" in statement
    assert "\nCYPHER 25\n" in statement
    assert run(moved, "why", moved["OLD"], "--cypher", "--dot", code=2).stdout == ""


def test_history_and_beliefs(moved: dict[str, str]) -> None:
    """What has happened to a memory is told in order; what was believed then stands before what is now."""
    run(moved, "recall", "where do I live?", "--read-only")
    lines = run(moved, "history", moved["OLD"]).stdout.splitlines()
    assert "I live in Utrecht" in lines[0]
    assert [line.split("  ")[1].strip() for line in lines[1:]] == ["remembered", "replaced by"]
    today = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%d}"
    told = run(moved, "believed", "where do I live?", "--at", today).stdout
    then, now = told.split("Now:")
    assert "I live in Utrecht" in then
    assert "by “I live in Ghent” (because: moved for work)" in then
    assert "I live in Ghent" in now
    found = data(moved, "believed", "where do I live?", "--at", today)
    assert found["then"][0]["successor"]["memory"]["content"] == "I live in Ghent"
    run(moved, "believed", "where do I live?", "--at", "neverday", code=2)
