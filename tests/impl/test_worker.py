"""A worker from its claim to its end: real processes, real connections, a model and a tool that answer as told."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import psycopg
import pytest

from keepfact.impl.installation import Installation
from keepfact.impl.outcomes import Done
from keepfact.impl.store import Store

from .driving import PATIENCE_SECONDS, Driver, wait_until
from .outside_world import OutsideWorld, cut, name_of, outside_world

MODEL, TOOL = "/v1/chat/completions", "/tools/pay"


@pytest.fixture
def world() -> Iterator[OutsideWorld]:
    with outside_world() as opened:
        yield opened


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(installation: Installation, world: OutsideWorld) -> Iterator[Start]:
    """Start a worker for a run; whatever happens, it does not outlive the test."""
    workers: list[subprocess.Popen[str]] = []

    def start(run: Driver, **environment: str) -> "subprocess.Popen[str]":
        settings = {
            "KEEPFACT_WORK_DSN": installation.dsns["work"],
            "KEEPFACT_OBSERVE_DSN": installation.dsns["observe"],
            "KEEPFACT_MODEL_URL": world.url,
            "KEEPFACT_TOOL_URL": world.url,
        }
        worker = subprocess.Popen(
            [sys.executable, "-m", "keepfact.impl.worker", "--run", run.run, "--worker", "w"],
            env={**os.environ, **settings, **environment},
            stderr=subprocess.PIPE,
            text=True,
        )
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.kill()
        worker.communicate()


def _end(worker: "subprocess.Popen[str]") -> tuple[int, str]:
    _, log = worker.communicate(timeout=PATIENCE_SECONDS)
    return worker.returncode, log


def test_a_worker_brings_the_probe_to_its_end(run: Driver, start: Start, world: OutsideWorld) -> None:
    assert _end(start(run.submitted())) == (0, "")
    assert run.view["state"] == "succeeded"
    assert run.view["delivered"] == {"version": 2, "partial": False}
    assert run.view["known_cents"] == 14
    assert [published["body"] for published in run.view["publications"]] == [
        "Planned: I pay.", 'Done: I pay.\n{"receipt": 7}',
    ]  # fmt: skip
    assert [(request.path, request.headers["Idempotency-Key"]) for request in world.requests] == [
        (MODEL, f"{run.run}:attempt:1"), (TOOL, f"{run.run}:operation:1"),
    ]  # fmt: skip
    assert run.events == [
        "admitted", "granted", "intended", "answered", "published", "intended", "answered", "published", "ended",
    ]  # fmt: skip


@pytest.mark.parametrize(("path", "call", "delivered"), [
    (MODEL, "attempt:1", None),
    (TOOL, "operation:1", {"version": 1, "partial": True}),
])  # fmt: skip
@pytest.mark.parametrize("answer", [cut, (500, {}), (409, {})], ids=name_of)
def test_a_lost_answer_is_unknown_and_never_asked_for_again(
    run: Driver, start: Start, world: OutsideWorld, path: str, call: str, delivered: object, answer: object
) -> None:
    world.answers[path] = answer
    status, log = _end(start(run.submitted()))
    assert status == 0
    assert f"the answer to {run.run}:{call} is lost" in log
    assert world.paths().count(path) == 1
    assert run.call(call)["state"] == "unknown"
    assert (run.view["state"], run.view["sealed_for"]) == ("unknown", "failed")
    assert run.view["delivered"] == delivered


def test_a_refusal_of_the_tool_is_an_answer_and_fails_the_run(run: Driver, start: Start, world: OutsideWorld) -> None:
    world.answers[TOOL] = (403, {"error": "not allowed", "cost_cents": 0})
    status, log = _end(start(run.submitted()))
    assert (status, run.view["state"], run.view["unresolved"]) == (0, "failed", 0)
    assert "the tool's answer has no result" in log


def test_a_dispatch_over_the_budget_is_not_sent_and_fails_the_run(
    run: Driver, start: Start, world: OutsideWorld
) -> None:
    status, log = _end(start(run.submitted(budget_cents=22)))
    assert (status, run.view["state"], run.view["known_cents"]) == (0, "failed", 3)
    assert "intend was refused: over_budget" in log
    assert world.paths() == [MODEL]


def test_a_body_that_cannot_be_stored_fails_the_run(run: Driver, start: Start, world: OutsideWorld) -> None:
    call = {"function": {"name": "pay", "arguments": "{}"}}
    plan = {"choices": [{"message": {"content": "a NUL \0", "tool_calls": [call]}}], "cost_cents": 1}
    world.answers[MODEL] = (200, plan)
    status, log = _end(start(run.submitted()))
    assert (status, run.view["state"], run.view["known_cents"]) == (0, "failed", 1)
    assert "publish was refused: unstorable" in log


def test_a_worker_that_is_told_to_stop_records_what_is_in_flight_and_hands_the_run_back(
    run: Driver, start: Start, world: OutsideWorld
) -> None:
    held = world.held(MODEL)
    worker = start(run.submitted())
    held.wait_until_reached()
    worker.send_signal(signal.SIGTERM)
    held.let_go()
    assert _end(worker) == (0, "")
    assert run.events == ["admitted", "granted", "intended", "answered", "released"]
    assert (run.view["state"], run.view["worker"], run.view["unresolved"]) == ("queued", None, 0)


def test_another_worker_goes_on_where_a_drained_one_stopped(run: Driver, start: Start, world: OutsideWorld) -> None:
    held = world.held(MODEL)
    worker = start(run.submitted())
    held.wait_until_reached()
    worker.send_signal(signal.SIGTERM)
    held.let_go()
    _end(worker)
    assert _end(start(run)) == (0, "")
    assert (run.view["state"], run.view["fence"]) == ("succeeded", 2)
    assert world.paths() == [MODEL, TOOL]  # the answer was reused, not asked for again


def test_a_worker_whose_run_was_recovered_meanwhile_writes_nothing_more(
    run: Driver, start: Start, world: OutsideWorld
) -> None:
    held = world.held(TOOL)
    worker = start(run.submitted())
    held.wait_until_reached()
    assert run.lapsed().do("recover") == Done()
    before = run.view
    held.let_go()
    status, log = _end(worker)
    assert (status, log.strip()) == (3, "keepfact.worker: stopped: record_answer was refused: sealed")
    assert run.view == before


def test_a_worker_without_a_run_to_claim_says_why(run: Driver, start: Start) -> None:
    status, log = _end(start(run))
    assert (status, log.strip()) == (3, "keepfact.worker: stopped: claim was refused: no_such_run")


def test_a_worker_that_is_set_up_wrongly_says_what_to_do(run: Driver, start: Start) -> None:
    status, log = _end(start(run, KEEPFACT_WORK_DSN="host=127.0.0.1 port=1 password=topsecret"))
    assert status == 2
    assert "expected a PostgreSQL server at host=127.0.0.1 port=1" in log
    assert "topsecret" not in log


def test_a_heartbeat_keeps_a_lease_alive_for_longer_than_its_length(
    start: Start, world: OutsideWorld, installation: Installation
) -> None:
    with Installation.create(installation.admin_dsn) as own, own.admin_connection() as admin:
        admin.execute("update keepfact.settings set lease_seconds = 6")
        store = Store(own.dsns)
        run = Driver(store, admin).submitted()
        held = world.held(MODEL)
        worker = start(run, KEEPFACT_WORK_DSN=own.dsns["work"], KEEPFACT_OBSERVE_DSN=own.dsns["observe"])
        held.wait_until_reached()
        first_end = _lease_end(admin)
        wait_until(lambda: _now(admin) > first_end)
        held.let_go()
        assert _end(worker) == (0, "")
        assert run.view["state"] == "succeeded"
        store.close()


def _lease_end(admin: psycopg.Connection) -> datetime:
    row = admin.execute("select lease_until from keepfact.runs").fetchone()
    assert row is not None
    moment: datetime = row[0]
    return moment


def _now(admin: psycopg.Connection) -> datetime:
    row = admin.execute("select keepfact.store_now()").fetchone()
    assert row is not None
    moment: datetime = row[0]
    return moment


def test_a_write_over_a_cut_connection_is_asked_again_under_its_id(
    run: Driver, start: Start, world: OutsideWorld, admin: psycopg.Connection, installation: Installation
) -> None:
    """The answer waits in the worker while both its connections die; it is recorded once, by a new one."""
    held = world.held(TOOL)
    named = {
        f"KEEPFACT_{entry_point.upper()}_DSN": f"{installation.dsns[entry_point]} application_name={run.run}"
        for entry_point in ("work", "observe")
    }
    worker = start(run.submitted(), **named)
    held.wait_until_reached()
    cut_off = admin.execute(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = %s", [run.run]
    ).fetchall()
    assert cut_off == [(True,), (True,)]
    held.let_go()
    assert _end(worker) == (0, "")
    assert run.view["state"] == "succeeded"
    assert run.events.count("answered") == 2


class Seams:
    """The other side of a worker's seams."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener

    def __iter__(self) -> Iterator[str]:
        """The seams one after the other; asking for the next lets the worker go on."""
        self._connection, _ = self._listener.accept()
        with self._connection.makefile("r") as lines:
            for line in lines:
                yield line.rstrip("\n")
                self._connection.sendall(b"go\n")

    def close(self) -> None:
        self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


