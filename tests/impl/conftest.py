"""Installations for the tests of this folder, their clocks standing still; each test has runs of its own in one."""

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from keepfact.impl.installation import Installation
from keepfact.impl.lease import Heartbeat
from keepfact.impl.server import Server
from keepfact.impl.store import Identity, Store

from .driving import Driver, fresh
from .outside_world import outside_world
from .side_by_side import Meeting
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
def trusted(server: Server) -> Iterator[Installation]:
    """Another installation, whose logins may say for whom they ask."""
    with Installation.create(server.dsn) as created, created.admin_connection() as admin:
        created.trust_logins(admin)
        admin.execute("update keepfact.settings set frozen_at = clock_timestamp()")
        yield created


@pytest.fixture(scope="session")
def trusted_admin(trusted: Installation) -> Iterator[psycopg.Connection]:
    with trusted.admin_connection() as connection:
        yield connection


@pytest.fixture(scope="session")
def trusted_store(trusted: Installation) -> Iterator[Store]:
    opened = Store(trusted.dsns)
    yield opened
    opened.close()


@pytest.fixture
def alone(trusted: Installation, trusted_admin: psycopg.Connection, trusted_store: Store) -> Driver:
    """A run that is not admitted yet, in a tenant that nobody else has runs, bundles or sources in."""
    tenant = fresh("tenant")
    trusted.found_tenant(trusted_admin, tenant)
    trusted_admin.execute("update keepfact.settings set schema_oldest = 1, schema_newest = 1")
    return Driver(trusted_store.speaking_for(Identity(tenant, "principal")), trusted_admin)


@pytest.fixture
def other(trusted: Installation, trusted_admin: psycopg.Connection) -> Identity:
    """Somebody of another tenant."""
    tenant = fresh("tenant")
    trusted.found_tenant(trusted_admin, tenant)
    return Identity(tenant, "stranger")


@pytest.fixture
def meeting(trusted: Installation, trusted_admin: psycopg.Connection) -> Meeting:
    """Lets commands of `alone` meet."""
    return Meeting(trusted, trusted_admin)


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
        identity = Identity(tenant, "worker")
        with closing(Heartbeat(shared.dsns["work"], identity)) as heartbeat:
            yield Team(store.speaking_for(identity), admin, world, tenant, heartbeat)
    store.close()
