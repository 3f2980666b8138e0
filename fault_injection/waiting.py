"""Waiting for a fact: bounded, and with a sentence about what never came true."""

import select
import time
from collections.abc import Callable, Sequence
from typing import Protocol

PATIENCE_SECONDS = 20.0
"""How long a fact may take before an experiment gives up on it. Nothing is ever judged by how long it took."""

_PAUSE_SECONDS = 0.002


class NotReachedError(Exception):
    """A fact that an experiment waited for did not come true; the message names it."""


def wait_until(fact: Callable[[], bool], what: str, patience_seconds: float = PATIENCE_SECONDS) -> None:
    """Return as soon as `fact` holds; raise NotReachedError with `what` when patience runs out."""
    give_up_at = time.monotonic() + patience_seconds
    while not fact():
        if time.monotonic() > give_up_at:
            raise NotReachedError(f"expected within {patience_seconds:g} s that {what}, but it did not come true.")
        time.sleep(_PAUSE_SECONDS)


class HasDescriptor(Protocol):
    """A file, a pipe or a socket."""

    def fileno(self) -> int: ...


def is_readable(source: HasDescriptor) -> bool:
    """Reading would not block: there is something to read, or to accept, or the other side has closed."""
    return _poll([source], 0)


def wait_until_readable(what: str, *sources: HasDescriptor) -> None:
    """Return as soon as one of them is; raise NotReachedError with `what` when patience runs out."""
    if not _poll(sources, PATIENCE_SECONDS):
        raise NotReachedError(f"expected within {PATIENCE_SECONDS:g} s that {what}, but it did not come true.")


def _poll(sources: Sequence[HasDescriptor], seconds: float) -> bool:
    poller = select.poll()
    for source in sources:
        poller.register(source, select.POLLIN)
    return bool(poller.poll(seconds * 1000))
