"""A lease is renewed whatever its holder does in the time stated for it, and not a moment for a holder that is gone."""

import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import psycopg
import pytest

from keepfact.impl.installation import Installation
from keepfact.impl.lease import Heartbeat, Lease
from keepfact.impl.outcomes import Done, Grant
from keepfact.impl.store import Store

from .driving import PATIENCE_SECONDS, Driver, wait_until

LEASE_SECONDS, BEAT_SECONDS, LONG_SECONDS = 3, 0.2, 600.0


@pytest.fixture(scope="module")
def short(installation: Installation) -> Iterator[Installation]:
    """An installation whose leases are short, and whose clock goes on."""
    with Installation.create(installation.admin_dsn) as created:
        with created.admin_connection() as admin:
            admin.execute("update keepfact.settings set lease_seconds = %s", [LEASE_SECONDS])
        yield created


@pytest.fixture
def admin(short: Installation) -> Iterator[psycopg.Connection]:
    with short.admin_connection() as connection:
        yield connection


@pytest.fixture
def run(short: Installation, admin: psycopg.Connection) -> Iterator[Driver]:
    store = Store(short.dsns)
    yield Driver(store, admin).submitted()
    store.close()


@pytest.fixture
def heartbeat(short: Installation) -> Iterator[Heartbeat]:
    """One whose process has started, which on a busy host can take as long as a short lease."""
    opened = Heartbeat(short.dsns["work"])
    _wait_until_started(opened)
    yield opened
    opened.close()


def _wait_until_started(heartbeat: Heartbeat) -> None:
    heartbeat.start()
    assert heartbeat.ask(PATIENCE_SECONDS) is not None


def _claim(run: Driver, heartbeat: Heartbeat, step_seconds: float = LONG_SECONDS) -> Lease:
    asked_at = time.monotonic()
    done = run.do("claim", worker="w")
    assert isinstance(done, Done)
    assert done.grant is not None
    run.fence = done.grant.fence
    return Lease(heartbeat, done.grant, asked_at, step_seconds, BEAT_SECONDS)


def _end(run: Driver) -> datetime:
    row = run.admin.execute("select lease_until from keepfact.runs where run = %s", [run.run]).fetchone()
    assert row is not None
    moment: datetime = row[0]
    return moment


def _has_passed(run: Driver, moment: datetime) -> bool:
    row = run.admin.execute("select keepfact.store_now() > %s", [moment]).fetchone()
    return row == (True,)


WATCHES = """
import sys, time, psycopg
with psycopg.connect(sys.argv[1], autocommit=True) as connection:
    while connection.execute("select clock_timestamp() > %s", [sys.argv[2]]).fetchone() != (True,):
        time.sleep(0.01)
    print("!", flush=True)
"""


def _loop(passed: int) -> None:
    """Bytecode and nothing else, which the interpreter's lock is taken from now and then."""
    while not select.select([passed], [], [], 0)[0]:
        sum(range(1000))


def _call_into_c(passed: int) -> None:
    """One call that keeps the interpreter's lock from its beginning to its end, as a long sort or match does."""
    ticks: list[float] = []
    over = threading.Event()
    ticking = threading.Thread(target=lambda: [ticks.append(0.0) for _ in iter(lambda: over.wait(0.01), True)])
    ticking.start()
    read = ctypes.PyDLL(None).read(passed, ctypes.create_string_buffer(1), 1)
    ticked = len(ticks)
    over.set()
    ticking.join()
    assert read == 1
    assert ticked < 50, "other threads ran meanwhile, so this test shows nothing"


@pytest.mark.parametrize("is_busy", [_loop, _call_into_c])
def test_a_step_that_keeps_the_interpreter_busy_for_longer_than_a_lease_keeps_it(
    run: Driver, heartbeat: Heartbeat, short: Installation, is_busy: Callable[[int], None]
) -> None:
    with _claim(run, heartbeat) as lease:
        command = [sys.executable, "-c", WATCHES, short.admin_dsn, str(_end(run))]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as watching:
            assert watching.stdout is not None
            is_busy(watching.stdout.fileno())
        assert lease.is_live
        assert not _has_passed(run, _end(run))
        assert run.do("fail") == Done()


def test_a_holder_that_exceeds_its_own_time_is_not_covered_for(run: Driver, heartbeat: Heartbeat) -> None:
    with _claim(run, heartbeat, step_seconds=0.0) as lease:
        assert lease.is_live
        first_end = _end(run)
        wait_until(lambda: _has_passed(run, first_end))
        assert _end(run) == first_end
        assert not lease.is_live


def test_a_holder_that_gets_on_is_covered_for_again(run: Driver, heartbeat: Heartbeat) -> None:
    with _claim(run, heartbeat, step_seconds=0.0) as lease:
        first_end = _end(run)
        lease._step_seconds = LONG_SECONDS
        lease.begin_step()
        wait_until(lambda: _end(run) > first_end)
        assert lease.is_live


