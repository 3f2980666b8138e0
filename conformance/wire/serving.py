"""Serves an adapter on a socket, until it is asked to stop."""

import asyncio
import socket
from collections.abc import Callable

import uvicorn

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.system import System

from .app import Adapter

IDLE_SECONDS = 3_600
"""So long a connection is kept open between two questions: the harness may have to think."""


def serve(system: System, listen: str, tell: Callable[[str], None]) -> None:
    """Until SIGTERM or SIGINT. `listen` is host:port, 0 for whichever port is free; `tell` is told the URL."""
    listener = _listener(listen)
    host, port = listener.getsockname()[:2]
    tell(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")
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


def _listener(listen: str) -> socket.socket:
    host, _, port = listen.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    try:
        number = int(port)
        listener = socket.create_server((host, number), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, ValueError, OverflowError) as error:
        raise KeepfactError(
            f"expected to listen on host:port, as 127.0.0.1:0, but on {listen!r} that is not possible: {error}. "
            "Correct --listen."
        ) from None
    # asyncio does so only for connections of a listener of its own: an answer in two parts would wait for an
    # acknowledgement in between, up to 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
