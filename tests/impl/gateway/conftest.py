"""One gateway in front of the installation of these tests."""

from collections.abc import Iterator

import psycopg
import pytest

from keepfact.impl.store import Store

from .served import Client, served


@pytest.fixture(scope="session")
def client(store: Store, admin: psycopg.Connection) -> Iterator[Client]:
    with served(store, poll_seconds=0.02, requests_per_second=1e6, requests_burst=10**6) as opened:
        yield opened
