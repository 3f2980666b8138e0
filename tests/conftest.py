"""One PostgreSQL server for each pytest process, from wherever the environment says."""

import signal
from collections.abc import Iterator

import pytest

from keepfact.impl.server import Server, postgres_server


def pytest_configure() -> None:
    """A shell that starts us in the background has us ignore Ctrl-C, and so whatever we start, tests of Ctrl-C too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with postgres_server() as started:
        yield started
