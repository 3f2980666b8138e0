"""What is made to happen at a seam happens there, and what it was proves itself at the server and at the client."""

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import psycopg
import pytest

from keepfact.fault_injection.pgwire import Kind, Proxy, Seam, Side, named
from keepfact.fault_injection.waiting import NotReachedError, wait_until

from .conftest import Table
from .raw import Raw, query, startup


def _at(side: Side, kind: Kind) -> Callable[[Seam], bool]:
    return lambda seam: (seam.side, seam.kind) == (side, kind)


BEFORE_COMMIT, AFTER_COMMIT = _at(Side.BEFORE, Kind.COMMIT), _at(Side.AFTER, Kind.COMMIT)


@pytest.mark.parametrize(("at", "rows"), [(BEFORE_COMMIT, []), (AFTER_COMMIT, [1])], ids=["before", "after"])
def test_a_commit_that_is_cut_off_is_unknown_to_its_client_and_decided_at_the_server(
    at: Callable[[Seam], bool], rows: list[int], proxy: Proxy, dsn: str, table: Table
) -> None:
    cut = proxy.begin().cut(at)
    with psycopg.connect(dsn) as connection:
        connection.execute(table.insert(1))
        with pytest.raises(psycopg.OperationalError):
            connection.commit()
        proof = cut.wait_until_delivered().proof
        connection.close()
    assert table.rows() == rows
    assert "commit: COMMIT" in proof
    assert "the server ended its session" in proof
    assert ("answered: COMMIT, ready in status I" in proof) == bool(rows)


@pytest.mark.parametrize(("number", "rows"), [(1, []), (2, [1])])
def test_the_same_holds_for_a_statement_that_is_its_own_commit(
    number: int, rows: list[int], proxy: Proxy, parts: dict[str, str], table: Table
) -> None:
    cut = proxy.begin().cut(number)

    async def session() -> None:
        host, port = proxy.address
        connection = await asyncpg.connect(
            host=host, port=port, user=parts["user"], password=parts["password"], database=parts["dbname"]
        )
        with pytest.raises((asyncpg.PostgresConnectionError, ConnectionError)):
            await connection.execute(f"insert into {table.name} values ($1)", 1)

    asyncio.run(session())
    seam = cut.wait_until_delivered().seam
    assert seam is not None
    assert (seam.number, seam.kind) == (number, Kind.AUTOCOMMIT)
    assert table.rows() == rows


def test_who_is_cut_off_reads_that_the_connection_was_reset(proxy: Proxy, raw: Raw) -> None:
    cut = proxy.begin().cut(1)
    raw.socket.sendall(query("select 1"))
    with pytest.raises(ConnectionResetError):
        raw.until(b"Z")
    assert "connection reset" in cut.wait_until_delivered().proof


@pytest.mark.parametrize(("at", "rows"), [(BEFORE_COMMIT, []), (AFTER_COMMIT, [1])], ids=["before", "after"])
def test_a_commit_is_held_on_either_side_until_it_is_let_go(
    at: Callable[[Seam], bool], rows: list[int], proxy: Proxy, dsn: str, table: Table
) -> None:
    hold = proxy.begin().hold(at)
    with psycopg.connect(dsn) as connection, ThreadPoolExecutor(1) as thread:
        connection.execute(table.insert(1))
        committing = thread.submit(connection.commit)
        hold.wait_until_delivered()
        assert table.rows() == rows
        assert not committing.done()
        hold.let_go()
        committing.result()
    assert table.rows() == [1]


def test_an_answer_that_is_held_may_be_large_and_its_end_is_held_all_the_same(proxy: Proxy, dsn: str) -> None:
    hold = proxy.begin().hold(2)
    with psycopg.connect(dsn, autocommit=True) as connection, ThreadPoolExecutor(1) as thread:
        asking = thread.submit(connection.execute, "select repeat('x', 1000) from generate_series(1, 5000)")
        hold.wait_until_delivered()
        assert not asking.done()
        hold.let_go()
        assert len(asking.result().fetchall()) == 5000


