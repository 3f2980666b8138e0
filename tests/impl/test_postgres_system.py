"""The adapter: the implementation as the harness sees it."""

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from keepfact.conformance.system import Outside, RunsWorkers
from keepfact.conformance.systems.postgres import Postgres
from keepfact.impl.server import Server
from keepfact.spec.chain import event_digest
from keepfact.spec.vocabulary import (
    TENANT,
    CallId,
    CallKind,
    CallState,
    Claim,
    CommandId,
    Contract,
    Done,
    EntryPoint,
    Evidence,
    Fail,
    Fence,
    Intend,
    LeaseGrant,
    Observe,
    Publish,
    Reason,
    Reconcile,
    Refused,
    RunId,
    RunState,
    Session,
    Stream,
    Submit,
    WorkerId,
)

from .driving import PATIENCE_SECONDS, fresh, wait_until
from .outside_world import outside_world


@pytest.fixture(scope="module")
def system(server: Server) -> Iterator[Postgres]:
    opened = Postgres(server=server)
    yield opened
    opened.close()
    opened.close()


@pytest.fixture
def run(system: Postgres) -> RunId:
    """A run that is granted under fence 1."""
    run = RunId(fresh("system"))
    assert system.perform(Submit(_id(), run, Contract.SETTLE, 100)) == Done()
    assert system.perform(Claim(_id(), run, WorkerId("w"))) == Done(LeaseGrant(Fence(1), system.lease_seconds))
    return run


def _id() -> CommandId:
    return CommandId(fresh("command"))


def test_commands_and_observations_speak_the_words_of_the_specification(system: Postgres, run: RunId) -> None:
    assert system.perform(Intend(_id(), run, Fence(1), CallId("a"), CallKind.OPERATION, "d", 10)) == Done()
    assert system.perform(Publish(_id(), run, Fence(0), "late", True)) == Refused(Reason.STALE_FENCE)
    assert system.perform(Fail(_id(), run, Fence(1))) == Done()
    shown = system.observe([run, RunId("nowhere")]).run(run)
    assert shown is not None
    assert (shown.state, shown.sealed_for, shown.held_cents) == (RunState.UNKNOWN, RunState.FAILED, 10)
    assert [call.state for call in shown.calls] == [CallState.UNKNOWN]
    assert all(event.digest == event_digest(event) for event in shown.history)
    assert system.perform(Reconcile(_id(), run, CallId("a"), Evidence.NOT_FOUND, None)) == Done()


def test_observing_is_a_command_too(system: Postgres, run: RunId) -> None:
    assert system.perform(Observe(_id(), run)) == Done()
    assert system.perform(Observe(_id(), RunId("nowhere"))) == Refused(Reason.NO_SUCH_RUN)


def test_who_asks_wrongly_at_the_wrong_door_is_told_of_the_door(system: Postgres, run: RunId) -> None:
    """A search found the reader told first that it asked wrongly, who may not ask at all."""
    before_the_first = Stream(_id(), run, -1)
    at_the_wrong_door = Session(TENANT, "watcher", EntryPoint.WORK)
    assert system.perform(before_the_first) == Refused(Reason.MALFORMED)
    assert system.perform_in(at_the_wrong_door, before_the_first) == Refused(Reason.NOT_ALLOWED)


def test_the_clock_of_the_store_moves_only_by_ticks(system: Postgres, run: RunId) -> None:
    def left() -> int | None:
        return system.observe([run]).runs[0].lease_left_seconds

    assert (left(), left()) == (30, 30)
    system.tick(29)
    assert left() == 1
    system.tick(5)
    assert left() == 0


def test_a_write_to_a_held_run_waits_and_other_runs_go_on(system: Postgres, run: RunId) -> None:
    other = RunId(fresh("system"))
    with ThreadPoolExecutor(1) as threads, system.hold_writes(run) as held:
        assert not held.is_waited_for()
        writing = threads.submit(system.perform, Publish(_id(), run, Fence(1), "b", True))
        wait_until(held.is_waited_for)
        assert not held.is_settled()
        assert system.perform(Submit(_id(), other, Contract.SETTLE, 1)) == Done()
        assert system.observe([run]).runs[0].publications == ()
        held.let_go()
        wait_until(held.is_settled)
        assert len(system.observe([run]).runs[0].publications) == 1
        assert writing.result(PATIENCE_SECONDS) == Done()


def test_a_held_run_is_free_again_when_the_holder_gives_up(system: Postgres, run: RunId) -> None:
    with pytest.raises(KeyError), system.hold_writes(run):
        raise KeyError
    assert system.perform(Publish(_id(), run, Fence(1), "b", True)) == Done()


def test_a_worker_is_a_process_in_a_group_of_its_own_and_a_killed_ones_write_is_settled(
    system: Postgres, run: RunId
) -> None:
    assert isinstance(system, RunsWorkers)
    queued = RunId(fresh("system"))
    system.perform(Submit(_id(), queued, Contract.SETTLE, 100))
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
    system.perform(Intend(_id(), run, Fence(1), CallId("op"), CallKind.OPERATION, "d", 10))
    system.perform(Fail(_id(), run, Fence(1)))
    with outside_world() as world:
        world.answers["/operations/op"] = (200, {"status": "confirmed", "cost_cents": 7})
        system.look_up(run, Outside(world.url, world.url))
    shown = system.observe([run]).runs[0]
    assert (shown.state, shown.known_cents) == (RunState.FAILED, 7)


def test_versions_name_what_is_below(system: Postgres) -> None:
    versions = system.versions()
    assert set(versions) == {"keepfact", "postgresql", "psycopg", "python", "sqlalchemy"}
    assert int(versions["postgresql"].split(".")[0]) >= 15
