"""Commands over HTTP: done, refused with a reason, or lost; once under each key."""

import json
from typing import Any

import pytest

from keepfact.impl.outcomes import Lost, Outcome
from keepfact.impl.store import ConnectionLostError, Store

from ..driving import fresh
from .served import Client, problem, served


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


@pytest.mark.parametrize(("path", "fields", "status", "reason"), [
    ("/v1/runs/nowhere/claim", {"worker": "w"}, 404, "no_such_run"),
    ("/v1/runs/{run}/claim", {"worker": "w"}, 409, "lease_live"),
    ("/v1/runs/{run}/renew", {"fence": 0}, 410, "stale_fence"),
    ("/v1/runs/{run}/succeed", {"fence": 1}, 409, "not_qualified"),
    ("/v1/runs", {"run": "r", "contract": "resume", "budget_cents": 1}, 422, "malformed"),
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
    assert (problem(wrong), wrong.headers["allow"]) == ((405, "method_not_allowed"), "POST")


class Listing(Store):
    """A store that can list runs."""

    def __init__(self) -> None:
        super().__init__({})

    def list_runs(self, after: str | None, limit: int) -> list[dict[str, Any]]:
        runs = [f"run-{number}" for number in range(5)]
        start = 0 if after is None else runs.index(after) + 1
        return [{"run": run} for run in runs[start : start + limit]]


def test_runs_are_listed_page_by_page_by_a_store_that_can(client: Client) -> None:
    with served(Listing(), page_max=2) as listing:
        pages = [listing.get("/v1/runs").json()]
        while after := pages[-1]["next_after"]:
            pages.append(listing.get("/v1/runs", params={"after": after}).json())
        assert [len(page["runs"]) for page in pages] == [2, 2, 1]
        assert problem(listing.get("/v1/runs?limit=0")) == (422, "malformed")
        assert problem(listing.get("/v1/runs?limit=1&limit=2")) == (422, "malformed")
        assert problem(listing.get("/v1/runs?first=1")) == (422, "malformed")
    assert client.get("/v1/runs").status_code == 405


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

    def observe(self, *_: Any) -> list[dict[str, Any]]:
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


@pytest.mark.parametrize("path", ["/v1/runs/r", "/v1/runs/r/events", "/v1/runs/r/stream", "/readyz"])
def test_a_reading_without_an_answer_can_be_asked_again(path: str) -> None:
    with served(Silent()) as client:
        unread = client.get(path)
        assert (problem(unread), unread.headers["retry-after"]) == ((503, "unavailable"), "1")
        assert client.get("/healthz").status_code == 200
