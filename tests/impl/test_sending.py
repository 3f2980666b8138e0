"""A call is sent again only where its first request cannot act beside the second; what has acted is compensated."""

import pytest

from keepfact.impl.outcomes import Done, Refused

from . import stages as at
from . import stages_of_people as people
from .driving import Driver


def test_a_recognised_call_is_sent_again_under_its_id_and_fence(alone: Driver) -> None:
    people.lost_but_recognised(alone)
    at.done(alone.do("release"))
    alone.granted("claim", worker="w")
    assert alone.do("send_again", call="a") == Done()
    assert (alone.call()["state"], alone.call()["sends"], alone.call()["fence"]) == ("open", 2, 1)
    event = alone.view["history"][-1]
    assert (event["type"], event["concerns"], event["fence"]) == ("sent_again", alone.id_of("a"), 2)


def test_what_was_not_found_holds_its_ceiling_again(alone: Driver) -> None:
    people.lost_but_recognised(alone)
    at.done(alone.do("reconcile", call="a", evidence="not_found", cost_cents=None))
    assert alone.view["held_cents"] == 0
    assert alone.do("send_again", call="a") == Done()
    assert alone.view["held_cents"] == 10
    assert alone.do("record_answer", call="a", answer="paid", cost_cents=4) == Done()
    assert (alone.view["known_cents"], alone.view["held_cents"], alone.call()["state"]) == (4, 0, "confirmed")


def test_a_call_is_sent_so_often_and_no_more(alone: Driver) -> None:
    alone.claimed().with_call(kind="operation", recognises=True, sends_max=3)
    for _ in range(2):
        at.done(alone.do("mark_unknown", call="a"))
        assert alone.do("send_again", call="a") == Done()
    at.done(alone.do("mark_unknown", call="a"))
    assert alone.do("send_again", call="a") == Refused("sends_spent")


def test_an_attempt_that_was_not_found_may_be_sent_again_too(alone: Driver) -> None:
    alone.claimed().with_call(sends_max=2)
    at.done(alone.do("mark_unknown", call="a"))
    assert alone.do("send_again", call="a") == Refused("not_sendable")
    at.done(alone.do("reconcile", call="a", evidence="not_found", cost_cents=None))
    assert alone.do("send_again", call="a") == Done()


def test_a_run_that_was_asked_to_stop_sends_nothing_again(alone: Driver) -> None:
    at.done(at.open_operation(alone).do("cancel"))
    assert alone.do("send_again", call="a") == Refused("cancelling")
    assert alone.call()["told_to_stop"]


@pytest.mark.parametrize("undo", ["reversible", "correctable", "irreversible"])
def test_a_compensation_is_an_operation_of_its_own_and_leaves_the_first_as_it_was(alone: Driver, undo: str) -> None:
    before = at.confirmed_operation(alone).call()
    assert alone.do("intend", call="b", kind="operation", compensates="a", undo=undo) == Done()
    assert alone.call() == before
    assert (alone.call("b")["compensates"], alone.call("b")["undo"]) == (alone.id_of("a"), undo)
    assert alone.view["history"][-1]["payload"]["undo"] == undo


def test_what_acted_at_a_cost_nobody_knows_can_be_compensated(alone: Driver) -> None:
    alone.claimed().with_call(kind="operation")
    at.done(alone.do("record_answer", call="a", answer="paid", cost_cents=None))
    assert alone.do("intend", call="b", kind="operation", compensates="a", undo="reversible") == Done()


def test_what_evidence_has_confirmed_can_be_compensated(alone: Driver) -> None:
    at.done(at.lost_operation(alone).do("reconcile", call="a", evidence="confirmed", cost_cents=3))
    assert alone.do("intend", call="b", kind="operation", compensates="a", undo="reversible") == Done()


@pytest.mark.parametrize("cost_cents", [2**63 - 1, 2**62])
def test_amounts_that_no_budget_holds_add_up(alone: Driver, cost_cents: int) -> None:
    alone.claimed().with_call().with_call("b").with_call("c")
    for call in ("a", "b", "c"):
        assert alone.do("record_answer", call=call, answer="yes", cost_cents=cost_cents) == Done()
    assert alone.view["known_cents"] == 3 * cost_cents
    assert alone.do("wait", wait="w", kind="timer", digest="d", seconds=1) == Refused("budget_spent")
    assert alone.do("intend", call="d") == Refused("over_budget")
    assert alone.lapsed().do("recover") == Done()
