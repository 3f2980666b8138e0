"""A stream gives every committed event once, in order, and ends with the run, whatever breaks and whenever it opens."""

import json
import random
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from keepfact.impl.connect import with_parts
from keepfact.impl.installation import Installation
from keepfact.impl.store import Store

from ..driving import wait_until
from .served import TOKEN, Client, client_of, problem, served

NEVER = 10.0**6


@pytest.fixture
def patient(store: Store, installation: Installation) -> Iterator[Client]:
    """A gateway that looks by itself only once, so that hints are all it has."""
    with served(store, poll_seconds=NEVER, listen_dsn=installation.dsns["observe"]) as opened:
        wait_until(lambda: opened.metric("keepfact_listening") == 1)
        yield opened


def test_a_run_that_has_ended_is_streamed_whole_and_the_stream_ends(client: Client) -> None:
    run = client.ended()
    answered = client.get(f"/v1/runs/{run}/stream")
    assert answered.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answered.text.startswith("retry: 2000\n\nid: 1\ndata: {")
    assert answered.text.endswith('id: 4\nevent: end\ndata: {"after": 4}\n\n')
    assert _numbers(answered) == [1, 2, 3, 4]


def test_what_is_streamed_is_what_is_read(client: Client) -> None:
    run = client.ended()
    streamed = [json.loads(data) for data in _data(client.get(f"/v1/runs/{run}/stream").text.splitlines())]
    assert streamed[:-1] == client.get(f"/v1/runs/{run}/events").json()["events"]
    assert streamed[2]["payload"]["body"] == "0"


@pytest.mark.parametrize(("query", "last", "numbers"), [
    ("", None, [1, 2, 3, 4]),
    ("?after=0", None, [1, 2, 3, 4]),
    ("?after=2", None, [3, 4]),
    ("", "3", [4]),
    ("?after=1", "3", [4]),
    ("?after=3", "", [4]),
    ("?after=4", None, []),
    ("", "99", []),
])  # fmt: skip
def test_a_client_goes_on_after_what_it_has(client: Client, query: str, last: str | None, numbers: list[int]) -> None:
    headers = {} if last is None else {"Last-Event-ID": last}
    assert _numbers(client.get(f"/v1/runs/{client.ended()}/stream{query}", headers=headers)) == numbers


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "9" * 19, "١"])
def test_what_is_no_number_of_an_event_is_refused(client: Client, last: str) -> None:
    refused = client.get(f"/v1/runs/{client.ended()}/stream", headers={"Last-Event-ID": last.encode()})
    assert problem(refused) == (400, "malformed")


def test_pages_follow_each_other_without_gap(client: Client) -> None:
    run, after, numbers, is_over = client.ended(publications=5), 0, [], False
    while not is_over:
        page = client.get(f"/v1/runs/{run}/events?after={after}&limit=3").json()
        numbers += [event["number"] for event in page["events"]]
        after, is_over = page["next_after"], page["is_over"]
    assert numbers == list(range(1, 9))


def test_a_longer_history_than_a_page_is_streamed_whole(store: Store, client: Client) -> None:
    run = client.ended(publications=10)
    with served(store, stream_page=3) as narrow:
        assert _numbers(narrow.get(f"/v1/runs/{run}/stream")) == list(range(1, 14))


def test_events_come_as_they_are_committed(client: Client) -> None:
    run = client.claimed()
    with _opened(client, run) as lines:
        assert [next(lines), next(lines)] == [1, 2]
        for number in (3, 4, 5):
            client.publish(run)
            assert next(lines) == number
        client.do(f"/v1/runs/{run}/succeed", fence=1)
        assert list(lines) == [6, "end"]


def test_a_hint_makes_it_look_at_once(patient: Client, client: Client, admin: psycopg.Connection) -> None:
    run = client.claimed()
    with _opened(patient, run) as lines:
        assert [next(lines), next(lines)] == [1, 2]
        client.publish(run)
        admin.execute("select pg_notify('keepfact', %s)", [run])
        assert next(lines) == 3


def test_a_broken_connection_for_hints_is_opened_again_and_what_was_missed_is_looked_at(
    patient: Client, client: Client, admin: psycopg.Connection
) -> None:
    run = client.claimed()
    with _opened(patient, run) as lines:
        assert [next(lines), next(lines)] == [1, 2]
        client.publish(run)
        _cut(admin, "query = 'listen keepfact'")
        assert next(lines) == 3


def test_hints_about_other_runs_cost_nothing(patient: Client, client: Client, admin: psycopg.Connection) -> None:
    run = client.claimed()
    with _opened(patient, run) as lines:
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
    with served(own, poll_seconds=0.02) as breaking, _opened(breaking, run) as lines:
        assert [next(lines), next(lines)] == [1, 2]
        for number in range(3, 8):
            _cut(admin, "application_name = 'breaking'")
            client.publish(run)
            assert next(lines) == number
        client.do(f"/v1/runs/{run}/succeed", fence=1)
        assert list(lines) == [8, "end"]
    own.close()


def test_a_stream_says_that_it_is_alive(store: Store, client: Client) -> None:
    run = client.admitted()
    with (
        served(store, keep_alive_seconds=0.02, poll_seconds=NEVER) as quiet,
        quiet.stream("GET", f"/v1/runs/{run}/stream") as answered,
    ):
        lines = answered.iter_lines()
        while next(lines) != ": still here":
            pass
        assert [next(lines), next(lines)] == ["", ": still here"]


