"""Defects of APPROVAL: somebody approved one thing, and another is done."""

from dataclasses import replace

from keepfact.model.approving import latest_request
from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    Decide,
    Done,
    Intend,
    Reason,
    Recover,
    Refused,
    RequestApproval,
    WaitState,
    WaitView,
    Wake,
)

from .defect import Taken, wrong_command, wrong_result
from .pretending import taken_as_if, taken_as_if_waiting


@wrong_result(RequestApproval, "APPROVAL.1")
def a_summary_is_shown(old: Run, new: Run) -> Run:
    """A person is shown a summary, and approves that instead of what will be sent."""
    request = new.waits[-1]
    return new.with_wait(replace(request, shown=request.shown and replace(request.shown, digest="a summary")))


@wrong_command(Wake, "APPROVAL.1")
def waking_rewrites_what_was_shown(state: State, wake: Wake, run: Run) -> Taken:
    """When a run goes on, its approval is rewritten to what holds now, as if that had been shown."""
    outcome, after = step(state, wake)
    woken = after.run(run.run)
    request = None if woken is None else woken.wait(wake.wait)
    if after is state or woken is None or request is None or request.shown is None:
        return outcome, after
    now = replace(request.shown, in_force=state.in_force)
    return outcome, after.with_run(woken.with_wait(replace(request, shown=now)))


@wrong_command(Decide, "APPROVAL.1", "WAKE.3")
def a_decision_on_something_else_counts(state: State, decide: Decide, run: Run) -> Taken:
    """A person had an old page open, and what he approved there is taken for what is asked now."""
    request = run.wait(decide.wait)
    return step(state, replace(decide, digest=request.shown.digest) if request and request.shown else decide)


@wrong_command(Intend, "APPROVAL.2")
def an_approval_lets_another_operation_run(state: State, intend: Intend, run: Run) -> Taken:
    """Whoever has an approval may send anything: it opens the door, and nobody looks what for."""
    request = None if intend.approval is None else run.wait(intend.approval)
    is_of_another = request is not None and request.shown is not None and request.shown.call != intend.call
    return step(state, replace(intend, approval=None) if is_of_another and request and request.approved else intend)


@wrong_command(Intend, "APPROVAL.2")
def an_approval_that_was_overtaken_counts(state: State, intend: Intend, run: Run) -> Taken:
    """Some approval of the operation is enough, although it has been asked for anew since."""
    latest = latest_request(run, intend.call)
    return step(state, replace(intend, approval=latest.wait) if latest else intend)


@wrong_command(Intend, "APPROVAL.3", case="B11")
def other_arguments_are_sent_than_were_approved(state: State, intend: Intend, run: Run) -> Taken:
    """A later step rewrites the arguments that were approved, and the rewritten ones are sent."""
    request = latest_request(run, intend.call)
    if request is None or request.shown is None or run.call(intend.call):
        return step(state, intend)
    outcome, after = step(state, replace(intend, digest=request.shown.digest))
    sent = after.run(run.run)
    call = sent and sent.call(intend.call)
    return outcome, after.with_run(sent.with_call(replace(call, digest=intend.digest))) if sent and call else state


@wrong_command(Intend, "APPROVAL.3")
def drift_is_not_looked_at(state: State, intend: Intend, run: Run) -> Taken:
    """What was approved is sent although what it is about has changed since."""
    request = latest_request(run, intend.call)
    if request is None or request.shown is None:
        return step(state, intend)
    then = replace(request.shown.in_force, permitted=state.in_force.permitted)
    return _taken_as_if(state, replace(state, in_force=then), intend)


@wrong_result(RequestApproval, "APPROVAL.3")
def the_difference_is_not_shown(old: Run, new: Run) -> Run:
    """Who is asked anew is not told what has changed since the last time, and approves out of habit."""
    request = new.waits[-1]
    return new.with_wait(replace(request, shown=request.shown and replace(request.shown, differs=())))


