"""Whoever holds a token of one tenant finds nothing of another: neither what there is nor that it is there."""

from typing import Any

import pytest

from keepfact.impl.gateway.settings import Limits

from ..driving import fresh
from .served import Client, problem
from .streams import numbers_of, opened


def test_a_run_of_another_tenant_is_not_there_to_read(client: Client, stranger: Client) -> None:
    run = client.ended()
    for path in (f"/v1/runs/{run}", f"/v1/runs/{run}/events", f"/v1/runs/{run}/stream"):
        theirs, none = stranger.get(path), stranger.get(path.replace(run, "nowhere"))
        assert problem(theirs) == (404, "no_such_run")
        assert theirs.json() == none.json()


@pytest.mark.parametrize(("command", "fields"), [
    ("claim", {"worker": "w"}),
    ("renew", {"fence": 1}),
    ("publish", {"fence": 1, "body": "b", "qualified": True}),
    ("succeed", {"fence": 1}),
    ("recover", {}),
    ("cancel", {}),
    ("assess", {"good": False}),
    ("reconcile", {"call": "a", "evidence": "not_found", "cost_cents": None}),
    ("decide", {"wait": "w", "approved": True, "digest": "d"}),
    ("deliver", {"wait": "w", "kind": "callback", "number": 1, "digest": "d"}),
    ("wake", {"wait": "w", "worker": "w", "digest": "d"}),
    ("continue", {"run": "mine", "user": "eve", "contract": "settle", "budget_cents": 1}),
])  # fmt: skip
def test_a_run_of_another_tenant_is_not_there_for_commands(
    client: Client, stranger: Client, command: str, fields: dict[str, Any]
) -> None:
    run = client.claimed()
    before = client.get(f"/v1/runs/{run}?payloads=true").json()
    refused = stranger.do(f"/v1/runs/{run}/{command}", **fields)
    assert problem(refused) == (404, "no_such_run")
    assert refused.json() == stranger.do(f"/v1/runs/nowhere/{command}", **fields).json()
    assert client.get(f"/v1/runs/{run}?payloads=true").json() == before


def test_each_tenant_lists_its_own_runs(client: Client, stranger: Client) -> None:
    ours, theirs = client.admitted(), stranger.admitted()
    assert _all_runs(client).isdisjoint(_all_runs(stranger))
    assert (ours in _all_runs(client), theirs in _all_runs(stranger)) == (True, True)


def test_an_id_that_another_tenant_has_taken_shows_nothing_more_than_that(client: Client, stranger: Client) -> None:
    run = client.ended()
    refused = stranger.do("/v1/runs", run=run, contract="settle", budget_cents=1)
    assert problem(refused) == (404, "no_such_run")
    assert run not in refused.text
    assert problem(stranger.get(f"/v1/runs/{run}/stream")) == (404, "no_such_run")
    assert numbers_of(client.get(f"/v1/runs/{run}/stream")) == [1, 2, 3, 4]


def test_streams_of_two_tenants_side_by_side_give_each_its_own(client: Client, stranger: Client) -> None:
    ours, theirs = client.claimed(), stranger.claimed()
    with opened(client, ours) as of_ours, opened(stranger, theirs) as of_theirs:
        client.publish(ours, 2)
        stranger.publish(theirs, 1)
        client.do(f"/v1/runs/{ours}/succeed", fence=1)
        stranger.do(f"/v1/runs/{theirs}/succeed", fence=1)
        assert list(of_ours) == [1, 2, 3, 4, 5, "end"]
        assert list(of_theirs) == [1, 2, 3, 4, "end"]


def test_one_key_can_be_of_a_command_in_each_tenant(client: Client, stranger: Client) -> None:
    key = fresh("key")
    for asking in (client, stranger):
        assert asking.do("/v1/runs", key=key, run=fresh("run"), contract="settle", budget_cents=1).status_code == 200
    assert problem(client.do("/v1/runs", key=key, run="another", contract="settle", budget_cents=1))[0] == 409


def test_what_is_written_is_written_under_the_name_of_whoever_asked(client: Client, stranger: Client) -> None:
    principals = [
        {event["principal"] for event in asking.get(f"/v1/runs/{asking.ended()}/events").json()["events"]}
        for asking in (client, stranger)
    ]
    assert principals == [{"ann"}, {"eve"}]


def test_the_queue_of_one_tenant_is_empty_whatever_waits_in_another(client: Client, stranger: Client) -> None:
    run = client.admitted()
    while (claimed := stranger.do("/v1/queue/claim", worker="w")).status_code == 200:
        assert claimed.json()["grant"]["run"] != run  # what other tests have left
    assert problem(claimed) == (409, "not_queued")
    assert client.get(f"/v1/runs/{run}").json()["state"] == "queued"


def _all_runs(client: Client) -> set[str]:
    """Page after page."""
    found: set[str] = set()
    page = client.get("/v1/runs", params={"limit": Limits.page_max}).json()
    while True:
        found |= {run["run"] for run in page["runs"]}
        if page["next_after"] is None:
            return found
        page = client.get("/v1/runs", params={"after": page["next_after"], "limit": Limits.page_max}).json()
