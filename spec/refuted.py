"""Plausible rules that are false. Each was believed by somebody; the explorer finds the shortest counterexample.

They stand here so that nobody believes them again. `spec/REFUTED.md` is made from them.
"""

from keepfact.spec.chapter import Chapter
from keepfact.spec.vocabulary import (
    ENDS,
    Act,
    CallState,
    CallView,
    Cancel,
    Contract,
    Evidence,
    Intend,
    ReadMaterial,
    Reconcile,
    Recover,
    Refused,
    Renew,
    RunState,
    RunView,
    Step,
    Succeed,
    Tick,
    WaitState,
    Worked,
)

chapter = Chapter("REFUTED", "Plausible, and false")


@chapter.rule(1)
def what_is_unknown_did_not_happen(step: Step) -> bool | None:
    """A call whose answer was lost did not take effect."""
    lost = [call.call for run in step.after.runs for call in run.calls if call.state is CallState.UNKNOWN]
    return all(step.truth.of(call) is None for call in lost) if lost else None


@chapter.rule(2)
def nothing_acts_after_the_end(step: Step) -> bool | None:
    """Once a run is sealed, nothing of it takes effect outside any more."""
    return not step.was_sealed if isinstance(step.cause, Act) else None


@chapter.rule(3)
def running_means_alive(step: Step) -> bool | None:
    """A run that is running has a worker whose lease is live."""
    running = [run for run in step.after.runs if run.state is RunState.RUNNING]
    return all(run.lease_left_seconds for run in running) if running else None


@chapter.rule(4)
def the_current_fence_may_write(step: Step) -> bool | None:
    """Whoever holds the highest fence may write."""
    if not isinstance(step.cause, Renew) or step.old is None or step.cause.fence != step.old.fence:
        return None
    return step.is_done


@chapter.rule(5)
def recovery_ends_the_run(step: Step) -> bool | None:
    """When recovery has done its work, the run has ended."""
    return bool(step.new and step.new.state in ENDS) if isinstance(step.cause, Recover) and step.is_done else None


@chapter.rule(6)
def success_is_what_the_worker_says(step: Step) -> bool | None:
    """A run whose worker was allowed to end it as succeeded has succeeded."""
    if not isinstance(step.cause, Succeed) or not step.is_done:
        return None
    return bool(step.new and step.new.state is RunState.SUCCEEDED)


@chapter.rule(7)
def evidence_resolves(step: Step) -> bool | None:
    """After evidence on a call, that call is resolved."""
    if not isinstance(step.cause, Reconcile) or not step.is_done or step.is_repeat or not step.old or not step.new:
        return None
    return step.new.unresolved < step.old.unresolved


@chapter.rule(8)
def a_confirmed_call_has_an_answer(step: Step) -> bool | None:
    """A call that is confirmed has its answer in the history."""
    confirmed = _calls(step, CallState.CONFIRMED)
    return all(call.answer is not None for call in confirmed) if confirmed else None


@chapter.rule(9)
def a_confirmed_call_has_an_amount(step: Step) -> bool | None:
    """A call that is confirmed has a cost that is known."""
    confirmed = _calls(step, CallState.CONFIRMED)
    return all(call.cost_cents is not None for call in confirmed) if confirmed else None


@chapter.rule(10)
def the_budget_is_never_exceeded(step: Step) -> bool | None:
    """What is known and held together never exceeds the budget, since every dispatch was checked."""
    return all(map(_is_within_budget, step.after.runs)) if step.after.runs else None


@chapter.rule(11)
def every_command_that_was_done_is_told(step: Step) -> bool | None:
    """A worker's command that was done left an event in the history."""
    if not isinstance(step.cause, Worked) or not step.is_done or step.is_repeat:
        return None
    return bool(step.new_events)


@chapter.rule(12)
def an_interrupted_run_delivers_nothing(step: Step) -> bool | None:
    """A run that was interrupted has nothing to hand over."""
    interrupted = [run for run in step.after.runs if run.state is RunState.INTERRUPTED]
    return all(run.delivered is None for run in interrupted) if interrupted else None


@chapter.rule(13)
def time_resolves(step: Step) -> bool | None:
    """If one waits long enough, what is unresolved resolves itself."""
    if not isinstance(step.cause, Tick) or not any(run.unresolved for run in step.before.runs):
        return None
    return step.before != step.after and not any(run.unresolved for run in step.after.runs)


@chapter.rule(14)
def not_found_may_be_guessed(step: Step) -> bool | None:
    """Evidence that is ambiguous will turn out to mean that nothing happened."""
    if not isinstance(step.cause, Reconcile) or step.cause.evidence is not Evidence.AMBIGUOUS:
        return None
    return step.truth.of(step.cause.call) is None


@chapter.rule(15)
def what_was_approved_may_be_sent(step: Step) -> bool | None:
    """An operation that a person approved may be dispatched as it was approved."""
    if not isinstance(step.cause, Intend) or step.cause.approval is None or step.old is None or step.is_stale:
        return None
    wait = step.old.wait(step.cause.approval)
    if wait is None or wait.shown is None or not wait.approved or not step.old.lease_left_seconds:
        return None
    is_meant = (wait.shown.call, wait.shown.digest) == (step.cause.call, step.cause.digest)
    return not isinstance(step.outcome, Refused) if is_meant and step.old.call(step.cause.call) is None else None


@chapter.rule(16)
def cancelling_ends_a_run(step: Step) -> bool | None:
    """When a cancellation is accepted, the run is over."""
    if not isinstance(step.cause, Cancel) or not step.took_effect or step.new is None:
        return None
    return step.new.state in ENDS


@chapter.rule(17)
def what_was_handed_over_may_be_read(step: Step) -> bool | None:
    """What a continuation was handed it may read."""
    if not isinstance(step.cause, ReadMaterial) or step.old is None or not step.old.lease_left_seconds:
        return None
    was_handed = any(one.material == step.cause.material for one in step.old.inherited)
    return not isinstance(step.outcome, Refused) if was_handed and not step.is_stale else None


@chapter.rule(18)
def an_accepted_wake_is_used(step: Step) -> bool | None:
    """A wake that was accepted leads to a grant, sooner or later."""
    waits = [(old, new.wait(old.wait)) for was, new in step.changed_runs if was for old in was.waits]
    gone = [new for old, new in waits if old.state is WaitState.ACCEPTED and new is not None and new != old]
    return all(new.state is not WaitState.CLOSED for new in gone) if gone else None


@chapter.rule(19)
def a_child_ends_with_its_parent(step: Step) -> bool | None:
    """When a run is over, so are its children."""
    over = [run for run in step.after.runs if run.state in ENDS and run.children]
    children = [step.after.run(child.child) for run in over for child in run.children]
    return all(child is None or child.state in ENDS for child in children) if children else None


@chapter.rule(20)
def resuming_never_gives_up(step: Step) -> bool | None:
    """Under `resume` recovery lets a run go on."""
    if not isinstance(step.cause, Recover) or not step.took_effect or step.new is None:
        return None
    return step.new.state is RunState.RUNNING if step.new.contract is Contract.RESUME else None


def _calls(step: Step, state: CallState) -> list[CallView]:
    return [call for run in step.after.runs for call in run.calls if call.state is state]


def _is_within_budget(run: RunView) -> bool:
    return run.known_cents + run.held_cents <= run.budget_cents
