"""What cannot be read or stored is refused as such, however it is wrong, and whatever is refused wrote nothing."""

import socket
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from keepfact.impl.gateway.reading import depth
from keepfact.impl.store import Store

from ..driving import fresh
from .served import TOKEN, Client, problem, served

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def unchanged(client: Client, admin: psycopg.Connection) -> Iterator[str]:
    """A run under fence 1; when the test is over, every table is as it was then."""
    run = client.claimed()
    before = _dump(admin)
    yield run
    assert _dump(admin) == before
    assert client.get("/healthz").status_code == 200


def test_what_is_compared_would_show_a_write(client: Client, admin: psycopg.Connection) -> None:
    before = _dump(admin)
    client.admitted()
    assert _dump(admin) != before


def _body(body: str) -> bytes:
    return b'{"fence": 1, "body": %s, "qualified": true}' % body.encode()


@pytest.mark.parametrize("body", [r'"a NUL \u0000"', r'"a lone surrogate \ud800"', '"%s"' % ("x" * 100_001)])
def test_a_text_that_cannot_be_stored_is_refused_by_the_store(client: Client, unchanged: str, body: str) -> None:
    headers = {"Idempotency-Key": fresh("key"), **JSON}
    response = client.post(f"/v1/runs/{unchanged}/publish", content=_body(body), headers=headers)
    assert problem(response) == (422, "unstorable")


@pytest.mark.parametrize(("body", "status"), [
    (_body('"a \0 that is not escaped"'), 400),
    (_body("NaN"), 400),
    (_body("-Infinity"), 400),
    (_body("1e999"), 400),
    (_body("1" * 5_000), 400),
    (_body("[" * 100 + "]" * 100), 400),
    (_body("[" * 100_000), 400),
    (_body('{"a":' * 100 + "1" + "}" * 100), 400),
    (_body('"b", "body": "another"'), 400),
    (_body('"b", "\\ud800": 1'), 422),
    (_body("1"), 422),
    (_body("null"), 422),
    (_body('"b", "fence": 1.5'), 400),
    (_body('"not closed'), 400),
    (_body('"b"').replace(b"1", b"1.5"), 422),
    (_body('"b"').replace(b"1", b"-1"), 422),
    (_body('"b"').replace(b"1", str(2**63).encode()), 422),
    (_body('"b"').replace(b"1", b"true"), 422),
    (b'{"fence": 1, "body": "\xff", "qualified": true}', 400),
    (b'\xff\xfe{\x00}\x00', 400),
    (b"", 415),
    (b"[]", 422),
    (b"{}", 422),
    (b"{", 400),
    (b"{}{}", 400),
])  # fmt: skip
def test_it_is_refused(client: Client, unchanged: str, body: bytes, status: int) -> None:
    headers = {"Idempotency-Key": fresh("key"), **(JSON if body else {})}
    response = client.post(f"/v1/runs/{unchanged}/publish", content=body, headers=headers)
    assert problem(response) == (status, "malformed")


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
def test_only_json_is_read(client: Client, unchanged: str, media_type: str) -> None:
    headers = {"Idempotency-Key": fresh("key"), "Content-Type": media_type}
    response = client.post(f"/v1/runs/{unchanged}/publish", content=_body('"b"'), headers=headers)
    assert problem(response) == (415, "malformed")


def test_a_whole_number_may_be_written_with_a_point(client: Client) -> None:
    run = client.claimed()
    body = _body('"b"').replace(b"1", b"1.0")
    response = client.post(f"/v1/runs/{run}/publish", content=body, headers={"Idempotency-Key": fresh("key"), **JSON})
    assert response.status_code == 200


def test_any_other_text_comes_back_as_it_was(client: Client) -> None:
    run, body = client.claimed(), "𝔘nicode ☃ \r\n\t \\ \" ' \x7f"
    assert client.do(f"/v1/runs/{run}/publish", fence=1, body=body, qualified=True).status_code == 200
    assert client.get(f"/v1/runs/{run}").json()["publications"][0]["body"] == body


@pytest.mark.parametrize("supports", ["bundle-1", {"bundle-1": 1}, [1], [["bundle-1"]], [None], None, ["b"] * 101])
def test_a_list_of_ids_is_nothing_else(client: Client, unchanged: str, supports: object) -> None:
    refused = client.do(f"/v1/runs/{unchanged}/claim", worker="w", supports=supports)
    assert problem(refused) == (422, "malformed")
    assert "supports" in refused.json()["seen"]


def test_fifty_megabytes_are_refused(client: Client, unchanged: str) -> None:
    body = _body('"%s"' % ("x" * 50_000_000))
    headers = {"Idempotency-Key": fresh("key"), **JSON}
    assert problem(client.post(f"/v1/runs/{unchanged}/publish", content=body, headers=headers)) == (413, "malformed")


