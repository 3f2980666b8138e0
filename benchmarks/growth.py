"""What does not grow: claiming among 100 to 1,000,000 stored runs, a call of a long run, reading one of 100,000 events.

All on one server in one run; figures are medians, and what counts are the ratios. The rows are put into the tables by
SQL, past the functions, since only their number matters; and nobody waits for the disk, whose part does not grow.
"""

import time
import tracemalloc
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any

import psycopg
from psycopg import sql

from keepfact.impl.decider import fold
from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done, Grant
from keepfact.impl.prepared import Value
from keepfact.impl.server import postgres_server
from keepfact.impl.store import Store

STORED_RUNS = (100, 10_000, 1_000_000)
CLAIMS = 200
CALLS = (1_000, 10_000)
EVENTS = (10_000, 100_000)
PAGE = 1_000

MORE_RUNS = """
    insert into keepfact.runs (run, tenant, contract, budget_cents, bundle, state)
    select 'stored-' || n, 'tenant', 'settle', 100, 'bundle-1', case n %% 4 when 0 then 'queued' else 'succeeded' end
    from generate_series(%s::integer + 1, %s::integer) as n
"""
MORE_EVENTS = """
    insert into keepfact.events (
        run, tenant, number, type, entry_point, principal, payload, payload_digest, digest
    )
    select %s, 'tenant', n + 1,
        case n %% 2 when 0 then 'intended' else 'answered' end, 'work', 'bench',
        jsonb_build_object('call', 'run:operation:' || n / 2, 'answer', repeat('x', 200)), 'd', 'd'
    from generate_series(1, %s::integer) as n
"""
MORE_CALLS = """
    insert into keepfact.calls (run, tenant, call, kind, digest, ceiling_cents, fence, state, cost_cents)
    select %s, 'tenant', %s || ':stored:' || n, 'operation', 'd', 1, 1, 'confirmed', 0
    from generate_series(1, %s::integer) as n
"""


def main() -> None:
    """Print a table for each."""
    with (
        postgres_server() as server,
        Installation.create(server.dsn) as installation,
        installation.admin_connection() as admin,
    ):
        database = sql.Identifier(installation.name)
        admin.execute(sql.SQL("alter database {} set synchronous_commit to off").format(database))
        store = Store(installation.dsns)
        _tell("a claim, the queue being a quarter of the stored runs", "runs", _claims(store, admin))
        _tell("an intent and its answer, in a run with so many calls behind it", "calls", _calls(store, admin))
        _tell("an event, read in pages and folded as it comes", "events", _events(store, admin))
        store.close()


def _claims(store: Store, admin: psycopg.Connection) -> Iterator[tuple[int, float, str]]:
    stored = 0
    for size in STORED_RUNS:
        admin.execute(MORE_RUNS, [stored, size])
        admin.execute("vacuum analyze keepfact.runs")
        stored = size
        claims = min(CLAIMS, size // 8)
        yield size, median(_timed(lambda: _do(store, "claim", run=None, worker="bench")) for _ in range(claims)), ""


def _calls(store: Store, admin: psycopg.Connection) -> Iterator[tuple[int, float, str]]:
    for size in (0, *CALLS):
        grant = _granted(store)
        with admin.transaction():
            admin.execute("set local session_replication_role = replica")  # they cost nothing: no sum changes
            admin.execute(MORE_CALLS, [grant.run, grant.run, size])

        def call(grant: Grant = grant) -> None:
            where: dict[str, Value] = {"run": grant.run, "fence": grant.fence, "call": str(uuid.uuid4())}
            _do(store, "intend", kind="operation", digest="d", ceiling_cents=1, **where)
            _do(store, "record_answer", answer="yes", cost_cents=0, **where)

        yield size, median(_timed(call) for _ in range(CLAIMS)), ""


def _events(store: Store, admin: psycopg.Connection) -> Iterator[tuple[int, float, str]]:
    for size in EVENTS:
        run = str(uuid.uuid4())
        _do(store, "submit", run=run, contract="settle", budget_cents=100)
        admin.execute(MORE_EVENTS, [run, size])
        seconds = _timed(partial(_read_all, store, run))
        peak, kept = _memory(store, run)
        yield size, seconds / size, f"   {peak / 1e6:.1f} MB at the peak, {kept / size:.0f} bytes an event in the state"


def _read_all(store: Store, run: str) -> None:
    fold(_stream(store, run))


def _stream(store: Store, run: str) -> Iterator[dict[str, Any]]:
    """Every event of the run, of which only one page is held at a time."""
    after = 0
    while page := _page(store, run, after):
        yield from page
        after = page[-1]["number"]


def _page(store: Store, run: str, after: int) -> list[dict[str, Any]]:
    found = store.read_events(run, after, PAGE)
    assert found is not None
    events: list[dict[str, Any]] = found["events"]
    return events


def _memory(store: Store, run: str) -> tuple[int, int]:
    """The bytes at the peak of reading alone, and those of the state that is folded: it has a fact for every call."""
    tracemalloc.start()
    for _ in _stream(store, run):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.clear_traces()
    state = fold(_stream(store, run))
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert state is not None
    return peak, kept


def _tell(what: str, of: str, measured: Iterator[tuple[int, float, str]]) -> None:
    print(f"\n{what}", flush=True)
    base: float | None = None
    for size, seconds, more in measured:
        base = base or seconds
        print(f"  {size:9,} {of:6} {seconds * 1e6:8.0f} us   {seconds / base:5.2f} of the first{more}", flush=True)


def _timed(what: Callable[[], object]) -> float:
    started = time.perf_counter()
    what()
    return time.perf_counter() - started


def _granted(store: Store) -> Grant:
    run = str(uuid.uuid4())
    _do(store, "submit", run=run, contract="resume", budget_cents=1_000_000)
    granted = _do(store, "claim", run=run, worker="bench").grant
    assert granted is not None
    return granted


def _do(store: Store, command: str, **fields: Value) -> Done:
    outcome = store.perform(command, command_id=str(uuid.uuid4()), **fields)
    if not isinstance(outcome, Done):
        raise AssertionError(f"expected {command} to be done, but it was {outcome}")
    return outcome


if __name__ == "__main__":
    main()
