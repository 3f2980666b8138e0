"""The bare limit: a loop that commits one row, by the same driver as ours and with nothing else around it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from psycopg import sql

from keepfact.impl.connect import connect, with_parts
from keepfact.impl.prepared import ask

INSERT = "insert into bare (payload) values ($1::text) returning payload"


@contextmanager
def set_up(server_dsn: str) -> Iterator[str]:
    """A database of its own, so that nobody shares a table with it."""
    with own_database(server_dsn, "keepfact_bench_bare") as dsn:
        with connect(dsn) as connection:
            connection.execute(
                "create table bare (number bigint generated always as identity primary key, payload text)"
            )
        yield dsn


@contextmanager
def worker(dsn: str) -> Iterator[Callable[[int], None]]:
    """Commits so many rows, one a statement, prepared once."""
    with connect(dsn) as connection:
        names: dict[str, bytes] = {}

        def work(steps: int) -> None:
            for number in range(steps):
                ask(connection, names, INSERT, [str(number)])

        yield work


@contextmanager
def own_database(server_dsn: str, name: str) -> Iterator[str]:
    """An empty database on the server, dropped afterwards."""
    with connect(server_dsn) as admin:
        admin.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
        try:
            yield with_parts(server_dsn, dbname=name)
        finally:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
