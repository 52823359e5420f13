"""Filters over items' values."""

from typing import Any

import pytest

from engram.doors.item_filter import matches
from engram.errors import InvalidInputError

VALUE: dict[str, Any] = {"n": 3, "t": "b", "o": {"a": {"b": 1}, "c": None}, "l": [1, {"x": 2}], "d.e": 4}


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"n": 3},
        {"n": 3.0},
        {"n": {"$gt": 2, "$lt": 4, "$ne": 5}},
        {"n": {"$gte": 3, "$lte": 3}},
        {"t": {"$gt": "a"}},
        {"o": {"a": {"b": 1}}},
        {"o": {"a": {"b": {"$gt": 0}}}},
        {"o.a.b": 1},
        {"d.e": 4},
        {"o.c": None},
        {"missing": None},
        {"missing.deep": {"$ne": 1}},
        {"l": [1, {"x": 2}]},
        {"l": {"$eq": [1, {"x": 2}]}},
    ],
)
def test_what_fits(wanted: dict[str, Any]) -> None:
    """A value fits where every condition holds, at any depth."""
    assert matches(VALUE, wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        {"n": 4},
        {"n": "3"},
        {"n": {"$gt": "2"}},
        {"n": {"$gt": 2, "$lt": 3}},
        {"missing": {"$gt": 0}},
        {"missing": {"$lt": 0}},
        {"o": {"a": 1}},
        {"o.a.b.c": 1},
        {"n": {"a": 1}},
        {"l": [1]},
        {"l": [1, {"x": 3}]},
        {"t": ["b"]},
    ],
)
def test_what_does_not(wanted: dict[str, Any]) -> None:
    """It does not where one fails, and what cannot be compared is neither greater nor less."""
    assert not matches(VALUE, wanted)


def test_unknown_operators_are_errors() -> None:
    """An operator that there is not is refused and not taken for a key."""
    with pytest.raises(InvalidInputError, match=r"\$in"):
        matches(VALUE, {"n": {"$in": [3]}})
