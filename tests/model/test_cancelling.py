"""A request to stop: nothing new from its commit on, and an end only when everything is classified."""

from keepfact.spec.vocabulary import (
    CallState,
    Cancel,
    Claim,
    Decide,
    Done,
    Evidence,
    Fail,
    Fence,
    Publish,
    Reason,
    Refused,
    RunId,
    RunState,
    Spawn,
    SpawnId,
    WaitState,
    WorkerId,
)

from .beyond import (
    ASKED,
    CANCEL,
    CHILD,
    SPAWNED,
    asked,
    cancelling,
    deliver,
    stop,
    waiting,
    with_child,
)
from .play import (
    ID,
    RECOVER,
    RUN,
    Play,
    in_flight,
    mark_unknown,
    publish,
    queued,
    reconcile,
    record,
    renew,
    running,
    succeed,
)


def last(play: Play) -> tuple[str, str]:
    return play.run.history[-1].type, play.run.history[-1].entry_point


def test_a_running_run_keeps_its_worker_who_is_told_what_to_stop() -> None:
    play = cancelling()
    assert (play.run.state, play.run.fence, play.run.worker) == (RunState.CANCELLING, 1, "worker")
    assert (play.call().state, play.call().told_to_stop) == (CallState.OPEN, True)
    assert last(play) == ("cancel_requested", "cancel")


def test_a_call_that_was_over_is_told_nothing() -> None:
    assert not in_flight().do(record(), CANCEL).call().told_to_stop


def test_what_calls_in_flight_did_is_recorded_before_the_end() -> None:
    play = cancelling().act(3).do(renew(), record())
    assert (play.call().answer, play.run.known_cents) == ("answer", 3)
    play.do(stop())
    assert (play.run.state, play.run.worker, last(play)) == (RunState.CANCELLED, None, ("ended", "work"))


def test_with_something_unresolved_a_run_is_not_cancelled_yet() -> None:
    play = cancelling().do(mark_unknown(), stop())
    assert (play.run.state, play.run.sealed_for) == (RunState.UNKNOWN, RunState.CANCELLED)
    assert play.do(reconcile(Evidence.NOT_FOUND)).run.state is RunState.CANCELLED


def test_a_run_whose_worker_is_lost_is_cancelled_by_recovery() -> None:
    play = cancelling().wait().do(RECOVER)
    assert (play.call().state, play.run.state, play.run.sealed_for) == (
        CallState.UNKNOWN,
        RunState.UNKNOWN,
        RunState.CANCELLED,
    )
    assert queued().do(CANCEL, RECOVER).run.state is RunState.CANCELLED
    assert waiting().do(CANCEL, RECOVER).run.state is RunState.CANCELLED


def test_a_waiting_run_is_asked_to_stop_and_its_wait_closed() -> None:
    play = waiting().do(CANCEL)
    assert [wait.state for wait in play.run.waits] == [WaitState.CLOSED]
    assert waiting().do(deliver(), CANCEL).run.waits[0].state is WaitState.CLOSED


def test_an_answer_that_comes_after_it_is_too_late() -> None:
    play = waiting().do(CANCEL, deliver())
    assert (play.run.arrivals[0].is_late, last(play)) == (True, ("arrived_late", "deliver"))
    assert asked().do(CANCEL).ask(Decide(ID, RUN, ASKED, True, "arguments")) == Refused(Reason.WAIT_CLOSED)


def test_of_a_cancellation_and_an_end_the_first_is_it() -> None:
    ended = running().do(publish(), succeed())
    assert ended.ask(CANCEL) == Refused(Reason.SEALED)
    assert running().do(publish(), CANCEL).ask(succeed()) == Refused(Reason.CANCELLING)


def test_children_and_theirs_are_asked_to_stop_in_the_same_commit() -> None:
    play = with_child().do(
        Claim(ID, CHILD, WorkerId("worker")), Spawn(ID, CHILD, Fence(1), SPAWNED, RunId("grandchild"), 1)
    )
    play.do(CANCEL)
    assert {run.state for run in play.state.runs} == {RunState.CANCELLING}
    assert [run.history[-1].type for run in play.state.runs] == ["cancel_requested"] * 3


def test_a_child_that_is_over_stays_as_it_is() -> None:
    play = with_child().do(Claim(ID, CHILD, WorkerId("worker")), Fail(ID, CHILD, Fence(1)))
    before = play.other(CHILD)
    assert play.do(CANCEL).other(CHILD) == before


def test_cancelling_a_child_leaves_its_parent_at_work() -> None:
    play = with_child().do(Cancel(ID, CHILD))
    assert (play.run.state, play.other(CHILD).state) == (RunState.RUNNING, RunState.CANCELLING)


def test_the_body_of_a_cancelled_run_is_delivered_in_part() -> None:
    play = running().do(publish(), CANCEL)
    assert play.ask(Publish(ID, RUN, Fence(1), "more", True)) == Refused(Reason.CANCELLING)
    delivered = play.do(stop()).run.delivered
    assert delivered is not None
    assert (delivered.version, delivered.partial) == (1, True)


def test_no_child_is_born_that_was_not_asked_to_stop() -> None:
    play = with_child().do(CANCEL)
    refused = play.ask(Spawn(ID, RUN, Fence(1), SpawnId("late"), RunId("late child"), 1))
    assert refused == Refused(Reason.CANCELLING)
    assert play.ask(renew()) == Done()
