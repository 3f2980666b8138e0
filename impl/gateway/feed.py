"""How far the streamed runs have come: one reading for all of them, however many clients wait."""

import asyncio
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..store import ConnectionLostError, Identity
from .access import Access, Head
from .lane import BusyError
from .telling import Metrics

log = logging.getLogger("keepfact.gateway.feed")

BATCH = 500
"""So many runs are asked about in one statement."""

UNSEEN = Head(0, is_over=False)


@dataclass(eq=False)
class Watcher:
    """One client that waits for events after number `after`. `wake` is set when it is worth reading, or to stop."""

    place: "Place"
    after: int
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    must_stop: bool = False

    def stop(self) -> None:
        """The client is gone, or the gateway is going."""
        self.must_stop = True
        self.wake.set()


@dataclass(eq=False)
class Place:
    """One run that is watched on behalf of one tenant, and how far it is known to have come."""

    identity: Identity
    run: str
    head: Head = UNSEEN
    watchers: set[Watcher] = field(default_factory=set)

    def move(self, head: Head) -> None:
        """Wake those for whom there is something to read now."""
        if head == self.head:
            return
        self.head = head
        for watcher in self.watchers:
            if head.number > watcher.after or head.is_over:
                watcher.wake.set()


class Feed:
    """All places. Hints make it look at a run at once; all are looked at every `poll_seconds`, hints or not."""

    def __init__(self, access: Access, metrics: Metrics, poll_seconds: float) -> None:
        self._access = access
        self._metrics = metrics
        self._poll_seconds = poll_seconds
        self._places: dict[str, dict[str, Place]] = {}
        """By run and tenant: a hint names a run only."""
        self._hinted: set[str] = set()
        self._was_hinted = asyncio.Event()
        self._all_due_at = 0.0
        self._is_closing = False

    @contextmanager
    def watch(self, identity: Identity, run: str, after: int) -> Iterator[Watcher]:
        """A watcher of a run, for as long as its client is there."""
        tenants = self._places.setdefault(run, {})
        place = tenants.setdefault(identity.tenant, Place(identity, run))
        watcher = Watcher(place, after)
        place.watchers.add(watcher)
        if self._is_closing:
            watcher.stop()
        try:
            yield watcher
        finally:
            place.watchers.discard(watcher)
            if not place.watchers:
                tenants.pop(identity.tenant)
            if not tenants:
                self._places.pop(run, None)

    def hint(self, run: str) -> None:
        """It is worth looking at this run now."""
        if run in self._places:
            self._hinted.add(run)
            self._was_hinted.set()

    def hint_all(self) -> None:
        """Hints may have been missed."""
        self._all_due_at = 0.0
        self._was_hinted.set()

    def close(self) -> None:
        """Every stream ends, now and from now on."""
        self._is_closing = True
        for place in self._all():
            for watcher in place.watchers:
                watcher.stop()

    async def look_forever(self) -> None:
        """Look, and wake whom it concerns."""
        while True:
            due = await self._due()
            for tenant in {place.identity.tenant for place in due}:
                places = [place for place in due if place.identity.tenant == tenant]
                for start in range(0, len(places), BATCH):
                    await self._look(places[start : start + BATCH])

    async def _due(self) -> list[Place]:
        """The places to look at, when there are any."""
        now = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout_at(self._all_due_at):
                await self._was_hinted.wait()
        except TimeoutError:
            pass
        self._was_hinted.clear()
        hinted, self._hinted = self._hinted, set()
        if now() >= self._all_due_at:
            self._all_due_at = now() + self._poll_seconds
            return list(self._all())
        return [place for run in hinted for place in self._places.get(run, {}).values()]

    async def _look(self, places: Iterable[Place]) -> None:
        asked = {place.run: place for place in places}
        try:
            heads = await self._access.heads(next(iter(asked.values())).identity, list(asked))
        except (ConnectionLostError, BusyError):
            self._metrics.polls.labels("lost").inc()
            return
        except Exception:  # whatever it is, the streams of all others wait for the next look
            log.exception("the streamed runs could not be looked at")
            self._metrics.polls.labels("failed").inc()
            return
        self._metrics.polls.labels("done").inc()
        for run, head in heads.items():
            asked[run].move(head)

    def _all(self) -> Iterator[Place]:
        for tenants in self._places.values():
            yield from tenants.values()
