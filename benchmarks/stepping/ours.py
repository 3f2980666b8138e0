"""Our durable step: under a lease, in a run of its own from admission to end.

A step that calls nothing outside is one command. One that does is two, since its intent is committed before anything is
sent; that is what the others do not do, and so it is measured beside.
"""

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done, Grant
from keepfact.impl.prepared import Value
from keepfact.impl.store import Store

BUDGET_CENTS = 1_000_000


@contextmanager
def set_up(server_dsn: str) -> Iterator[Mapping[str, str]]:
    """An installation like any other."""
    with Installation.create(server_dsn) as installation:
        yield {name: installation.dsns[name] for name in ("submit", "work")}


@contextmanager
def publishing_worker(dsns: Mapping[str, str]) -> Iterator[Callable[[int], None]]:
    """Each step stores the next version of a small body: one round trip, one commit."""
    store = Store(dsns)

    def work(steps: int) -> None:
        grant = _granted(store)
        for number in range(steps):
            _do(store, "publish", run=grant.run, fence=grant.fence, body=str(number), qualified=True)
        _do(store, "succeed", run=grant.run, fence=grant.fence)

    yield work
    store.close()


@contextmanager
def calling_worker(dsns: Mapping[str, str]) -> Iterator[Callable[[int], None]]:
    """Each step is an operation: its intent, then its answer. Two round trips, two commits."""
    store = Store(dsns)

    def work(steps: int) -> None:
        grant = _granted(store)
        for number in range(steps):
            call = f"{grant.run}:operation:{number}"
            where: dict[str, Value] = {"run": grant.run, "fence": grant.fence, "call": call}
            _do(store, "intend", kind="operation", digest="0" * 64, ceiling_cents=1, **where)
            _do(store, "record_answer", answer=str(number), cost_cents=1, **where)
        _do(store, "publish", run=grant.run, fence=grant.fence, body="done", qualified=True)
        _do(store, "succeed", run=grant.run, fence=grant.fence)

    yield work
    store.close()


def _granted(store: Store) -> Grant:
    run = str(uuid.uuid4())
    _do(store, "submit", run=run, contract="resume", budget_cents=BUDGET_CENTS)
    granted = _do(store, "claim", run=run, worker="bench")
    assert granted.grant is not None
    return granted.grant


def _do(store: Store, command: str, **fields: Value) -> Done:
    outcome = store.perform(command, command_id=str(uuid.uuid4()), **fields)
    if not isinstance(outcome, Done):
        raise AssertionError(f"expected {command} to be done, but it was {outcome}")
    return outcome
