"""The witness sees what was committed, all of it, in order, and nothing else; and leaves nothing behind."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import conninfo, sql

from keepfact.fault_injection.waiting import wait_until
from keepfact.fault_injection.wal import (
    UNCHANGED,
    Action,
    Row,
    Witness,
    WitnessLostError,
    WitnessUnavailableError,
    witness,
)
from keepfact.impl.server import Server


@pytest.fixture(autouse=True)
def table(database: psycopg.Connection) -> Iterator[None]:
    database.execute(
        "create schema kept; create table kept.facts (id integer, part text, body text, primary key (part, id))"
    )
    yield
    database.execute("drop schema kept cascade")


def _told(seen: tuple[Row, ...]) -> list[tuple[str, Action, tuple[tuple[str, object], ...]]]:
    return [(f"{row.schema}.{row.table}", row.action, row.key) for row in seen]


def test_rows_are_named_by_their_keys_and_transactions_by_what_was_told(dsn: str, database: psycopg.Connection) -> None:
    with Witness(dsn, {"kept"}) as seen:
        with database.transaction():
            database.execute("insert into kept.facts values (1, 'a', 'x')")
            database.execute("select pg_logical_emit_message(true, 'p', 'said')")
            database.execute("update kept.facts set id = 2")
        database.execute("delete from kept.facts")
        database.execute("truncate kept.facts")
        first, second, third = seen.writes()
    key, changed = (("part", "a"), ("id", "1")), (("part", "a"), ("id", "2"))
    assert _told(first.rows) == [("kept.facts", Action.INSERT, key), ("kept.facts", Action.UPDATE, changed)]
    assert (first.said("p"), first.said("q"), second.said("p")) == (("said",), (), ())
    assert _told(second.rows) == [("kept.facts", Action.DELETE, changed)]
    assert _told(third.rows) == [("kept.facts", Action.TRUNCATE, ())]


def test_each_write_is_told_once_and_what_was_not_committed_never(dsn: str, database: psycopg.Connection) -> None:
    with Witness(dsn, {"kept"}) as seen, psycopg.connect(dsn) as other:
        other.execute("insert into kept.facts values (1, 'late', '')")
        database.execute("insert into kept.facts values (1, 'early', '')")
        assert [one.rows[0].values["part"] for one in seen.writes()] == ["early"]
        other.commit()
        other.execute("insert into kept.facts values (2, 'never', '')")
        other.rollback()
        assert [one.rows[0].values["part"] for one in seen.writes()] == ["late"]
        assert seen.writes() == ()


def test_readings_locks_and_other_schemas_are_no_writes(dsn: str, database: psycopg.Connection) -> None:
    database.execute("insert into kept.facts values (1, 'a', '')")
    with Witness(dsn, {"kept"}) as seen:
        database.execute("select * from kept.facts for update")
        database.execute("update kept.facts set body = '' where false")
        database.execute("create table public.other (id integer); insert into public.other values (1)")
        assert seen.writes() == ()
    database.execute("drop table public.other")


def test_what_was_committed_lightly_is_seen_too(dsn: str, database: psycopg.Connection) -> None:
    database.execute("set synchronous_commit = off")
    with Witness(dsn, {"kept"}) as seen:
        for number in range(20):
            database.execute("insert into kept.facts values (%s, 'a', '')", [number])
            assert [one.rows[0].values["id"] for one in seen.writes()] == [str(number)]


def test_a_large_value_that_an_update_leaves_alone_is_called_unchanged(dsn: str, database: psycopg.Connection) -> None:
    database.execute("alter table kept.facts alter body set storage external")
    database.execute("insert into kept.facts values (1, 'a', repeat('x', 100000))")
    with Witness(dsn, {"kept"}) as seen:
        database.execute("update kept.facts set part = 'b'")
        [written] = seen.writes()
    assert written.rows[0].values == {"id": "1", "part": "b", "body": UNCHANGED}


def test_tables_that_are_emptied_at_once_are_all_named(dsn: str, database: psycopg.Connection) -> None:
    database.execute('create table kept."More, kept.facts" (id integer)')
    with Witness(dsn, {"kept"}) as seen:
        database.execute('truncate kept.facts, kept."More, kept.facts"')
        [written] = seen.writes()
    assert {row.table for row in written.rows} == {"facts", "More, kept.facts"}


def test_a_message_of_any_bytes_is_no_obstacle(dsn: str, database: psycopg.Connection) -> None:
    with Witness(dsn, {"kept"}) as seen:
        with database.transaction():
            database.execute(r"select pg_logical_emit_message(true, 'p', '\x00ff27'::bytea)")
            database.execute("insert into kept.facts values (1, 'a', '')")
        [written] = seen.writes()
    assert written.said("p") == ("\0\udcff'",)


def test_another_database_of_the_server_is_not_seen(dsn: str, server: Server) -> None:
    with Witness(dsn) as seen, psycopg.connect(server.dsn, autocommit=True) as other:
        other.execute("create table public.elsewhere (id integer); insert into public.elsewhere values (1)")
        assert seen.writes() == ()
        other.execute("drop table public.elsewhere")


def test_nothing_of_the_witness_stays(dsn: str, database: psycopg.Connection) -> None:
    with Witness(dsn):
        assert _slots(database) == 1
    assert _slots(database) == 0
    with pytest.raises(KeyboardInterrupt), Witness(dsn):
        raise KeyboardInterrupt
    assert _slots(database) == 0


def test_nothing_of_a_witness_that_was_killed_stays(dsn: str, database: psycopg.Connection) -> None:
    script = (
        "import sys; from keepfact.fault_injection.wal import Witness; "
        "witness = Witness(sys.argv[1]); print('ready', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, dsn]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        assert _slots(database) == 1
        process.kill()
    assert process.returncode == -signal.SIGKILL
    wait_until(lambda: _slots(database) == 0, "the slot of the killed witness is gone")


def test_a_witness_whose_session_is_broken_off_says_that_it_has_not_seen_all(
    dsn: str, database: psycopg.Connection
) -> None:
    with Witness(dsn, {"kept"}) as seen:
        database.execute(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = 'keepfact-witness' "
            "and datname = current_database()"
        )
        with pytest.raises(WitnessLostError, match="What was written since is unseen"):
            seen.writes()
    assert _slots(database) == 0


def test_a_user_who_may_not_read_the_log_is_told_so(dsn: str, database: psycopg.Connection) -> None:
    role = f"{database.info.dbname}_reader"
    database.execute(sql.SQL("create role {} login password 'secret'").format(sql.Identifier(role)))
    try:
        with pytest.raises(WitnessUnavailableError, match=r"the user may not\. Give it REPLICATION"):
            Witness(conninfo.make_conninfo(dsn, user=role, password="secret"))
    finally:
        database.execute(sql.SQL("drop role {}").format(sql.Identifier(role)))


def test_a_transaction_that_stays_open_is_named_as_what_is_waited_for(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness, "PATIENCE_SECONDS", 0.2)
    with psycopg.connect(dsn) as open_one:
        open_one.execute("insert into kept.facts values (1, 'a', '')")
        with pytest.raises(WitnessUnavailableError, match=r"has not ended within 0\.2 seconds"):
            Witness(dsn)
        open_one.rollback()


@pytest.mark.parametrize(
    ("level", "encoding", "seen"), [("replica", "UTF8", "it is replica"), ("logical", "LATIN1", "it is in LATIN1")]
)
def test_a_log_that_cannot_be_read_is_refused_with_what_to_do(level: str, encoding: str, seen: str) -> None:
    with pytest.raises(WitnessUnavailableError, match=seen):
        witness.require_readable(level, encoding)


def test_no_server_is_no_witness() -> None:
    with pytest.raises(WitnessUnavailableError, match="expected to connect"):
        Witness("host=/nowhere dbname=none")


def _slots(database: psycopg.Connection) -> int:
    row = database.execute("select count(*) from pg_replication_slots where database = current_database()").fetchone()
    assert row is not None
    return int(row[0])
