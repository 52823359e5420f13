"""What `engram jobs` says of jobs and runs."""

from datetime import UTC, datetime
from pkgutil import resolve_name
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

words: Any = resolve_name("engram.jobs.words")
Run: Any = resolve_name("engram.jobs.job:Run")


def run(**values: Any) -> Any:
    """Return a run of the job `promote`."""
    plain = {"dry_run": False, "changed": 0, "failed": 0, "empty": 0, "broken": 0, "error": None}
    return Run(id="0" * 32, job="promote", **{**plain, **values})


@pytest.mark.parametrize(
    ("minutes", "said"),
    [
        (1, "every minute"),
        (10, "every 10 minutes"),
        (60, "every hour"),
        (90, "every 90 minutes"),
        (120, "every 2 hours"),
        (1_440, "every day"),
        (10_080, "every 7 days"),
    ],
)
def test_intervals_in_words(minutes: float, said: str) -> None:
    """The largest unit that divides an interval is the one that is said."""
    assert words.every(minutes) == said


@pytest.mark.parametrize(
    ("values", "undo", "said"),
    [
        ({}, False, "promote: nothing to change"),
        ({"changed": 1_234}, False, "promote: changed 1,234"),
        ({"changed": 3, "dry_run": True}, False, "promote: would change 3"),
        ({"changed": 3}, True, "promote: took back 3"),
        ({"changed": 3, "dry_run": True}, True, "promote: would take back 3"),
        ({}, True, "promote: nothing to take back"),
        ({"broken": 2}, False, "promote: 2 broken"),
        ({"report": ({"check": "a", "broken": 0},)}, False, "promote: nothing is broken"),
        ({"changed": 3, "empty": 2}, False, "promote: changed 3; 2 claims came back empty: other workers"),
        ({"empty": 1}, False, "promote: nothing to change; 1 claim came back empty"),
        ({"error": "stopped before its end"}, False, "promote: nothing to change; stopped before its end"),
    ],
)
def test_a_run_in_one_line(values: dict[str, Any], *, undo: bool, said: str) -> None:
    """What changed, would have changed or was taken back, and what others were faster with."""
    assert words.headline(run(**values), undo=undo).startswith(said)


def test_a_run_with_examples_rows_and_notes() -> None:
    """Examples are lines with short ids, report rows tables, with what to do about a finding, notes lines of their own."""
    lines = list(
        words.run_lines(
            run(
                changed=2,
                examples=({"id": "ab" * 16, "from": "working", "energy_now": 2.34567},),
                report=(
                    {"tier": "working", "memories": 1_200},
                    {"check": "ids", "broken": 0, "remedy": "Mend them."},
                    {"check": "edges", "broken": 12, "remedy": "Delete them."},
                ),
                notes=("1 stays promoted",),
            )
        )
    )
    assert lines == [
        "promote: changed 2, for example:",
        "  abababab: from working, energy now 2.346",
        "  tier     memories",
        "  working     1,200",
        "",
        "  check  broken",
        "  ids         0",
        "  edges      12",
        "      Delete them.",
        "  1 stays promoted",
    ]


_VALUES = st.none() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(categories=["L"]))


@given(st.lists(st.dictionaries(st.sampled_from(["a", "some_text", "n"]), _VALUES, min_size=1), min_size=1))
def test_a_table_keeps_every_value_in_its_column(rows: list[dict[str, Any]]) -> None:
    """Whatever the rows hold or lack, each has one line, under one line of names, and no value is lost."""
    names, *lines = words.table(rows)
    assert len(lines) == len(rows)
    for name in {key for row in rows for key in row}:
        assert words.label(name) in names
    for row, line in zip(rows, lines, strict=True):
        assert all(words.shown(value) in line for value in row.values())


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({}, "5 changed"),
        ({"ended_at": None}, "not ended"),
        ({"dry_run": True}, "5 would change"),
        ({"undoes": "cd" * 16}, "5 taken back of cdcdcdcd"),
        ({"undone_at": datetime(2026, 1, 2, tzinfo=UTC)}, "5 changed, undone 2026-01-02 00:00:00"),
        ({"failed": 1, "error": "no answer"}, "failed: no answer"),
        ({"error": "stopped"}, "5 changed, stopped"),
        ({"empty": 7}, "7 claims empty"),
        ({"space": None}, "(all spaces; "),
    ],
)
def test_a_line_of_the_history(values: dict[str, Any], says: str) -> None:
    """It begins with the id's first eight characters, which `undo` takes, and says how the run ended."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    row = {"id": "ab" * 16, "job": "promote", "space": "s", "dry_run": False, "by": "me", "started_at": at}
    rest = {"ended_at": at, "changed": 5, "failed": 0, "empty": 0, "broken": 0, "error": None, "undoes": None}
    line = words.history_line({**row, **rest, "undone_at": None, **values})
    assert line.startswith("abababab  2026-01-01 00:00:00Z  promote ")
    assert says in line
