"""One installation for the tests of this folder, its clock standing still; each test has runs of its own in it."""

from collections.abc import Iterator

import psycopg
import pytest

from keepfact.impl.installation import Installation
from keepfact.impl.server import Server
from keepfact.impl.store import Store

from .driving import Driver


@pytest.fixture(scope="session")
def installation(server: Server) -> Iterator[Installation]:
    with Installation.create(server.dsn) as created:
        yield created


@pytest.fixture(scope="session")
def admin(installation: Installation) -> Iterator[psycopg.Connection]:
    with installation.admin_connection() as connection:
        connection.execute("update keepfact.settings set frozen_at = clock_timestamp()")
        yield connection


@pytest.fixture(scope="session")
def store(installation: Installation) -> Iterator[Store]:
    opened = Store(installation.dsns)
    yield opened
    opened.close()


@pytest.fixture
def run(store: Store, admin: psycopg.Connection) -> Driver:
    """A run that is not admitted yet."""
    return Driver(store, admin)
