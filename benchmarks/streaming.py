"""Many idle streams on one gateway process: what they cost, and how soon one event reaches all of them.

Prints one line a measure. Linux only: memory and processor time are read from /proc. See `make bench-streaming`.
"""

import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg

from keepfact.impl.installation import TENANT, Installation
from keepfact.impl.server import postgres_server

CLIENTS = 1_000
IDLE_SECONDS = 20
ROUNDS = 5
TOKEN = "a token of the benchmark"
DOORS = ["observe", "submit", "work"]
LARGE = {
    "KEEPFACT_PORT": "0",
    "KEEPFACT_REQUESTS_PER_SECOND": "100000",
    "KEEPFACT_REQUESTS_BURST": "100000",
    "KEEPFACT_LOG": "INFO",
}


def main() -> None:
    """Once with all clients at one run, once with each at a run of its own."""
    with (
        postgres_server() as server,
        Installation.create(server.dsn) as installation,
        installation.admin_connection() as admin,
        tempfile.TemporaryDirectory() as folder,
    ):
        installation.trust_logins(admin)
        admin.execute("update keepfact.settings set lease_seconds = 1000000")  # no lease lapses while we look on
        for runs in (1, CLIENTS):
            with _gateway(installation, Path(folder)) as (process, url):
                asyncio.run(_measure(process.pid, url, admin, runs))


async def _measure(pid: int, url: str, admin: psycopg.Connection, runs: int) -> None:
    names = [f"run-{runs}-{number}" for number in range(runs)]
    async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as client:
        for name in names:
            await _do(client, "/v1/runs", run=name, contract="settle", budget_cents=0)
            await _do(client, f"/v1/runs/{name}/claim", worker="w")
        before = _resident_bytes(pid)
        streams = [_Client(names[number % runs]) for number in range(CLIENTS)]
        opened = time.perf_counter()
        await asyncio.gather(*(stream.open(url) for stream in streams))
        await asyncio.gather(*(stream.reach(2) for stream in streams))
        print(f"{CLIENTS} clients of {runs} runs: opened in {time.perf_counter() - opened:.1f} s")
        print(f"  memory of the gateway  {(_resident_bytes(pid) - before) / CLIENTS / 1024:6.1f} KiB a client, "
              f"{_resident_bytes(pid) / 2**20:.0f} MiB in all")  # fmt: skip
        used = _processor_seconds(pid)
        await asyncio.sleep(IDLE_SECONDS)
        print(f"  processor while idle   {(_processor_seconds(pid) - used) / IDLE_SECONDS:6.1%}")
        for is_hinted in (True, False):
            seen = [await _one_event(client, streams, names[0], admin, is_hinted) for _ in range(ROUNDS)]
            how = "after a hint" if is_hinted else "found by polling"
            first, last = median(min(times) for times in seen), median(max(times) for times in seen)
            print(
                f"  one event, {how:16}  {first * 1000:6.0f} ms to the first client, {last * 1000:.0f} ms to the last"
            )
        for stream in streams:
            stream.close()


async def _one_event(
    client: httpx.AsyncClient, streams: list["_Client"], run: str, admin: psycopg.Connection, is_hinted: bool
) -> list[float]:
    """Seconds from the answer to whoever wrote the event until each client of that run has it."""
    concerned = [stream for stream in streams if stream.run == run]
    number = concerned[0].number + 1
    await _do(client, f"/v1/runs/{run}/publish", fence=1, body="b", qualified=True)
    committed = time.perf_counter()
    if is_hinted:
        admin.execute("select pg_notify('keepfact', %s)", [run])
    await asyncio.gather(*(stream.reach(number) for stream in concerned))
    return [stream.at - committed for stream in concerned]


class _Client(asyncio.Protocol):
    """One stream of server-sent events, and the number of the last event on it, with the time it came."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.number = 0
        self.at = 0.0
        self._rest = b""
        self._came = asyncio.Event()

    async def open(self, url: str) -> None:
        place = urlsplit(url)
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_connection(lambda: self, place.hostname, place.port)
        head = f"GET /v1/runs/{self.run}/stream HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        self._transport.write(head.encode())

    async def reach(self, number: int) -> None:
        while self.number < number:
            self._came.clear()
            await self._came.wait()

    def close(self) -> None:
        self._transport.close()

    def data_received(self, content: bytes) -> None:
        *lines, self._rest = (self._rest + content).split(b"\n")
        for line in lines:
            if line.startswith(b"id: "):
                self.number, self.at = int(line[4:]), time.perf_counter()
                self._came.set()

    def connection_lost(self, error: Exception | None) -> None:
        if error is not None:
            raise error


@contextmanager
def _gateway(installation: Installation, folder: Path) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    tokens, log = folder / "tokens.json", folder / "gateway.log"
    digest = hashlib.sha256(TOKEN.encode()).hexdigest()
    tokens.write_text(json.dumps([{"token_sha256": digest, "tenant": TENANT, "principal": "p", "scopes": DOORS}]))
    dsns = {f"KEEPFACT_{door.upper()}_DSN": installation.dsns[door] for door in DOORS}
    settings = {**os.environ, **dsns, **LARGE, "KEEPFACT_TOKENS_FILE": str(tokens)}
    with log.open("wb") as told:
        process = subprocess.Popen([sys.executable, "-m", "keepfact.impl.gateway"], env=settings, stderr=told)
    try:
        while (url := _url(log)) is None:
            assert process.poll() is None, log.read_text()
            time.sleep(0.01)
        yield process, url
    finally:
        process.terminate()
        process.wait(60)


def _url(log: Path) -> str | None:
    lines = (json.loads(line) for line in log.read_text().splitlines(keepends=True) if line.endswith("\n"))
    return next((line["url"] for line in lines if "url" in line), None)


async def _do(client: httpx.AsyncClient, path: str, **fields: Any) -> None:
    answered = await client.post(path, json=fields, headers={"Idempotency-Key": os.urandom(8).hex()})
    answered.raise_for_status()


def _resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _processor_seconds(pid: int) -> float:
    """User and system time, from behind the name in parentheses."""
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
