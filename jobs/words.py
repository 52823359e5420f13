"""Jobs and their runs in words, for a person at a terminal."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from engram.graph import Row

from .job import Job, Run

SHORT = 8
"""Characters of an id that a person is shown; `engram jobs undo` finds the run by them."""
WIDTH = 100
_INDENT = " " * 4
_REMEDY = "remedy"
_IDENTITY = re.compile(r"[0-9a-f]{32}")


def job_lines(job: Job, minutes: float) -> Iterator[str]:
    """Say what a job is, how often it runs and why."""
    also = f", and at {job.trigger}" if job.trigger else ""
    yield f"{job.name:<12} {every(minutes)}{also}"
    yield from textwrap.wrap(job.why, WIDTH, initial_indent=" " * 13, subsequent_indent=" " * 13)


def every(minutes: float) -> str:
    """Say an interval, e.g. `every 10 minutes`, `every hour`."""
    for unit, length in (("day", 1_440), ("hour", 60), ("minute", 1)):
        if minutes % length == 0:
            count = int(minutes // length)
            return f"every {unit}" if count == 1 else f"every {count} {unit}s"
    return f"every {minutes:g} minutes"


def headline(run: Run, *, undo: bool = False) -> str:
    """Say in one line what came of a run."""
    parts = [f"{run.job}: {_done(run, undo=undo)}"]
    if run.empty:
        claims = "claim" if run.empty == 1 else "claims"
        parts.append(f"{run.empty:,} {claims} came back empty: other workers were faster")
    if run.error:
        parts.append(f"failed {run.failed:,} times, first: {run.error}" if run.failed else run.error)
    return "; ".join(parts)


def _done(run: Run, *, undo: bool) -> str:
    if run.broken:
        return f"{run.broken:,} broken"
    if not run.changed and any("broken" in row for row in run.report):
        return "nothing broken was found" if run.error else "nothing is broken"
    done, planned, base = (
        ("took back", "would take back", "take back") if undo else ("changed", "would change", "change")
    )
    if not run.changed:
        return f"nothing to {base}"
    return f"{planned if run.dry_run else done} {run.changed:,}"


def run_lines(run: Run, *, undo: bool = False) -> Iterator[str]:
    """Say what came of a run: what changed, with examples, what was found, and what could not be done."""
    examples = run.examples if run.changed else ()
    yield headline(run, undo=undo) + (", for example:" if examples else "")
    yield from ("  " + example_line(example) for example in examples)
    yield from (f"  {line}".rstrip() for line in report_lines(run.report))
    yield from ("  " + note for note in run.notes)


def example_line(example: Mapping[str, Any]) -> str:
    """Say one example: its id, then each of the other fields by name."""
    fields = ", ".join(f"{label(key)} {shown(value)}" for key, value in example.items() if key != "id")
    return f"{shown(example['id'])}: {fields}" if "id" in example else fields


def report_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Lay rows out in tables, one for each run of rows that have the same fields."""
    for number, (_, alike) in enumerate(groupby(rows, key=tuple)):
        if number:
            yield ""
        yield from table(list(alike))


def table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Lay rows out in columns, with a line of names above them; numbers stand to the right.

    A `remedy` is no column: it stands below the row, if that has found something `broken` or `noticed`.
    """
    names = [name for name in dict.fromkeys(key for row in rows for key in row) if name != _REMEDY]
    cells = [[label(name) for name in names], *([shown(row.get(name)) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    numeric = [all(isinstance(row.get(name), int | float | None) for row in rows) for name in names]
    for line, row in zip(cells, [{}, *rows], strict=True):
        aligned = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        )
        yield "  ".join(aligned).rstrip()
        if row.get("broken") or row.get("noticed"):
            yield from textwrap.wrap(
                row.get(_REMEDY, ""), WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT
            )


def history_line(row: Row) -> str:
    """Say one line of the history."""
    where = row["space"] if row["space"] is not None else "all spaces"
    return (
        f"{row['id'][:SHORT]}  {row['started_at']:%Y-%m-%d %H:%M:%S}Z  {row['job']:<12} "
        f"{', '.join(_history(row))}  ({where}; {row['by']})"
    )


def _history(row: Row) -> Iterator[str]:
    """Yield what there is to say of a past run."""
    if not row["ended_at"]:
        yield "not ended"
        return
    count = f"{row['changed']:,}"
    if row["undoes"]:
        verb = "would be taken back" if row["dry_run"] else "taken back"
        yield f"{count} {verb} of {row['undoes'][:SHORT]}"
    else:
        yield f"{count} would change" if row["dry_run"] else f"{count} changed"
    if row["undone_at"]:
        yield f"undone {row['undone_at']:%Y-%m-%d %H:%M:%S}"
    if row["broken"]:
        yield f"{row['broken']:,} broken"
    if row["empty"]:
        yield f"{row['empty']:,} claims empty"
    if row["error"]:
        yield f"failed: {row['error']}" if row["failed"] else str(row["error"])


def label(key: str) -> str:
    """Return a field's name as words."""
    return key.replace("_", " ")


def shown(value: object) -> str:  # noqa: PLR0911  (one case a type)
    """Return a value as a person reads it: ids short, numbers with four digits, times to the second."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.4g}"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M:%S}"
        case str():
            return value[:SHORT] if _IDENTITY.fullmatch(value) else value
        case list() | tuple():
            return " ".join(map(shown, value)) or "-"
        case dict():
            return " ".join(f"{label(key)} {shown(each)}" for key, each in value.items()) or "-"
        case _:
            return str(value)
