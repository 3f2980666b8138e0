"""The pages that streams read: clients who are at the same place of the same run share one reading."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..store import Identity
from .access import Access, Head


@dataclass(frozen=True, slots=True)
class Framed:
    """A page in the form in which it is streamed: its events with their numbers, in order."""

    frames: tuple[tuple[int, bytes], ...]
    is_over: bool


Key = tuple[str, str, int, Head]


class Pages:
    """Reads pages of at most `limit` events. Nothing is kept once it was handed to those who asked for it."""

    def __init__(self, access: Access, limit: int) -> None:
        self._access = access
        self._limit = limit
        self._under_way: dict[Key, asyncio.Task[Framed | None]] = {}

    async def read(self, identity: Identity, run: str, after: int, head: Head) -> Framed | None:
        """The page after number `after`; None, if there is no such run. Raises ConnectionLostError.

        `head` is how far the run is known to have come. Only readings that began with the same knowledge are shared:
        an older one may lack the very event that somebody was woken for.
        """
        key = (identity.tenant, run, after, head)
        reading = self._under_way.get(key)
        if reading is None:
            reading = asyncio.create_task(self._read(identity, run, after))
            self._under_way[key] = reading
            reading.add_done_callback(lambda done: self._is_done(key, done))
        return await asyncio.shield(reading)  # one who leaves does not take it from the others

    def _is_done(self, key: Key, reading: asyncio.Task[Framed | None]) -> None:
        del self._under_way[key]
        if not reading.cancelled():
            reading.exception()  # also when all who asked for it have left

    async def _read(self, identity: Identity, run: str, after: int) -> Framed | None:
        page = await self._access.read_events(identity, run, after, self._limit)
        if page is None:
            return None
        return Framed(tuple((event["number"], frame(event)) for event in page.events), page.is_over)


def frame(event: Mapping[str, Any]) -> bytes:
    """An event of a history as an event of a stream: what JSON escapes has no line ends."""
    return f"id: {event['number']}\ndata: {json.dumps(event, separators=(',', ':'))}\n\n".encode()
