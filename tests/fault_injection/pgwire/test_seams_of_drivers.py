"""Known sequences of statements as two drivers send them, and the seams that the proxy finds in them."""

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg
import psycopg
import pytest

from keepfact.fault_injection.pgwire import Proxy

from .conftest import FAILED, OWN, Table, told

Connection = psycopg.Connection


def _one_of_its_own(c: Connection, t: Table) -> None:
    c.execute(t.insert(1))


def _several_in_one(c: Connection, t: Table) -> None:
    c.execute(f"{t.insert(1)}; {t.insert(2)}")


def _several_with_their_transaction(c: Connection, t: Table) -> None:
    c.execute(f"begin; {t.insert(1)}; commit")


def _a_transaction(c: Connection, t: Table) -> None:
    with c.transaction():
        c.execute(f"insert into {t.name} values (%s)", [1])


def _one_taken_back(c: Connection, t: Table) -> None:
    with c.transaction():
        c.execute(t.insert(1))
        raise psycopg.Rollback


def _a_savepoint(c: Connection, t: Table) -> None:
    with c.transaction(), c.transaction("inner"):
        c.execute(t.insert(1))


def _an_error(c: Connection, t: Table) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        c.execute(f"{t.insert(1)}; select 1 / 0")


def _a_commit_of_what_failed(c: Connection, t: Table) -> None:
    c.execute("begin")
    with pytest.raises(psycopg.errors.DivisionByZero):
        c.execute("select 1 / 0")
    c.execute("commit")


def _copying(c: Connection, t: Table) -> None:
    with c.cursor().copy(f"copy {t.name} from stdin") as copy:
        copy.write_row([1])
    with c.cursor().copy(f"copy {t.name} to stdout") as copy:
        assert list(copy.rows()) == [("1",)]


def _a_pipeline(c: Connection, t: Table) -> None:
    with c.pipeline(), c.transaction():
        c.execute(t.insert(1))
        c.execute(t.insert(2))


def _a_pipeline_without_a_transaction(c: Connection, t: Table) -> None:
    with c.pipeline():
        assert c.execute(f"{t.insert(1)} returning n").fetchone() == (1,)
        c.execute(t.insert(2))


def _a_pipeline_that_only_flushes(c: Connection, t: Table) -> None:
    with c.pipeline():
        assert c.execute(f"{t.insert(1)} returning n").fetchone() == (1,)


def _a_statement_that_is_kept(c: Connection, t: Table) -> None:
    for number in (1, 2):
        c.execute(f"insert into {t.name} values (%s)", [number], prepare=True)


PSYCOPG: list[tuple[Callable[[Connection, Table], None], list[str], list[int]]] = [
    (_one_of_its_own, [f"insert into T values (1) | {OWN}"], [1]),
    (_several_in_one, [f"insert into T values (1); insert into T values (2) | {OWN}"], [1, 2]),
    (_several_with_their_transaction, ["begin; insert into T values (1); commit | commit"], [1]),
    (_a_transaction, ["BEGIN | statement", "insert into T values ($1) | statement", "COMMIT | commit"], [1]),
    (_one_taken_back, ["BEGIN | statement", "insert into T values (1) | statement", "ROLLBACK | rollback"], []),
    (
        _a_savepoint,
        ["BEGIN | statement", 'SAVEPOINT "inner" | statement', "insert into T values (1) | statement",
         'RELEASE "inner" | statement', "COMMIT | commit"],
        [1],
    ),
    (_an_error, [f"insert into T values (1); select 1 / 0 | {OWN} -> {FAILED}"], []),
    (
        _a_commit_of_what_failed,
        ["begin | statement", f"select 1 / 0 | statement -> {FAILED}", "commit | rollback"],
        [],
    ),
    (_copying, [f"copy T from stdin | {OWN}", f"copy T to stdout | {OWN}"], [1]),
    (
        _a_pipeline,
        ["BEGIN | statement", "insert into T values (1); insert into T values (2) | statement", "COMMIT | commit"],
        [1, 2],
    ),
    (
        _a_pipeline_without_a_transaction,
        ["insert into T values (1) returning n | statement", f"insert into T values (2) | {OWN}"],
        [1, 2],
    ),
    (
        _a_pipeline_that_only_flushes,
        ["insert into T values (1) returning n | statement", f"(Sync) | {OWN}"],
        [1],
    ),
    (_a_statement_that_is_kept, [f"insert into T values ($1) | {OWN}"] * 2, [1, 2]),
]  # fmt: skip


