"""What hints, broken connections and clients that take nothing change of a stream: nothing of what it gives."""

from collections.abc import Iterator, Mapping
from typing import Any

import psycopg
import pytest

from keepfact.impl.connect import with_parts
from keepfact.impl.installation import Installation
from keepfact.impl.store import Store

from ..driving import fresh, wait_until
from .served import Client, served
from .streams import NEVER, cut, numbers_until, opened, unread


@pytest.fixture
def hinting(admin: psycopg.Connection) -> Iterator[None]:
    """The store gives hints, each with the id of the run that has moved."""
    admin.execute("update keepfact.settings set notifies = true")
    yield
    admin.execute("update keepfact.settings set notifies = false")


@pytest.fixture
def patient(store: Store, installation: Installation) -> Iterator[Client]:
    """A gateway that looks by itself only once, so that hints are all it has."""
    with served(store, poll_seconds=NEVER, listen_dsn=installation.dsns["observe"]) as opened:
        wait_until(lambda: opened.metric("keepfact_listening") == 1)
        yield opened


def test_a_hint_makes_it_look_at_once(patient: Client, client: Client, hinting: None) -> None:
    run = client.claimed()
    with opened(patient, run) as lines:
        assert [next(lines), next(lines)] == [1, 2]
        for number in (3, 4, 5):
            client.publish(run)
            assert next(lines) == number


def test_a_hint_about_what_is_no_run_is_passed_over(patient: Client, client: Client, hinting: None) -> None:
    run = client.claimed()
    with opened(patient, run) as lines:
        assert [next(lines), next(lines)] == [1, 2]
        for path, fields in [
            (f"/v1/sources/{run}/grant", {"user": "ann"}),
            ("/v1/sources/none/grant", {"user": "ann"}),
            (f"/v1/bundles/{fresh('bundle')}/deploy", {"replayed": 0, "diverged": 1}),
        ]:
            client.do(path, **fields)
        client.publish(run)
        assert next(lines) == 3


def test_a_broken_connection_for_hints_is_opened_again_and_what_was_missed_is_looked_at(
    patient: Client, client: Client, admin: psycopg.Connection
) -> None:
    run = client.claimed()
    with opened(patient, run) as lines:
        assert [next(lines), next(lines)] == [1, 2]
        client.publish(run)
        cut(admin, "query = 'listen keepfact'")
        assert next(lines) == 3


def test_hints_about_other_runs_cost_nothing(patient: Client, client: Client, admin: psycopg.Connection) -> None:
    run = client.claimed()
    with opened(patient, run) as lines:
        assert [next(lines), next(lines)] == [1, 2]
        polls = patient.metric('keepfact_polls_total{result="done"}')
        admin.execute("select pg_notify('keepfact', 'other-' || n) from generate_series(1, 1000) n")
        client.publish(run)
        admin.execute("select pg_notify('keepfact', %s)", [run])
        assert next(lines) == 3
        assert patient.metric('keepfact_polls_total{result="done"}') <= polls + 2


def test_connections_to_the_database_may_break_under_a_stream(
    installation: Installation, client: Client, admin: psycopg.Connection
) -> None:
    dsns = {door: with_parts(dsn, application_name="breaking") for door, dsn in installation.dsns.items()}
    own, run = Store(dsns), client.claimed()
    with served(own, poll_seconds=0.02) as breaking, opened(breaking, run) as lines:
        assert [next(lines), next(lines)] == [1, 2]
        for number in range(3, 8):
            cut(admin, "application_name = 'breaking'")
            client.publish(run)
            assert next(lines) == number
        client.do(f"/v1/runs/{run}/succeed", fence=1)
        assert list(lines) == [8, "end"]
    own.close()


class Counting(Store):
    """Notes after which event each page was read."""

    def __init__(self, dsns: Mapping[str, str]) -> None:
        super().__init__(dsns)
        self.pages: list[int] = []

    def read_events(self, run: str, after: int, events_max: int) -> dict[str, Any] | None:
        self.pages.append(after)
        return super().read_events(run, after, events_max)


def test_a_client_that_takes_nothing_loses_its_stream_and_little_was_read_for_it(
    installation: Installation, client: Client
) -> None:
    counting, run = Counting(installation.dsns), client.claimed()
    for _ in range(40):
        client.do(f"/v1/runs/{run}/publish", fence=1, body="x" * 20_000, qualified=True)
    with served(counting, stream_page=2, send_seconds=0.2, send_buffer=4_096) as narrow:
        connection = unread(narrow, f"/v1/runs/{run}/stream")
        wait_until(lambda: narrow.metric("keepfact_streams_too_slow_total") == 1)
        wait_until(lambda: narrow.metric("keepfact_streams") == 0)
        assert 0 < len(counting.pages) < 20
        assert numbers_until(narrow, run, 42) == list(range(1, 43))  # others are served as before
    connection.close()  # only now: the gateway did not wait for it when it stopped
    counting.close()


def test_a_client_that_reads_late_gets_everything(store: Store, client: Client) -> None:
    run = client.claimed()
    for _ in range(40):
        client.do(f"/v1/runs/{run}/publish", fence=1, body="x" * 20_000, qualified=True)
    client.do(f"/v1/runs/{run}/succeed", fence=1)
    with (
        served(store, stream_page=2, send_buffer=4_096) as narrow,
        unread(narrow, f"/v1/runs/{run}/stream") as connection,
    ):
        wait_until(lambda: narrow.metric("keepfact_streamed_events_total") > 0)
        received = b""
        while b"event: end" not in received:
            received += connection.recv(1_000_000)
        assert received.count(b'\ndata: {"number":') == 43
