"""Whatever a server does, there is a clear error or a lost command: never a hang, never a pass.

No test looks at how long anything took: what a server never ends, only a time limit can end.
"""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from keepfact.conformance import asking
from keepfact.conformance.asking import AdapterError
from keepfact.conformance.system import SystemUnavailableError
from keepfact.conformance.systems.http import TIME_OUTS_MAX, OverHttp
from keepfact.conformance.wire.connection import ANSWER_BYTES_MAX, Connection, TimeOutError
from keepfact.spec.vocabulary import CommandId, Done, Lost, Observation, Observe, Reason, Refused, RunId

from .searching import searched
from .wild import Act, answering, hanging, sending, trickling, wild

SECONDS = 0.25
"""What these servers are given for an answer: little, since most of them never give one."""
PATIENT_SECONDS = 30.0
COMMAND = Observe(CommandId("1"), RunId("run-1"))
MUCH = 50 * 10**6
HTML = answering(b"<!doctype html><title>Welcome</title>", media_type="text/html")
IN_THE_MIDDLE = sending(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")
IN_THE_HEAD = sending(b"HTTP/1.1 200 OK\r\ncontent-le")
NO_ANSWER = sending(b"")
REDIRECT = answering(b"", "307 Temporary Redirect", "location: http://127.0.0.1:1/perform")
LARGE = sending(f"HTTP/1.1 200 OK\r\ncontent-length: {MUCH}\r\n\r\n".encode(), *[b" " * 10**6] * 50)
ENDLESS = sending(
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", *[b"f4240\r\n" + b" " * 10**6 + b"\r\n"] * 50
)
PROBLEM = answering(
    b'{"title": "Broken", "detail": "the store is on fire"}', "500 Internal Server Error",
    media_type="application/problem+json",
)  # fmt: skip

Ask = Callable[[OverHttp], object]
ASKING: dict[str, Ask] = {
    "perform": lambda system: asking.perform(system, COMMAND),
    "observe": lambda system: asking.observe(system, [], Observation()),
    "tick": lambda system: asking.tick(system, 1),
    "begin": asking.begin,
}


@pytest.mark.parametrize("act", [IN_THE_MIDDLE, IN_THE_HEAD, NO_ANSWER], ids=["in a body", "in a head", "before"])
def test_a_command_whose_connection_is_cut_is_lost(act: Act) -> None:
    with wild(perform=act) as server:
        system = OverHttp(server.url, PATIENT_SECONDS)
        assert asking.perform(system, COMMAND) == Lost()
        server.change(perform=answering(b'{"is": "Done"}'))
        assert asking.perform(system, COMMAND) == Done()
        assert server.asked.count("/perform") == 2  # a command is never sent twice by itself


SLOW = {
    "says nothing": hanging,
    "trickles a head": trickling(b"HTTP/1.1 200 OK\r\nx: "),
    "trickles a body": trickling(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n"),
}


@pytest.mark.parametrize("act", SLOW.values(), ids=SLOW)
def test_a_command_that_has_no_whole_answer_in_time_is_lost(act: Act) -> None:
    with wild(perform=act) as server:
        assert asking.perform(OverHttp(server.url, SECONDS), COMMAND) == Lost()


def test_a_server_that_takes_what_is_asked_bit_by_bit_is_given_up() -> None:
    def take(listener: socket.socket) -> None:
        asker, _ = listener.accept()
        with asker, suppress(OSError):
            while asker.recv(1_024):
                time.sleep(0.01)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        threading.Thread(target=take, args=(listener,), daemon=True).start()
        connection = Connection(f"http://127.0.0.1:{listener.getsockname()[1]}")
        with pytest.raises(TimeOutError):
            connection.ask("POST", "/perform", b" " * 20 * 10**6, SECONDS)


def test_losing_command_after_command_to_the_clock_ends() -> None:
    with wild(perform=hanging) as server:
        system = OverHttp(server.url, 0.02)
        for _ in range(TIME_OUTS_MAX):
            assert asking.perform(system, COMMAND) == Lost()
        with pytest.raises(AdapterError, match=rf"came within 0\.02 seconds, {TIME_OUTS_MAX + 1} times"):
            asking.perform(system, COMMAND)


@pytest.mark.parametrize("name", ["observe", "tick", "begin"])
@pytest.mark.parametrize("act", [hanging, IN_THE_MIDDLE, NO_ANSWER], ids=["hangs", "cuts", "closes"])
def test_anything_but_a_command_must_be_answered(name: str, act: Act) -> None:
    with wild(**{name: act}) as server, pytest.raises(AdapterError, match=rf"the adapter of wild .*/{name}, but "):
        ASKING[name](OverHttp(server.url, SECONDS))


def test_only_observing_is_asked_again_and_only_where_the_connection_was_cut() -> None:
    with wild() as server:
        system = OverHttp(server.url, SECONDS)
        for name, act in [("observe", NO_ANSWER), ("observe", hanging), ("tick", NO_ANSWER)]:
            server.change(**{name: act})
            with pytest.raises(AdapterError):
                ASKING[name](system)
    assert server.asked == ["/system", *["/observe"] * 3, "/tick"]


WRONG: dict[str, tuple[Act, str]] = {
    "a page": (HTML, "text/html) '<!doctype html>"),
    "a redirect": (REDIRECT, "it answered 307: application/json, nothing"),
    "a problem": (PROBLEM, "it answered 500: the store is on fire"),
    "much": (LARGE, f"the answer has more than {ANSWER_BYTES_MAX} bytes"),
    "more and more": (ENDLESS, f"the answer has more than {ANSWER_BYTES_MAX} bytes"),
    "another protocol": (sending(b"SSH-2.0-OpenSSH_9.6\r\n" * 20), "what came is not HTTP"),
    "nothing": (answering(b""), "it answered (application/json) nothing"),
    "a list": (answering(b"[]"), "(application/json) '[]'"),
    "a word": (answering(b'"Done"'), "(application/json) '\"Done\"'"),
    "depth": (answering(b"[" * 100_000), "'[[[["),
    "bytes": (answering(b"\xff\xfe{}"), "it answered"),
}


@pytest.mark.parametrize("name", ["perform", "observe"])
@pytest.mark.parametrize(("act", "seen"), WRONG.values(), ids=WRONG)
def test_an_answer_that_is_none_is_a_broken_adapter(act: Act, seen: str, name: str) -> None:
    with wild(**{name: act}) as server, pytest.raises(AdapterError) as told:
        ASKING[name](OverHttp(server.url, PATIENT_SECONDS))
    assert "the adapter of wild to answer" in str(told.value)
    assert seen in str(told.value)
    assert "Put that right in the adapter" in str(told.value)


@pytest.mark.parametrize("outcome", [
    b'{"is": "Fine"}', b'{"outcome": "Done"}', b'{"is": "Refused"}', b'{"is": "Refused", "reason": "because"}',
    b'{"is": "Done", "grants": null}', b'{"is": "Done", "grant": {"fence": "1", "lease_seconds": 30}}',
    b'{"is": "Done", "grant": {"fence": 1}}', b'{"is": ["Done"]}', b'{"is": "Lost", "runs": []}',
    b'{"is": "Done", "grant": {"fence": true, "lease_seconds": 30}}',
])  # fmt: skip
def test_an_outcome_of_a_wrong_shape_is_none(outcome: bytes) -> None:
    with (
        wild(perform=answering(outcome)) as server,
        pytest.raises(AdapterError, match="to answer with an Outcome in JSON when"),
    ):
        asking.perform(OverHttp(server.url, PATIENT_SECONDS), COMMAND)


@pytest.mark.parametrize("shown", [
    b'{"run": []}', b'{"runs": [{"run": "r"}]}', b'{"served": [1]}', b'{"in_force": {"plan": "1"}}',
    b'{"runs": [{"run": "r", "contract": "settle", "state": "asleep", "fence": 0, "budget_cents": 1}]}',
])  # fmt: skip
def test_an_observation_of_a_wrong_shape_is_none(shown: bytes) -> None:
    with (
        wild(observe=answering(shown)) as server,
        pytest.raises(AdapterError, match=r"an Observation in JSON when .*, but at "),
    ):
        ASKING["observe"](OverHttp(server.url, PATIENT_SECONDS))


def test_a_run_that_nobody_asked_for_is_no_observation() -> None:
    shown = b'{"runs": [{"run": "r", "contract": "settle", "state": "queued", "fence": 0, "budget_cents": 1}]}'
    with wild(observe=answering(shown)) as server, pytest.raises(AdapterError, match="it gave r, in this order"):
        ASKING["observe"](OverHttp(server.url, PATIENT_SECONDS))


@pytest.mark.parametrize(("act", "seen"), [
    (hanging, f"no whole answer came within {SECONDS} seconds"),
    (trickling(b"HTTP/1.1 200 OK\r\nx: "), f"no whole answer came within {SECONDS} seconds"),
    (IN_THE_MIDDLE, "the connection was cut"),
    (HTML, "to answer with what it is in JSON when"),
    (REDIRECT, "it answered 307"),
    (answering(b'{"name": "x", "lease_seconds": 30, "contracts": []}'), "at contracts it gave"),
    (answering(b'{"name": "x", "lease_seconds": 0, "contracts": ["settle"]}'), "at lease_seconds it gave 0"),
    (answering(b'{"name": "x", "lease_seconds": 1, "contracts": ["settle"], "capabilities": ["magic"]}'), "magic"),
])  # fmt: skip
def test_what_does_not_say_what_it_is_is_not_opened(act: Act, seen: str) -> None:
    with wild(system=act) as server, pytest.raises((SystemUnavailableError, AdapterError)) as told:
        OverHttp(server.url, SECONDS)
    assert seen in str(told.value)


def test_where_nobody_listens_nothing_was_sent() -> None:
    with wild() as server:
        system = OverHttp(server.url, PATIENT_SECONDS)
    with pytest.raises(AdapterError, match="nothing could be sent"):
        asking.perform(system, COMMAND)
    with pytest.raises(SystemUnavailableError, match=r"nothing could be sent.*Start an adapter there"):
        OverHttp(server.url, PATIENT_SECONDS)
    system.close()  # nothing depends on it any more


@pytest.mark.parametrize("url", [
    "http://", "http://?", "http://h:x", "http://h:99999", "http://h:1/#f", "http://h:1?q", "http://me:secret@h:1",
    "http://h:1/a b", "http://h:1/\u00fc",
])  # fmt: skip
def test_what_is_no_url_is_told(url: str) -> None:
    with pytest.raises(SystemUnavailableError, match="perhaps with a prefix"):
        OverHttp(url)


def test_a_connection_that_ended_while_idle_is_opened_again() -> None:
    with wild(perform=answering(b'{"is": "Refused", "reason": "sealed", "runs": ["r"]}')) as server:
        system = OverHttp(server.url, PATIENT_SECONDS)
        server.cut()
        assert asking.observe(system, [], Observation()) == Observation()
        assert asking.perform(system, COMMAND) == Refused(Reason.SEALED, (RunId("r"),))


def test_a_server_that_ends_each_connection_in_good_order_is_as_good_as_another() -> None:
    closing = sending(b'HTTP/1.0 200 OK\r\nconnection: close\r\n\r\n{"is": "Done"}')
    with wild(perform=closing) as server:
        system = OverHttp(server.url, PATIENT_SECONDS)
        assert [asking.perform(system, COMMAND) for _ in range(3)] == [Done()] * 3


def test_a_system_that_is_only_ever_cut_has_done_nothing() -> None:
    with wild(perform=NO_ANSWER) as server:
        system = OverHttp(server.url, PATIENT_SECONDS)
        found = searched(system, traces=3)
    assert {outcome for outcomes in found.outcomes.values() for outcome in outcomes} == {"Lost"}
