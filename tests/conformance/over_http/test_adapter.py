"""The adapter of a Python system: it says what is wrong with what is sent to it, and tells a fault of its system."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import httpx
import pytest

from keepfact.conformance import asking
from keepfact.conformance.asking import AdapterError
from keepfact.conformance.systems import open_system
from keepfact.conformance.systems.http import OverHttp
from keepfact.conformance.systems.reference import Reference
from keepfact.conformance.wire.app import BODY_BYTES_MAX
from keepfact.spec.vocabulary import (
    Capability,
    Command,
    CommandId,
    Contract,
    Done,
    EntryPoint,
    Fail,
    Fence,
    Observation,
    Outcome,
    RunId,
    Session,
    Submit,
    TenantId,
)

from .serving import adapter_thread

RUN = RunId("run-1")
SUBMIT = Submit(CommandId("1"), RUN, Contract.SETTLE, 5)


class Hears(Reference):
    """Keeps what it is asked, and knows nothing of sessions, drift or restarts."""

    capabilities = frozenset[Capability]()

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Command] = []

    def __getattribute__(self, name: str) -> Any:
        if name in {"perform_in", "drift", "restart"}:
            raise AttributeError(name)
        return super().__getattribute__(name)

    def perform(self, command: Command) -> Outcome:
        self.heard.append(command)
        return super().perform(command)


@pytest.fixture(scope="module")
def hearing() -> Hears:
    return Hears()


@pytest.fixture(scope="module")
def client(hearing: Hears) -> Iterator[httpx.Client]:
    with adapter_thread(hearing) as url, httpx.Client(base_url=url, timeout=60) as client:
        yield client


def problem(response: httpx.Response) -> tuple[int, str]:
    content = response.json()
    assert response.headers["content-type"] == "application/problem+json"
    assert content["status"] == response.status_code
    assert content["detail"].startswith("expected ")
    assert response.text.isascii()
    return response.status_code, content["detail"]


COMMAND = {"is": "Submit", "command_id": "1", "run": "r", "contract": "settle", "budget_cents": 5}
BAD: list[tuple[str, bytes | object, str]] = [
    ("/perform", b"", "it is none"),
    ("/perform", b"{", "it is none"),
    ("/perform", b"\xff{}", "it is none"),
    ("/perform", b"[" * 200_000, "it is none"),
    ("/perform", b'{"command": 1' + b"0" * 5_000 + b"}", "it is none"),
    ("/perform", [], "at the whole it is []"),
    ("/perform", {}, "at command"),
    ("/perform", {"command": None}, "expected `is` to be one of Assess, "),
    ("/perform", {"command": {"is": ["Submit"]}}, "but it is ['Submit']"),
    ("/perform", {"command": {"is": "Tick", "seconds": 1}}, "but it is 'Tick'"),
    ("/perform", {"command": {"is": "Submit"}}, "at command"),
    ("/perform", {"command": {**COMMAND, "contract": "maybe"}}, "at command"),
    ("/perform", {"command": {**COMMAND, "budget_cents": "a lot"}}, "at command"),
    ("/perform", {"command": COMMAND, "session": {"tenant": "t"}}, "at session"),
    ("/perform", {"command": COMMAND, "sesion": None}, "at sesion"),
    ("/perform", {"command": COMMAND, "session": {"tenant": "t", "principal": "p", "role": "work"}}, "no perform_in"),
    ("/observe", {"runs": "run-1"}, "at runs"),
    ("/observe", {"runs": [1]}, "at runs.0"),
    ("/tick", {"seconds": -1}, "at seconds it is -1"),
    ("/tick", {"seconds": 0.5}, "at seconds"),
    ("/drift", {"what": "everything"}, "at what"),
    ("/drift", {"what": "plan"}, "no drift"),
    ("/restart", b"", "no restart"),
]


@pytest.mark.parametrize(("path", "body", "seen"), BAD)
def test_bad_input_is_told_and_reaches_no_system(
    client: httpx.Client, hearing: Hears, path: str, body: bytes | object, seen: str
) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    hearing.heard.clear()
    status, detail = problem(client.post(path, content=content))
    assert status == 400
    assert seen in detail
    assert hearing.heard == []


def test_what_is_too_large_or_not_there_is_told(client: httpx.Client) -> None:
    assert problem(client.post("/observe", content=b" " * (BODY_BYTES_MAX + 1)))[0] == 413
    status, detail = problem(client.get("/nowhere"))
    assert (status, "but asked was GET /nowhere. See " in detail) == (404, True)
    assert problem(client.post("/begin/"))[0] == 404
    assert problem(client.get("/perform"))[0] == 405


def test_a_text_that_no_store_can_keep_arrives_as_it_was_sent(client: httpx.Client, hearing: Hears) -> None:
    system = OverHttp(str(client.base_url))
    for text in ("NUL: \0", "half a character: \ud800", "Überlappung", "\U0001f600"):
        command = Fail(CommandId("f"), RUN, Fence(0), text)
        system.perform(command)
        assert hearing.heard[-1] == command


def test_the_trace_after_this_one_finds_nothing_of_it(client: httpx.Client) -> None:
    system = OverHttp(str(client.base_url))
    system.begin()
    assert system.perform(SUBMIT) == Done()
    system.close()
    assert OverHttp(str(client.base_url)).observe([RUN]) == Observation()


def test_a_harness_that_another_came_after_is_told_and_changes_nothing_any_more(client: httpx.Client) -> None:
    before, after = OverHttp(str(client.base_url)), OverHttp(str(client.base_url))
    after.begin()
    assert after.perform(SUBMIT) == Done()
    for ask in (before.begin, lambda: before.perform(SUBMIT), lambda: before.observe([RUN])):
        with pytest.raises(AdapterError, match="it answered 409: expected one harness at a time, but another"):
            ask()
    before.close()
    assert len(after.observe([RUN]).runs) == 1
    assert client.post("/observe", json={"runs": [RUN]}).json()["runs"]  # whoever only looks is no harness


def test_sessions_and_prefixes_go_through() -> None:
    reference = Reference()
    session = Session(TenantId("stranger"), "somebody", EntryPoint.SUBMIT)
    with adapter_thread(reference) as url:
        system = OverHttp(url)
        assert system.perform_in(session, SUBMIT) == Done()
        shown = system.observe([RUN]).runs[0]
        assert (shown.tenant, shown.history[0].principal) == ("stranger", "somebody")
        with pytest.raises(AdapterError, match=r"/prefix/system, but it answered 404: expected GET /system, "):
            OverHttp(f"{url}/prefix/")


@pytest.mark.parametrize(("name", "ask", "said"), [
    ("AnswersNothing", lambda system: asking.perform(system, SUBMIT), "answered 500: expected the adapter of answers"),
    ("RaisesOnTick", lambda system: asking.tick(system, 1), "it answered 500: expected the adapter of raises on tick"),
    ("ShowsStrings", lambda system: _observed(system), "it answered 500: expected the adapter of shows strings"),
])  # fmt: skip
def test_a_fault_of_the_system_behind_it_is_told_in_its_own_words(name: str, ask: Any, said: str) -> None:
    behind = open_system(f"broken:{name}")
    with adapter_thread(behind) as url, pytest.raises(AdapterError) as told:
        ask(OverHttp(url))
    assert said in str(told.value)


def _observed(system: OverHttp) -> Sequence[object]:
    asking.perform(system, SUBMIT)
    return asking.observe(system, [RUN], Observation()).runs
