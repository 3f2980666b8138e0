"""The proxy goes on whatever its clients do, and leaves nothing behind."""

import re
import socket
import struct
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from keepfact.fault_injection.pgwire import BadUpstreamError, Proxy, Upstream
from keepfact.fault_injection.waiting import wait_until
from keepfact.impl.server import Server

from .conftest import Table
from .raw import SYNC, Raw, message, query, startup, unnamed

MEBIBYTE = 2**20
LARGE = "select repeat('x', 1000000) from generate_series(1, 100)"
SSL_REQUEST = struct.pack("!II", 8, 80877103)


@pytest.fixture
def tough(server: Server) -> Iterator[Proxy]:
    """A proxy that is expected to have had troubles."""
    with Proxy(Upstream.of(server.dsn)) as proxy:
        yield proxy


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _serves(proxy: Proxy, server: Server) -> bool:
    with psycopg.connect(proxy.through(server.dsn)) as connection:
        return connection.execute("select 1").fetchone() == (1,)


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 200,
        struct.pack("!II", 8, 2 << 16),
        struct.pack("!II", 7, 196608),
        b"\xff" * 10_000,
        SSL_REQUEST * 3 + b"\xff" * 8,
    ],
    ids=["http", "tls", "old", "short", "ones", "late"],
)
def test_who_does_not_speak_the_protocol_is_shown_out(garbage: bytes, tough: Proxy, server: Server) -> None:
    with socket.create_connection(tough.address, 20) as stranger:
        stranger.sendall(garbage)
        try:
            while said := stranger.recv(10):
                assert said.strip(b"N") == b""  # no encryption, as often as it was asked for
        except ConnectionResetError:
            pass
    assert any("GarbageError" in trouble for trouble in tough.troubles)
    assert _serves(tough, server)


@pytest.mark.parametrize("garbage", [b"Q\0\0\0\3", b"!\0\0\0\4", b"B\xff\xff\xff\xff", b"\0" * 100])
def test_garbage_in_a_session_ends_it_at_both_sides(
    garbage: bytes, tough: Proxy, server: Server, parts: dict[str, str], table: Table
) -> None:
    with Raw(tough.address, parts) as raw:
        pid = raw.ask(query("select pg_backend_pid()"))[1][1][6:].decode()
        raw.socket.sendall(query(table.insert(1)) + garbage)
        with pytest.raises((EOFError, ConnectionResetError)):
            raw.until(b"no message")
    wait_until(
        lambda: not table.direct.execute("select from pg_stat_activity where pid = %s", [pid]).rowcount,
        "the server has ended the session",
    )
    assert _serves(tough, server)


def test_random_bytes_in_a_session_end_nothing_else(tough: Proxy, server: Server, parts: dict[str, str]) -> None:
    for seed in range(20):
        with Raw(tough.address, parts) as raw:
            noise = bytearray(unnamed("select 1") + SYNC + query("select 2") + message(b"X"))
            noise[seed * 3 % len(noise)] ^= 1 + seed
            raw.socket.sendall(bytes(noise))
    wait_until(lambda: not tough.clients, "every session is over")
    assert _serves(tough, server)


def test_clients_that_vanish_take_their_server_sessions_with_them(
    proxy: Proxy, parts: dict[str, str], table: Table
) -> None:
    gone = [Raw(proxy.address, parts, application_name=table.name) for _ in range(10)]
    for number, raw in enumerate(gone):
        raw.socket.sendall(query(f"begin; {table.insert(number)}")[: 10 + 5 * number])
        raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", number % 2, 0))
        raw.close()
    asked = "select from pg_stat_activity where application_name = %s"
    wait_until(lambda: not table.direct.execute(asked, [table.name]).rowcount, "the server has ended their sessions")
    wait_until(lambda: not proxy.clients, "the proxy has ended their sessions")
    assert table.rows() == []


def test_one_that_says_no_more_still_hears_its_answer(proxy: Proxy, raw: Raw) -> None:
    raw.socket.sendall(query("select 1"))
    raw.socket.shutdown(socket.SHUT_WR)
    assert [type_ for type_, _ in raw.until(b"Z")] == [b"T", b"D", b"C", b"Z"]


