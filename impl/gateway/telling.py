"""What is told of each request: a line in the log and counts for Prometheus. Never a token, a body or a query."""

import json
import logging
import time
from dataclasses import dataclass, field
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from ..store import Identity

log = logging.getLogger("keepfact.gateway")

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


@dataclass
class Told:
    """What is known of one request so far. `route` is a template, so that no id of a client becomes a label."""

    method: str
    route: str = "none"
    identity: Identity | None = None
    status: int = 0
    outcome: str | None = None
    reason: str | None = None
    since: float = field(default_factory=time.monotonic)

    def line(self) -> dict[str, Any]:
        """The request as one line of the log."""
        return {
            "method": self.method,
            "route": self.route,
            "status": self.status,
            "duration_ms": round((time.monotonic() - self.since) * 1000, 1),
            "tenant": self.identity and self.identity.tenant,
            "principal": self.identity and self.identity.principal,
            "outcome": self.outcome,
            "reason": self.reason,
        }


class Metrics:
    """What Prometheus may ask for."""

    content_type = CONTENT_TYPE_PLAIN_0_0_4

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "keepfact_requests", "Requests answered.", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "keepfact_request_seconds", "Seconds to an answer; streams are not counted.", ["route"],
            buckets=SECONDS, registry=self._registry,
        )  # fmt: skip
        self._outcomes = Counter(
            "keepfact_outcomes", "Outcomes of commands.", ["route", "outcome", "reason"], registry=self._registry
        )
        self.streams = Gauge("keepfact_streams", "Streams that are open.", registry=self._registry)
        self.streamed = Counter("keepfact_streamed_events", "Events sent to streams.", registry=self._registry)
        self.slow = Counter(
            "keepfact_streams_too_slow", "Streams ended, as their client took nothing.", registry=self._registry
        )
        self.polls = Counter(
            "keepfact_polls", "Readings of how far streamed runs have come.", ["result"], registry=self._registry
        )
        self.listening = Gauge(
            "keepfact_listening", "1 while the database may hint that a run has moved.", registry=self._registry
        )

    def count(self, told: Told) -> None:
        """One request more."""
        self._requests.labels(told.method, told.route, str(told.status)).inc()
        if not told.route.endswith("/stream"):
            self._seconds.labels(told.route).observe(time.monotonic() - told.since)
        if told.outcome is not None:
            self._outcomes.labels(told.route, told.outcome, told.reason or "").inc()

    def text(self) -> bytes:
        """All of it, in the text format of Prometheus."""
        return generate_latest(self._registry)


class JsonFormatter(logging.Formatter):
    """One line of JSON a record; what is given as `extra={"fields": …}` stands beside the message."""

    def format(self, record: logging.LogRecord) -> str:
        content = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S") + f".{record.msecs:03.0f}",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            content["trace"] = self.formatException(record.exc_info)
        return json.dumps(content)


def log_to_stderr(level: str) -> None:
    """Everything that this process says, as JSON."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=level, handlers=[handler], force=True)