def test_what_is_too_large_by_its_own_word_is_refused_before_it_is_sent(client: Client, unchanged: str) -> None:
    with _connected(client, f"/v1/runs/{unchanged}/publish", "Content-Length: 50000000") as connection:
        assert _status(connection) == 413


def test_what_does_not_say_how_large_it_is_is_refused_once_it_is_too_large(client: Client, unchanged: str) -> None:
    with _connected(client, f"/v1/runs/{unchanged}/publish", "Transfer-Encoding: chunked") as connection:
        for _ in range(21):
            connection.sendall(b"186a0\r\n" + b"x" * 100_000 + b"\r\n")
        assert _status(connection) == 413


def test_whoever_may_not_ask_is_refused_before_a_body_is_sent(client: Client, unchanged: str) -> None:
    with _connected(client, f"/v1/runs/{unchanged}/publish", "Content-Length: 100", token="unknown") as connection:
        assert _status(connection) == 401


def test_a_body_that_does_not_come_is_not_waited_for(store: Store, unchanged: str) -> None:
    with (
        served(store, body_seconds=0.01) as client,
        _connected(client, f"/v1/runs/{unchanged}/publish", "Content-Length: 100") as connection,
    ):
        assert _status(connection) == 408


@pytest.mark.parametrize("send", [
    lambda client, run: client.do(f"/v1/runs/{run}/publish", fence=0, body="b", qualified=True),
    lambda client, run: client.do(f"/v1/runs/{run}/claim", worker="w"),
    lambda client, run: client.do("/v1/runs", run=run, contract="settle", budget_cents=1),
    lambda client, run: client.do("/v1/runs", run=fresh("run"), contract="settle", budget_cents=-1),
    lambda client, run: client.do(f"/v1/runs/{run}/recover"),
    lambda client, run: client.do(f"/v1/runs/{run}/publish", fence=1, body="b", qualified=True, more=1),
    lambda client, run: client.get(f"/v1/runs/{run}/claim"),
    lambda client, run: client.get(f"/v1/runs/{run}/events?after=x"),
    lambda client, run: client.get(f"/v1/runs/{run}/stream", headers={"Last-Event-ID": "x"}),
])  # fmt: skip
def test_any_other_refusal_wrote_nothing_either(
    client: Client, unchanged: str, send: Callable[[Client, str], httpx.Response]
) -> None:
    assert 400 <= send(client, unchanged).status_code < 500


def test_readings_write_nothing(client: Client, admin: psycopg.Connection) -> None:
    run = client.ended()
    before = _dump(admin)
    for path in ("/v1/runs", f"/v1/runs/{run}", f"/v1/runs/{run}/events", f"/v1/runs/{run}/stream", "/readyz"):
        assert client.get(path).status_code == 200
    assert _dump(admin) == before


@pytest.mark.parametrize(("text", "levels"), [
    (b"", 0), (b"1", 0), (b"[]", 1), (b"[[],{}]", 2), (b'["[[["]', 1), (b'["\\"[[["]', 1), (b'["\\\\",[[]]]', 3),
    (b']]]][', 0), (b'"[[[', 0), (b'[1,{"a":[2]}]', 3),
])  # fmt: skip
def test_levels_are_counted_without_parsing(text: bytes, levels: int) -> None:
    assert depth(text) == levels


def test_counting_levels_takes_time_in_proportion(client: Client) -> None:
    """Quotes without an end, each of which could be searched for one: a million squared would not come back."""
    assert depth(b'"\\' * 1_000_000) == 0
    assert depth(b'\\"' * 1_000_000) == 0


def _dump(admin: psycopg.Connection) -> list[tuple[str, list[str]]]:
    """All rows of all tables, as text."""
    named = admin.execute("select tablename from pg_tables where schemaname = 'keepfact' order by tablename").fetchall()
    return [
        (name, [row for (row,) in admin.execute(f"select t::text from keepfact.{name} t order by t::text")])
        for (name,) in named
    ]


def _connected(client: Client, path: str, header: str, token: str = TOKEN) -> socket.socket:
    """A connection on which the head of a request was sent."""
    url = urlsplit(str(client.base_url))
    connection = socket.create_connection((url.hostname or "", url.port or 0), timeout=60)
    head = [
        f"POST {path} HTTP/1.1", "Host: gateway", f"Authorization: Bearer {token}", "Content-Type: application/json",
        f"Idempotency-Key: {fresh('key')}", header, "", "",
    ]  # fmt: skip
    connection.sendall("\r\n".join(head).encode())
    return connection


def _status(connection: socket.socket) -> int:
    return int(connection.recv(1000).split()[1])
