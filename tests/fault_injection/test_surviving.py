"""The world goes on whatever its clients do, and leaves nothing of them behind."""

import asyncio
import re
import resource
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from keepfact.conformance.listening import bound
from keepfact.fault_injection.resets import reset_on_close
from keepfact.fault_injection.waiting import wait_until, wait_until_readable
from keepfact.fault_injection.world.client import World
from keepfact.fault_injection.world.connections import Connections
from keepfact.fault_injection.world.gates import GateKind
from keepfact.fault_injection.world.ledger import Endpoint, Happened, Ledger
from keepfact.fault_injection.world.script import Reply
from keepfact.fault_injection.world.serving import serve
from keepfact.spec.vocabulary import RunId

from .conftest import Caller

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at processes in /proc")

CONNECTIONS = 10_000
SPARE = 200
"""Descriptors that we need for other things."""

FEW = 256
"""As many descriptors as some systems give a process that asks for no more."""

SAYS_LITTLE = (Reply(text="", cost_cents=1),)
MEBIBYTE = 2**20
LARGE = 100 * MEBIBYTE

NOBODY = RunId("nobody")
HALVES = (
    b"",
    b"POST /tools/pay HT",
    b"POST /tools/pay HTTP/1.1\r\nHost: world\r\nIdempot",
    b'POST /tools/pay HTTP/1.1\r\nHost: world\r\nIdempotency-Key: nobody:op\r\nContent-Length: 20\r\n\r\n{"half"',
    b'POST /for/nobody/v1/chat/completions HTTP/1.1\r\nHost: world\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"mes',
    b"PUT /scripts/nobody HTTP/1.1\r\nHost: world\r\nContent-Length: 20\r\n\r\n[",
)
"""Requests of which the rest never comes."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Started with few descriptors allowed, though more may be had for the asking."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FEW, soft), hard))
    with World() as world:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        world.set_script(NOBODY, SAYS_LITTLE)  # the connection for this stays open
        yield world


@pytest.fixture
def without_a_trace(world: World) -> Iterator[None]:
    """Afterwards the world serves as before, and its process has no more descriptors and threads, and no complaint."""
    before, said = _held_by(world), world.complaints
    yield
    assert _serves(world)
    wait_until(lambda: _held_by(world) == before, f"the world has {before} descriptors and threads again")
    assert world.complaints == said


def test_ten_thousand_come_with_half_a_request_and_stay(without_a_trace: None, world: World) -> None:
    with _as_many_sockets_as_may_be() as at_once:
        for first in range(0, CONNECTIONS, at_once):
            with _connected(world, min(at_once, CONNECTIONS - first)) as connections:
                for number, connection in enumerate(connections):
                    connection.sendall(HALVES[number % len(HALVES)])
                assert _serves(world)  # on a connection that stood behind all of these
                assert _held_by(world)[0] > len(connections)


def test_who_vanishes_in_the_midst_of_a_request_has_asked_nothing(without_a_trace: None, world: World) -> None:
    before = _held_by(world)
    with _connected(world, 50 * len(HALVES)) as connections:
        for number, connection in enumerate(connections):
            connection.sendall(HALVES[number % len(HALVES)])
            if number % 2:
                reset_on_close(connection)
    wait_until(lambda: _held_by(world) == before, "all are gone")
    assert not world.entries(NOBODY)


@pytest.mark.parametrize("kind", [GateKind.HOLD_BEFORE_ACTING, GateKind.ACT_THEN_HOLD])
def test_who_vanishes_while_held_has_asked_and_is_cut(
    kind: GateKind, without_a_trace: None, world: World, caller: Caller
) -> None:
    gate = world.set_gate(Endpoint.TOOL, kind, run=caller.run)
    with _asking(caller, "tools/pay", "{}") as connection:
        gate.wait_until_reached()
        reset_on_close(connection)
    gate.open()
    wait_until(lambda: world.is_quiet(caller.run), "the request has come to its end")
    assert _fates(caller) == [Happened.ARRIVED, Happened.ACTED, Happened.CUT]


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        (None, '{"messages": []}'),
        (None, '{"messages": [], "stream": true}'),
        (GateKind.ACT_THEN_HALF, '{"messages": []}'),
    ],
    ids=["whole", "streamed", "half"],
)
def test_who_vanishes_in_the_midst_of_an_answer_leaves_nothing_of_it(
    kind: GateKind | None, asked: str, without_a_trace: None, world: World, caller: Caller
) -> None:
    world.set_script(caller.run, (Reply(text="What is due? " * MEBIBYTE, cost_cents=1),))
    gate = None if kind is None else world.set_gate(Endpoint.MODEL, kind, run=caller.run)
    with _asking(caller, "v1/chat/completions", asked) as connection:
        assert connection.recv(8) == b"HTTP/1.1"
        reset_on_close(connection)
    wait_until(lambda: world.is_quiet(caller.run), "the request has come to its end")
    if gate is not None:
        gate.wait_until_reached()
        assert _fates(caller)[-1] is Happened.CUT


def test_a_large_answer_takes_the_room_of_a_few_like_it(without_a_trace: None, world: World, caller: Caller) -> None:
    world.set_script(caller.run, (Reply(text="x" * LARGE, cost_cents=1),))
    with _memory_of(world, grows_by_at_most=4 * LARGE):
        for stream in (False, True):
            assert len(caller.ask(stream=stream).content) > LARGE
    world.set_script(caller.run, SAYS_LITTLE)


def test_a_large_stream_waits_for_its_readers_and_takes_no_room(
    without_a_trace: None, world: World, caller: Caller
) -> None:
    world.set_script(caller.run, (Reply(text="x " * (LARGE // 4), cost_cents=1),))
    with _memory_of(world, grows_by_at_most=LARGE // 10), ExitStack() as unread:
        for _ in range(10):
            asking = _asking(caller, "v1/chat/completions", '{"messages": [], "stream": true}')
            wait_until_readable("the stream begins", unread.enter_context(asking))
        assert _serves(world)
    world.set_script(caller.run, SAYS_LITTLE)


def test_large_requests_are_read_and_let_go(without_a_trace: None, world: World, caller: Caller) -> None:
    large = b'{"note": "' + b"x" * LARGE + b'"}'
    with _memory_of(world, grows_by_at_most=5 * LARGE):
        for key in "aa":
            headers = {"Idempotency-Key": caller.id(key)}
            answer = httpx.post(f"{caller.url}/tools/pay", content=large, headers=headers, trust_env=False, timeout=60)
            assert answer.status_code == 200
    assert world.is_quiet(caller.run)


def test_a_world_without_descriptors_lets_others_wait_and_says_so_once(world: World) -> None:
    limit = resource.prlimit(world.pid, resource.RLIMIT_NOFILE)
    assert limit[0] > FEW
    resource.prlimit(world.pid, resource.RLIMIT_NOFILE, (_held_by(world)[0] + 90, limit[1]))
    with _connected(world, 100):
        wait_until(lambda: "all" in world.complaints, "the world says that it has none left")
    assert _serves(world)
    resource.prlimit(world.pid, resource.RLIMIT_NOFILE, limit)
    assert len(world.complaints.splitlines()) == 1


def test_a_connection_that_is_gone_needs_neither_a_reset_nor_an_end() -> None:
    nobody = ("127.0.0.1", 1)
    Connections().reset(nobody)
    asyncio.run(Connections().close(nobody))


def test_no_task_is_left_of_clients_that_have_vanished(tmp_path: Path) -> None:
    asyncio.run(_vanish_from_a_world_in_our_own_loop(Ledger(tmp_path / "ledger")))


async def _vanish_from_a_world_in_our_own_loop(ledger: Ledger) -> None:
    listener, told, end = bound("127.0.0.1:0"), asyncio.Event(), asyncio.Event()
    port = listener.getsockname()[1]
    serving = asyncio.create_task(serve(ledger, listener, lambda url: told.set(), end.wait))
    await told.wait()
    before = len(asyncio.all_tasks())
    for half in HALVES:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(half)
        await writer.drain()
        writer.close()
    async with asyncio.timeout(20):
        while len(asyncio.all_tasks()) > before:
            await asyncio.sleep(0)
    end.set()
    await serving


@contextmanager
def _as_many_sockets_as_may_be() -> Iterator[int]:
    """How many we may have open: ten thousand, or what the limit for descriptors allows, which is raised for that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + SPARE if hard == resource.RLIM_INFINITY else min(CONNECTIONS + SPARE, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield wanted - SPARE
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def _connected(world: World, amount: int) -> Iterator[list[socket.socket]]:
    url = httpx.URL(world.url)
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_connection((url.host, url.port or 0), 20)) for _ in range(amount)]