@wrong_command(Intend, "APPROVAL.4")
def an_expired_approval_is_used(state: State, intend: Intend, run: Run) -> Taken:
    """An approval is good for ever, whatever time it was given for."""
    request = latest_request(run, intend.call)
    if request is None or request.left_seconds:
        return step(state, intend)
    return taken_as_if_waiting(state, run, request, lambda request: replace(request, left_seconds=1), intend)


@wrong_command(Intend, "APPROVAL.4")
def a_permission_is_looked_at_only_once(state: State, intend: Intend, run: Run) -> Taken:
    """What was permitted when it was approved is sent, although the permission was withdrawn since."""
    return _taken_as_if(state, replace(state, in_force=replace(state.in_force, permitted=True)), intend)


@wrong_command(Decide, "APPROVAL.4")
def a_decision_comes_after_its_time(state: State, decide: Decide, run: Run) -> Taken:
    """A request that has expired can still be answered."""
    request = run.wait(decide.wait)
    if request is None or request.left_seconds:
        return step(state, decide)
    return taken_as_if_waiting(state, run, request, lambda request: replace(request, left_seconds=1), decide)


@wrong_command(Decide, "APPROVAL.5", "WAKE.3")
def the_last_decision_wins(state: State, decide: Decide, run: Run) -> Taken:
    """A second decision replaces the first, whatever has been done because of that."""
    request = run.wait(decide.wait)
    if request is None or request.approved is None:
        return step(state, decide)
    return Done(), state.with_run(run.with_wait(replace(request, approved=decide.approved)))


@wrong_command(Decide, "APPROVAL.5", "WAKE.3")
def the_same_decision_again_is_an_error(state: State, decide: Decide, run: Run) -> Taken:
    """A person whose page was cut off sends his decision again, and is told that he may not."""
    request = run.wait(decide.wait)
    is_again = request is not None and request.approved is decide.approved
    return (Refused(Reason.ALREADY_DECIDED), state) if is_again else step(state, decide)


@wrong_command(Decide, "APPROVAL.5")
def a_second_decision_is_not_held_against_what_was_shown(state: State, decide: Decide, run: Run) -> Taken:
    """Who approves something else than what was approved is told that it was."""
    request = run.wait(decide.wait)
    is_approved = request is not None and request.approved is decide.approved
    return (Done(), state) if is_approved else step(state, decide)


@wrong_result(Intend, "APPROVAL.6")
def an_approval_is_not_used_up(old: Run, new: Run) -> Run:
    """Nobody takes down that an approval was used, so that it is good for one more."""
    return replace(new, waits=old.waits)


@wrong_result(Recover, "APPROVAL.6", "WAKE.10")
def recovery_gives_approvals_back(old: Run, new: Run) -> Run:
    """After a crash an approval is as good as new, although its operation may have been sent."""
    return replace(new, waits=tuple(replace(wait, used_by=None) for wait in new.waits))


@wrong_command(Intend, "APPROVAL.7", "APPROVAL.2")
def a_denial_is_taken_for_an_answer(state: State, intend: Intend, run: Run) -> Taken:
    """The run looks only whether it was answered, and sends what was denied."""
    request = latest_request(run, intend.call)
    if request is None or request.approved is not False:
        return step(state, intend)
    return taken_as_if_waiting(state, run, request, _approved, intend)


@wrong_command(RequestApproval, "APPROVAL.7")
def what_was_denied_is_asked_again(state: State, asked: RequestApproval, run: Run) -> Taken:
    """Who says no is asked until he says yes."""
    request = latest_request(run, asked.call)
    if request is None or request.approved is not False:
        return step(state, asked)
    return taken_as_if_waiting(state, run, request, lambda request: replace(request, approved=None), asked)


def _approved(request: WaitView) -> WaitView:
    return replace(request, approved=True, state=WaitState.CONSUMED)


def _taken_as_if(state: State, pretended: State, intend: Intend) -> Taken:
    """The dispatch as if other things were in force; they are afterwards as they were."""
    outcome, after = taken_as_if(state, pretended, intend)
    return outcome, after if after is state else replace(after, in_force=state.in_force)
