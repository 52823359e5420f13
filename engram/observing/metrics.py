"""Prometheus metrics, served on the loopback address. No label is a space, a text or a person's."""

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, start_http_server
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from engram.observing.operation import Operation

LOOPBACK = "127.0.0.1"
_QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds: a statement takes some milliseconds."""
_SLOW = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
"""Seconds: a model's answer takes some, a job over many memories minutes."""


class MetricWatcher:
    """Counts and times operations in a registry of its own."""

    def __init__(self, waiting: Callable[[], int]) -> None:
        """Begin at nothing.

        Args:
            waiting: Says how many recalls wait to be learned from.
        """
        self.registry = CollectorRegistry()
        self.registry.register(_Queue(waiting))
        ProcessCollector(registry=self.registry)
        self._seconds = {
            "statement": self._histogram("statement", "Statements, by name, tries included", _QUICK),
            "transaction": self._histogram("transaction", "Transactions until their commit", _QUICK),
            "recall": self._histogram("recall", "Recalls", _QUICK),
            "remember": self._histogram("remember", "Calls that store memories", _QUICK),
            "turn": self._histogram("turn", "Turns of a conversation until their end", _SLOW),
            "job": self._histogram("job", "Runs of jobs", _SLOW),
            "model": self._histogram("model", "Answers of language models until their end", _SLOW),
        }
        self._errors = Counter(
            "engram_errors",
            "Operations that failed, by the type of the error",
            ("operation", "name", "error"),
            registry=self.registry,
        )
        self._repeats = Counter(
            "engram_retries",
            "Further tries after passing errors",
            ("operation", "name"),
            registry=self.registry,
        )
        self._tokens = Counter(
            "engram_model_tokens", "Tokens of language models", ("model", "direction"), registry=self.registry
        )
        self._cost = Counter(
            "engram_model_cost_dollars", "What models cost", ("model",), registry=self.registry
        )
        self._changes = Counter("engram_job_changes", "What jobs changed", ("job",), registry=self.registry)

    def begin(self, operation: Operation) -> None:
        """Wait for its end."""

    def end(self, operation: Operation) -> None:
        """Count it."""
        self._seconds[operation.kind].labels(operation.name).observe(operation.seconds)
        if operation.error is not None:
            self._errors.labels(operation.kind, operation.name, operation.error).inc()
        if operation.repeats:
            self._repeats.labels(operation.kind, operation.name).inc(operation.repeats)
        if operation.kind == "model":
            for direction in ("input", "output"):
                self._tokens.labels(operation.name, direction).inc(_number(operation, f"{direction}_tokens"))
            self._cost.labels(operation.name).inc(_number(operation, "cost_usd"))
        elif operation.kind == "job":
            self._changes.labels(operation.name).inc(_number(operation, "changed"))

    def serve(self, port: int) -> Callable[[], None]:
        """Answer `GET /metrics` on the loopback address; return what ends that.

        Raises:
            OSError: The port is taken.
        """
        server, thread = start_http_server(port, addr=LOOPBACK, registry=self.registry)

        def end() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        return end

    def _histogram(self, kind: str, meaning: str, buckets: tuple[float, ...]) -> Histogram:
        return Histogram(
            f"engram_{kind}_seconds", meaning, ("name",), buckets=buckets, registry=self.registry
        )


class _Queue(Collector):
    """The writer's queue, looked at when somebody asks."""

    def __init__(self, waiting: Callable[[], int]) -> None:
        self._waiting = waiting

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield its length."""
        yield GaugeMetricFamily(
            "engram_lessons_waiting", "Recalls that wait to be learned from", value=self._waiting()
        )


def _number(operation: Operation, key: str) -> float:
    value = operation.details.get(key)
    return float(value) if isinstance(value, int | float) else 0.0
