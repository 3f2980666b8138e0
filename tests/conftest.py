"""One PostgreSQL server for each pytest process, from wherever the environment says."""

import signal
from collections.abc import Iterator

import pytest

from keepfact.impl.server import Server, postgres_server


def pytest_configure() -> None:
    """Started in the background or by nohup we ignore signals, and so does all that we start, in tests of them too."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL, signal.SIGTERM: signal.SIG_DFL}
    for number, handler in usual.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with postgres_server() as started:
        yield started
