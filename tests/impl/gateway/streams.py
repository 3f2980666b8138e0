"""Reading streams: the numbers of the events that come, each checked to be the one that it says it is."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import psycopg

from .served import TOKEN, Client, client_of

NEVER = 10.0**6


@contextmanager
def opened(client: Client, run: str, after: int = 0) -> Iterator[Iterator[int | str]]:
    """The numbers of the events that come, and `end`."""
    with client.stream("GET", f"/v1/runs/{run}/stream?after={after}") as answered:
        assert answered.status_code == 200
        yield told(answered.iter_lines())


def told(lines: Iterator[str]) -> Iterator[int | str]:
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


def numbers_of(answered: httpx.Response) -> list[int | str]:
    """The numbers of all events of a stream, which must have ended if it says so."""
    assert answered.status_code == 200
    return [number for number in told(iter(answered.text.splitlines())) if number != "end"]


def read_to_its_end(url: str, run: str, heard: list[int | str] | None = None) -> list[int | str]:
    """All numbers; `heard` is where they can be seen as they come."""
    heard = [] if heard is None else heard
    with client_of(url) as own, opened(own, run) as lines:
        for line in lines:
            heard.append(line)
    return heard


def numbers_until(client: Client, run: str, last: int) -> list[int | str]:
    with opened(client, run) as lines:
        return [next(lines) for _ in range(last)]


def data(lines: list[str]) -> Iterator[str]:
    return (line.removeprefix("data: ") for line in lines if line.startswith("data: "))


def unread(client: Client, path: str) -> socket.socket:
    """A connection that asked for something, and takes little of the answer before it is read."""
    url = urlsplit(str(client.base_url))
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connection.settimeout(60)
    connection.connect((url.hostname, url.port))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode())
    return connection


def cut(admin: psycopg.Connection, which: str) -> None:
    """End the sessions of which this is true."""
    admin.execute(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity "
        f"where datname = current_database() and {which}"  # the tests' own words
    ).fetchall()