def test_a_lease_that_was_taken_away_is_given_up_before_its_end(run: Driver, heartbeat: Heartbeat) -> None:
    with _claim(run, heartbeat) as lease:
        assert run.do("fail") == Done()
        wait_until(lambda: not lease.is_live)
        assert time.monotonic() < lease._expires


def test_a_heartbeat_whose_connection_breaks_takes_another(
    run: Driver, short: Installation, admin: psycopg.Connection
) -> None:
    named = Heartbeat(f"{short.dsns['work']} application_name={run.run}")
    _wait_until_started(named)
    cut = "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = %s"
    with _claim(run, named) as lease:
        wait_until(lambda: admin.execute(cut, [run.run]).fetchall() == [(True,)])
        end = _end(run)
        wait_until(lambda: _end(run) > end)
        assert lease.is_live
    named.close()


def test_without_its_process_a_lease_lives_to_its_end_and_the_next_has_another(
    run: Driver, heartbeat: Heartbeat
) -> None:
    with _claim(run, heartbeat) as lease:
        first = heartbeat.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: not lease.is_live)
        assert heartbeat.pid is None
    with Lease(heartbeat, Grant(run.run, run.fence, LEASE_SECONDS), time.monotonic(), LONG_SECONDS):
        assert heartbeat.ask(PATIENCE_SECONDS) is not None
        assert heartbeat.pid not in (None, first)


def test_a_heartbeat_that_cannot_renew_any_more_ends(
    run: Driver, heartbeat: Heartbeat, admin: psycopg.Connection
) -> None:
    """Else it would go on answering for leases that nobody renews."""
    with _claim(run, heartbeat) as lease:
        admin.execute("alter function keepfact.renew rename to renew_no_more")
        try:
            wait_until(lambda: not lease.is_live)
            wait_until(lambda: heartbeat.pid is None)
        finally:
            admin.execute("alter function keepfact.renew_no_more rename to renew")


def test_a_heartbeat_that_does_not_answer_is_removed(run: Driver, heartbeat: Heartbeat) -> None:
    with _claim(run, heartbeat):
        assert heartbeat.ask(PATIENCE_SECONDS) is not None
        assert heartbeat.pid is not None
        os.kill(heartbeat.pid, signal.SIGSTOP)
        assert heartbeat.ask(0.0) is None
        assert heartbeat.pid is None


def test_a_lease_does_not_wait_for_its_heartbeat_to_start_and_lives_by_its_own_time(run: Driver) -> None:
    """The process is stopped before it could say that it is there; it is not taken for dead."""
    starting = Heartbeat("dbname=nobody-gets-that-far")
    starting.start()
    assert starting.pid is not None
    os.kill(starting.pid, signal.SIGSTOP)
    with _claim(run, starting, LONG_SECONDS) as lease:
        assert lease.is_live
        assert not starting.is_ready()
        assert starting.pid is not None
        end = _end(run)
        wait_until(lambda: _has_passed(run, end))
        assert not lease.is_live
    starting.close()


def test_one_process_renews_one_lease_after_the_other(run: Driver, heartbeat: Heartbeat) -> None:
    with _claim(run, heartbeat):
        first = heartbeat.pid
        assert run.do("release") == Done()
    with _claim(run, heartbeat) as lease:
        end = _end(run)
        wait_until(lambda: _end(run) > end)
        assert lease.is_live
    assert heartbeat.pid == first


HOLDS = """
import sys, time
from keepfact.impl.lease import Heartbeat, Lease
from keepfact.impl.outcomes import Grant
heartbeat = Heartbeat(sys.argv[1])
heartbeat.start()
assert heartbeat.ask(60.0) is not None
print(heartbeat.pid, flush=True)
run, fence, lease_seconds = sys.stdin.readline().split()
with Lease(heartbeat, Grant(run, int(fence), int(lease_seconds)), time.monotonic(), 600.0, 0.2):
    sys.stdin.read()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_heartbeat_ends_with_its_worker(run: Driver, short: Installation, how: signal.Signals) -> None:
    command = [sys.executable, "-c", HOLDS, short.dsns["work"]]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        process = int(worker.stdout.readline())
        assert run.do("claim", worker="w") == Done(Grant(run.run, 1, LEASE_SECONDS))
        worker.stdin.write(f"{run.run} 1 {LEASE_SECONDS}\n".encode())
        worker.stdin.flush()
        end = _end(run)
        wait_until(lambda: _end(run) > end)
        worker.send_signal(how)
    wait_until(lambda: not _runs(process))
    end = _end(run)
    wait_until(lambda: _has_passed(run, end))
    assert _end(run) == end


def test_what_is_meant_for_the_worker_does_not_end_its_heartbeat(run: Driver, heartbeat: Heartbeat) -> None:
    """Ctrl-C reaches all of a group; a worker that drains still needs its lease."""
    with _claim(run, heartbeat) as lease:
        assert lease.is_live
        assert heartbeat.pid is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(heartbeat.pid, number)
        end = _end(run)
        wait_until(lambda: _end(run) > end)
        assert lease.is_live


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
