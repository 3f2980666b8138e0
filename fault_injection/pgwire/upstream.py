"""Where the real server is: a TCP address, or a Unix socket."""

import asyncio
import socket
from dataclasses import dataclass

import psycopg
from psycopg import conninfo

from keepfact.conformance.errors import KeepfactError

PORT = 5432
"""Where PostgreSQL listens unless told otherwise."""


class BadUpstreamError(KeepfactError):
    """The connection string does not say where one server is; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """A server. `host` is a name or an address, or the directory of a Unix socket, as in a connection string."""

    host: str
    port: int = PORT

    @classmethod
    def of(cls, dsn: str) -> "Upstream":
        """The server that a connection string of libpq leads to. Raises BadUpstreamError if it does not say which."""
        parts = _parts(dsn)
        host, port = parts.get("hostaddr") or parts.get("host", ""), parts.get("port") or str(PORT)
        if not host or "," in host or not port.isdigit():
            raise BadUpstreamError(
                "expected a connection string with one host and one port, so that a proxy can stand in front of it; "
                f"seen: host {host or 'not given'}, port {port}. Name the host; for a socket, its directory."
            )
        return cls(host, int(port))

    async def connect(self) -> socket.socket:
        """A connection of bytes, not blocking. Raises OSError."""
        loop = asyncio.get_running_loop()
        if self.host.startswith("/"):
            return await _connected(socket.AF_UNIX, f"{self.host}/.s.PGSQL.{self.port}")
        found = await loop.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        error = OSError(f"no address of {self.host} was found")
        for family, _, _, _, address in found:
            try:
                return await _connected(family, address)
            except OSError as seen:
                error = seen
        raise error


def led_to(dsn: str, host: str, port: int) -> str:
    """The same connection string, leading there, without encryption: a proxy that reads cannot offer it."""
    parts = {name: value for name, value in _parts(dsn).items() if name != "hostaddr"}
    return conninfo.make_conninfo(
        "", **{**parts, "host": host, "port": str(port), "sslmode": "disable", "gssencmode": "disable"}
    )


def _parts(dsn: str) -> dict[str, str]:
    try:
        return {name: str(value) for name, value in conninfo.conninfo_to_dict(dsn).items()}
    except psycopg.ProgrammingError:
        raise BadUpstreamError(
            "expected a PostgreSQL connection string such as host=127.0.0.1 port=5432 dbname=postgres, but what was "
            "given cannot be read as one. Special characters in a password are percent-encoded in a URL."
        ) from None  # the original message repeats the string, and so a password in it


async def _connected(family: int, address: object) -> socket.socket:
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)
        if family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(connection, address)  # type: ignore[arg-type]  # as its family's
    except BaseException:
        connection.close()
        raise
    return connection
