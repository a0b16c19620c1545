"""A receiver of OTLP over HTTP, on this machine's loopback, that reads with opentelemetry's own messages."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from svc.telemetry.otlp import encode_request
from svc.telemetry.queue import SpanQueue


class Collector:
    """What has been received, in the order of the requests."""

    def __init__(self, *answers: int) -> None:
        """*answers*: the statuses of the first requests; then 200."""
        self.answers = list(answers)
        self.requests: list[ExportTraceServiceRequest] = []
        """All that were sent, also those that were refused."""
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.url = ""

    @property
    def spans(self) -> list[Span]:
        """All spans, in the order of their ends."""
        return [span for request in self.requests for span in _spans_in(request)]

    def take(self, path: str, headers: dict[str, str], body: bytes) -> int:
        self.paths.append(path)
        self.headers.append(headers)
        self.requests.append(ExportTraceServiceRequest.FromString(body))
        return self.answers.pop(0) if self.answers else 200


def _spans_in(request: ExportTraceServiceRequest) -> list[Span]:
    return [
        span
        for of_resource in request.resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
    ]


def taken_from(queue: SpanQueue) -> list[Span]:
    """All that wait in *queue*, in the order of their ends, as a receiver would read them."""
    encoded = []
    while batch := queue.take():
        encoded += batch
    return _spans_in(ExportTraceServiceRequest.FromString(encode_request({}, encoded)))


def has_failed(span: Span) -> bool:
    """Whether *span* says that it has failed."""
    return span.status.code == Status.STATUS_CODE_ERROR


def attributes_of(span: Span) -> dict[str, Any]:
    """The attributes of a span, as Python's values."""
    return {
        one.key: getattr(one.value, one.value.WhichOneof("value") or "string_value")
        for one in span.attributes
    }


@contextmanager
def collecting(*answers: int) -> Iterator[Collector]:
    """A collector that listens, whose first answers have these statuses."""
    collector = Collector(*answers)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status = collector.take(self.path, headers, body)
            self.send_response(status)
            if status == 429:
                self.send_header("retry-after", "0")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    collector.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
