"""A PostgreSQL whose processes can all be killed, and which starts again on the data that they left."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from keepfact.impl.server import PrivateServer, postgres_server
from keepfact.impl.settings import ServerSettings


@dataclass
class Postgres:
    """One server. What it commits is flushed, so that a kill may lose nothing that was committed."""

    server: PrivateServer
    kills: int = 0

    @property
    def dsn(self) -> str:
        return self.server.dsn

    def start(self) -> None:
        """Start it, and wait until it answers; after a kill that is when it has recovered."""
        self.server.start()

    def kill(self) -> None:
        """SIGKILL to the postmaster and to every process of it, none of which gets to say a word."""
        self.kills += self.server.kill() > 0


@contextmanager
def restartable_postgres() -> Iterator[Postgres]:
    """A server that was started, for as long as the context lasts, and no longer than this process lives."""
    with postgres_server(ServerSettings("embedded")) as server:
        assert isinstance(server, PrivateServer)
        yield Postgres(server)
