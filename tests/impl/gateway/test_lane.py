"""What waits on the database is bounded in number and in time."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any

import pytest

from keepfact.impl.gateway.lane import BusyError, Lane
from keepfact.impl.outcomes import Done, Outcome
from keepfact.impl.store import Store

from ..driving import PATIENCE_SECONDS
from .served import problem, served


@pytest.fixture
def go() -> Iterator[threading.Event]:
    """Lets everything go that was held back, at the latest when the test is over."""
    event = threading.Event()
    yield event
    event.set()


def test_so_many_wait_and_one_more_is_not_begun(go: threading.Event) -> None:
    async def test() -> None:
        lane, begun = Lane("test", threads=1, waiting_max=1, seconds=60), []

        def work(number: int) -> int:
            go.wait()
            begun.append(number)
            return number

        waiting = [asyncio.create_task(lane.do(lambda number=number: work(number))) for number in (1, 2)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await lane.do(lambda: work(3))
        go.set()
        assert await asyncio.gather(*waiting) == begun == [1, 2]
        assert await lane.do(lambda: work(4)) == 4

    asyncio.run(test())


def test_work_that_hangs_counts_also_when_nobody_waits_for_it_any_more(go: threading.Event) -> None:
    async def test() -> None:
        lane = Lane("test", threads=1, waiting_max=0, seconds=0.01)
        with pytest.raises(TimeoutError):
            await lane.do(go.wait)
        with pytest.raises(BusyError):
            await lane.do(go.wait)
        go.set()
        while True:
            try:
                assert await lane.do(go.wait)
                return
            except BusyError:
                await asyncio.sleep(0)

    asyncio.run(test())


class Hanging(Store):
    """A store that answers when it is let."""

    def __init__(self, go: threading.Event) -> None:
        super().__init__({})
        self.go = go
        self.asked: list[str] = []

    def perform(self, command: str, **_: Any) -> Outcome:
        self.asked.append(command)
        self.go.wait()
        return Done()


def test_an_answer_that_does_not_come_in_time_is_lost(go: threading.Event) -> None:
    with served(Hanging(go), answer_seconds=0.05) as client:
        assert problem(client.do("/v1/runs/r/renew", fence=1)) == (503, "lost")
        go.set()


def test_a_command_that_finds_too_many_waiting_is_refused_and_not_begun(go: threading.Event) -> None:
    store = Hanging(go)
    with served(store, command_threads=1, waiting_max=1) as client, ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(client.do, "/v1/runs/r/renew", fence=1) for _ in range(3)]
        (refused,), waiting = wait(asked, PATIENCE_SECONDS, FIRST_COMPLETED)
        assert problem(refused.result()) == (503, "unavailable")
        assert refused.result().json()["outcome"] == "refused"
        go.set()
        assert [one.result().status_code for one in waiting] == [200, 200]
        assert store.asked == ["renew", "renew"]
