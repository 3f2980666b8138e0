"""Messages are found wherever the network has cut them, and what is none is told as that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepfact.fault_injection.pgwire.messages import (
    READ_BYTES_MAX,
    GarbageError,
    Scanner,
    Wish,
    client_scanner,
    read_startup,
    server_scanner,
    text_at,
)

from .raw import SYNC, execute, message, parse, query, startup

ANSWER = message(b"T", b"columns") + message(b"D", b"row" * 50) + message(b"C", b"SELECT 1\0") + message(b"Z", b"I")


def _fed(scanner: Scanner, data: bytes, cuts: list[int]) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    passed, found = b"", []
    for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        part, messages = scanner.feed(data[begin:end])
        passed += part
        found += [(one.type, one.body) for one in messages]
    return passed, found


@given(st.lists(st.integers(0, len(ANSWER))).map(sorted))
def test_the_same_messages_are_found_wherever_they_are_cut(cuts: list[int]) -> None:
    assert _fed(server_scanner(), ANSWER, cuts) == (ANSWER, [(b"C", b"SELECT 1\0"), (b"Z", b"I")])


def test_of_a_message_too_large_to_keep_the_beginning_is_read_and_the_rest_passes() -> None:
    large = query("x" * (3 * READ_BYTES_MAX)) + SYNC
    cuts = list(range(1000, len(large), 1000))
    passed, found = _fed(client_scanner(), large, cuts)
    assert passed == large
    assert [(type_, len(body)) for type_, body in found] == [(b"Q", READ_BYTES_MAX - 5), (b"S", 0)]


def test_what_is_to_be_read_is_kept_back_until_it_is_whole() -> None:
    asked = parse("select 1", "name") + execute()
    passed, messages = client_scanner().feed(asked[:-1])
    assert passed == parse("select 1", "name")
    assert [text_at(one.body, 1) for one in messages] == ["select 1"]


@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.1\r\n", b"Q\0\0\0\3", b"Q\xff\xff\xff\xff", b"\0" * 20])
def test_what_is_no_message_is_garbage(garbage: bytes) -> None:
    with pytest.raises(GarbageError):
        client_scanner().feed(garbage)


@pytest.mark.parametrize("garbage", [b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\7\0\3\0\0", b"\0\0\0\10\0\2\0\0"])
def test_what_is_no_first_packet_is_garbage(garbage: bytes) -> None:
    with pytest.raises(GarbageError):
        read_startup(garbage)


def test_a_first_packet_says_who_comes_and_waits_to_be_whole() -> None:
    packet = startup(user="ann", application_name="worker")
    assert [read_startup(packet[:size]) for size in range(len(packet))] == [None] * len(packet)
    read = read_startup(packet + b"more")
    assert read is not None
    assert (read.packet, read.wish) == (packet, Wish.SESSION)
    assert read.parameters["application_name"] == "worker"
