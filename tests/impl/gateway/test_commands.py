"""Commands over HTTP: done, refused with a reason, or lost; once under each key."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from keepfact.impl.outcomes import Lost, Outcome
from keepfact.impl.store import ConnectionLostError, Store

from ..driving import fresh
from .served import ANYTHING, Client, client_of, problem, served


@pytest.fixture
def alone(client: Client) -> Iterator[Client]:
    """In a tenant where nobody minds which bundle is the newest."""
    with client_of(str(client.base_url), ANYTHING) as opened:
        yield opened


def test_a_run_from_its_admission_to_its_end(client: Client) -> None:
    run = client.claimed()
    intent = {"call": "a", "kind": "attempt", "digest": "d", "ceiling_cents": 10}
    for command, fields in [
        ("renew", {}),
        ("intend", intent),
        ("record-answer", {"call": "a", "answer": "yes", "cost_cents": 3}),
        ("publish", {"body": "b", "qualified": True}),
        ("succeed", {}),
    ]:
        response = client.do(f"/v1/runs/{run}/{command}", fence=1, **fields)
        assert (response.status_code, response.json()) == (200, {"outcome": "done"})
    shown = client.get(f"/v1/runs/{run}").json()
    assert (shown["state"], shown["known_cents"], shown["delivered"]) == (
        "succeeded",
        3,
        {"version": 1, "partial": False},
    )


def test_a_grant_comes_with_a_claim(client: Client) -> None:
    run = client.admitted()
    answered = client.do(f"/v1/runs/{run}/claim", worker="w").json()
    assert answered == {"outcome": "done", "grant": {"run": run, "fence": 1, "lease_seconds": 30}}


def test_the_next_run_in_the_queue_can_be_claimed_without_a_name(client: Client) -> None:
    client.admitted()
    grant = client.do("/v1/queue/claim", worker="w").json()["grant"]
    assert client.do(f"/v1/runs/{grant['run']}/release", fence=grant["fence"]).status_code == 200


def test_the_same_key_again_gives_the_first_answer(client: Client) -> None:
    run, key = client.admitted(), fresh("key")
    first = client.do(f"/v1/runs/{run}/claim", worker="w", key=key)
    assert client.do(f"/v1/runs/{run}/claim", worker="w", key=key).json() == first.json()
    assert problem(client.do(f"/v1/runs/{run}/claim", worker="other", key=key)) == (409, "command_id_conflict")
    assert len(client.get(f"/v1/runs/{run}/events").json()["events"]) == 2


def test_lists_of_ids_come_to_the_store_as_they_were_said(alone: Client) -> None:
    """Also with whatever an array of the database is written with."""
    ids, bundle = ['a"b', "a\\b", "a,b", "{}", "NULL", "'"], fresh("bundle")
    deployed = alone.do(f"/v1/bundles/{bundle}/deploy", replayed=1, diverged=0, markers=ids)
    assert deployed.status_code == 200
    run = fresh("run")
    assert alone.do("/v1/runs", run=run, contract="settle", budget_cents=1, bundle=bundle).status_code == 200
    assert problem(alone.do(f"/v1/runs/{run}/claim", worker="w", supports=ids)) == (409, "unsupported_bundle")
    assert alone.do(f"/v1/runs/{run}/claim", worker="w", supports=[*ids, bundle]).status_code == 200
    finding = {"fence": 1, "source": "s", "digest": "d", "as_of": None, "fresh_seconds": 60}
    for material in ids:
        assert alone.do(f"/v1/runs/{run}/save-material", material=material, **finding).status_code == 200
    derived = alone.do(f"/v1/runs/{run}/save-material", material="all", derived_from=ids, **finding)
    assert derived.status_code == 200
    assert alone.get(f"/v1/runs/{run}").json()["materials"][-1]["derived_from"] == ids
    assert alone.do(f"/v1/bundles/{bundle}/retire").status_code == 409


@pytest.mark.parametrize(("path", "fields", "status", "reason"), [
    ("/v1/runs/nowhere/claim", {"worker": "w"}, 404, "no_such_run"),
    ("/v1/runs/{run}/claim", {"worker": "w"}, 409, "lease_live"),
    ("/v1/runs/{run}/renew", {"fence": 0}, 410, "stale_fence"),
    ("/v1/runs/{run}/succeed", {"fence": 1}, 409, "not_qualified"),
    ("/v1/runs", {"run": "r", "contract": "settle", "budget_cents": 1, "input": "\0"}, 422, "malformed"),
])  # fmt: skip
def test_a_refusal_says_its_reason_and_its_rule(
    client: Client, path: str, fields: dict[str, Any], status: int, reason: str
) -> None:
    response = client.do(path.format(run=client.claimed()), **fields)
    assert problem(response) == (status, reason)
    assert response.json()["outcome"] == "refused"
    assert response.json()["rule"]


@pytest.mark.parametrize("headers", [
    {},
    {"Idempotency-Key": ""},
    {"Idempotency-Key": "two words"},
    {"Idempotency-Key": "c" * 201},
    {"Idempotency-Key": "ü".encode("latin-1")},
    [("Idempotency-Key", "a"), ("Idempotency-Key", "b")],
])  # fmt: skip
def test_a_command_needs_one_key(client: Client, headers: Any) -> None:
    body = {"run": fresh("run"), "contract": "settle", "budget_cents": 1}
    assert problem(client.post("/v1/runs", json=body, headers=headers)) == (400, "malformed")
    assert client.get(f"/v1/runs/{body['run']}").status_code == 404


@pytest.mark.parametrize("more", ["principal", "tenant", "on_behalf", "command_id", "bundl"])
def test_what_is_not_asked_for_is_not_taken(client: Client, more: str) -> None:
    refused = client.do("/v1/runs", run=fresh("run"), contract="settle", budget_cents=1, **{more: "x"})
    assert problem(refused) == (422, "malformed")
    assert more in refused.json()["seen"]


@pytest.mark.parametrize("run", ["a/b", "per%cent", "?a=b", "#", "..", "~!$&'()*+,;=:@\"<>\\^`{|}"])
def test_any_id_can_stand_in_a_path(client: Client, run: str) -> None:
    run = fresh(run)
    assert client.do("/v1/runs", run=run, contract="settle", budget_cents=1).status_code == 200
    encoded = "".join(f"%{ord(letter):02X}" for letter in run)
    assert client.get(f"/v1/runs/{encoded}").json()["run"] == run
    assert client.do(f"/v1/runs/{encoded}/claim", worker="w").json()["grant"]["run"] == run


@pytest.mark.parametrize("encoded", ["%00", "%C3%BC", "%ff", "%20", "a" * 201])
def test_what_cannot_be_an_id_is_no_place(client: Client, encoded: str) -> None:
    assert problem(client.get(f"/v1/runs/{encoded}")) == (422, "malformed")
    assert problem(client.do(f"/v1/runs/{encoded}/claim", worker="w")) == (422, "malformed")


def test_a_path_and_a_method_that_are_not_there(client: Client) -> None:
    assert problem(client.get("/v2/runs")) == (404, "no_such_path")
    wrong = client.delete("/v1/runs")
    assert (problem(wrong), wrong.headers["allow"]) == ((405, "method_not_allowed"), "GET, POST")


def test_runs_are_listed_page_by_page_in_the_order_of_their_admission(client: Client) -> None:
    before = client.admitted()
    admitted = [client.admitted() for _ in range(5)]
    pages = [client.get("/v1/runs", params={"after": before, "limit": 2}).json()]
    while after := pages[-1]["next_after"]:
        pages.append(client.get("/v1/runs", params={"after": after, "limit": 2}).json())
    assert [[run["run"] for run in page["runs"]] for page in pages] == [admitted[:2], admitted[2:4], admitted[4:]]


def test_a_page_has_no_more_runs_than_a_gateway_gives(store: Store, client: Client) -> None:
    before, first = client.admitted(), client.admitted()
    client.admitted()
    with served(store, page_max=1) as narrow:
        page = narrow.get("/v1/runs", params={"after": before}).json()
        assert ([run["run"] for run in page["runs"]], page["next_after"]) == ([first], first)


@pytest.mark.parametrize("query", ["limit=0", "limit=1&limit=2", "first=1", "after=two%20words"])
def test_a_list_that_cannot_be_asked_for_so_is_refused(client: Client, query: str) -> None:
    assert problem(client.get(f"/v1/runs?{query}")) == (422, "malformed")


def test_a_method_that_is_made_up_makes_up_no_label(client: Client) -> None:
    assert client.request("MADEUP", "/v1/runs").status_code == 405
    assert "MADEUP" not in client.get("/metrics").text


class Silent(Store):
    """A store that does not answer."""

    def __init__(self) -> None:
        super().__init__({})

    def perform(self, command: str, **_: Any) -> Outcome:
        if command == "renew":
            raise ZeroDivisionError
        return Lost()

    def _ask(self, *_: Any) -> Any:
        raise ConnectionLostError


def test_a_lost_answer_says_that_asking_again_is_safe() -> None:
    with served(Silent()) as client:
        lost = client.do("/v1/runs", run="r", contract="settle", budget_cents=1)
        assert problem(lost) == (503, "lost")
        assert (lost.json()["outcome"], lost.headers["retry-after"]) == ("lost", "1")
        assert "under the same Idempotency-Key: that is safe" in lost.json()["next_step"]


def test_a_mistake_of_ours_is_lost_too_and_shows_nothing_of_itself() -> None:
    with served(Silent()) as client:
        lost = client.do("/v1/runs/r/renew", fence=1)
        assert problem(lost) == (500, "lost")
        assert "Zero" not in json.dumps(lost.json())


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/runs/r", "/v1/runs/r/events", "/v1/runs/r/stream", "/readyz"])
def test_a_reading_without_an_answer_can_be_asked_again(path: str) -> None:
    with served(Silent()) as client:
        unread = client.get(path)
        assert (problem(unread), unread.headers["retry-after"]) == ((503, "unavailable"), "1")
        assert client.get("/healthz").status_code == 200