@contextmanager
def _seams(path: Path) -> Iterator[Seams]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.settimeout(PATIENCE_SECONDS)
        listener.bind(str(path))
        listener.listen()
        yield Seams(listener)


def test_seams_stand_around_every_write_and_every_send(run: Driver, start: Start, tmp_path: Path) -> None:
    history_at: dict[str, int] = {}
    with _seams(tmp_path / "seams") as seams:
        worker = start(run.submitted(), KEEPFACT_SEAMS=str(tmp_path / "seams"))
        names = []
        for name in seams:
            names.append(name)
            history_at[f"{len(names)} {name}"] = len(run.events)
        assert _end(worker) == (0, "")
    assert names == [
        "claiming", "claimed",
        "intending attempt", "intended attempt", "model asked", "model answered",
        "recording answer of attempt", "recorded answer of attempt", "publishing", "published",
        "intending operation", "intended operation", "tool asked", "tool answered",
        "recording answer of operation", "recorded answer of operation", "publishing", "published",
        "succeeding", "succeeded",
    ]  # fmt: skip
    # Before a seam in -ing nothing of it is written, and after its counterpart it is: one event each, in turn.
    assert list(history_at.values()) == [1, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 8, 8, 9]


def test_a_worker_ends_at_once_when_its_seams_close(
    run: Driver, start: Start, world: OutsideWorld, tmp_path: Path
) -> None:
    """Also while it waits for something else: here for an answer that never comes."""
    held = world.held(MODEL)
    with _seams(tmp_path / "seams") as seams:
        worker = start(run.submitted(), KEEPFACT_SEAMS=str(tmp_path / "seams"))
        for name in seams:
            if name == "model asked":
                break
        seams._connection.sendall(b"go\n")
        held.wait_until_reached()
        seams.close()
        assert _end(worker) == (75, "")
    held.let_go()
    assert run.events == ["admitted", "granted", "intended"]
