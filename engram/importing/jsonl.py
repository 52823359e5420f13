"""JSONL: one turn a line, each a JSON object."""

import json
from collections.abc import Iterator

from engram.records import Turn

from .record import Names, turn_from_record
from .source import MAX_LINE_CHARS, Source

TOO_LONG = f"is longer than {MAX_LINE_CHARS:,} characters"


def read_jsonl(source: Source, *, session: str) -> Iterator[tuple[int, Turn | str]]:
    """Yield each line's number and its turn, or the reason why the line is none; blank lines are passed over.

    Args:
        source: The text.
        session: The session of lines that name none.
    """
    names = Names()
    for number, line in source.lines():
        if line is None:
            yield number, TOO_LONG
        elif line.strip():
            record, reason = parse_json(line)
            yield number, reason or turn_from_record(record, names, session=session)


def parse_json(text: str) -> tuple[object, str | None]:
    """Return the parsed value and no reason, or nothing and the reason why it cannot be parsed."""
    try:
        return json.loads(text), None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        return None, f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]} at {where}"
    except RecursionError:
        return None, "is nested too deeply"
    except ValueError:
        # Python refuses to parse integers of more than 4,300 digits.
        return None, "holds a number that is too long"