@pytest.mark.parametrize(("says", "seams", "rows"), [pytest.param(*case, id=case[0].__name__) for case in PSYCOPG])
def test_seams_of_psycopg(
    says: Callable[[Connection, Table], None],
    seams: list[str],
    rows: list[int],
    proxy: Proxy,
    dsn: str,
    table: Table,
) -> None:
    watch = proxy.begin()
    with psycopg.connect(dsn, autocommit=True) as connection:
        says(connection, table)
    assert told(watch, table) == seams
    assert table.rows() == rows


async def _execute(c: asyncpg.Connection, t: Table) -> None:
    await c.execute(t.insert(1))


async def _execute_with_values(c: asyncpg.Connection, t: Table) -> None:
    await c.execute(f"insert into {t.name} values ($1)", 1)


async def _in_a_transaction(c: asyncpg.Connection, t: Table) -> None:
    async with c.transaction():
        await c.execute(f"insert into {t.name} values ($1)", 1)
        assert [row["n"] for row in await c.fetch(f"select n from {t.name}")] == [1]


async def _many(c: asyncpg.Connection, t: Table) -> None:
    await c.executemany(f"insert into {t.name} values ($1)", [(1,), (2,)])


async def _cursor(c: asyncpg.Connection, t: Table) -> None:
    async with c.transaction():
        cursor = await c.cursor("select generate_series(1, 3)")
        assert len(await cursor.fetch(2)) == 2


async def _refused_when_prepared(c: asyncpg.Connection, t: Table) -> None:
    with pytest.raises(asyncpg.UndefinedColumnError):
        await c.fetch(f"select missing from {t.name}")
    await c.execute(t.insert(1))


async def _refused_when_executed(c: asyncpg.Connection, t: Table) -> None:
    with pytest.raises(asyncpg.DivisionByZeroError):
        await c.fetch("select 1 / $1::int", 0)


async def _copied(c: asyncpg.Connection, t: Table) -> None:
    await c.copy_records_to_table(t.name, records=[(1,), (2,)])


ASYNCPG: list[tuple[Callable[[asyncpg.Connection, Table], Awaitable[None]], list[str], list[int]]] = [
    (_execute, [f"insert into T values (1) | {OWN}"], [1]),
    (_execute_with_values, [f"insert into T values ($1) | {OWN}"], [1]),
    (
        _in_a_transaction,
        ["BEGIN | statement", "insert into T values ($1) | statement", "select n from T | statement",
         "COMMIT | commit"],
        [1],
    ),
    (_many, [f"insert into T values ($1); insert into T values ($1) | {OWN}"], [1, 2]),
    (_cursor, ["BEGIN | statement", "select generate_series(1, 3) | statement", "COMMIT | commit"], []),
    (_refused_when_prepared, [f"insert into T values (1) | {OWN}"], [1]),
    (_refused_when_executed, [f"select 1 / $1::int | {OWN} -> {FAILED}"], []),
    (_copied, [f'COPY "T" FROM STDIN (FORMAT binary) | {OWN}'], [1, 2]),
]  # fmt: skip


@pytest.mark.parametrize(("says", "seams", "rows"), [pytest.param(*case, id=case[0].__name__) for case in ASYNCPG])
def test_seams_of_asyncpg(
    says: Callable[[asyncpg.Connection, Table], Awaitable[None]],
    seams: list[str],
    rows: list[int],
    proxy: Proxy,
    parts: dict[str, str],
    table: Table,
) -> None:
    watch = proxy.begin()

    async def session() -> None:
        host, port = proxy.address
        connection = await asyncpg.connect(
            host=host, port=port, user=parts["user"], password=parts["password"], database=parts["dbname"]
        )
        await says(connection, table)
        await connection.close()

    asyncio.run(session())
    assert told(watch, table) == seams
    assert table.rows() == rows
