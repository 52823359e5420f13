"""Lines from a client that are no message, and the errors of JSON-RPC that answer them."""

import re
from dataclasses import dataclass

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic_core import from_json

from engram.doors.mcp_limits import MAX_MESSAGE

ENDS = 512
"""Bytes at each end of a line that are kept of one that is too long."""
_ID = rb'"id"\s*:\s*(?:(?P<number>-?\d{1,18})|"(?P<text>[\x20-\x21\x23-\x5b\x5d-\x7e]{1,200})")\s*'
_FIRST = re.compile(rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*' + _ID + rb"[,}]")
_LAST = re.compile(rb",\s*" + _ID + rb"\}\s*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line from a client."""

    text: str = ""
    """All of it; nothing where it is too long."""
    size: int
    """Its bytes."""
    ends: tuple[bytes, bytes] | None = None
    """The first and the last bytes of one that is too long."""


def refusal(line: Line) -> JSONRPCError | None:
    """Return the error that answers a line, or None where it is a message.

    The error bears the request's id, so that nobody waits for an answer, wherever it can be told.
    """
    if line.ends is not None:
        return _error(
            INVALID_REQUEST,
            f"The message has more than {MAX_MESSAGE:,} bytes.",
            request=_glimpsed(*line.ends),
        )
    try:
        message = jsonrpc_message_adapter.validate_json(line.text, by_name=False)
    except ValueError:
        message = None
    # With an id that is none it would pass for a notification, which nobody answers.
    if message is not None and not isinstance(message, JSONRPCNotification):
        return None
    try:
        given = from_json(line.text)
    except ValueError:
        return _error(PARSE_ERROR, "The message is not JSON.", request=None)
    if message is not None and "id" not in given:
        return None
    found = given.get("id") if isinstance(given, dict) else None
    return _error(
        INVALID_REQUEST,
        "The message is no request, notification or response of JSON-RPC 2.0.",
        request=found if isinstance(found, str) or type(found) is int else None,
    )


def _glimpsed(first: bytes, last: bytes) -> int | str | None:
    """Return the id of a request of which only the two ends are known: it stands before or after what is long."""
    found = _FIRST.match(first) or _LAST.search(last)
    if found is None:
        return None
    return int(found["number"]) if found["number"] else found["text"].decode("ascii")


def _error(code: int, message: str, *, request: int | str | None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request, error=ErrorData(code=code, message=message))
