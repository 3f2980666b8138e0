"""A proxy for each test, in front of the server of all tests, and a table of its own."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest
from psycopg import conninfo

from keepfact.fault_injection.pgwire import Proxy, Seam, Upstream, Watch
from keepfact.impl.server import Server

from .raw import Raw

OWN = "statement that is its own commit"
FAILED = "statement that failed"
"""Kinds of what happens between two seams, as they are told."""

_NUMBERS = itertools.count(1)


@dataclass
class Table:
    """Looked at directly, past the proxy."""

    name: str
    direct: psycopg.Connection

    def rows(self) -> list[int]:
        return [row[0] for row in self.direct.execute(f"select n from {self.name} order by n")]  # type: ignore[arg-type]

    def insert(self, *numbers: int) -> str:
        return f"insert into {self.name} values " + ", ".join(f"({number})" for number in numbers)


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    with Proxy(Upstream.of(server.dsn)) as proxy:
        yield proxy
        assert proxy.troubles == {}


@pytest.fixture
def dsn(proxy: Proxy, server: Server) -> str:
    return proxy.through(server.dsn)


@pytest.fixture
def parts(server: Server) -> dict[str, str]:
    return {name: str(value) for name, value in conninfo.conninfo_to_dict(server.dsn).items()}


@pytest.fixture
def table(server: Server) -> Iterator[Table]:
    name = f"pgwire_{next(_NUMBERS)}"
    with psycopg.connect(server.dsn, autocommit=True) as direct:
        direct.execute(f"create table {name} (n integer primary key)")  # type: ignore[arg-type]
        yield Table(name, direct)
        direct.execute(f"drop table {name}")  # type: ignore[arg-type]


@pytest.fixture
def raw(proxy: Proxy, parts: dict[str, str]) -> Iterator[Raw]:
    with Raw(proxy.address, parts) as raw:
        yield raw


def told(watch: Watch, table: Table) -> list[str]:
    """The seams in pairs: the statement, what was foreseen of it, and what came of it if that is something else.

    The table is called T there.
    """
    seams = watch.seams
    assert [seam.number for seam in seams] == list(range(1, len(seams) + 1))
    return [_pair(*seams[place : place + 2]).replace(table.name, "T") for place in range(0, len(seams), 2)]


def _pair(before: Seam, after: Seam) -> str:
    assert (before.side, after.side, before.statement) == ("before", "after", after.statement)
    came = "" if after.kind is before.kind else f" -> {after.kind}"
    return f"{before.statement} | {before.kind}{came}"
