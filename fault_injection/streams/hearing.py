"""Many clients heard at once, until each has what is waited for."""

import select
import time
from collections.abc import Callable, Iterable

from ..waiting import PATIENCE_SECONDS
from .client import Client

AFTER_TROUBLE_SECONDS = 1.0
"""So long is waited for the others, once it is known that something is wrong."""

_PAUSE_MS = 100


def hear(
    clients: Iterable[Client], fact: Callable[[Client], bool], patience_seconds: float = PATIENCE_SECONDS
) -> list[Client]:
    """Hear them all until the fact is true of each, or cannot become true any more. Gives those of whom it is not.

    One to whom comes what cannot be, or whose connection breaks, is waited for no longer. Nothing is concluded from how
    long it took.
    """
    everybody = list(clients)
    waiting = {client.now.socket.fileno(): client for client in everybody if _is_to_come(client, fact)}
    poller = select.poll()
    for descriptor in waiting:
        poller.register(descriptor, select.POLLIN)
    give_up_at = time.monotonic() + patience_seconds
    while waiting and time.monotonic() < give_up_at:
        for descriptor, _ in poller.poll(_PAUSE_MS):
            waiting[descriptor].now.hear()
            if not _is_to_come(waiting[descriptor], fact):
                if waiting[descriptor].now.goes_wrong:
                    give_up_at = min(give_up_at, time.monotonic() + AFTER_TROUBLE_SECONDS)
                poller.unregister(descriptor)
                del waiting[descriptor]
    return [client for client in everybody if not fact(client)]


def _is_to_come(client: Client, fact: Callable[[Client], bool]) -> bool:
    return not fact(client) and client.now.is_open and not client.now.goes_wrong
