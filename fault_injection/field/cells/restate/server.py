"""The server, and in front of the workers of each release one address, as a load balancer gives it.

A new connection goes to the worker of the release that came last.
"""

import asyncio
import json
import os
import socket
from pathlib import Path

from outside import free_port

SETTINGS = {
    "RESTATE_LISTEN_MODE": "tcp",
    "RESTATE_BIND_IP": "127.0.0.1",
    "RESTATE_ADVERTISED_HOST": "127.0.0.1",
    "RESTATE_NODE_NAME": "field",
    "RESTATE_LOG_FILTER": "warn",
    "RESTATE_DEFAULT_RETRY_POLICY__MAX_INTERVAL": "2s",
    "RESTATE_WORKER__INVOKER__INACTIVITY_TIMEOUT": "2s",
    "RESTATE_WORKER__INVOKER__ABORT_TIMEOUT": "1s",
    "RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL": "1s",
    "RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT": "1s",
}
PORTS = ("RESTATE_BIND_PORT", "RESTATE_INGRESS__BIND_PORT", "RESTATE_ADMIN__BIND_PORT")


async def main():
    ports = {name: free_port() for name in PORTS}
    environment = {**os.environ, **SETTINGS, **{name: str(port) for name, port in ports.items()}}
    server = await asyncio.create_subprocess_exec(
        os.environ["KEEPFACT_FIELD_HOME"] + "/node_modules/.bin/restate-server",
        "--no-logo",
        "--base-dir",
        str(Path("restate-data").absolute()),
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=2,
    )
    addresses = {}
    for release in (1, 2):
        listening = await asyncio.start_server(lambda *ends, to=release: forward(to, *ends), "127.0.0.1", 0)
        addresses[f"FIELD_RESTATE_ADDRESS_{release}"] = str(listening.sockets[0].getsockname()[1])
    for name in PORTS[1:]:
        await listens(ports[name])
    given = {
        "FIELD_RESTATE_INGRESS": f"http://127.0.0.1:{ports[PORTS[1]]}",
        "FIELD_RESTATE_ADMIN": f"http://127.0.0.1:{ports[PORTS[2]]}",
        **addresses,
    }
    print(json.dumps({"environment": given}), flush=True)
    await server.wait()


async def listens(port):
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            await asyncio.sleep(0.05)


async def forward(release, reader, writer):
    try:
        port = int(Path(f"worker-of-release-{release}").read_text())
        there, back = await asyncio.open_connection("127.0.0.1", port)
    except (OSError, ValueError):
        writer.close()
        return
    await asyncio.gather(carry(reader, back), carry(there, writer))


async def carry(reader, writer):
    try:
        while some := await reader.read(65536):
            writer.write(some)
            await writer.drain()
    except OSError:
        pass
    writer.close()


asyncio.run(main())
