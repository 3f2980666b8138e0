"""The implementation behind its gateway, as the harness sees it: what is asked goes over HTTP, and agrees."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from keepfact.conformance import asking
from keepfact.conformance.asking import AdapterError
from keepfact.conformance.judge import Judge
from keepfact.conformance.lockstep import Search, _search_on
from keepfact.conformance.meetings.actors import Interleaves
from keepfact.conformance.profiles import Effort
from keepfact.conformance.system import SystemUnavailableError, capabilities_of
from keepfact.conformance.systems.gateway import Gateway
from keepfact.conformance.systems.gateway_process import GatewayProcess
from keepfact.conformance.systems.gateway_requests import UnreadableAnswerError, outcome_of
from keepfact.conformance.systems.postgres import OFFERED
from keepfact.conformance.wire.connection import Answer
from keepfact.impl.server import Server
from keepfact.spec.vocabulary import (
    Claim,
    CommandId,
    Contract,
    Done,
    EntryPoint,
    Fence,
    LeaseGrant,
    Lost,
    Observation,
    Observe,
    Publish,
    Reason,
    Refused,
    RunId,
    RunState,
    Session,
    Stream,
    Submit,
    Succeed,
    TenantId,
    WorkerId,
)

from .driving import PATIENCE_SECONDS, fresh


@pytest.fixture(scope="module")
def system(server: Server) -> Iterator[Gateway]:
    opened = Gateway(server=server)
    yield opened
    opened.close()
    opened.close()


@pytest.fixture
def run(system: Gateway) -> RunId:
    """A run that is granted under fence 1."""
    system.begin()
    run = RunId(fresh("gateway"))
    assert system.perform(Submit(_id(), run, Contract.SETTLE, 100)) == Done()
    assert system.perform(Claim(_id(), run, WorkerId("w 1"))) == Done(LeaseGrant(Fence(1), system.lease_seconds))
    return run


def _id() -> CommandId:
    return CommandId(fresh("command"))


def test_in_a_short_search_it_agrees_with_the_model(system: Gateway) -> None:
    judge = Judge(system.contracts, capabilities=capabilities_of(system))
    found = Search()
    _search_on(found, system, judge, None, Effort(4, 25), 7, fresh("search-"))
    assert found.failures == []
    assert system.capabilities == OFFERED
    assert not isinstance(system, Interleaves)
    assert sum(outcomes.get("Done", 0) for outcomes in found.outcomes.values()) > 20


def test_doors_tenants_and_readings_are_those_of_the_token(system: Gateway, run: RunId) -> None:
    stranger = TenantId("stranger")
    wrong = Session(TenantId("tenant"), "somebody", EntryPoint.OBSERVE)
    assert system.perform_in(wrong, Publish(_id(), run, Fence(1), "b", True)) == Refused(Reason.NOT_ALLOWED)
    assert system.perform_in(Session(stranger, "eve", EntryPoint.OBSERVE), Observe(_id(), run)) == Refused(
        Reason.NO_SUCH_RUN
    )
    somebody = Session(TenantId("tenant"), "somebody", EntryPoint.WORK)
    assert system.perform_in(somebody, Publish(_id(), run, Fence(1), "b", True)) == Done()
    assert [event.principal for event in system.observe([run]).runs[0].history] == ["harness", "harness", "somebody"]


def test_a_stream_is_read_to_its_end(system: Gateway, run: RunId) -> None:
    assert system.perform(Publish(_id(), run, Fence(1), "b", True)) == Done()
    assert system.perform(Succeed(_id(), run, Fence(1))) == Done()
    read = system.perform(Stream(_id(), run, 2))
    assert isinstance(read, Done)
    assert read.stream is not None
    assert (len(read.stream.events), read.stream.is_over) == (2, True)
    assert read.stream.events == system.observe([run]).runs[0].history[2:]
    assert system.perform(Stream(_id(), run, -1)) == Refused(Reason.MALFORMED)
    assert system.perform(Stream(_id(), RunId("nowhere"), 0)) == Refused(Reason.NO_SUCH_RUN)


def test_a_restart_is_another_process_and_loses_nothing(system: Gateway, run: RunId) -> None:
    before, url = system.observe([run]), system._connection._url
    system.restart()
    assert system._connection._url != url
    assert system.observe([run]) == before
    assert system.perform(Succeed(_id(), run, Fence(1))) == Refused(Reason.NOT_QUALIFIED)
    assert system.observe([run]).runs[0].state is RunState.RUNNING


def test_a_gateway_that_is_gone_is_told(system: Gateway, run: RunId) -> None:
    system._process.kill()
    with pytest.raises(AdapterError, match=r"expected the gateway to answer /v1/runs/.* nothing could be sent.*gone;"):
        asking.observe(system, [run], Observation())
    system.restart()


def test_a_gateway_that_does_not_start_is_told_with_what_it_said() -> None:
    process = GatewayProcess({})
    try:
        with pytest.raises(SystemUnavailableError, match=r"it ended with 2; it said last: .*KEEPFACT_OBSERVE_DSN"):
            process.start()
    finally:
        process.close()


def test_a_process_on_the_leash_ends_with_whoever_holds_it() -> None:
    held = subprocess.Popen(
        [sys.executable, "-P", "-m", "keepfact.conformance.leash", "http.server", "--bind", "127.0.0.1", "0"],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert held.stdin is not None
    assert held.stdout is not None
    try:
        assert held.stdout.readline().startswith(b"Serving HTTP")
        held.stdin.close()
        assert held.wait(PATIENCE_SECONDS) == 1
    finally:
        held.kill()
        held.wait()
        held.stdout.close()


@pytest.mark.parametrize(("status", "body", "outcome"), [
    (200, b'{"outcome": "done"}', Done()),
    (200, b'{"grant": {"run": "r", "fence": 2, "lease_seconds": 30}}', Done(LeaseGrant(Fence(2), 30))),
    (409, b'{"reason": "bundle_needed", "runs": ["r"]}', Refused(Reason.BUNDLE_NEEDED, (RunId("r"),))),
    (422, b'{"reason": "malformed"}', Refused(Reason.MALFORMED)),
    (503, b'{"outcome": "lost", "reason": "lost"}', Lost()),
])  # fmt: skip
def test_an_answer_of_the_gateway_is_an_outcome(status: int, body: bytes, outcome: object) -> None:
    assert outcome_of(Answer(status, "application/json", body)) == outcome


@pytest.mark.parametrize(("status", "body"), [
    (400, b'{"reason": "malformed"}'), (401, b'{"reason": "unauthenticated"}'), (404, b'{"reason": "no_such_path"}'),
    (405, b'{"reason": "method_not_allowed"}'), (429, b'{"reason": "too_many_requests"}'),
    (500, b'{"outcome": "lost", "reason": "lost"}'), (503, b'{"outcome": "refused", "reason": "unavailable"}'),
    (502, b"<html>Bad Gateway</html>"),
])  # fmt: skip
def test_an_answer_that_says_nothing_of_the_command_is_none(status: int, body: bytes) -> None:
    with pytest.raises(UnreadableAnswerError, match=f"it answered {status}"):
        outcome_of(Answer(status, "application/json", body))
