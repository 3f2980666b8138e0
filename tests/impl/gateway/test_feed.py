"""One reading for all who wait, and none for those who have nothing to read."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from keepfact.impl.gateway.access import Access, Head, Page
from keepfact.impl.gateway.feed import BATCH, Feed
from keepfact.impl.gateway.pages import Pages
from keepfact.impl.gateway.telling import Metrics
from keepfact.impl.store import ConnectionLostError, Identity

ANN, BOB, EVE = Identity("acme", "ann"), Identity("acme", "bob"), Identity("other", "eve")
NEVER = 10.0**6


class Fake(Access):
    """Runs whose heads are as told; what is asked is noted."""

    def __init__(self) -> None:
        self.moved: dict[str, Head] = {}
        self.asked: list[tuple[str, list[str]]] = []
        self.failing: list[Exception] = []
        self.pages_read = 0
        self.may_read = asyncio.Event()

    async def heads(self, identity: Identity, runs: Sequence[str]) -> dict[str, Head]:
        self.asked.append((identity.tenant, sorted(runs)))
        if self.failing:
            raise self.failing.pop()
        return {run: self.moved.get(run, Head(1, False)) for run in runs}

    async def read_events(self, identity: Identity, run: str, after: int, limit: int) -> Page | None:
        self.pages_read += 1
        await self.may_read.wait()
        return Page([{"number": after + 1}], is_over=False)


def with_feed(test: Callable[[Fake, Feed], Coroutine[Any, Any, None]]) -> None:
    """Run the test beside a feed that looks only once and when it is given a hint."""

    async def beside() -> None:
        fake = Fake()
        feed = Feed(fake, Metrics(), NEVER)
        async with asyncio.timeout(60):
            looking = asyncio.create_task(feed.look_forever())
            await _settled()
            await test(fake, feed)
            looking.cancel()

    asyncio.run(beside())


def test_one_reading_looks_for_all_that_wait() -> None:
    async def test(fake: Fake, feed: Feed) -> None:
        with feed.watch(ANN, "a", 1), feed.watch(BOB, "a", 1), feed.watch(ANN, "b", 1):
            feed.hint_all()
            await _settled()
        assert fake.asked == [("acme", ["a", "b"])]

    with_feed(test)


def test_nobody_is_asked_about_when_nobody_waits() -> None:
    async def test(fake: Fake, feed: Feed) -> None:
        with feed.watch(ANN, "a", 1):
            pass
        feed.hint_all()
        feed.hint("a")
        await _settled()
        assert fake.asked == []

    with_feed(test)


def test_each_tenant_is_asked_for_alone() -> None:
    async def test(fake: Fake, feed: Feed) -> None:
        with feed.watch(ANN, "a", 1) as of_ann, feed.watch(EVE, "a", 1) as of_eve:
            feed.hint("a")
            await _settled()
            assert sorted(fake.asked) == [("acme", ["a"]), ("other", ["a"])]
            assert of_ann.place is not of_eve.place

    with_feed(test)


def test_a_thousand_runs_are_two_readings() -> None:
    async def test(fake: Fake, feed: Feed) -> None:
        watched = [feed.watch(ANN, str(number), 1) for number in range(2 * BATCH)]
        for one in watched:
            one.__enter__()
        feed.hint_all()
        await _settled()
        assert [len(runs) for _, runs in fake.asked] == [BATCH, BATCH]

    with_feed(test)


def test_a_hint_asks_about_that_run_only_and_wakes_who_has_something_to_read() -> None:
    async def test(fake: Fake, feed: Feed) -> None:
        with feed.watch(ANN, "a", 1) as waits, feed.watch(ANN, "a", 2) as knows, feed.watch(ANN, "b", 1) as other:
            fake.moved = {"a": Head(2, False), "b": Head(2, False)}
            feed.hint("a")
            await _settled()
            assert fake.asked == [("acme", ["a"])]
            assert [watcher.wake.is_set() for watcher in (waits, knows, other)] == [True, False, False]

    with_feed(test)


def test_the_end_wakes_everybody() -> None:
    async def test(fake: Fake, feed: Feed) -> None:
        with feed.watch(ANN, "a", 2) as knows:
            fake.moved = {"a": Head(2, is_over=True)}
            feed.hint("a")
            await _settled()
            assert knows.wake.is_set()

    with_feed(test)


@pytest.mark.parametrize("error", [ConnectionLostError(), ZeroDivisionError()])
def test_a_look_that_fails_is_not_the_last(error: Exception) -> None:
    async def test(fake: Fake, feed: Feed) -> None:
        with feed.watch(ANN, "a", 1) as waits:
            fake.failing, fake.moved = [error], {"a": Head(2, False)}
            feed.hint("a")
            await _settled()
            assert not waits.wake.is_set()
            feed.hint("a")
            await _settled()
            assert waits.wake.is_set()

    with_feed(test)


def test_hints_do_not_put_off_the_look_at_all() -> None:
    async def test() -> None:
        fake = Fake()
        feed = Feed(fake, Metrics(), poll_seconds=0.01)
        async with asyncio.timeout(60):
            looking = asyncio.create_task(feed.look_forever())
            with feed.watch(ANN, "a", 1), feed.watch(ANN, "b", 1):
                while fake.asked.count(("acme", ["a", "b"])) < 3:
                    feed.hint("a")
                    await asyncio.sleep(0)
            looking.cancel()

    asyncio.run(test())


def test_who_comes_after_the_close_is_stopped_too() -> None:
    async def test(fake: Fake, feed: Feed) -> None:
        with feed.watch(ANN, "a", 1) as before:
            feed.close()
            with feed.watch(ANN, "a", 1) as after:
                assert before.must_stop
                assert after.must_stop

    with_feed(test)


def test_readers_at_the_same_place_share_a_reading_and_others_do_not() -> None:
    async def test() -> None:
        fake = Fake()
        pages = Pages(fake, 10)
        asked = [(ANN, "a", 1), (BOB, "a", 1), (ANN, "a", 2), (ANN, "b", 1), (EVE, "a", 1)]
        reading = [asyncio.create_task(pages.read(*who, Head(1, False))) for who in asked]
        knowing_more = asyncio.create_task(pages.read(ANN, "a", 1, Head(2, False)))
        await _settled()
        assert fake.pages_read == 5
        reading[0].cancel()  # one who leaves does not take it from the others
        fake.may_read.set()
        for read in (*reading[1:], knowing_more):
            assert await read
        assert await pages.read(ANN, "a", 1, Head(1, False))
        assert fake.pages_read == 6

    asyncio.run(test())


async def _settled() -> None:
    """Everything that can go on without time has done so."""
    for _ in range(20):
        await asyncio.sleep(0)
