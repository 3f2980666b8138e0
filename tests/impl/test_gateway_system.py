"""The gateway as a process that the harness starts, kills and asks; and what its answers mean."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from keepfact.conformance import asking
from keepfact.conformance.asking import AdapterError
from keepfact.conformance.meetings.actors import Interleaves
from keepfact.conformance.system import SystemUnavailableError
from keepfact.conformance.systems.gateway import Gateway
from keepfact.conformance.systems.gateway_process import GatewayProcess
from keepfact.conformance.systems.gateway_requests import UnreadableAnswerError, outcome_of
from keepfact.conformance.wire.connection import Answer
from keepfact.impl.server import Server
from keepfact.spec.vocabulary import (
    Cancel,
    CommandId,
    Done,
    Fence,
    LeaseGrant,
    Lost,
    Observation,
    Reason,
    Refused,
    RunId,
)

from .driving import PATIENCE_SECONDS
from .granted import granted

ASKED = Cancel(CommandId("c-1"), RunId("r"))


@pytest.fixture(scope="module")
def system(server: Server) -> Iterator[Gateway]:
    opened = Gateway(server=server)
    yield opened
    opened.close()
    opened.close()


@pytest.fixture
def run(system: Gateway) -> RunId:
    return granted(system)


def test_a_restart_is_another_process(system: Gateway) -> None:
    before = system._connection._url
    system.restart()
    assert system._connection._url != before


def test_nobody_stops_its_commands_in_the_middle(system: Gateway) -> None:
    assert not isinstance(system, Interleaves)


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
    assert outcome_of(Answer(status, "application/json", body), ASKED) == outcome


@pytest.mark.parametrize("command", [
    replace(ASKED, command_id=CommandId("\x00")), replace(ASKED, command_id=CommandId("two\nlines")),
    replace(ASKED, command_id=CommandId("\ud800")), replace(ASKED, run=RunId("")),
    replace(ASKED, run=RunId("\ud800")), replace(ASKED, run=RunId("x" * 100_000)),
])  # fmt: skip
def test_what_no_request_can_say_is_refused_and_not_sent(command: Cancel, system: Gateway) -> None:
    assert system.perform(command) == Refused(Reason.MALFORMED)


@pytest.mark.parametrize("spoiled", ["", "two words", "x" * 201])
def test_an_id_that_no_header_can_have_is_refused_for_certain(spoiled: str) -> None:
    for answer in (b'{"reason": "malformed"}', b"Invalid HTTP request received."):  # by us, or by the server below us
        asked = replace(ASKED, command_id=CommandId(spoiled))
        assert outcome_of(Answer(400, "", answer), asked) == Refused(Reason.MALFORMED)


@pytest.mark.parametrize(("status", "body"), [
    (400, b'{"reason": "malformed"}'), (401, b'{"reason": "unauthenticated"}'), (404, b'{"reason": "no_such_path"}'),
    (405, b'{"reason": "method_not_allowed"}'), (429, b'{"reason": "too_many_requests"}'),
    (500, b'{"outcome": "lost", "reason": "lost"}'), (503, b'{"outcome": "refused", "reason": "unavailable"}'),
    (502, b"<html>Bad Gateway</html>"),
])  # fmt: skip
def test_an_answer_that_says_nothing_of_the_command_is_none(status: int, body: bytes) -> None:
    with pytest.raises(UnreadableAnswerError, match=f"it answered {status}"):
        outcome_of(Answer(status, "application/json", body), ASKED)
