"""OpenTelemetry spans, named and attributed by its semantic conventions for databases and models.

Where they go is said by the standard variables, such as `OTEL_EXPORTER_OTLP_ENDPOINT`.
"""

from contextvars import Token
from importlib.metadata import version
from time import time_ns

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from engram.config import collector
from engram.observing.exporter import Exporter
from engram.observing.operation import Operation, Value
from engram.server.files import DISTRIBUTION

_ATTRIBUTES = {
    "database": "db.namespace",
    "access": "db.operation.name",
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
}
"""The conventions' names for details that have one; the others are `engram.` and their name."""
_PROVIDERS = {"claude": "anthropic", "gemini": "gcp.gemini"}


class SpanWatcher:
    """Makes a span of each operation, inside the one that is under way in the same thread."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._open: dict[Operation, tuple[Span, Token[Context]]] = {}

    def begin(self, operation: Operation) -> None:
        """Open a span; one for what is over already began as long ago as that took."""
        span = self._tracer.start_span(
            _title(operation),
            kind=SpanKind.CLIENT if operation.kind in {"statement", "model"} else SpanKind.INTERNAL,
            start_time=time_ns() - round(operation.seconds * 1e9),
        )
        self._open[operation] = span, context.attach(trace.set_span_in_context(span))

    def end(self, operation: Operation) -> None:
        """Close its span, with what is known of it by now."""
        span, token = self._open.pop(operation)
        # The garbage collector may end what an abandoned iterator began, anywhere else.
        if trace.get_current_span() is span:
            context.detach(token)
        span.set_attributes(_attributes(operation))
        if operation.error is not None:
            span.set_status(Status(StatusCode.ERROR, operation.error))
        span.end()


def open_tracing() -> tuple[SpanWatcher, TracerProvider | None]:
    """Return what makes spans, and where they go if that is Engram's to close.

    A program that has set up OpenTelemetry gets them where it gets its own.
    """
    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return SpanWatcher(trace.get_tracer("engram", version(DISTRIBUTION))), None
    resource = Resource.create({"service.name": "engram", "service.version": version(DISTRIBUTION)})
    # Given by hand they win over OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES; here it is the other way round.
    resource = resource.merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(Exporter(collector())))
    return SpanWatcher(provider.get_tracer("engram", version(DISTRIBUTION))), provider


def _title(operation: Operation) -> str:
    match operation.kind:
        case "statement":
            return operation.name
        case "model":
            return f"chat {operation.name}"
        case _:
            return operation.title


def _attributes(operation: Operation) -> dict[str, Value]:
    found: dict[str, Value] = {
        _ATTRIBUTES.get(key, f"engram.{key}"): value for key, value in operation.details.items()
    }
    match operation.kind:
        case "statement" | "transaction":
            found["db.system.name"] = "neo4j"
            if operation.name:
                found |= {"db.query.summary": operation.name, "engram.statement": operation.name}
        case "model":
            found |= {"gen_ai.operation.name": "chat", "gen_ai.request.model": operation.name}
            if provider := _PROVIDERS.get(operation.name.partition("-")[0]):
                found["gen_ai.provider.name"] = provider
        case "job":
            found["engram.job"] = operation.name
        case _:
            pass
    if operation.repeats:
        found["engram.repeats"] = operation.repeats
    if operation.error is not None:
        found["error.type"] = operation.error
        if operation.error.startswith("Neo."):
            found["db.response.status_code"] = operation.error
    return found
