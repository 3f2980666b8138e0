"""Serves the world: the model, the tools and what controls them, at one address."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount

from keepfact.conformance.listening import url_of

from .connections import Connections
from .control import Control
from .descriptors import PatientListener, allow_many, say_once_that_none_are_left
from .gates import Gates
from .ledger import Ledger
from .mcp_server import McpServer
from .model_server import ModelServer
from .script import PAYS_AN_INVOICE, Script
from .tool_server import ToolServer
from .traffic import Traffic

KEEP_ALIVE_SECONDS = 86_400
"""An idle connection that is closed just as it is used again would be a fault that nobody ordered."""


async def serve(
    ledger: Ledger,
    listener: socket.socket,
    tell: Callable[[str], None],
    end: Callable[[], Awaitable[None]],
    script: Script = PAYS_AN_INVOICE,
) -> None:
    """Until `end`. `tell` is told the URL once it is there. Runs that are given no script of their own follow this."""
    allow_many()
    say_once_that_none_are_left(asyncio.get_running_loop())
    connections = Connections()
    config = uvicorn.Config(
        _app(ledger, connections, script),
        http=connections.protocol(),
        ws="none",
        lifespan="off",
        log_level="error",
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )
    server, patient = uvicorn.Server(config), PatientListener(fileno=listener.detach())
    serving = asyncio.create_task(server.serve([patient]))
    while not server.started:
        await asyncio.sleep(0.005)
    tell(url_of(patient))
    await end()
    server.should_exit = server.force_exit = True  # held requests are not waited for
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # nor complained of
    await serving


def _app(ledger: Ledger, connections: Connections, script: Script) -> Starlette:
    """The servers stand at the root, and for each run at an address of its own, so that requests tell their run."""
    gates = Gates()
    traffic = Traffic(ledger, gates, connections)
    model = ModelServer(traffic, script)
    tools = ToolServer(traffic)
    outside = [*model.routes, *tools.routes, *McpServer(traffic, tools).routes]
    routes = [*outside, Mount("/for/{run}", routes=outside), *Control(gates, model).routes]
    return Starlette(routes=routes, exception_handlers={ClientDisconnect: _answer_nobody})


async def _answer_nobody(_: Request, __: Exception) -> Response:
    """A request whose client vanished before it was whole has not arrived: there is nothing to write down or to say."""
    return Response()
