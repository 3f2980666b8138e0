"""The implementation as the harness sees it: by its SQL, and through its gateway, it says the same."""

from collections.abc import Iterator

import pytest

from keepfact.conformance.judge import Judge
from keepfact.conformance.lockstep import search
from keepfact.conformance.profiles import Effort
from keepfact.conformance.system import capabilities_of
from keepfact.conformance.systems.gateway import Gateway
from keepfact.conformance.systems.postgres import OFFERED, Postgres
from keepfact.impl.server import Server
from keepfact.spec.chain import event_digest
from keepfact.spec.vocabulary import (
    TENANT,
    CallId,
    CallKind,
    CallState,
    Done,
    EntryPoint,
    Evidence,
    Fail,
    Fence,
    Intend,
    Observe,
    Publish,
    Reason,
    Reconcile,
    Refused,
    RunId,
    RunState,
    Session,
    Stream,
    Succeed,
    TenantId,
)

from .driving import fresh
from .granted import command_id, granted

WATCHER = Session(TENANT, "watcher", EntryPoint.WORK)


@pytest.fixture(scope="module", params=[Postgres, Gateway], ids=["postgres", "gateway"])
def system(request: pytest.FixtureRequest, server: Server) -> Iterator[Postgres]:
    opened: Postgres = request.param(server=server)
    yield opened
    opened.close()
    opened.close()


@pytest.fixture
def run(system: Postgres) -> RunId:
    return granted(system)


def test_in_a_short_search_it_agrees_with_the_model(system: Postgres) -> None:
    judge = Judge(system.contracts, capabilities=capabilities_of(system))
    found = search(system, judge, None, Effort(4, 25), 7, name=fresh("search-"), walks=())
    assert found.failures == []
    assert system.capabilities == OFFERED
    assert sum(outcomes.get("Done", 0) for outcomes in found.outcomes.values()) > 20


def test_commands_and_observations_speak_the_words_of_the_specification(system: Postgres, run: RunId) -> None:
    call = CallId("a")
    assert system.perform(Intend(command_id(), run, Fence(1), call, CallKind.OPERATION, "d", 10)) == Done()
    assert system.perform(Publish(command_id(), run, Fence(0), "late", True)) == Refused(Reason.STALE_FENCE)
    assert system.perform(Fail(command_id(), run, Fence(1))) == Done()
    shown = system.observe([run, RunId("nowhere")]).run(run)
    assert shown is not None
    assert (shown.state, shown.sealed_for, shown.held_cents) == (RunState.UNKNOWN, RunState.FAILED, 10)
    assert [call.state for call in shown.calls] == [CallState.UNKNOWN]
    assert all(event.digest == event_digest(event) for event in shown.history)
    assert system.perform(Reconcile(command_id(), run, call, Evidence.NOT_FOUND, None)) == Done()


def test_observing_is_a_command_too(system: Postgres, run: RunId) -> None:
    assert system.perform(Observe(command_id(), run)) == Done()
    assert system.perform(Observe(command_id(), RunId("nowhere"))) == Refused(Reason.NO_SUCH_RUN)


def test_a_stream_is_read_to_its_end(system: Postgres, run: RunId) -> None:
    assert system.perform(Publish(command_id(), run, Fence(1), "b", True)) == Done()
    assert system.perform(Succeed(command_id(), run, Fence(1))) == Done()
    read = system.perform(Stream(command_id(), run, 2))
    assert isinstance(read, Done)
    assert read.stream is not None
    assert (len(read.stream.events), read.stream.is_over) == (2, True)
    assert read.stream.events == system.observe([run]).runs[0].history[2:]
    assert system.perform(Stream(command_id(), RunId("nowhere"), 0)) == Refused(Reason.NO_SUCH_RUN)


def test_who_asks_wrongly_at_the_wrong_door_is_told_of_the_door(system: Postgres, run: RunId) -> None:
    """A search found the reader told first that it asked wrongly, who may not ask at all."""
    before_the_first = Stream(command_id(), run, -1)
    assert system.perform(before_the_first) == Refused(Reason.MALFORMED)
    assert system.perform_in(WATCHER, before_the_first) == Refused(Reason.NOT_ALLOWED)


def test_who_asks_is_whoever_the_session_says(system: Postgres, run: RunId) -> None:
    reader, worker, stranger = (
        Session(TENANT, "somebody", EntryPoint.OBSERVE),
        Session(TENANT, "somebody", EntryPoint.WORK),
        Session(TenantId("stranger"), "eve", EntryPoint.OBSERVE),
    )
    publish = Publish(command_id(), run, Fence(1), "b", True)
    assert system.perform_in(reader, publish) == Refused(Reason.NOT_ALLOWED)
    assert system.perform_in(stranger, Observe(command_id(), run)) == Refused(Reason.NO_SUCH_RUN)
    assert system.perform_in(worker, publish) == Done()
    assert [event.principal for event in system.observe([run]).runs[0].history] == ["harness", "harness", "somebody"]


def test_the_clock_of_the_store_moves_only_by_ticks(system: Postgres, run: RunId) -> None:
    def left() -> int | None:
        return system.observe([run]).runs[0].lease_left_seconds

    assert (left(), left()) == (30, 30)
    system.tick(29)
    assert left() == 1
    system.tick(5)
    assert left() == 0


def test_a_restart_loses_nothing(system: Postgres, run: RunId) -> None:
    before = system.observe([run])
    system.restart()
    assert system.observe([run]) == before
    assert system.perform(Succeed(command_id(), run, Fence(1))) == Refused(Reason.NOT_QUALIFIED)
