"""SETTLE, the rest: how recovery brings a run to its end, or on.

A step shows its part of SETTLE.10; that an end is always reached is a property of the whole graph.
"""

from dataclasses import replace

from keepfact.spec.chapter import RESUME, SETTLE, Resume
from keepfact.spec.vocabulary import (
    DEATHS_MAX,
    AskedOfRun,
    CallState,
    Contract,
    EventType,
    Intend,
    Reason,
    Recover,
    Refused,
    RunState,
    RunView,
    Spawn,
    Step,
    WorkerRan,
)

from .questions.runs import is_in_doubt, is_recovery, is_spent, recovers
from .questions.waits import is_expired, is_open
from .settle import chapter, end_by_recovery

__all__ = ["chapter"]


@chapter.rule(1, contracts=SETTLE, about=Recover)
def a_lapsed_run_is_sealed(step: Step) -> bool | None:
    """A run whose lease lapsed is sealed by recovery: each call without an answer becomes unknown, and the run ends
    `interrupted`, or `cancelled` if it was asked to stop; it stays `unknown` while anything is unresolved.
    """
    if not _is_settling(step) or not step.old or not step.new or step.old.lease_left_seconds != 0:
        return None
    if step.is_unheard:
        return None
    end = end_by_recovery(step.old)
    sealed = RunState.UNKNOWN if step.new.unresolved else end
    return (
        not isinstance(step.outcome, Refused)
        and step.new.state is sealed
        and (sealed is end or step.new.sealed_for is end)
        and [call.state for call in step.new.calls] == _states_as_left(step.old)
        and step.new.lease_left_seconds is None
    )


@chapter.rule(2, about=Recover)
def settling_again_changes_nothing(step: Step) -> bool | None:
    """Of many settlers one wins; repeating it changes nothing."""
    if not _is_settling(step) or not step.was_sealed or step.is_unheard:
        return None
    return step.changed_nothing and step.outcome == Refused(Reason.SEALED)


@chapter.rule(7, contracts=RESUME, implies=Resume.PREFIX_CONTINUATION, about=AskedOfRun | WorkerRan)
def recovery_goes_on_from_what_is_known(step: Step) -> bool | None:
    """Recovery marks lost calls unknown and changes no other, then grants the run to the worker that asked; while an
    operation is unknown nothing new is dispatched, and only then is a dispatch refused for it.
    """
    if step.is_repeat or step.is_unheard or step.old is None or step.new is None:
        return None
    if is_recovery(step.cause):
        has_lapsed = step.old.state is RunState.RUNNING and step.old.lease_left_seconds == 0
        if not has_lapsed or not recovers(step) or step.old.deaths + 1 >= DEATHS_MAX:
            return None
        is_asker = isinstance(step.cause, WorkerRan) or (
            isinstance(step.cause, Recover) and step.new.worker == step.cause.worker
        )
        return _goes_on(step.old, step.new) and is_asker
    if step.outcome == Refused(Reason.UNRESOLVED):
        return is_in_doubt(step.old)
    return step.had_no_effect if is_in_doubt(step.old) and _is_dispatch(step) else None


@chapter.rule(8, implies=Resume.RECOVERY_DETERMINISM, about=Recover | WorkerRan)
def recovery_starts_from_the_last_commit(step: Step) -> bool | None:
    """The recovery point is the last committed event: nothing before it is repeated, nothing after it invented, and
    what recovery adds is each loss and then one seal, end or grant.
    """
    if not recovers(step) or not step.old or not step.new:
        return None
    lost = [call.call for call in step.old.calls if call.state is CallState.OPEN]
    told = [event.concerns for event in step.new_events if event.type is EventType.LOST]
    *losses, last = [event.type for event in step.new_events] or [EventType.LOST]
    ordered = set(losses) <= {EventType.LOST} and last in {EventType.SEALED, EventType.ENDED, EventType.GRANTED}
    return step.new.history[: len(step.old.history)] == step.old.history and told == lost and ordered


@chapter.rule(10, about=Recover)
def recovery_always_leads_on(step: Step) -> bool | None:
    """Recovery of a run that lost its worker, that is cancelling without a live lease, or whose wait can never wake it
    is refused only to an overtaken sweep, or under resume to a worker that is missing or does not support the bundle,
    and leaves no such run behind; a run that needs no recovery is left alone.
    """
    if not _is_settling(step) or step.is_unheard or step.old is None or step.new is None:
        return None
    if not _needs_recovery(step.old):
        return None if step.was_sealed or step.old.lease_left_seconds else step.had_no_effect
    if isinstance(step.outcome, Refused):
        return _may_be_refused(step, step.outcome.reason)
    return not _needs_recovery(step.new)


def _states_as_left(run: RunView) -> list[CallState]:
    """Where recovery leaves the calls: whoever has no answer is unknown."""
    return [CallState.UNKNOWN if call.state is CallState.OPEN else call.state for call in run.calls]


def _goes_on(old: RunView, new: RunView) -> bool:
    """It was granted again, and knows of each call what it knew, and of the lost ones that they are lost."""
    is_granted = new.state is RunState.RUNNING and new.fence > old.fence and bool(new.lease_left_seconds)
    as_left = [replace(call, state=state) for call, state in zip(old.calls, _states_as_left(old), strict=True)]
    return is_granted and list(new.calls) == as_left


def _is_dispatch(step: Step) -> bool:
    """Something is asked for that was not there before."""
    match step.cause, step.old:
        case Intend(call=name), RunView() as run:
            return run.call(name) is None
        case Spawn(spawn=name), RunView() as run:
            return all(child.spawn != name for child in run.children)
        case _:
            return False


def _is_settling(step: Step) -> bool:
    """Recovery is asked for the first time, under a command id of its own, at its own door, and not overtaken."""
    if not isinstance(step.cause, Recover) or step.is_repeat:
        return False
    match step.outcome:
        case Refused(reason=Reason.COMMAND_ID_CONFLICT | Reason.NOT_ALLOWED):
            return False
        case Refused(reason=Reason.NO_SUCH_RUN):
            return step.session is None or step.old is None or step.session.tenant == step.old.tenant
        case Refused(reason=Reason.STALE_FENCE):
            overtaken = step.old is not None and step.cause.seen_fence not in (None, step.old.fence)
            return not overtaken
        case _:
            return True


def _needs_recovery(run: RunView) -> bool:
    match run.state:
        case RunState.RUNNING:
            return run.lease_left_seconds == 0
        case RunState.CANCELLING:
            return not run.lease_left_seconds
        case RunState.WAITING_APPROVAL | RunState.WAITING_EXTERNAL:
            return is_spent(run) or any(is_open(wait) and is_expired(wait) for wait in run.waits)
        case _:
            return False


def _may_be_refused(step: Step, reason: Reason) -> bool:
    """Only a run that is to be granted needs a worker, and one that supports its bundle."""
    if not isinstance(step.cause, Recover) or step.old is None:
        return False
    if step.old.contract is not Contract.RESUME or step.old.state is not RunState.RUNNING:
        return False
    if reason is Reason.NO_WORKER:
        return step.cause.worker is None
    return reason is Reason.UNSUPPORTED_BUNDLE and step.old.bundle not in step.cause.supports
