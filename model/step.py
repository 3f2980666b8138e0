"""What a perfect system answers, and what it then holds: one match over everything that may happen."""

from dataclasses import replace
from typing import assert_never

from keepfact.spec.vocabulary import (
    Act,
    Cause,
    Claim,
    Command,
    Done,
    Fail,
    Intend,
    LeaseGrant,
    LookedUp,
    MarkUnknown,
    Observe,
    Outcome,
    Publish,
    Reason,
    Reconcile,
    RecordAnswer,
    Recover,
    Refused,
    Release,
    Renew,
    Submit,
    Succeed,
    Tick,
    Worked,
    WorkerRan,
)

from .admission import admit, is_malformed
from .outside import act, pass_time
from .reconciling import reconcile
from .settling import fail, recover, succeed
from .state import Change, State
from .working import claim, intend, mark_unknown, publish, record_answer, release, renew, why_not_work


def step(state: State, cause: Cause) -> tuple[Outcome | None, State]:
    """The outcome that a correct system gives, and its state after it. A happening has no outcome."""
    match cause:
        case Tick():
            return None, pass_time(state, cause)
        case Act():
            return None, act(state, cause)
        case WorkerRan() | LookedUp():
            raise ValueError("expected single commands, but a process worked by itself: only rules can judge that")
        case _:
            return _perform(state, cause)


def _perform(state: State, command: Command) -> tuple[Outcome, State]:
    """A command happens at most once under its id; a refused one leaves no trace, not even of its id (ENTRY.5, 6).

    Looking writes nothing (ENTRY.1), so no id is looked up for it and none is kept.
    """
    if is_malformed(command):
        return Refused(Reason.MALFORMED), state
    for first, answer in () if isinstance(command, Observe) else state.answers:
        if first.command_id == command.command_id:
            return (answer if first == command else Refused(Reason.COMMAND_ID_CONFLICT)), state
    changed = _change(state, command)
    if isinstance(changed, Refused):
        return changed, state
    done = Done(LeaseGrant(changed.fence, state.lease_seconds) if isinstance(command, Claim) else None)
    if isinstance(command, Observe):
        return done, state
    return done, replace(state.with_run(changed), answers=(*state.answers, (command, done)))


def _change(state: State, command: Command) -> Change:
    """What the command makes of its run; the first check that fails gives the refusal."""
    run = state.run(command.run)
    if isinstance(command, Submit):
        return admit(run, command)
    if run is None:
        return Refused(Reason.NO_SUCH_RUN)
    if isinstance(command, Worked) and (reason := why_not_work(run, command.fence)) is not None:
        return Refused(reason)
    match command:
        case Observe():
            return run
        case Claim():
            return claim(run, command, state.lease_seconds)
        case Renew():
            return renew(run, state.lease_seconds)
        case Release():
            return release(run)
        case Intend():
            return intend(run, command)
        case RecordAnswer():
            return record_answer(run, command)
        case MarkUnknown():
            return mark_unknown(run, command)
        case Publish():
            return publish(run, command)
        case Succeed():
            return succeed(run)
        case Fail():
            return fail(run)
        case Recover():
            return recover(run)
        case Reconcile():
            return reconcile(run, command)
        case _:
            assert_never(command)