def test_a_fault_strikes_once_and_only_whom_it_is_meant_for(proxy: Proxy, dsn: str) -> None:
    watch = proxy.begin(named("worker"), lambda statement: "heartbeat" not in statement)
    cut = watch.cut(lambda seam: True)
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute("select 1")
    with psycopg.connect(dsn, autocommit=True, application_name="worker") as worker:
        worker.execute("select 'heartbeat'")
        assert (watch.seams, cut.is_delivered) == ((), False)
        with pytest.raises(NotReachedError):
            _ = cut.delivered
        with pytest.raises(psycopg.OperationalError):
            worker.execute("select 1")
    cut.wait_until_delivered()
    with psycopg.connect(dsn, autocommit=True, application_name="worker") as worker:
        worker.execute("select 1")
    assert len(watch.seams) == 3
    watch.end()
    with psycopg.connect(dsn, autocommit=True, application_name="worker") as worker:
        worker.execute("select 1")
    assert len(watch.seams) == 3


def test_only_those_are_counted_who_come_after_the_beginning_if_so_wanted(proxy: Proxy, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as earlier:
        watch = proxy.begin(newcomers_only=True)
        with psycopg.connect(dsn, autocommit=True) as later:
            later.execute("select 'later'")
        earlier.execute("select 'earlier'")
    assert [seam.statement for seam in watch.seams] == ["select 'later'"] * 2


def test_nothing_gets_through_a_partition_and_everything_afterwards(
    proxy: Proxy, dsn: str, parts: dict[str, str], table: Table
) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection, ThreadPoolExecutor(2) as threads:
        partition = proxy.partition()
        writing = threads.submit(connection.execute, table.insert(1))
        coming = threads.submit(Raw, proxy.address, parts)
        wait_until(lambda: len(partition.kept) == 2, "both have met the silence")
        assert sorted(partition.kept) == ["session 1: to the server", "session 2: a new connection"]
        assert not writing.done()
        assert not coming.done()
        assert table.rows() == []
        partition.heal()
        writing.result()
        coming.result().close()  # type: ignore[attr-defined]
    assert table.rows() == [1]


def test_what_a_client_wrote_before_it_vanished_arrives_once_the_partition_is_healed(
    proxy: Proxy, raw: Raw, table: Table
) -> None:
    with proxy.partition() as partition:
        raw.socket.sendall(query(table.insert(1)))
        raw.close()
        wait_until(lambda: bool(partition.kept), "the statement is kept back")
        assert (table.rows(), len(proxy.clients)) == ([], 1)
    wait_until(lambda: table.rows() == [1], "the statement has arrived")


def test_silence_can_fall_at_a_seam_on_some_and_the_others_go_on(proxy: Proxy, dsn: str, table: Table) -> None:
    watch = proxy.begin(named("worker"))
    partition = watch.partition(AFTER_COMMIT, named("worker"))
    with psycopg.connect(dsn, application_name="worker") as worker, ThreadPoolExecutor(1) as thread:
        worker.execute(table.insert(1))
        committing = thread.submit(worker.commit)
        assert "commit: COMMIT, answered" in partition.wait_until_delivered().proof
        with psycopg.connect(dsn, autocommit=True) as other:
            other.execute(table.insert(2))
        assert table.rows() == [1, 2]
        assert not committing.done()
        partition.heal()
        committing.result()


def test_new_connections_are_refused_until_they_are_accepted_again_and_open_ones_stay(proxy: Proxy, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as earlier:
        with proxy.refuse():
            with pytest.raises(psycopg.OperationalError, match="refused"):
                psycopg.connect(dsn)
            earlier.execute("select 1")
        psycopg.connect(dsn).close()


def test_a_client_may_cancel_what_it_has_asked_for(proxy: Proxy, dsn: str, table: Table) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection, ThreadPoolExecutor(1) as thread:
        sleeping = thread.submit(connection.execute, "select pg_sleep(30)")
        asleep = "select from pg_stat_activity where pid = %s and wait_event = 'PgSleep'"
        pid = connection.info.backend_pid
        wait_until(lambda: table.direct.execute(asleep, [pid]).rowcount == 1, "it sleeps")
        connection.cancel_safe()
        with pytest.raises(psycopg.errors.QueryCanceled):
            sleeping.result()


def test_encryption_is_declined_and_the_client_goes_on_without(proxy: Proxy, dsn: str) -> None:
    with psycopg.connect(dsn, sslmode="prefer", gssencmode="prefer") as connection:
        assert connection.pgconn.ssl_in_use == 0


def test_a_first_packet_in_pieces_is_waited_for(proxy: Proxy, parts: dict[str, str]) -> None:
    with socket.create_connection(proxy.address) as slow:
        for byte in startup(user=parts["user"], database=parts["dbname"]):
            slow.sendall(bytes([byte]))
        assert slow.recv(1) == b"R"
