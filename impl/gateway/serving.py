"""Serving the gateway: a listener, the signals, and what a stream needs to know of its connection."""

import asyncio
import logging
import socket

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import BadSettingsError
from .app import Gateway
from .settings import GatewaySettings

log = logging.getLogger("keepfact.gateway")


def serve(gateway: Gateway, settings: GatewaySettings) -> None:
    """Until SIGTERM or SIGINT: then the streams are ended, what is under way is answered, and no more is taken."""
    listener = open_listener(settings.host, settings.port)
    host, port = listener.getsockname()[:2]
    place = f"[{host}]" if ":" in host else host
    log.info("serving", extra={"fields": {"url": f"http://{place}:{port}"}})
    config = uvicorn.Config(
        gateway,
        http=Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=round(settings.limits.stop_seconds),
    )
    asyncio.run(Server(config, gateway).serve([listener]))


def open_listener(host: str, port: int) -> socket.socket:
    """Raises BadSettingsError when the place is taken."""
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        # asyncio does this only for connections that say their protocol, and those of a given listener do not: the
        # second part of an answer would wait for the client to acknowledge the first, up to 40 ms.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        raise BadSettingsError(
            expected=f"to listen on {host}:{port}",
            seen=f"that is not possible: {error.strerror or error}",
            next_step="Set KEEPFACT_HOST and KEEPFACT_PORT otherwise.",
        ) from None


class Server(uvicorn.Server):
    """A server that ends the streams when it is asked to stop, and then exits with 0."""

    def __init__(self, config: uvicorn.Config, gateway: Gateway) -> None:
        super().__init__(config)
        self._gateway = gateway

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Streams would be waited for."""
        self._gateway.end_streams()
        await super().shutdown(sockets)
        self._captured_signals.clear()  # it was heard: raised again, the signal would look like a death


class Protocol(H11Protocol):
    """Lets an answer know its connection, so that it can be ended at once when its client takes nothing."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        self.app_state = {**self.app_state, "transport": transport}
        super().connection_made(transport)
