"""The world goes on whatever its clients do, and leaves nothing of them behind."""

import asyncio
import json
import re
import resource
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx
import pytest

from keepfact.conformance.listening import bound
from keepfact.fault_injection.resets import reset_on_close
from keepfact.fault_injection.waiting import wait_until
from keepfact.fault_injection.world.client import World
from keepfact.fault_injection.world.gates import GateKind
from keepfact.fault_injection.world.ledger import Endpoint, Happened, Ledger
from keepfact.fault_injection.world.script import PAYS_AN_INVOICE, Reply
from keepfact.fault_injection.world.serving import serve
from keepfact.spec.vocabulary import RunId

from .conftest import Caller

MEBIBYTE = 2**20
LARGE = 100_000_000
CONNECTIONS = 10_000
SPARE = 100
"""Descriptors that we need for other things."""

HALVES = (
    b"",
    b"POST /tools/pay HT",
    b"POST /tools/pay HTTP/1.1\r\nHost: world\r\nIdempot",
    b"POST /tools/pay HTTP/1.1\r\nHost: world\r\nIdempotency-Key: k\r\nContent-Length: 20\r\n\r\n{\"half\"",
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: world\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"mes",
    b"PUT /scripts/nobody HTTP/1.1\r\nHost: world\r\nContent-Length: 20\r\n\r\n[",
)  # fmt: skip
"""Requests of which the rest never comes."""


@pytest.fixture
def sockets_at_once() -> Iterator[int]:
    """How many we may hold open: ten thousand, or what the limit for descriptors allows, which is raised for that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield CONNECTIONS if hard == resource.RLIM_INFINITY else min(CONNECTIONS, hard - SPARE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def without_a_trace(world: World) -> Iterator[None]:
    """Afterwards the world serves as before, and its process has no more descriptors and threads; nor complaints."""
    before = _descriptors(world), _threads(world)
    yield
    assert _serves(world)
    wait_until(lambda: (_descriptors(world), _threads(world)) == before, f"the world has {before} again")


def test_ten_thousand_come_with_half_a_request_and_stay(
    world: World, caller: Caller, sockets_at_once: int, without_a_trace: None
) -> None:
    for first in range(0, CONNECTIONS, sockets_at_once):
        with _open(world, min(sockets_at_once, CONNECTIONS - first)) as connections:
            for number, half in zip(range(len(connections)), HALVES * CONNECTIONS, strict=False):
                connections[number].sendall(half)
            _all_are_accepted(world, len(connections))
            assert caller.use("pay", caller.id(f"beside-{first}")).status_code == 200


def _all_are_accepted(world: World, amount: int) -> None:
    wait_until(lambda: _descriptors(world) >= amount, f"the world has accepted {amount}")


@contextmanager
def _open(world: World, amount: int) -> Iterator[list[socket.socket]]:
    url = httpx.URL(world.url)
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_connection((url.host, url.port or 0), 20)) for _ in range(amount)]


def _serves(world: World) -> bool:
    asked = {"messages": [{"role": "user", "content": "What is due?"}]}
    return httpx.post(f"{world.url}/v1/chat/completions", json=asked, trust_env=False).status_code == 200


def _descriptors(world: World) -> int:
    return len(list(Path(f"/proc/{world.pid}/fd").iterdir()))


def _threads(world: World) -> int:
    return len(list(Path(f"/proc/{world.pid}/task").iterdir()))
