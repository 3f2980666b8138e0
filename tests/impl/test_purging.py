"""A large text is kept once by its digest, and forgotten when nobody needs it; what names it stays."""

import hashlib

import pytest

from keepfact.impl.outcomes import Done, Refused
from keepfact.impl.texts import TEXT_MAX

from . import stages as at
from . import stages_of_people as people
from .driving import Driver, fresh
from .stages_of_people import LARGE, LARGE_DIGEST

GONE = f"purged text, sha256 {LARGE_DIGEST}"


def _payloads(run: Driver) -> list[dict[str, object]]:
    payloads: list[dict[str, object]] = run.store.survey([])["payloads"]
    return payloads


def test_a_large_text_is_kept_once_however_often_it_comes(alone: Driver) -> None:
    people.answered_large(alone)
    other = Driver(alone.store, alone.admin, fresh("other")).claimed()
    for run in (alone, other):
        at.done(run.do("publish", body=LARGE, qualified=False))
    assert _payloads(alone) == [{"digest": LARGE_DIGEST, "version": 1, "characters": len(LARGE)}]
    assert alone.call()["answer"] == alone.view["publications"][0]["body"] == LARGE


@pytest.mark.parametrize(("text", "is_kept_apart"), [("x" * 1_000, False), ("☃" * 1_001, True), ("x" * TEXT_MAX, True)])
def test_a_text_is_kept_apart_when_it_has_more_than_a_thousand_characters(
    alone: Driver, text: str, is_kept_apart: bool
) -> None:
    at.done(at.running(alone).do("publish", body=text, qualified=False))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert [payload["digest"] for payload in _payloads(alone)] == [digest] * is_kept_apart
    assert alone.view["publications"][0]["body"] == text


def test_what_is_forgotten_is_gone_wherever_it_was_shown_and_the_history_holds(alone: Driver) -> None:
    people.large_and_over(alone)
    events = alone.store.observe([alone.run])[0]["history"]
    assert alone.do("purge", payload=LARGE_DIGEST) == Done()
    assert _payloads(alone) == []
    assert alone.view["publications"][0]["body"] == alone.view["history"][2]["payload"]["body"] == GONE
    assert alone.store.observe([alone.run])[0]["history"] == events
    assert alone.do("purge", payload=LARGE_DIGEST) == Refused("no_such_payload")


def test_a_run_of_which_something_is_unknown_needs_its_texts_until_evidence_comes(alone: Driver) -> None:
    people.large_and_unknown(alone)
    assert alone.do("purge", payload=LARGE_DIGEST) == Refused("payload_needed", (alone.run,))
    at.done(alone.do("reconcile", call="a", evidence="not_found", cost_cents=None))
    assert alone.do("purge", payload=LARGE_DIGEST) == Done()


def test_all_who_need_it_are_named_in_order_of_admission(alone: Driver) -> None:
    runs = [Driver(alone.store, alone.admin, f"{alone.run}-{name}") for name in "zyx"]
    people.large_finding_and_over(runs[0])
    people.large_and_over(runs[1])
    people.answered_large(runs[2])
    assert alone.do("purge", payload=LARGE_DIGEST) == Refused("payload_needed", (runs[0].run, runs[2].run))


def test_a_text_that_was_forgotten_may_come_again(alone: Driver) -> None:
    at.done(people.large_and_over(alone).do("purge", payload=LARGE_DIGEST))
    other = people.published_large(Driver(alone.store, alone.admin, fresh("other")))
    assert other.view["publications"][0]["body"] == LARGE


def test_an_error_that_cannot_be_stored_is_recorded_in_constant_size(alone: Driver) -> None:
    error = "a NUL \0" + "x" * 1_000_000
    assert at.running(alone).do("fail", error=error) == Done()
    assert alone.view["error"].startswith("unstorable text of 1000007 characters, sha256 ")
    assert len(alone.view["error"]) < 200
