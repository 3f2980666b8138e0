"""Anybody can recompute the digest of an event from what is published about it."""

import hashlib
from dataclasses import fields, replace

import pytest

from keepfact.spec.chain import chained, event_digest
from keepfact.spec.vocabulary import CallId, EntryPoint, EventType, EventView, Fence

ADMITTED = EventView(1, EventType.ADMITTED, EntryPoint.SUBMIT, "alice")
INTENDED = EventView(
    number=2,
    type=EventType.INTENDED,
    entry_point=EntryPoint.WORK,
    principal="worker",
    fence=Fence(1),
    concerns=CallId("pay"),
    payload_digest="beef",
    previous_digest="cafe",
)


def test_the_digest_is_that_of_eight_lines_with_the_missing_ones_empty() -> None:
    assert event_digest(ADMITTED) == hashlib.sha256(b"1\nadmitted\nsubmit\nalice\n\n\n\n").hexdigest()
    assert event_digest(INTENDED) == hashlib.sha256(b"2\nintended\nwork\nworker\n1\npay\nbeef\ncafe").hexdigest()


def test_a_published_example_recomputes() -> None:
    assert event_digest(ADMITTED) == "ede542e16d30632bb49571324acdff077ac018c926bad96c6d81cdecd0a047c9"
    assert event_digest(INTENDED) == "ddb3d71a2588102cf77b971b14c7bda9936ce3a00d98433027ba1685e4c6bfe1"


@pytest.mark.parametrize("field", [field.name for field in fields(EventView) if field.name != "digest"])
def test_no_field_can_be_exchanged_unseen(field: str) -> None:
    others = {"number": 3, "type": EventType.LOST, "entry_point": EntryPoint.RECOVER, "fence": Fence(2)}
    changed = replace(INTENDED, **{field: others.get(field, "other")})  # type: ignore[arg-type]  # one that fits
    assert event_digest(changed) != event_digest(INTENDED)


def test_a_chained_event_holds_its_own_digest_which_does_not_depend_on_itself() -> None:
    assert chained(INTENDED).digest == event_digest(INTENDED) == event_digest(chained(INTENDED))
