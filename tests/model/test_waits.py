"""How a run waits, what wakes it in whatever order it comes, and how the wake is used once."""

from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    FORMAT,
    ArrivalView,
    Checkpoint,
    Claim,
    Done,
    Fail,
    Fence,
    LeaseGrant,
    Reason,
    Refused,
    Restarted,
    RunState,
    WaitKind,
    WaitState,
    WaitView,
    WorkerId,
)

from .beyond import (
    CHILD,
    FOR_CHILD,
    REPORT,
    SECONDS,
    TIMER,
    deliver,
    spawn,
    wait_for,
    waiting,
    wake,
    with_child,
    woken,
)
from .play import (
    BUDGET_CENTS,
    ID,
    LEASE_SECONDS,
    RECOVER,
    RUN,
    Play,
    fail,
    intend,
    mark_unknown,
    record,
    running,
)


def stands(play: Play, wait: str = REPORT) -> WaitView:
    view = play.run.wait(wait)
    assert view is not None
    return view


def last(play: Play, number: int = 1) -> list[tuple[str, str, str | None]]:
    return [(event.type, event.entry_point, event.concerns) for event in play.run.history[-number:]]


def child_fails(play: Play) -> Play:
    return play.do(Claim(ID, CHILD, WorkerId("worker")), Fail(ID, CHILD, Fence(1)))


def test_a_run_waits_without_lease_and_worker_at_a_sealed_checkpoint() -> None:
    play = running().do(intend(), mark_unknown(), wait_for())
    run = play.run
    assert (run.state, run.worker, run.lease_left_seconds, run.fence) == (RunState.WAITING_EXTERNAL, None, None, 1)
    assert stands(play).checkpoint == Checkpoint(FORMAT, FIRST_BUNDLE, "request", 4, BUDGET_CENTS - 4)
    assert last(play) == [("waited", "work", REPORT)]


def test_an_arrival_and_its_wake_are_one_commit_and_no_grant() -> None:
    play = waiting().do(deliver())
    assert play.run.arrivals == (ArrivalView(REPORT, 1, "report"),)
    assert (stands(play).state, play.run.state, play.run.fence) == (WaitState.ACCEPTED, RunState.WAITING_EXTERNAL, 1)
    assert last(play) == [("arrived", "deliver", REPORT)]


def test_a_wake_is_consumed_by_one_grant_under_a_higher_fence() -> None:
    play = waiting().do(deliver())
    assert play.ask(wake()) == Done(LeaseGrant(Fence(2), LEASE_SECONDS))
    assert (stands(play).state, play.run.state) == (WaitState.CONSUMED, RunState.RUNNING)
    assert last(play) == [("granted", "wake", REPORT)]


def test_the_same_arrival_again_is_a_read() -> None:
    play = waiting().do(deliver())
    before = play.run
    assert play.ask(deliver()) == Done()
    assert play.run == before


def test_arrivals_may_come_in_any_order_and_only_the_last_one_wakes() -> None:
    play = running().do(wait_for(arrivals=2), deliver(2))
    assert stands(play).state is WaitState.WAITING
    play.do(deliver(1))
    assert [arrival.number for arrival in play.run.arrivals] == [1, 2]
    assert stands(play).state is WaitState.ACCEPTED


def test_a_callback_may_come_before_its_wait() -> None:
    play = running().do(deliver())
    assert last(play) == [("arrived", "deliver", REPORT)]
    play.do(wait_for())
    assert stands(play).state is WaitState.ACCEPTED
    assert last(play) == [("waited", "work", REPORT)]
    play.do(wake())


def test_a_callback_that_comes_too_late_is_kept_and_wakes_nobody() -> None:
    play = waiting().wait(SECONDS).do(deliver())
    assert play.run.arrivals == (ArrivalView(REPORT, 1, "report", is_late=True),)
    assert (stands(play).state, play.run.is_waiting) == (WaitState.WAITING, True)
    assert last(play) == [("arrived_late", "deliver", REPORT)]
    assert running().do(fail(), deliver()).run.arrivals[0].is_late
    assert woken().do(deliver(2)).run.arrivals[-1].is_late


def test_a_wait_that_expired_is_closed_by_recovery() -> None:
    play = waiting().wait(SECONDS).do(RECOVER)
    assert (play.run.state, stands(play).state) == (RunState.INTERRUPTED, WaitState.CLOSED)
    assert waiting().wait(SECONDS - 1).ask(RECOVER) == Refused(Reason.NOT_RUNNING)


def test_a_timer_is_due_when_its_time_is_over_and_fires_once() -> None:
    play = running().do(wait_for(TIMER, WaitKind.TIMER)).wait(SECONDS - 1)
    assert play.ask(deliver(wait=TIMER, kind=WaitKind.TIMER)) == Refused(Reason.NOT_DUE)
    play.wait(1).do(deliver(wait=TIMER, kind=WaitKind.TIMER), wake(TIMER))
    assert play.ask(wake(TIMER)) == Refused(Reason.WAKE_CONSUMED)


def test_a_restart_forgets_nothing() -> None:
    play = waiting().do(deliver())
    before = play.state
    assert play.meet(Restarted()).state == before
    assert waiting().meet(Restarted()).do(deliver(), wake()).run.state is RunState.RUNNING


def test_a_child_reports_once_it_has_ended_however_that_was() -> None:
    play = with_child().do(wait_for(FOR_CHILD, WaitKind.CHILD, child=CHILD))
    child_fails(play).do(deliver(wait=FOR_CHILD, kind=WaitKind.CHILD), wake(FOR_CHILD))
    assert (play.run.state, play.other(CHILD).state) == (RunState.RUNNING, RunState.FAILED)


def test_one_spawn_id_makes_one_child_of_the_same_kind_as_its_parent() -> None:
    play = with_child()
    child, before = play.other(CHILD), play.state.runs
    assert (child.state, child.parent, child.budget_cents) == (RunState.QUEUED, RUN, 5)
    assert (child.contract, child.tenant, child.bundle) == (play.run.contract, play.run.tenant, play.run.bundle)
    assert [(event.type, event.entry_point) for event in child.history] == [("admitted", "work")]
    assert last(play) == [("spawned", "work", CHILD)]
    assert play.ask(spawn()) == Done()
    assert play.state.runs == before


def test_an_end_of_the_parent_leaves_its_child_alone() -> None:
    play = with_child()
    before = play.other(CHILD)
    assert play.do(fail()).other(CHILD) == before


def test_the_time_of_a_wait_runs_down_to_0_and_not_further() -> None:
    assert stands(waiting()).left_seconds == SECONDS
    assert stands(waiting().wait(20)).left_seconds == SECONDS - 20
    assert stands(waiting().wait(10 * SECONDS)).left_seconds == 0


def test_what_was_recorded_before_a_wait_is_there_after_it() -> None:
    play = running().do(intend(), record(), wait_for(), deliver(), wake())
    assert (play.call().answer, play.run.known_cents) == ("answer", 3)
