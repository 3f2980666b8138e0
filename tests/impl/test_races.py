"""Two at once, in the order that hurts: one holds the row of the run while the other already waits for it."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import psycopg
import pytest

from keepfact.conformance.systems.postgres.held import HeldRun
from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done, Outcome, Refused
from keepfact.impl.store import Store
from keepfact.spec.vocabulary import RunId

from .driving import PATIENCE_SECONDS, Driver, fresh, wait_until


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


@pytest.fixture
def holder(installation: Installation) -> Iterator[psycopg.Connection]:
    with installation.admin_connection() as connection:
        yield connection


def _in_this_order(
    run: Driver, holder: psycopg.Connection, threads: ThreadPoolExecutor, *asked: Callable[[], Outcome]
) -> list[Outcome]:
    """Have each wait for the run's row behind the one before, then let them go."""
    held = HeldRun(holder, RunId(run.run))
    waiting: list[Future[Outcome]] = []
    for ask in asked:
        waiting.append(threads.submit(ask))
        wait_until(lambda: _waiters(run.admin) == len(waiting))
    held.let_go()
    return [future.result(PATIENCE_SECONDS) for future in waiting]


def _waiters(admin: psycopg.Connection) -> int:
    row = admin.execute(
        "select count(*) from pg_stat_activity "
        "where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0"
    ).fetchone()
    assert row is not None
    return int(row[0])


def test_a_release_behind_an_intent_sees_the_call_in_flight(
    run: Driver, holder: psycopg.Connection, threads: ThreadPoolExecutor
) -> None:
    run.claimed()
    outcomes = _in_this_order(run, holder, threads, lambda: run.do("intend", call="a"), lambda: run.do("release"))
    assert outcomes == [Done(), Refused("call_open")]


def test_two_intents_never_share_the_last_of_the_budget(
    run: Driver, holder: psycopg.Connection, threads: ThreadPoolExecutor
) -> None:
    run.claimed(budget_cents=15)
    outcomes = _in_this_order(
        run, holder, threads, lambda: run.do("intend", call="a"), lambda: run.do("intend", call="b")
    )
    assert outcomes == [Done(), Refused("over_budget")]


def test_a_writer_behind_a_recovery_is_told_that_the_run_is_sealed(
    run: Driver, holder: psycopg.Connection, threads: ThreadPoolExecutor
) -> None:
    run.claimed().lapsed()
    outcomes = _in_this_order(
        run, holder, threads, lambda: run.do("recover"), lambda: run.do("publish", body="late", qualified=True),
        lambda: run.do("recover"),
    )  # fmt: skip
    assert outcomes == [Done(), Refused("sealed"), Refused("sealed")]
    assert run.view["publications"] == []


def test_a_recovery_behind_a_renewal_leaves_the_run_alone(
    run: Driver, holder: psycopg.Connection, threads: ThreadPoolExecutor
) -> None:
    """A sweep saw the lease lapse; by the time of its write it was renewed. The write decides."""
    run.claimed()
    run.admin.execute("update keepfact.settings set frozen_at = frozen_at + interval '29 seconds'")
    renew = lambda: run.do("renew")  # noqa: E731
    outcomes = _in_this_order(run, holder, threads, renew, lambda: run.do("recover"))
    run.admin.execute("update keepfact.settings set frozen_at = frozen_at + interval '2 seconds'")
    assert outcomes == [Done(), Refused("lease_live")]
    assert run.do("publish", body="b", qualified=True) == Done()


def test_the_lease_is_looked_at_when_the_row_is_ours_not_when_the_command_came(
    run: Driver, holder: psycopg.Connection, threads: ThreadPoolExecutor
) -> None:
    run.claimed()
    held = HeldRun(holder, RunId(run.run))
    late = threads.submit(run.do, "publish", body="late", qualified=True)
    wait_until(lambda: _waiters(run.admin) == 1)
    run.lapsed()
    held.let_go()
    assert late.result(PATIENCE_SECONDS) == Refused("lease_lapsed")


def test_of_many_claimers_one_is_granted_the_run(run: Driver, threads: ThreadPoolExecutor) -> None:
    run.submitted()
    outcomes = list(threads.map(lambda n: run.do("claim", worker=str(n)), range(8)))
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Done"] + ["Refused"] * 7
    assert run.events == ["admitted", "granted"]


def test_the_same_command_from_two_sides_has_one_effect_and_one_answer(
    run: Driver, holder: psycopg.Connection, threads: ThreadPoolExecutor
) -> None:
    run.claimed()
    command_id = fresh("twice")
    held = HeldRun(holder, RunId(run.run))
    publish = lambda _: run.do("publish", body="b", qualified=True, command_id=command_id)  # noqa: E731
    both = [threads.submit(publish, n) for n in range(2)]
    wait_until(lambda: _waiters(run.admin) == 2)
    held.let_go()
    assert [future.result(PATIENCE_SECONDS) for future in both] == [Done(), Done()]
    assert len(run.view["publications"]) == 1


def test_one_command_id_used_for_two_runs_at_once_serves_one_of_them(
    store: Store, admin: psycopg.Connection, threads: ThreadPoolExecutor
) -> None:
    runs, command_id = [Driver(store, admin) for _ in range(8)], fresh("shared")
    start = threading.Barrier(len(runs))

    def submit(run: Driver) -> Outcome:
        start.wait()
        return run.do("submit", contract="settle", budget_cents=1, command_id=command_id)

    outcomes = list(threads.map(submit, runs))
    assert sorted(map(repr, outcomes)) == sorted(map(repr, [Done(), *[Refused("command_id_conflict")] * 7]))


def test_an_unnamed_claim_passes_over_runs_that_others_hold(
    own_installation: Installation, threads: ThreadPoolExecutor
) -> None:
    store = Store(own_installation.dsns)
    with own_installation.admin_connection() as admin, own_installation.admin_connection() as holder:
        first, second = Driver(store, admin).submitted(), Driver(store, admin).submitted()
        held = HeldRun(holder, RunId(first.run))
        claiming = threads.submit(_claim_any, store)
        wait_until(lambda: claiming.done() or _waiters(admin) > 0)
        assert claiming.done()
        assert _run_of(claiming.result()) == second.run
        held.let_go()
        assert _run_of(_claim_any(store)) == first.run
        assert _claim_any(store) == Refused("not_queued")
    store.close()


@pytest.fixture
def own_installation(installation: Installation) -> Iterator[Installation]:
    """An unnamed claim takes whatever is queued, so not from the others' runs."""
    with Installation.create(installation.admin_dsn) as own:
        yield own


def _claim_any(store: Store) -> Outcome:
    return store.perform("claim", command_id=fresh("claim"), run=None, worker="w")


def _run_of(outcome: Outcome) -> str:
    assert isinstance(outcome, Done)
    assert outcome.grant is not None
    return outcome.grant.run
