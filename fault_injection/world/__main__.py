"""One process: `python -m keepfact.fault_injection.world --ledger FILE`.

Prints one line of JSON with its `url` when it is ready, and ends when its standard input closes, so that it never
outlives whoever started it.
"""

import argparse
import asyncio
import json
import socket
import sys
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from .connections import Connections
from .control import Control
from .gates import Gates
from .ledger import Ledger
from .mcp_server import McpServer
from .model_server import ModelServer
from .tool_server import ToolServer
from .traffic import Traffic

KEEP_ALIVE_SECONDS = 86_400
"""An idle connection that is closed just as it is used again would be a fault that nobody ordered."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m keepfact.fault_injection.world", description=__doc__)
    parser.add_argument("--ledger", type=Path, required=True, help="a new file for the ledger of truth")
    asyncio.run(_serve(parser.parse_args().ledger))


async def _serve(ledger: Path) -> None:
    connections = Connections()
    app = _app(Ledger(ledger), connections)
    config = uvicorn.Config(
        app,
        http=connections.protocol(),
        ws="none",
        lifespan="off",
        log_level="error",
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )
    server = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    # asyncio does this only for connections that say their protocol, and those of a given listener do not: the second
    # part of an answer would wait for the client to acknowledge the first, up to 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    serving = asyncio.create_task(server.serve([listener]))
    while not server.started:
        await asyncio.sleep(0.005)
    print(json.dumps({"url": f"http://127.0.0.1:{listener.getsockname()[1]}"}), flush=True)
    await _end_of_input()
    server.should_exit = server.force_exit = True  # held requests are not waited for
    await serving


def _app(ledger: Ledger, connections: Connections) -> Starlette:
    """The servers stand at the root, and for each run at an address of its own, so that requests tell their run."""
    gates = Gates()
    traffic = Traffic(ledger, gates, connections)
    model = ModelServer(traffic)
    tools = ToolServer(traffic)
    outside = [*model.routes, *tools.routes, *McpServer(traffic, tools).routes]
    return Starlette(routes=[*outside, Mount("/for/{run}", routes=outside), *Control(gates, model).routes])


async def _end_of_input() -> None:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(4096):
        pass


if __name__ == "__main__":
    main()