def test_ten_thousand_come_and_go_and_nothing_is_left_of_them(server: Server) -> None:
    descriptors, threads = _descriptors(), threading.active_count()
    with Proxy(Upstream.of(server.dsn)) as proxy:
        for number in range(10_000):
            with socket.create_connection(proxy.address) as passer_by:
                if number % 10 == 0:
                    passer_by.sendall(SSL_REQUEST)
                    assert passer_by.recv(1) == b"N"
        for _ in range(50):
            assert _serves(proxy, server)
        wait_until(lambda: not proxy.clients, "every session is over")
        assert _descriptors() <= descriptors + 6  # the listener, and what the loop has of its own
    assert (_descriptors(), threading.active_count()) == (descriptors, threads)


def test_closing_ends_sessions_in_whatever_they_are(server: Server, parts: dict[str, str]) -> None:
    descriptors, threads = _descriptors(), threading.active_count()
    proxy = Proxy(Upstream.of(server.dsn))
    hold = proxy.begin().hold(1)
    silent = socket.create_connection(proxy.address)
    held, unread = (Raw(proxy.address, parts) for _ in range(2))
    held.socket.sendall(query("select 1"))
    hold.wait_until_delivered()
    unread.socket.sendall(query(LARGE))
    proxy.partition()
    late = socket.create_connection(proxy.address)
    late.sendall(startup(user="postgres"))
    proxy.close()
    proxy.close()
    hold.let_go()
    for left in (silent, held, unread, late):
        left.close()
    assert (_descriptors(), threading.active_count()) == (descriptors, threads)


def test_a_large_answer_waits_for_its_reader_and_takes_no_room(proxy: Proxy, raw: Raw, table: Table) -> None:
    watch = proxy.begin()
    pid = raw.ask(query("select pg_backend_pid()"))[1][1][6:].decode()
    _forget_the_highest()
    before = _highest_bytes()
    raw.socket.sendall(query(LARGE))
    waits = "select from pg_stat_activity where pid = %s and wait_event = 'ClientWrite'"
    wait_until(lambda: table.direct.execute(waits, [pid]).rowcount == 1, "the server waits for its reader")
    received, end = 0, b""
    while not end.endswith(b"Z\0\0\0\5I"):
        chunk = raw.socket.recv(MEBIBYTE)
        received, end = received + len(chunk), (end + chunk)[-6:]
    assert received > 100_000_000
    assert _highest_bytes() - before < 24 * MEBIBYTE
    assert len(watch.seams) == 4


def test_a_large_statement_gets_through_in_parts_with_seams_around_it(proxy: Proxy, dsn: str) -> None:
    watch = proxy.begin()
    large = "x" * 20_000_000
    with psycopg.connect(dsn, autocommit=True) as connection:
        assert connection.execute("select length(%s)", [large]).fetchone() == (len(large),)
        assert connection.execute(f"select length('{large}')").fetchone() == (len(large),)  # type: ignore[arg-type]
    assert [seam.kind for seam in watch.seams] == ["statement that is its own commit"] * 4


def test_a_server_that_is_not_there_is_told_to_the_client_by_its_silence(tmp_path: Path, server: Server) -> None:
    with Proxy(Upstream(str(tmp_path))) as proxy:
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(proxy.through(server.dsn))
        assert any("FileNotFoundError" in trouble for trouble in proxy.troubles)


def test_a_proxy_can_stand_before_a_server_on_tcp(proxy: Proxy, server: Server) -> None:
    with Proxy(Upstream(*proxy.address)) as before:
        assert _serves(before, server)


def test_several_proxies_at_once_do_not_mix_up_what_they_carry(server: Server) -> None:
    def carry(letter: str) -> bool:
        with Proxy(Upstream.of(server.dsn)) as proxy, psycopg.connect(proxy.through(server.dsn)) as connection:
            asked = "select repeat(%s, %s) from generate_series(1, 3)"
            return all(
                connection.execute(asked, [letter, size]).fetchall() == [(letter * size,)] * 3
                for size in range(1, 200_000, 2_000)
            )

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(carry, "abcd"))


def test_where_the_server_is_must_be_said() -> None:
    assert Upstream.of("postgresql://u@db:6000/x") == Upstream("db", 6000)
    assert Upstream.of("host=/run/pg dbname=x") == Upstream("/run/pg", 5432)
    for dsn in ("dbname=x", "host=a,b", "host=a port=5432,5433"):
        with pytest.raises(BadUpstreamError, match="expected a connection string with one host"):
            Upstream.of(dsn)
    with pytest.raises(BadUpstreamError) as told:
        Upstream.of("postgresql://u:se cret@@/x y")
    assert "cret" not in str(told.value)


def _forget_the_highest() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _highest_bytes() -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024
