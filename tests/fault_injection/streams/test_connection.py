"""What comes over one connection is taken for what it is: events, an end, a refusal, a break; and a cut is a reset."""

import socket
from collections.abc import Iterator

import pytest

from keepfact.fault_injection.streams.connection import Connection, StreamError
from keepfact.fault_injection.waiting import NotReachedError

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
END = b"id: 3\nevent: end\ndata: {}\n\n"


def event(number: int | str) -> bytes:
    return f"id: {number}\ndata: {{}}\n\n".encode()


@pytest.fixture
def ends() -> Iterator[tuple[Connection, socket.socket]]:
    """A connection that has asked for what comes after event 1, and the server's end of it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname()[:2], 20)
        server, _ = listener.accept()
    connection = Connection(1, client)
    with client, server:
        connection.ask("http://somewhere/stream?of=r", {"Authorization": "Bearer t"})
        yield connection, server


def heard(ends: tuple[Connection, socket.socket], *said: bytes) -> Connection:
    """The same, once it has heard all of this and the end of the connection."""
    connection, server = ends
    server.sendall(b"".join(said))
    server.shutdown(socket.SHUT_WR)
    while connection.is_open:
        connection.hear(10)
    return connection


def test_it_asks_for_what_comes_after_the_last_event_that_is_known(ends: tuple[Connection, socket.socket]) -> None:
    head, *told = ends[1].recv(65_536).decode().split("\r\n")
    assert head == "GET /stream?of=r HTTP/1.1"
    assert {"Host: somewhere", "Last-Event-ID: 1", "Authorization: Bearer t"} <= set(told)


def test_events_and_their_end_are_heard_whole(ends: tuple[Connection, socket.socket]) -> None:
    connection = heard(ends, HEAD, event(2), event(3), END)
    assert (connection.numbers, connection.last, connection.ends) == ([2, 3], 3, 1)
    assert (connection.is_over, connection.is_broken, connection.is_left_alone) == (True, False, False)
    assert (connection.goes_wrong, connection.trouble) == (False, None)


@pytest.mark.parametrize(
    "said",
    [(event(3),), (event(1),), (event(2), event(2)), (END, END), (END, event(2))],
    ids=["a gap", "what is known", "a repetition", "two ends", "more after the end"],
)
def test_what_can_be_no_beginning_of_the_rest_goes_wrong(
    ends: tuple[Connection, socket.socket], said: tuple[bytes, ...]
) -> None:
    assert heard(ends, HEAD, *said).goes_wrong


@pytest.mark.parametrize(
    ("said", "trouble"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "it was answered with 404 instead of 200"),
        (HEAD.replace(b"Connection: close", b"Content-Length: 999") + event(2), "its connection broke off"),
        (b"no HTTP\r\n\r\n", "its connection broke off"),
        (b"", "its connection broke off"),
    ],
    ids=["refused", "half an answer", "no answer", "nothing"],
)
def test_an_answer_that_is_no_whole_stream_is_told(
    ends: tuple[Connection, socket.socket], said: bytes, trouble: str
) -> None:
    connection = heard(ends, said)
    assert (connection.trouble, connection.is_left_alone) == (trouble, True)


def test_what_a_refusal_says_is_no_event_of_the_stream(ends: tuple[Connection, socket.socket]) -> None:
    connection = heard(ends, HEAD.replace(b"200 OK", b"503 Busy"), event(2), END)
    assert (connection.events, connection.is_broken, connection.is_answered) == ([], True, False)


def test_a_stream_that_ends_without_saying_so_is_left_alone_and_no_trouble(
    ends: tuple[Connection, socket.socket],
) -> None:
    connection = heard(ends, HEAD, event(2))
    assert (connection.is_left_alone, connection.trouble) == (True, None)


def test_an_event_without_a_number_is_no_stream(ends: tuple[Connection, socket.socket]) -> None:
    with pytest.raises(StreamError, match="to be its number, but it is 'two'"):
        _ = heard(ends, HEAD, event("two")).last


def test_a_cut_is_a_reset_and_says_how_far_it_had_come(ends: tuple[Connection, socket.socket]) -> None:
    connection, server = ends
    server.recv(65_536)
    port = server.getpeername()[1]
    server.sendall(HEAD + event(2) + b"id: 3")
    while not connection.has_part or connection.last < 2:
        connection.hear()
    size = len(HEAD + event(2) + b"id: 3")
    assert connection.cut() == (
        f"the connection from port {port} was established; after {size} bytes, with event 2 as the last, and a part of "
        "the next, it was reset"
    )
    with pytest.raises(ConnectionResetError):
        server.recv(1)


def test_a_connection_that_its_server_has_closed_cannot_be_cut(ends: tuple[Connection, socket.socket]) -> None:
    with pytest.raises(NotReachedError, match="expected a connection to stand until it is cut"):
        heard(ends, HEAD, END).cut()
