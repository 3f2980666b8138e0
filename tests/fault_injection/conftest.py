"""One world for all tests of a module; each test has a run of its own in it."""

import itertools
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import httpx
import pytest

from keepfact.fault_injection.world.client import World
from keepfact.spec.vocabulary import CallId, RunId

_NUMBERS = itertools.count(1)


class Caller:
    """Calls the servers of the world as the worker of one run would."""

    def __init__(self, world: World, run: RunId) -> None:
        self.world, self.run = world, run
        self.url = world.outside(run).tool_url
        self._client = httpx.Client(trust_env=False)
        self._threads = ThreadPoolExecutor()

    def id(self, name: str) -> CallId:
        return CallId(f"{self.run}:{name}")

    def ask(self, key: str | None = None, **body: object) -> httpx.Response:
        asked = {"messages": [{"role": "user", "content": "What is due?"}], **body}
        return self._client.post(f"{self.url}/v1/chat/completions", json=asked, headers=_headers(key))

    def use(self, tool: str, key: str | None = None, **body: object) -> httpx.Response:
        return self._client.post(f"{self.url}/tools/{tool}", json=body, headers=_headers(key))

    def use_meanwhile(self, tool: str, key: str, **body: object) -> "Future[httpx.Response]":
        """Use a tool in a thread of its own, on a connection of its own."""
        url = f"{self.url}/tools/{tool}"
        return self._threads.submit(httpx.post, url, json=body, headers=_headers(key), trust_env=False)

    def look_up(self, key: str) -> dict[str, object]:
        found: dict[str, object] = self._client.get(f"{self.url}/operations/{key}").raise_for_status().json()
        return found

    def close(self) -> None:
        self._client.close()
        self._threads.shutdown()


def _headers(key: str | None) -> dict[str, str]:
    return {"Keepfact-Fence": "7"} | ({} if key is None else {"Idempotency-Key": key})


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with World() as world:
        yield world


@pytest.fixture
def caller(world: World) -> Iterator[Caller]:
    caller = Caller(world, RunId(f"run-{next(_NUMBERS)}"))
    yield caller
    caller.close()
