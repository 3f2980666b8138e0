"""One PostgreSQL server for each pytest process, from wherever the environment says."""

from collections.abc import Iterator

import pytest

from keepfact.impl.server import Server, postgres_server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with postgres_server() as started:
        yield started
