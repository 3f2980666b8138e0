"""The one way from the gateway to the store: on behalf of somebody, off the event loop, and with a bound on waiting."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..outcomes import Lost, Outcome
from ..store import ConnectionLostError, Identity, Store
from .lane import Lane
from .settings import Limits

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Page:
    """Events in order, without gaps. `is_over`: the run had ended, and these were the last of its events."""

    events: Sequence[Mapping[str, Any]]
    is_over: bool


@dataclass(frozen=True, slots=True)
class Head:
    """How far a run has come: the number of its last event, and whether it has ended."""

    number: int
    is_over: bool


class Access:
    """Asks the store in threads. Raises BusyError when too many wait already: then nothing was asked.

    Commands and readings have threads of their own, so that no crowd of readers keeps a worker's lease from renewal.
    """

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store = store
        self._commands = Lane("commands", limits.command_threads, limits.waiting_max, limits.answer_seconds)
        self._readings = Lane("readings", limits.reading_threads, limits.waiting_max, limits.answer_seconds)

    async def perform(self, identity: Identity, command: str, fields: Mapping[str, Any]) -> Outcome:
        """Do a command on behalf of `identity`. A timeout is Lost: it may still be done."""
        try:
            return await self._commands.do(lambda: self._store.speaking_for(identity).perform(command, **fields))
        except TimeoutError:
            return Lost()

    async def observe(self, identity: Identity, runs: Sequence[str], payloads: bool) -> list[dict[str, Any]]:
        """The runs of these ids, without those that there are not. Raises ConnectionLostError."""
        return await self._read(lambda: self._store.speaking_for(identity).observe(runs, payloads))

    async def read_events(self, identity: Identity, run: str, after: int, limit: int) -> Page | None:
        """The first `limit` events after number `after`; None, if there is no such run. Raises ConnectionLostError."""
        shown = await self._read(lambda: self._store.speaking_for(identity).read_events(run, after, limit))
        if shown is None:
            return None
        events = shown["events"]
        reached = events[-1]["number"] if events else after
        return Page(events, is_over=shown["is_over"] and reached >= shown["last"])

    async def list_runs(self, identity: Identity, after: str | None, limit: int) -> list[dict[str, Any]]:
        """The first `limit` runs that were admitted after the run `after`. Raises ConnectionLostError."""
        return await self._read(lambda: self._store.speaking_for(identity).list_runs(after, limit))

    async def heads(self, identity: Identity, runs: Sequence[str]) -> dict[str, Head]:
        """How far each of these runs has come, in one reading. Raises ConnectionLostError."""
        heads = await self._read(lambda: self._store.speaking_for(identity).read_heads(runs))
        return {run: Head(head["last"], head["is_over"]) for run, head in heads.items()}

    async def check(self) -> None:
        """Whether the database answers. Raises ConnectionLostError."""
        await self._read(lambda: self._store.observe([]))

    def close(self) -> None:
        """Let the threads go, without waiting for what is under way."""
        self._commands.close()
        self._readings.close()

    async def _read(self, reading: Callable[[], Answer]) -> Answer:
        try:
            return await self._readings.do(reading)
        except TimeoutError as error:
            raise ConnectionLostError from error