def test_many_clients_that_come_and_go_each_get_every_event_once(client: Client) -> None:
    """While one run grows, ten clients break off wherever they like and go on after what they have."""
    run, total = client.claimed(), 60

    def read(seed: int) -> list[int]:
        chance, seen = random.Random(seed), [0]
        with client_of(str(client.base_url)) as own:
            while True:
                with _opened(own, run, after=seen[-1]) as lines:
                    for line in lines:
                        if line == "end":
                            return seen[1:]
                        seen.append(line)
                        if chance.random() < 0.1:
                            break

    with ThreadPoolExecutor(10) as readers:
        reading = [readers.submit(read, seed) for seed in range(10)]
        client.publish(run, total)
        client.do(f"/v1/runs/{run}/succeed", fence=1)
        for seed, read_by_one in enumerate(reading):
            assert read_by_one.result() == list(range(1, total + 4)), f"seed {seed}"


class Counting(Store):
    """Counts the pages that are read."""

    pages = 0

    def observe(self, runs: Any, payloads: bool = False, **more: Any) -> list[dict[str, Any]]:
        self.pages += payloads
        return super().observe(runs, payloads, **more)


def test_a_client_that_takes_nothing_loses_its_stream_and_little_was_read_for_it(
    installation: Installation, client: Client
) -> None:
    counting, run = Counting(installation.dsns), client.claimed()
    for _ in range(40):
        client.do(f"/v1/runs/{run}/publish", fence=1, body="x" * 20_000, qualified=True)
    with served(counting, stream_page=2, send_seconds=0.2, send_buffer=4_096) as narrow:
        connection = _unread(narrow, f"/v1/runs/{run}/stream")
        wait_until(lambda: narrow.metric("keepfact_streams_too_slow_total") == 1)
        wait_until(lambda: narrow.metric("keepfact_streams") == 0)
        assert counting.pages < 20
        assert _numbers_until(narrow, run, 42) == list(range(1, 43))  # others are served as before
    connection.close()  # only now: the gateway did not wait for it when it stopped
    counting.close()


def test_a_client_that_reads_late_gets_everything(store: Store, client: Client) -> None:
    run = client.claimed()
    for _ in range(40):
        client.do(f"/v1/runs/{run}/publish", fence=1, body="x" * 20_000, qualified=True)
    client.do(f"/v1/runs/{run}/succeed", fence=1)
    with (
        served(store, stream_page=2, send_buffer=4_096) as narrow,
        _unread(narrow, f"/v1/runs/{run}/stream") as connection,
    ):
        wait_until(lambda: narrow.metric("keepfact_streamed_events_total") > 0)
        received = b""
        while b"event: end" not in received:
            received += connection.recv(1_000_000)
        assert received.count(b'\ndata: {"number":') == 43


def test_streams_end_when_the_gateway_is_asked_to_stop(store: Store, client: Client) -> None:
    run = client.claimed()
    with ThreadPoolExecutor(3) as readers:
        with served(store, poll_seconds=NEVER) as stopping:
            reading = [readers.submit(_read_to_its_end, str(stopping.base_url), run) for _ in range(3)]
            wait_until(lambda: stopping.metric("keepfact_streamed_events_total") == 6)
        for read in reading:
            assert read.result() == [1, 2]


def test_a_stream_ends_after_its_time_and_its_client_goes_on_with_another(store: Store, client: Client) -> None:
    run = client.claimed()
    with served(store, stream_seconds_max=0.05, poll_seconds=NEVER) as brief:
        assert _read_to_its_end(str(brief.base_url), run) == [1, 2]
        client.publish(run)
        assert _numbers(brief.get(f"/v1/runs/{run}/stream", headers={"Last-Event-ID": "2"})) == [3]


@contextmanager
def _opened(client: Client, run: str, after: int = 0) -> Iterator[Iterator[int | str]]:
    """The numbers of the events that come, and `end`."""
    with client.stream("GET", f"/v1/runs/{run}/stream?after={after}") as answered:
        assert answered.status_code == 200
        yield _told(answered.iter_lines())


def _told(lines: Iterator[str]) -> Iterator[int | str]:
    number: int | str = 0
    for line in lines:
        name, _, value = line.partition(": ")
        match name:
            case "id":
                number = int(value)
            case "event":
                number = value
            case "data":
                assert number == "end" or json.loads(value)["number"] == number
                yield number


def _numbers(answered: httpx.Response) -> list[int | str]:
    """The numbers of all events of a stream, which must have ended if it says so."""
    assert answered.status_code == 200
    return [number for number in _told(iter(answered.text.splitlines())) if number != "end"]


def _read_to_its_end(url: str, run: str) -> list[int | str]:
    with client_of(url) as own, _opened(own, run) as lines:
        return list(lines)


def _numbers_until(client: Client, run: str, last: int) -> list[int | str]:
    with _opened(client, run) as lines:
        return [next(lines) for _ in range(last)]


def _data(lines: list[str]) -> Iterator[str]:
    return (line.removeprefix("data: ") for line in lines if line.startswith("data: "))


def _unread(client: Client, path: str) -> socket.socket:
    """A connection that asked for something, and takes little of the answer before it is read."""
    url = urlsplit(str(client.base_url))
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connection.settimeout(60)
    connection.connect((url.hostname, url.port))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode())
    return connection


def _cut(admin: psycopg.Connection, which: str) -> None:
    """End the sessions of which this is true."""
    admin.execute(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity "
        f"where datname = current_database() and {which}"  # the tests' own words
    ).fetchall()
