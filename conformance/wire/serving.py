"""Serves an adapter on a socket, until it is asked to stop."""

import asyncio
import socket
from collections.abc import Callable

import uvicorn

from keepfact.conformance.listening import bound, url_of
from keepfact.conformance.system import System

from .app import Adapter

IDLE_SECONDS = 3_600
"""So long a connection is kept open between two questions: the harness may have to think."""


def serve(system: System, listen: str, tell: Callable[[str], None]) -> None:
    """Until SIGTERM or SIGINT. `listen` is host:port, 0 for whichever port is free; `tell` is told the URL."""
    listener = bound(listen)
    tell(url_of(listener))
    config = uvicorn.Config(
        Adapter(system),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=1,
    )
    asyncio.run(_Server(config).serve([listener]))


class _Server(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """In good order: the signal was heard, and raised again it would look like a fault."""
        await super().shutdown(sockets)
        self._captured_signals.clear()
