"""What several commands were answered at once is explained by an order of them, or by none."""

import pytest

from keepfact.conformance.meetings.orders import Asked, GaveUpError, allowed_next, explanation
from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import (
    Claim,
    Command,
    CommandId,
    Contract,
    Done,
    Fence,
    LeaseGrant,
    Lost,
    Outcome,
    Reason,
    Refused,
    RunId,
    Submit,
    WorkerId,
)

RUN = RunId("run")
_, QUEUED = step(State(30), Submit(CommandId("0"), RUN, Contract.SETTLE, 10))
ONE = Claim(CommandId("1"), RUN, WorkerId("one"))
OTHER = Claim(CommandId("2"), RUN, WorkerId("other"))
GRANTED, TAKEN = Done(LeaseGrant(Fence(1), 30)), Refused(Reason.LEASE_LIVE)


def at_once(command: Command, outcome: Outcome) -> Asked:
    return Asked(command, outcome, 0, 9)


def seen_after(*commands: Command) -> State:
    state = QUEUED
    for command in commands:
        _, state = step(state, command)
    return state


def test_the_order_is_the_one_in_which_all_answers_are_right() -> None:
    asked = [at_once(ONE, TAKEN), at_once(OTHER, GRANTED)]
    assert explanation(frozenset({QUEUED}), asked, view(seen_after(OTHER))) == (1, 0)


def test_two_that_both_were_granted_have_no_order() -> None:
    asked = [at_once(ONE, GRANTED), at_once(OTHER, GRANTED)]
    assert explanation(frozenset({QUEUED}), asked, view(seen_after(ONE))) is None


def test_right_answers_do_not_explain_what_is_seen_otherwise() -> None:
    asked = [at_once(ONE, TAKEN), at_once(OTHER, GRANTED)]
    assert explanation(frozenset({QUEUED}), asked, view(QUEUED)) is None


def test_what_was_answered_before_another_was_sent_comes_before_it() -> None:
    first, then = Asked(ONE, TAKEN, 0, 1), Asked(OTHER, GRANTED, 2, 3)
    assert allowed_next((), [first, then]) == [0]
    assert explanation(frozenset({QUEUED}), [first, then], view(seen_after(OTHER))) is None


def test_one_that_was_answered_in_the_moment_it_was_sent_has_a_place_too() -> None:
    assert allowed_next((), [Asked(ONE, TAKEN, 1, 1), Asked(OTHER, GRANTED, 2, 5)]) == [0]
    assert allowed_next((0,), [Asked(ONE, TAKEN, 1, 1), Asked(OTHER, GRANTED, 2, 5)]) == [1]


@pytest.mark.parametrize("happened", [True, False])
def test_whose_answer_was_lost_may_have_happened_or_not(happened: bool) -> None:
    seen = view(seen_after(ONE) if happened else QUEUED)
    assert explanation(frozenset({QUEUED}), [at_once(ONE, Lost())], seen) == (0,)


def test_sixteen_of_whom_one_was_granted_are_explained_without_trying_every_order() -> None:
    claims = [Claim(CommandId(f"claim-{number}"), RUN, WorkerId("w")) for number in range(16)]
    asked = [at_once(claim, GRANTED if claim is claims[-1] else TAKEN) for claim in claims]
    order = explanation(frozenset({QUEUED}), asked, view(seen_after(claims[-1])), tries_max=1_000)
    assert order is not None
    assert order[0] == 15


def test_where_too_many_would_have_to_be_tried_nobody_says() -> None:
    claims = [Claim(CommandId(f"claim-{number}"), RUN, WorkerId("w")) for number in range(16)]
    asked = [at_once(claim, Lost()) for claim in claims]
    with pytest.raises(GaveUpError):
        explanation(frozenset({QUEUED}), asked, view(State(30)), tries_max=1_000)
