"""Server-sent events are the same however the bytes of them were parted on their way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepfact.fault_injection.streams.parsing import Parser, Told

STREAM = (
    "retry: 2000\n\n: still here\n\nid: 1\ndata: {}\n\nid:2\r\ndata:one\r\ndata:  two, ü \r\n\r\n"
    'data: no id of its own\n\nid: 3\nevent: end\ndata: {"after":3}\n\nid: 4\nevent: nothing without data\n\n'
).encode()
EVENTS = [
    Told("1", "message", "{}"),
    Told("2", "message", "one\n two, ü "),
    Told("2", "message", "no id of its own"),
    Told("3", "end", '{"after":3}'),
]


@given(st.lists(st.integers(0, len(STREAM))))
def test_events_are_told_whole_and_once_wherever_the_bytes_are_parted(places: list[int]) -> None:
    parser, told, begun = Parser(), [], 0
    for place in [*sorted(places), len(STREAM)]:
        told += parser.feed(STREAM[begun:place])
        begun = place
    assert told == EVENTS


@pytest.mark.parametrize(
    ("content", "has_part"),
    [
        ("", False),
        ("id: 1\ndata: {}\n\n", False),
        ("id: 1\ndata: {}\n\ni", True),
        ("id: 1\ndata: {}\n", True),
        (": still", False),
        ("retry: 2000\n", False),
    ],
)
def test_a_part_of_an_event_is_known_as_one(content: str, has_part: bool) -> None:
    parser = Parser()
    parser.feed(content.encode())
    assert parser.has_part is has_part


def test_bytes_that_are_no_text_are_replaced_and_hide_nothing_that_follows() -> None:
    assert [told.data for told in Parser().feed(b"data: \xff\n\ndata: x\n\n")] == ["\ufffd", "x"]
