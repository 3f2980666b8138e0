"""Bringing runs whose lease lapsed to an honest end. Nothing is dispatched, and the store decides at each write."""

import uuid

from .outcomes import Lost, Outcome
from .store import Store

ATTEMPTS_MAX = 5


def settle(store: Store, run: str) -> Outcome:
    """Settle one run. While nobody knows whether it was done it is asked again under the same id, a few times."""
    command_id = str(uuid.uuid4())
    outcome: Outcome = Lost()
    for _ in range(ATTEMPTS_MAX):
        outcome = store.perform("recover", command_id=command_id, run=run)
        if not isinstance(outcome, Lost):
            break
    return outcome


def sweep(store: Store) -> dict[str, Outcome]:
    """Settle every run whose lease has lapsed. The list may be out of date: each is checked again at its write."""
    return {lost["run"]: settle(store, lost["run"]) for lost in store.lost_runs()}
