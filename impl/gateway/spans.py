"""A span for each request, if OpenTelemetry is installed (`keepfact[otel]`); nothing otherwise."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from .telling import Told

try:
    from opentelemetry import propagate, trace
except ImportError:

    @contextmanager
    def span(told: Told, headers: Mapping[str, str]) -> Iterator[None]:
        """Nothing is told."""
        yield

else:

    @contextmanager
    def span(told: Told, headers: Mapping[str, str]) -> Iterator[None]:
        """One span around a request, a child of the one that the headers name; it is named when all is known."""
        tracer = trace.get_tracer("keepfact.gateway")
        with tracer.start_as_current_span(
            told.method, context=propagate.extract(headers), kind=trace.SpanKind.SERVER
        ) as current:
            yield
            current.update_name(f"{told.method} {told.route}")
            current.set_attributes(
                {
                    "http.request.method": told.method,
                    "http.route": told.route,
                    "http.response.status_code": told.status,
                    **({"keepfact.outcome": told.outcome} if told.outcome else {}),
                    **({"keepfact.reason": told.reason} if told.reason else {}),
                }
            )
            if told.status >= 500:
                current.set_status(trace.StatusCode.ERROR)
