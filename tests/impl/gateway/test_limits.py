"""One token cannot take what is there for all."""

from contextlib import ExitStack

import pytest

from keepfact.impl.gateway.limits import Rate, Streams
from keepfact.impl.gateway.problems import Problem
from keepfact.impl.store import Store

from ..driving import wait_until
from .served import READER, Client, client_of, problem, served


def test_a_bucket_lets_a_burst_pass_and_then_so_many_a_second() -> None:
    now = [0.0]
    rate = Rate(per_second=2, burst=3, now=lambda: now[0])
    for _ in range(3):
        rate.take("a")
    with pytest.raises(Problem) as refused:
        rate.take("a")
    assert (refused.value.status, refused.value.headers) == (429, {"retry-after": "1"})
    rate.take("b")
    now[0] += 0.5
    rate.take("a")
    with pytest.raises(Problem):
        rate.take("a")


def test_a_bucket_holds_no_more_than_a_burst() -> None:
    now = [0.0]
    rate = Rate(per_second=1, burst=2, now=lambda: now[0])
    rate.take("a")
    now[0] += 1_000
    rate.take("a")
    rate.take("a")
    with pytest.raises(Problem):
        rate.take("a")


def test_whoever_asks_too_often_is_told_when_to_ask_again(store: Store) -> None:
    with served(store, requests_per_second=0.01, requests_burst=2) as client:
        assert [client.get("/v1/runs/nowhere").status_code for _ in range(3)] == [404, 404, 429]
        refused = client.get("/v1/runs/nowhere")
        assert problem(refused) == (429, "too_many_requests")
        assert 1 <= int(refused.headers["retry-after"]) <= 100
        with client_of(str(client.base_url), READER) as other:
            assert other.get("/v1/runs/nowhere").status_code == 404
        assert client.get("/healthz").status_code == 200


def test_places_for_streams_are_counted_for_each_token_and_in_all() -> None:
    streams = Streams(per_token_max=1, in_all_max=2)
    with ExitStack() as held:
        first = held.enter_context(ExitStack())
        first.enter_context(streams.slot("a"))
        assert _refused(streams, "a") == 429
        held.enter_context(streams.slot("b"))
        assert _refused(streams, "c") == 503
        first.close()
        assert _refused(streams, "c") is None


def test_a_stream_that_is_over_gives_its_place_back(store: Store, client: Client) -> None:
    ended, running = client.ended(), client.admitted()
    with served(store, streams_per_token_max=1, poll_seconds=0.02) as narrow:
        for _ in range(3):
            assert narrow.get(f"/v1/runs/{ended}/stream").status_code == 200
            assert narrow.get("/v1/runs/nowhere/stream").status_code == 404
        with narrow.stream("GET", f"/v1/runs/{running}/stream") as left_by_the_client:
            assert left_by_the_client.status_code == 200
            assert problem(narrow.get(f"/v1/runs/{ended}/stream")) == (429, "too_many_requests")
        wait_until(lambda: narrow.get(f"/v1/runs/{ended}/stream").status_code == 200)


def _refused(streams: Streams, token: str) -> int | None:
    try:
        with streams.slot(token):
            return None
    except Problem as refused:
        return refused.status
