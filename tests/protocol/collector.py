"""A collector of OpenTelemetry spans that keeps what it is sent."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Collector:
    """Listens for OTLP over HTTP."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        """What was sent, as it was."""
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def spans(self) -> list[Span]:
        """All spans so far, in the order of their ends."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [
            span
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


def attributes(span: Span) -> dict[str, object]:
    """Return a span's attributes as plain values."""
    return {each.key: getattr(each.value, each.value.WhichOneof("value") or "") for each in span.attributes}
