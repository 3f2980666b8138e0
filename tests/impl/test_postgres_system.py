"""What the harness can do to the implementation in its database only: hold it back, run its workers, look up."""

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from keepfact.conformance.abilities import Outside, RunsWorkers
from keepfact.conformance.systems.postgres import Postgres
from keepfact.impl.server import Server
from keepfact.spec.vocabulary import (
    CallId,
    CallKind,
    Contract,
    Done,
    Fail,
    Fence,
    Intend,
    Publish,
    RunId,
    RunState,
    Submit,
    WorkerId,
)

from .driving import PATIENCE_SECONDS, fresh, wait_until
from .granted import command_id, granted
from .outside_world import outside_world


@pytest.fixture(scope="module")
def system(server: Server) -> Iterator[Postgres]:
    opened = Postgres(server=server)
    yield opened
    opened.close()
    opened.close()


@pytest.fixture
def run(system: Postgres) -> RunId:
    return granted(system)


def test_a_write_to_a_held_run_waits_and_other_runs_go_on(system: Postgres, run: RunId) -> None:
    other = RunId(fresh("system"))
    with ThreadPoolExecutor(1) as threads, system.hold_writes(run) as held:
        assert not held.is_waited_for()
        writing = threads.submit(system.perform, Publish(command_id(), run, Fence(1), "b", True))
        wait_until(held.is_waited_for)
        assert not held.is_settled()
        assert system.perform(Submit(command_id(), other, Contract.SETTLE, 1)) == Done()
        assert system.observe([run]).runs[0].publications == ()
        held.let_go()
        wait_until(held.is_settled)
        assert len(system.observe([run]).runs[0].publications) == 1
        assert writing.result(PATIENCE_SECONDS) == Done()


def test_a_held_run_is_free_again_when_the_holder_gives_up(system: Postgres, run: RunId) -> None:
    with pytest.raises(KeyError), system.hold_writes(run):
        raise KeyError
    assert system.perform(Publish(command_id(), run, Fence(1), "b", True)) == Done()


def test_a_worker_is_a_process_in_a_group_of_its_own_and_a_killed_ones_write_is_settled(
    system: Postgres, run: RunId
) -> None:
    assert isinstance(system, RunsWorkers)
    queued = RunId(fresh("system"))
    system.perform(Submit(command_id(), queued, Contract.SETTLE, 100))
    with outside_world() as world, system.hold_writes(queued) as held:
        worker = system.start_worker(queued, WorkerId("w"), Outside(world.url, world.url), None)
        try:
            wait_until(held.is_waited_for)
            assert _group(worker) == worker.pid
        finally:
            worker.kill()
            worker.wait(PATIENCE_SECONDS)
        held.let_go()
        wait_until(held.is_settled)
    shown = system.observe([queued]).runs[0]
    assert (shown.state, shown.fence) == (RunState.RUNNING, 1)  # the claim had reached the database


def _group(worker: "subprocess.Popen[bytes]") -> int:
    with open(f"/proc/{worker.pid}/stat") as status:
        return int(status.read().rpartition(")")[2].split()[2])


def test_looking_up_records_what_the_tool_says(system: Postgres, run: RunId) -> None:
    system.perform(Intend(command_id(), run, Fence(1), CallId("op"), CallKind.OPERATION, "d", 10))
    system.perform(Fail(command_id(), run, Fence(1)))
    with outside_world() as world:
        world.answers["/operations/op"] = (200, {"status": "confirmed", "cost_cents": 7})
        system.look_up(run, Outside(world.url, world.url))
    shown = system.observe([run]).runs[0]
    assert (shown.state, shown.known_cents) == (RunState.FAILED, 7)


def test_versions_name_what_is_below(system: Postgres) -> None:
    versions = system.versions()
    assert set(versions) == {"keepfact", "postgresql", "psycopg", "python", "sqlalchemy"}
    assert int(versions["postgresql"].split(".")[0]) >= 15
