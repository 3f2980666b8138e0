"""Adapters of Python systems: `keepfact adapter` in a process of its own, or the same application in a thread."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from keepfact.conformance.system import System
from keepfact.conformance.wire.app import Adapter

PATIENCE_SECONDS = 60


@contextmanager
def adapter_process(system: str) -> Iterator[str]:
    """The URL that it prints. It ends with 0 when it is asked to."""
    process = subprocess.Popen(
        [sys.executable, "-m", "keepfact", "adapter", "--system", system],
        cwd=Path(__file__).parents[1],
        env={name: value for name, value in os.environ.items() if not name.startswith("KEEPFACT_")},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0


@contextmanager
def adapter_thread(system: System) -> Iterator[str]:
    """The URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(Adapter(system), ws="none", lifespan="off", log_config=None))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()
