"""The open connections of the server, so that one of them can be reset as a broken network does it."""

import asyncio
from dataclasses import dataclass, field

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import get_remote_addr

from ..resets import reset_on_close

_Address = tuple[str, int]


class Connections:
    """Knows each open connection by the address of its client. One that is gone already needs nothing done to it."""

    def __init__(self) -> None:
        self._open: dict[_Address, _Connection] = {}

    def reset(self, client: _Address) -> None:
        """Reset the connection: its client reads ECONNRESET."""
        if client in self._open:
            transport = self._open[client].transport
            reset_on_close(transport.get_extra_info("socket"))
            transport.abort()

    async def close(self, client: _Address) -> None:
        """Close the connection in the middle of an answer: its client reads what was sent, and then the end.

        Returns when it is gone: once the client has read that, or has gone itself.
        """
        if client in self._open:
            connection = self._open[client]
            connection.transport.close()
            await connection.gone.wait()

    def protocol(self) -> type[asyncio.Protocol]:
        """An HTTP protocol for uvicorn that enters its connection here."""
        connections = self._open

        class Entered(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
                super().connection_made(transport)
                self._client = get_remote_addr(transport)
                if self._client is not None:
                    connections[self._client] = _Connection(transport)

            def connection_lost(self, exc: Exception | None) -> None:
                if self._client is not None:
                    connections.pop(self._client).gone.set()  # before who answers is stopped for want of a client
                super().connection_lost(exc)

        return Entered


@dataclass(frozen=True, slots=True)
class _Connection:
    transport: asyncio.Transport
    gone: asyncio.Event = field(default_factory=asyncio.Event)
