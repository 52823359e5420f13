"""`engram entities` and `engram entity`, as a person or a script uses them."""

import re

import pytest

from tests.acceptance.test_command import data, run

pytestmark = pytest.mark.graph


@pytest.fixture
def known(engram_env: dict[str, str]) -> dict[str, str]:
    """Give the environment of somebody who spoke of one person under two names."""
    for text in (
        "We spoke of Bob at length",
        "At the harbour I met Robert Miller",
        "Then came Robert Miller",
    ):
        run(engram_env, "remember", text)
    return engram_env


def test_names_are_listed_merged_and_split(known: dict[str, str]) -> None:
    """The list counts an alias with its canonical name; merging says how to undo it, and both ways back work."""
    assert [row["mentions"] for row in data(known, "entities")] == [2, 1]
    merged = run(known, "entities", "merge", "Bob", "robert miller", "--reason", "old friends").stdout
    change = re.findall(r"`engram undo (\w{8})`", merged)[0]
    (row,) = data(known, "entities")
    assert (row["name"], row["aliases"], row["mentions"]) == ("Robert Miller", ["Bob"], 3)
    assert "Robert Miller  (also Bob)" in run(known, "entities", "-n", "5").stdout
    run(known, "undo", change)
    assert len(data(known, "entities")) == 2
    assert data(known, "entities", "merge", "Bob", "Robert Miller")["into"] == "robert miller"
    assert "bob is not robert miller" in run(known, "entities", "split", "Bob").stdout
    assert len(data(known, "entities")) == 2
    run(known, "entities", "split", "Bob", code=2)


def test_a_profile_by_any_name(known: dict[str, str]) -> None:
    """The profile is plain text where it is piped, says that no model summed it up, and answers an unknown name."""
    run(known, "entities", "merge", "Bob", "Robert Miller")
    told = run(known, "entity", "Bob").stdout
    assert told.splitlines()[0] == "Robert Miller"
    assert "also Bob" in told
    assert "mentioned 3 times" in told
    assert "no fact is known yet" in told
    assert "\x1b" not in told
    assert data(known, "entity", "Robert", "Miller")["aliases"] == ["Bob"]
    assert "Near: Robert Miller" in run(known, "entity", "Robert Milner", code=3).stderr
