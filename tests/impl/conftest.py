"""One installation for the tests of this folder, its clock standing still; each test has runs of its own in it."""

from collections.abc import Iterator

import psycopg
import pytest

from keepfact.impl.installation import Installation
from keepfact.impl.server import Server
from keepfact.impl.store import Identity, Store

from .driving import Driver, fresh
from .outside_world import outside_world
from .team import Team


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


@pytest.fixture(scope="session")
def shared(server: Server) -> Iterator[Installation]:
    """An installation whose logins speak for others, its clock standing still."""
    with Installation.create(server.dsn) as created, created.admin_connection() as admin:
        admin.execute("update keepfact.settings set frozen_at = clock_timestamp()")
        created.trust_logins(admin)
        yield created


@pytest.fixture
def team(shared: Installation) -> Iterator[Team]:
    """A tenant of its own, which sees only its own histories."""
    store, tenant = Store(shared.dsns), fresh("tenant")
    with shared.admin_connection() as admin, outside_world() as world:
        shared.found_tenant(admin, tenant)
        yield Team(store.speaking_for(Identity(tenant, "worker")), admin, world, tenant)
    store.close()
