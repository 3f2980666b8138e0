"""One address in front of workers that come and go, as a load balancer gives it."""

import asyncio
import os
import threading
from contextlib import suppress
from pathlib import Path


def stand_in_front(port):
    """From now on connections to the port go to the worker whose port is in the file PLACE as they come."""
    threading.Thread(target=asyncio.run, args=(in_front(port),), daemon=True).start()


async def in_front(port):
    async with await asyncio.start_server(forward, "127.0.0.1", port) as server:
        await server.serve_forever()


async def forward(reader, writer):
    """A new connection goes to the worker that came last, as behind a load balancer."""
    with suppress(OSError, ValueError):
        there, back = await asyncio.open_connection("127.0.0.1", int(Path(os.environ["PLACE"]).read_text()))
        await asyncio.gather(carry(reader, back), carry(there, writer))
    writer.close()


async def carry(reader, writer):
    while some := await reader.read(65536):
        writer.write(some)
        await writer.drain()
    writer.close()
