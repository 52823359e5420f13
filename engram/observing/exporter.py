"""Sending spans to a collector, and one line where it does not take them."""

import logging
from collections.abc import Callable, Sequence
from time import monotonic

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from engram.config import Collector

PATIENCE = 3.0
"""Seconds that a collector has to take spans, where no standard variable says otherwise."""
_LOG = logging.getLogger(__name__)
_SENDING = logging.getLogger(OTLPSpanExporter.__module__)


class Exporter(SpanExporter):
    """Sends spans over OTLP; that a collector does not take them is one line, until it takes some again.

    What follows at once on a failure is not tried, so that the end of a program waits once and not for each batch.
    """

    def __init__(self, collector: Collector, clock: Callable[[], float] = monotonic) -> None:
        """Prepare to send.

        Args:
            collector: Where the standard variables lead.
            clock: Seconds from any beginning.
        """
        self._collector = collector
        self._clock = clock
        self._inner = OTLPSpanExporter(timeout=None if collector.has_timeout else PATIENCE)
        self._failures = _Failures()
        self._away = False
        self._again_at = float("-inf")
        _SENDING.addFilter(self._failures)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans, and say whether they were taken."""
        if self._clock() < self._again_at:
            return SpanExportResult.FAILURE
        result = self._inner.export(spans)
        if result is SpanExportResult.SUCCESS:
            self._away = False
            return result
        self._again_at = self._clock() + PATIENCE
        if not self._away:
            self._away = True
            where = f"{self._collector.address} ({self._collector.variable})"
            _LOG.warning("Spans are lost: the collector at %s %s.", where, self._failures.told())
        return result

    def shutdown(self) -> None:
        """Send nothing more."""
        self._inner.shutdown()  # type: ignore[no-untyped-call]
        _SENDING.removeFilter(self._failures)


class _Failures(logging.Filter):
    """Keeps back the SDK's own lines about a failure: several, with the insides of a connection in them."""

    _LINES = ("Failed to export", "Transient error", "Shutdown in progress")

    def __init__(self) -> None:
        super().__init__()
        self._status: int | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        """Note what status the collector answered with, if it did."""
        if not str(record.msg).startswith(self._LINES):
            return True
        given = record.args if isinstance(record.args, tuple) else ()
        self._status = next((each for each in given if isinstance(each, int)), None)
        return False

    def told(self) -> str:
        """Return the last failure in words."""
        return "does not answer" if self._status is None else f"refuses them with {self._status}"
