"""The open connections of the server, so that one of them can be reset as a broken network does it."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import get_remote_addr

from ..resets import reset_on_close

_Address = tuple[str, int]


class Connections:
    """Knows each open connection by the address of its client."""

    def __init__(self) -> None:
        self._transports: dict[_Address, asyncio.Transport] = {}

    def reset(self, client: _Address) -> None:
        """Reset the connection: its client reads ECONNRESET."""
        transport = self._transports[client]
        reset_on_close(transport.get_extra_info("socket"))
        transport.abort()

    async def close(self, client: _Address) -> None:
        """Close the connection in the middle of an answer: its client reads what was sent, and then the end."""
        self._transports[client].close()
        while client in self._transports:
            await asyncio.sleep(0)

    def protocol(self) -> type[asyncio.Protocol]:
        """An HTTP protocol for uvicorn that enters its connection here."""
        transports = self._transports

        class Entered(H11Protocol):
            def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
                super().connection_made(transport)
                self._client = get_remote_addr(transport)
                if self._client is not None:
                    transports[self._client] = transport

            def connection_lost(self, exc: Exception | None) -> None:
                super().connection_lost(exc)
                if self._client is not None:
                    transports.pop(self._client, None)

        return Entered
