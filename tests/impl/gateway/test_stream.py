"""A stream gives every committed event once, in order, and ends with the run, whatever breaks and whenever it opens."""

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from keepfact.impl.store import Store

from ..driving import wait_until
from .served import Client, client_of, problem, served
from .streams import NEVER, data, numbers_of, opened, read_to_its_end


def test_a_run_that_has_ended_is_streamed_whole_and_the_stream_ends(client: Client) -> None:
    run = client.ended()
    answered = client.get(f"/v1/runs/{run}/stream")
    assert answered.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answered.text.startswith("retry: 2000\n\nid: 1\ndata: {")
    assert answered.text.endswith('id: 4\nevent: end\ndata: {"after": 4}\n\n')
    assert numbers_of(answered) == [1, 2, 3, 4]


def test_what_is_streamed_is_what_is_read(client: Client) -> None:
    run = client.ended()
    streamed = [json.loads(data) for data in data(client.get(f"/v1/runs/{run}/stream").text.splitlines())]
    assert streamed[:-1] == client.get(f"/v1/runs/{run}/events").json()["events"]
    assert streamed[2]["payload"]["body"] == "0"


@pytest.mark.parametrize(("query", "last", "numbers"), [
    ("", None, [1, 2, 3, 4]),
    ("?after=0", None, [1, 2, 3, 4]),
    ("?after=2", None, [3, 4]),
    ("", "3", [4]),
    ("?after=1", "3", [4]),
    ("?after=3", "", [4]),
    ("?after=4", None, []),
    ("", "99", []),
])  # fmt: skip
def test_a_client_goes_on_after_what_it_has(client: Client, query: str, last: str | None, numbers: list[int]) -> None:
    headers = {} if last is None else {"Last-Event-ID": last}
    assert numbers_of(client.get(f"/v1/runs/{client.ended()}/stream{query}", headers=headers)) == numbers


@pytest.mark.parametrize("last", ["x", "-1", "1.5", "9" * 19, "١"])
def test_what_is_no_number_of_an_event_is_refused(client: Client, last: str) -> None:
    refused = client.get(f"/v1/runs/{client.ended()}/stream", headers={"Last-Event-ID": last.encode()})
    assert problem(refused) == (400, "malformed")


def test_pages_follow_each_other_without_gap(client: Client) -> None:
    run, after, numbers, is_over = client.ended(publications=5), 0, [], False
    while not is_over:
        page = client.get(f"/v1/runs/{run}/events?after={after}&limit=3").json()
        numbers += [event["number"] for event in page["events"]]
        after, is_over = page["next_after"], page["is_over"]
    assert numbers == list(range(1, 9))


def test_a_longer_history_than_a_page_is_streamed_whole(store: Store, client: Client) -> None:
    run = client.ended(publications=10)
    with served(store, stream_page=3) as narrow:
        assert numbers_of(narrow.get(f"/v1/runs/{run}/stream")) == list(range(1, 14))


def test_events_come_as_they_are_committed(client: Client) -> None:
    run = client.claimed()
    with opened(client, run) as lines:
        assert [next(lines), next(lines)] == [1, 2]
        for number in (3, 4, 5):
            client.publish(run)
            assert next(lines) == number
        client.do(f"/v1/runs/{run}/succeed", fence=1)
        assert list(lines) == [6, "end"]


def test_a_stream_says_that_it_is_alive(store: Store, client: Client) -> None:
    run = client.admitted()
    with (
        served(store, keep_alive_seconds=0.02, poll_seconds=NEVER) as quiet,
        quiet.stream("GET", f"/v1/runs/{run}/stream") as answered,
    ):
        lines = answered.iter_lines()
        while next(lines) != ": still here":
            pass
        assert [next(lines), next(lines)] == ["", ": still here"]


def test_many_clients_that_come_and_go_each_get_every_event_once(client: Client) -> None:
    """While one run grows, ten clients break off wherever they like and go on after what they have."""
    run, total = client.claimed(), 60

    def read(seed: int) -> list[int]:
        chance, seen = random.Random(seed), [0]
        with client_of(str(client.base_url)) as own:
            while True:
                with opened(own, run, after=seen[-1]) as lines:
                    for line in lines:
                        if line == "end":
                            return seen[1:]
                        seen.append(line)
                        if chance.random() < 0.1:
                            break

    with ThreadPoolExecutor(10) as readers:
        reading = [readers.submit(read, seed) for seed in range(10)]
        client.publish(run, total)
        client.do(f"/v1/runs/{run}/succeed", fence=1)
        for seed, read_by_one in enumerate(reading):
            assert read_by_one.result() == list(range(1, total + 4)), f"seed {seed}"


def test_streams_end_when_the_gateway_is_asked_to_stop(store: Store, client: Client) -> None:
    run = client.claimed()
    with ThreadPoolExecutor(3) as readers:
        with served(store, poll_seconds=NEVER) as stopping:
            heard: list[list[int | str]] = [[], [], []]
            reading = [readers.submit(read_to_its_end, str(stopping.base_url), run, own) for own in heard]
            wait_until(lambda: heard == [[1, 2]] * 3)
        for read in reading:
            assert read.result() == [1, 2]


def test_a_stream_ends_after_its_time_and_its_client_goes_on_with_another(store: Store, client: Client) -> None:
    run = client.claimed()
    with served(store, stream_seconds_max=0.05, poll_seconds=NEVER) as brief:
        assert read_to_its_end(str(brief.base_url), run) == [1, 2]
        client.publish(run)
        assert numbers_of(brief.get(f"/v1/runs/{run}/stream", headers={"Last-Event-ID": "2"})) == [3]
