"""With OpenTelemetry a request is a span; without it, it is answered all the same."""

import importlib
import sys
from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from keepfact.impl.gateway import spans
from keepfact.impl.gateway.telling import Told

CALLER = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """The provider can be set once in a process."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace.set_tracer_provider(provider)
    return kept


@pytest.fixture
def without_opentelemetry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "opentelemetry", None)
        importlib.reload(spans)
        yield
    importlib.reload(spans)


def test_a_request_is_a_span_of_the_trace_of_its_caller(exporter: InMemorySpanExporter) -> None:
    exporter.clear()
    told = Told("POST")
    with spans.span(told, CALLER):
        told.route, told.status, told.outcome, told.reason = "/v1/runs/{run}/claim", 503, "lost", "lost"
    (span,) = exporter.get_finished_spans()
    assert span.name == "POST /v1/runs/{run}/claim"
    assert span.context is not None
    assert f"{span.context.trace_id:x}" == "af7651916cd43dd8448eb211c80319c"
    assert dict(span.attributes or {}) == {
        "http.request.method": "POST", "http.route": "/v1/runs/{run}/claim", "http.response.status_code": 503,
        "keepfact.outcome": "lost", "keepfact.reason": "lost",
    }  # fmt: skip
    assert span.status.status_code is trace.StatusCode.ERROR


def test_without_it_nothing_is_told(exporter: InMemorySpanExporter, without_opentelemetry: None) -> None:
    exporter.clear()
    with spans.span(Told("GET"), CALLER):
        pass
    assert exporter.get_finished_spans() == ()
