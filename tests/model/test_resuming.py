"""Under `resume` a run goes on from its last committed fact, but not past an unknown operation, nor for ever."""

from dataclasses import replace

import pytest

from keepfact.spec.vocabulary import (
    DEATHS_MAX,
    CallState,
    Command,
    Contract,
    Done,
    Evidence,
    Fence,
    LeaseGrant,
    Reason,
    Refused,
    RunState,
    ToolReleased,
    Undo,
)

from .beyond import (
    CHILD,
    REFUND,
    RESUME,
    assess,
    compensate,
    intend_to_ask_again,
    look_up,
    resuming,
    save,
    send_again,
    spawn,
    wait_for,
)
from .play import (
    AGAIN,
    ASK,
    LEASE_SECONDS,
    PAY,
    Play,
    ask,
    fail,
    in_flight,
    intend,
    mark_unknown,
    publish,
    reconcile,
    record,
    release,
    renew,
    running,
)


def lost() -> Play:
    """The worker died on its first step, and another has the run: fence 2."""
    return resuming().wait().do(RESUME)


def test_a_lost_run_is_granted_again_and_what_was_in_flight_is_unknown() -> None:
    play = resuming().do(intend()).wait()
    assert play.ask(RESUME) == Done(LeaseGrant(Fence(2), LEASE_SECONDS))
    assert (play.run.state, play.run.worker, play.run.deaths) == (RunState.RUNNING, "successor", 1)
    assert (play.call().state, play.run.held_cents) == (CallState.UNKNOWN, 4)
    told = [(event.type, event.entry_point, event.concerns) for event in play.run.history[-2:]]
    assert told == [("lost", "recover", PAY), ("granted", "recover", None)]


def test_what_was_done_before_is_there_after_it() -> None:
    play = resuming().do(intend(), record(), publish()).wait().do(RESUME)
    assert (play.call().answer, len(play.run.publications), play.run.known_cents) == ("answer", 1, 3)


def test_it_goes_on_once_its_unknown_operation_is_resolved() -> None:
    play = resuming().do(intend()).wait().do(RESUME)
    assert play.ask(intend(ASK, fence=2)) == Refused(Reason.UNRESOLVED)
    play.do(reconcile(Evidence.CONFIRMED, 3), intend(ASK, fence=2))


def test_an_attempt_of_unknown_fate_holds_nobody_up() -> None:
    play = resuming().do(ask()).wait().do(RESUME)
    assert play.ask(replace(ask(AGAIN, supersedes=ASK), fence=Fence(2))) == Done()


def test_dying_again_on_the_same_step_settles_it() -> None:
    assert DEATHS_MAX == 2
    play = lost().wait().do(RESUME)
    assert (play.run.state, play.run.deaths, play.run.fence) == (RunState.INTERRUPTED, 2, 2)
    with_a_call = resuming().do(intend()).wait().do(RESUME).wait().do(RESUME)
    assert (with_a_call.run.state, with_a_call.run.sealed_for) == (RunState.UNKNOWN, RunState.INTERRUPTED)


PROGRESS: list[Command] = [intend(fence=2), publish(fence=2), spawn(fence=2), wait_for(fence=2)]


@pytest.mark.parametrize("command", [*PROGRESS, replace(save(), fence=2)], ids=lambda one: type(one).__name__)
def test_progress_makes_earlier_deaths_count_no_more(command: Command) -> None:
    assert lost().do(command).run.deaths == 0


@pytest.mark.parametrize("command", [renew(2), release(2)], ids=lambda one: type(one).__name__)
def test_a_heartbeat_or_handing_back_is_no_progress(command: Command) -> None:
    assert lost().do(command).run.deaths == 1


def test_a_sweep_that_has_slept_changes_nothing() -> None:
    play = lost().wait()
    before = play.state
    assert play.ask(replace(RESUME, seen_fence=Fence(1))) == Refused(Reason.STALE_FENCE)
    assert play.state is before
    assert play.ask(replace(RESUME, seen_fence=Fence(2))) == Done()


def test_a_settling_run_is_not_granted_by_recovery_whoever_asks() -> None:
    play = running().wait()
    assert play.ask(RESUME) == Done()
    assert (play.run.state, play.run.fence) == (RunState.INTERRUPTED, 1)


def test_children_are_under_the_contract_of_their_parent() -> None:
    assert resuming().do(spawn()).other(CHILD).contract is Contract.RESUME


# Sending again, and undoing


def test_what_was_not_found_may_be_sent_again_under_its_id() -> None:
    play = running().do(intend_to_ask_again(), mark_unknown(), reconcile(Evidence.NOT_FOUND))
    assert play.run.held_cents == 0
    play.do(send_again())
    assert (play.call().state, play.call().sends, play.call().fence, play.run.held_cents) == (CallState.OPEN, 2, 1, 4)
    assert play.run.history[-1].type == "sent_again"


def test_to_a_tool_that_recognises_ids_sending_again_is_a_lookup() -> None:
    play = running().do(intend_to_ask_again(recognises=True)).act(3).do(mark_unknown(), send_again()).act(3)
    true = play.state.truth.of(PAY)
    assert true is not None
    assert (true.requests, true.acts, true.cost_cents, true.keys) == (2, 1, 3, (PAY,))


def test_a_lookup_says_only_what_the_tool_can_know_and_writes_nothing() -> None:
    play = in_flight()
    before = play.state
    assert play.ask(look_up()) == Done(evidence=Evidence.AMBIGUOUS)
    assert play.state is before
    assert in_flight().act(3).meet(ToolReleased()).ask(look_up()) == Done(evidence=Evidence.CONFIRMED)
    never = in_flight().do(mark_unknown(), reconcile(Evidence.NOT_FOUND))
    assert never.ask(look_up()) == Done(evidence=Evidence.NOT_FOUND)


def test_a_compensation_is_a_call_of_its_own_and_the_original_stays() -> None:
    play = in_flight().do(record())
    original = play.call()
    play.do(compensate())
    assert (play.call(), play.call(REFUND).compensates, play.call(REFUND).undo) == (original, PAY, Undo.CORRECTABLE)


def test_how_good_a_result_is_is_said_beside_how_it_ended() -> None:
    play = running().do(fail(), assess(), assess(good=False))
    assert (play.run.state, play.run.assessment) == (RunState.FAILED, False)
    assert [event.type for event in play.run.history[-2:]] == ["assessed", "assessed"]
