"""A database of its own for the tests of the witness, on the server of all tests."""

import secrets
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import conninfo, sql

from keepfact.impl.server import Server


@pytest.fixture(scope="module")
def dsn(server: Server) -> Iterator[str]:
    """A connection string for a new database."""
    name = f"witnessed_{secrets.token_hex(4)}"
    with psycopg.connect(server.dsn, autocommit=True) as admin:
        if admin.execute("show wal_level").fetchone() != ("logical",):
            pytest.skip("the server given keeps no logical write-ahead log")
        create = "create database {} template template0 encoding 'UTF8'"
        admin.execute(sql.SQL(create).format(sql.Identifier(name)))
        try:
            yield conninfo.make_conninfo(server.dsn, dbname=name)
        finally:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
def database(dsn: str) -> Iterator[psycopg.Connection]:
    """A connection to it."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection
