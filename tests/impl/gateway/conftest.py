"""One gateway in front of an installation that trusts it, and in which the tenants of its tokens were founded."""

from collections.abc import Iterator

import psycopg
import pytest

from keepfact.impl.installation import Installation
from keepfact.impl.server import Server
from keepfact.impl.store import Store

from .served import STRANGER, TENANTS, Client, client_of, served


@pytest.fixture(scope="session")
def installation(server: Server) -> Iterator[Installation]:
    with Installation.create(server.dsn) as created, created.admin_connection() as admin:
        for tenant in TENANTS:
            created.found_tenant(admin, tenant)
        created.trust_logins(admin)
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


@pytest.fixture(scope="session")
def client(store: Store, admin: psycopg.Connection) -> Iterator[Client]:
    with served(store, poll_seconds=0.02, requests_per_second=1e6, requests_burst=10**6) as opened:
        yield opened


@pytest.fixture(scope="session")
def stranger(client: Client) -> Iterator[Client]:
    """The same gateway, as another tenant sees it."""
    with client_of(str(client.base_url), STRANGER) as opened:
        yield opened