@contextmanager
def _asking(caller: Caller, path: str, body: str) -> Iterator[socket.socket]:
    """A request on a connection of its own, of whose answer nothing has been read."""
    with _connected(caller.world, 1) as [connection]:
        head = f"POST {httpx.URL(caller.url).path}/{path} HTTP/1.1\r\nHost: world\r\nIdempotency-Key: {caller.id('op')}"
        connection.sendall(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        yield connection


@contextmanager
def _memory_of(world: World, *, grows_by_at_most: int) -> Iterator[None]:
    Path(f"/proc/{world.pid}/clear_refs").write_text("5")  # the highest is now what it has
    before = _highest_bytes(world)
    yield
    assert _highest_bytes(world) - before < grows_by_at_most


def _highest_bytes(world: World) -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{world.pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def _held_by(world: World) -> tuple[int, int]:
    """Its descriptors and its threads."""
    return tuple(len(list(Path(f"/proc/{world.pid}/{what}").iterdir())) for what in ("fd", "task"))


def _serves(world: World) -> bool:
    asked = {"messages": [{"role": "user", "content": "What is due?"}]}
    return httpx.post(f"{world.url}/v1/chat/completions", json=asked, trust_env=False).status_code == 200


def _fates(caller: Caller) -> list[Happened]:
    return [entry.happened for entry in caller.world.entries(caller.run)]
