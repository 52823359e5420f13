"""Lines on standard error for whoever runs Engram as a service: as text, or one JSON object each.

Only Engram's own loggers are shown, and that of the spans' exporter. Those of the driver and of the providers' SDKs
write down parameters, and addresses with keys in them.
"""

import json
import logging
import sys
import traceback
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from engram.observing.operation import Operation, Value

_LOG = logging.getLogger("engram.operations")
_BEHIND = {"statement", "transaction"}
"""Kinds of which one recall has several."""
_FIELDS = "engram_fields"
Format = Literal["text", "json"]


class Lines(logging.Formatter):
    """Formats records without what an exception says: its message may quote what somebody told."""

    def __init__(self, form: Format, secrets: Sequence[str] = ()) -> None:
        """Prepare to format.

        Args:
            form: As what.
            secrets: Passwords and keys, which are struck out wherever they occur.
        """
        super().__init__()
        self._form = form
        self._secrets = [secret for secret in secrets if secret]

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._struck(record.getMessage()),
            **_failure(record),
            **getattr(record, _FIELDS, {}),
        }
        if self._form == "json":
            return json.dumps(entry)
        shown = " ".join(f"{key}={value}" for key, value in entry.items() if key not in _SHOWN)
        line = f"{entry['time']} {entry['level']:<7} {entry['logger']} {entry['message']} {shown}"
        return line.replace("\n", "\\n").rstrip()

    def _struck(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


_SHOWN = {"time", "level", "logger", "message"}


def _failure(record: logging.LogRecord) -> dict[str, str]:
    """Return the type of what failed and where, out of a record that has a traceback."""
    if not record.exc_info or record.exc_info[1] is None:
        return {}
    frames = traceback.extract_tb(record.exc_info[2])
    where = f"{frames[-1].name}:{frames[-1].lineno}" if frames else ""
    return {"error": type(record.exc_info[1]).__name__, "where": where}


class LogWatcher:
    """Logs each operation when it ends: statements at `debug`, the others at `info`, what failed at `warning`."""

    def begin(self, operation: Operation) -> None:
        """Wait for its end."""

    def end(self, operation: Operation) -> None:
        """Write a line."""
        if operation.error is not None:
            level = logging.WARNING
        else:
            level = logging.DEBUG if operation.kind in _BEHIND else logging.INFO
        if not _LOG.isEnabledFor(level):
            return
        fields: dict[str, Value] = {operation.kind: operation.name} if operation.name else {}
        fields |= {"seconds": round(operation.seconds, 6), **operation.details}
        if operation.repeats:
            fields["repeats"] = operation.repeats
        if operation.error is not None:
            fields["error"] = operation.error
        log(level, operation.title, fields)


def log(level: int, message: str, fields: Mapping[str, Value]) -> None:
    """Log a line with fields of its own."""
    _LOG.log(level, "%s", message, extra={_FIELDS: dict(fields)})


def write_lines(level: str, form: Format, secrets: Sequence[str]) -> logging.Handler:
    """Show Engram's own log on standard error from now on; return the handler that does."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines(form, secrets))
    for name, least in (("engram", level.upper()), ("opentelemetry", "WARNING")):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(least)
        logger.propagate = False
    return handler


def stop_lines(handler: logging.Handler) -> None:
    """Take back what `write_lines` did."""
    for name in ("engram", "opentelemetry"):
        logger = logging.getLogger(name)
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
        logger.propagate = True


def logging_on() -> bool:
    """Whether Engram's log is shown, so that a service need not speak in another way too."""
    return bool(logging.getLogger("engram").handlers)
