"""The one way from the gateway to the store: on behalf of somebody, off the event loop, and with a bound on waiting."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..outcomes import Lost, Outcome
from ..store import ConnectionLostError, Store
from .identity import Identity
from .lane import Lane
from .settings import Limits

Answer = TypeVar("Answer")

ENDS = frozenset({"succeeded", "failed", "cancelled", "interrupted"})
"""A run in one of these states has ended; `unknown` has not."""


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
            return await self._commands.do(lambda: self._store.perform(command, **_on_behalf_of(identity), **fields))
        except TimeoutError:
            return Lost()

    async def observe(self, identity: Identity, runs: Sequence[str], payloads: bool) -> list[dict[str, Any]]:
        """The runs of these ids, without those that there are not. Raises ConnectionLostError."""
        return await self._read(lambda: self._observe(identity, runs, payloads))

    async def read_events(self, identity: Identity, run: str, after: int, limit: int) -> Page | None:
        """The first `limit` events after number `after`; None, if there is no such run. Raises ConnectionLostError."""
        return await self._read(lambda: self._events(identity, run, after, limit))

    async def list_runs(self, identity: Identity, after: str | None, limit: int) -> list[dict[str, Any]]:
        """The first `limit` runs that were admitted after the run `after`. Raises ConnectionLostError."""
        listing = self._store.list_runs  # type: ignore[attr-defined]  # not offered by every store: see `can_list`
        return await self._read(lambda: listing(after, limit, **_on_behalf_of(identity)))

    @property
    def can_list(self) -> bool:
        """Whether the store offers a list of runs."""
        return hasattr(self._store, "list_runs")

    async def heads(self, identity: Identity, runs: Sequence[str]) -> dict[str, Head]:
        """How far each of these runs has come, in one reading. Raises ConnectionLostError."""
        shown = await self._read(lambda: self._observe(identity, runs, payloads=False))
        return {view["run"]: Head(len(view["history"]), view["state"] in ENDS) for view in shown}

    async def check(self) -> None:
        """Whether the database answers. Raises ConnectionLostError."""
        await self._read(lambda: self._store.observe([]))

    def close(self) -> None:
        """Let the threads go, without waiting for what is under way."""
        self._commands.close()
        self._readings.close()

    def _observe(self, identity: Identity, runs: Sequence[str], payloads: bool) -> list[dict[str, Any]]:
        return self._store.observe(runs, payloads, **_on_behalf_of(identity))

    def _events(self, identity: Identity, run: str, after: int, limit: int) -> Page | None:
        shown = self._observe(identity, [run], payloads=True)
        if not shown:
            return None
        rest = shown[0]["history"][after:]
        return Page(rest[:limit], is_over=shown[0]["state"] in ENDS and len(rest) <= limit)

    async def _read(self, reading: Callable[[], Answer]) -> Answer:
        try:
            return await self._readings.do(reading)
        except TimeoutError as error:
            raise ConnectionLostError from error


def _on_behalf_of(identity: Identity) -> dict[str, Any]:
    """What tells the store who asks. Nothing as long as the store knows only sessions of entry points."""
    return {}
