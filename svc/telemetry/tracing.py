"""Tracing as configured: what begins traces, and what exports them."""

from collections.abc import Mapping
from typing import Final

from svc.config.loading import tracing_headers
from svc.config.tracing import TracingSettings
from svc.telemetry.exporter import Exporter
from svc.telemetry.queue import SpanQueue
from svc.telemetry.spans import Tracer


class Tracing:
    """The tracer and the exporter of one service."""

    def __init__(self, settings: TracingSettings, endpoint: str, headers: Mapping[str, str]) -> None:
        queue = SpanQueue()
        self.tracer: Final = Tracer(queue, ratio=settings.sampled)
        self.exporter: Final = Exporter(queue, endpoint, headers, settings.service)


def tracing_of(settings: TracingSettings, environ: Mapping[str, str]) -> Tracing | None:
    """Tracing as *settings* have it; None where they name no receiver. Raises `ConfigError`."""
    headers = tracing_headers(settings, environ)
    return None if settings.endpoint is None else Tracing(settings, settings.endpoint.text, headers)
