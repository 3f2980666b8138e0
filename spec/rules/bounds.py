"""EFFECT, the rest: sending again, undoing, spawning and dying are bounded, and three facts stay apart."""

from dataclasses import replace

from keepfact.spec.chapter import RESUME, Resume
from keepfact.spec.vocabulary import (
    DEATHS_MAX,
    ENDS,
    AskedOfRun,
    Assess,
    CallKind,
    CallState,
    CallTruth,
    CallView,
    Capability,
    ChildView,
    Intend,
    Mark,
    Observation,
    OfRun,
    Publish,
    Reason,
    Reconcile,
    RecordAnswer,
    Refused,
    RequestApproval,
    RunState,
    RunView,
    SaveMaterial,
    SendAgain,
    Spawn,
    Step,
    Succeed,
    Wait,
    Wake,
    WorkerRan,
)

from .effect import chapter
from .questions.runs import is_of_an_earlier_sending, is_recovery, recovers

__all__ = ["chapter"]

_PROGRESS = Intend | SendAgain | RecordAnswer | Publish | Wait | RequestApproval | Spawn | Mark | SaveMaterial | Wake


@chapter.rule(
    7, needs={Capability.RESENDING}, implies=Resume.EFFECT_EXACTLY_ONCE, about=SendAgain | Reconcile | WorkerRan
)
def only_a_call_that_cannot_act_twice_is_sent_again(step: Step) -> bool | None:
    """A call is sent again only after a definite `not_found`, or to a tool that recognises its id; it goes out under
    the same id and intent, and nothing else changes about it or any other. What was found out before it was sent once
    more is no evidence about the later request, and is turned away.
    """
    if isinstance(step.cause, WorkerRan):
        return _may_have_been_sent_again(step)
    if not isinstance(step.cause, SendAgain | Reconcile) or step.is_repeat or step.old is None or step.new is None:
        return None
    call = step.old.call(step.cause.call)
    if isinstance(step.cause, Reconcile):
        return _is_about_the_latest_sending(step, step.cause, call)
    may = call is not None and _may_be_sent_again(call, {CallState.UNKNOWN})
    if step.outcome == Refused(Reason.NOT_SENDABLE):
        return not may
    if not step.took_effect:
        return None
    as_sent = [_as_sent(view) if view is call else view for view in step.old.calls]
    return may and list(step.new.calls) == as_sent


def _may_be_sent_again(call: CallView, unheard: set[CallState]) -> bool:
    return call.state is CallState.NOT_FOUND or (call.state in unheard and call.recognises)


def _may_have_been_sent_again(step: Step) -> bool | None:
    """By a worker, which may have found out meanwhile that the answer of an open call was lost."""
    sent_again = [
        was
        for call in (step.new.calls if step.new else ())
        if (was := _before(call, step)) is not None and call.sends > was.sends
    ]
    unheard = {CallState.OPEN, CallState.UNKNOWN}
    return all(_may_be_sent_again(was, unheard) for was in sent_again) if sent_again else None


@chapter.rule(8)
def sending_is_bounded_and_counted(step: Step) -> bool | None:
    """Sending is bounded and counted: an intent stands for one sending of as many as it allows, sending again for one
    more, nothing else for any; nobody goes beyond the bound, and no more requests arrive outside than were committed.
    """
    heard = step.heard
    if step.is_repeat or (step.new is None and not heard):
        return None
    if isinstance(step.cause, SendAgain) and step.outcome == Refused(Reason.SENDS_SPENT):
        call = step.old.call(step.cause.call) if step.old else None
        return call is not None and call.sends >= call.sends_max
    calls = step.new.calls if step.new and step.new is not step.old else ()
    changed = [call for call in calls if _sends(_before(call, step)) != _sends(call)]
    is_uncounted = step.cause.call not in {c.call for c in changed} if isinstance(step.cause, SendAgain) else False
    if is_uncounted and step.took_effect:
        return False
    if not (heard or changed):
        return None
    return all(_was_committed(truth, step.after) for truth in heard) and all(_is_counted(c, step) for c in changed)


@chapter.rule(10, needs={Capability.ASSESSMENT}, about=OfRun)
def three_facts_are_kept_apart(step: Step) -> bool | None:
    """That the tool answered, that the worker has finished and that the result is good are three facts: only an
    assessment of an ended run says the third, and it changes nothing else; neither an answer nor success says that a
    body is qualified.
    """
    if step.new is None or step.is_repeat or step.is_unheard:
        return None
    if isinstance(step.cause, Assess) and step.old is not None:
        has_ended = step.old.state in ENDS
        if step.outcome == Refused(Reason.NOT_ENDED):
            return not has_ended
        if step.took_effect:
            said = replace(step.old, assessment=step.cause.good, history=step.new.history)
            return has_ended and replace(step.new, next_decision=step.old.next_decision) == said
    if step.new.assessment is not (step.old.assessment if step.old else None):
        return False
    if not isinstance(step.cause, (RecordAnswer, Succeed)) or not step.took_effect or step.old is None:
        return None
    return step.new.publications == step.old.publications


@chapter.rule(11, needs={Capability.COMPENSATION}, about=Intend)
def a_compensation_names_what_it_undoes(step: Step) -> bool | None:
    """A compensation is a new call that names a confirmed operation of its run and says how far that can be undone; the
    original stays as it is.
    """
    if not isinstance(step.cause, Intend) or step.is_repeat or step.old is None or step.new is None:
        return None
    names, undo = step.cause.compensates, step.cause.undo
    original = None if names is None else step.old.call(names)
    may = original is not None and _is_confirmed_operation(original) and undo is not None
    if step.outcome == Refused(Reason.NOT_COMPENSABLE):
        return names is not None and not may
    call = step.new.call(step.cause.call)
    if not step.took_effect or step.old.call(step.cause.call) is not None or call is None:
        return None
    if (names, undo) == (None, None):
        return None if (call.compensates, call.undo) == (None, None) else False
    is_named = (call.compensates, call.undo) == (names, undo)
    return may and is_named and original is not None and step.new.call(original.call) == original


@chapter.rule(12, needs={Capability.CHILDREN}, implies=Resume.EFFECT_EXACTLY_ONCE, about=Spawn | WorkerRan)
def one_spawn_id_starts_one_child(step: Step) -> bool | None:
    """One spawn id starts one child: a queued run of its own under its parent's tenant, contract and bundle; the same
    again changes nothing, another child under that id is a conflict, and no child is forgotten.
    """
    if not isinstance(step.cause, (Spawn, WorkerRan)) or step.old is None or step.new is None:
        return None
    if step.is_repeat or step.is_unheard:
        return None
    if isinstance(step.cause, Spawn):
        known = next((view for view in step.old.children if view.spawn == step.cause.spawn), None)
        if step.outcome == Refused(Reason.SPAWN_CONFLICT):
            return known is not None and known.child != step.cause.child
        if step.outcome == Refused(Reason.RUN_EXISTS):
            return known is None
        if known is not None:
            is_same = step.is_done and known.child == step.cause.child
            return step.changed_nothing and (is_same or not step.is_done)
        return _is_started(step.cause, step.old, step.new, step) if step.took_effect else None
    if step.new.children == step.old.children:
        return None
    spawns = [view.spawn for view in step.new.children]
    kept = step.new.children[: len(step.old.children)] == step.old.children
    return kept and len(set(spawns)) == len(spawns)


@chapter.rule(13, contracts=RESUME, implies=Resume.RECOVERY_DETERMINISM, about=AskedOfRun | WorkerRan)
def dying_on_one_step_is_bounded(step: Step) -> bool | None:
    """Dying on the same step counts: each recovery adds one death, progress starts the count over and nothing else
    does, and at the limit the run is settled as interrupted, not tried once more.
    """
    if (
        step.old is None
        or step.new is None
        or step.is_repeat
        or step.is_unheard
        or not (step.took_effect or recovers(step))
    ):
        return None
    if is_recovery(step.cause) and step.old.state is RunState.RUNNING:
        deaths = step.old.deaths + 1
        if deaths >= DEATHS_MAX:
            return RunState.INTERRUPTED in (step.new.state, step.new.sealed_for) and step.new.fence == step.old.fence
        return step.new.deaths == deaths
    if isinstance(step.cause, _PROGRESS) and not step.changed_nothing:
        return step.new.deaths == 0
    return None if step.new.deaths == step.old.deaths else False


def _is_about_the_latest_sending(step: Step, evidence: Reconcile, call: CallView | None) -> bool | None:
    is_stale = call is not None and is_of_an_earlier_sending(evidence, call)
    if step.outcome == Refused(Reason.STALE_EVIDENCE):
        return is_stale
    return step.had_no_effect if is_stale and not step.is_unheard else None


def _as_sent(call: CallView) -> CallView:
    return replace(call, state=CallState.OPEN, sends=call.sends + 1)


def _was_committed(truth: CallTruth, after: Observation) -> bool:
    sends = [call.sends for run in after.runs for call in run.calls if call.call == truth.call]
    return not sends or truth.requests <= max(sends)


def _sends(call: CallView | None) -> tuple[int, int] | None:
    return None if call is None else (call.sends, call.sends_max)


def _before(call: CallView, step: Step) -> CallView | None:
    return step.old.call(call.call) if step.old else None


def _is_counted(call: CallView, step: Step) -> bool:
    """What changed about how often a call may be or was sent is what the cause stands for."""
    before = _before(call, step)
    match step.cause:
        case Intend(call=name):
            return name == call.call and before is None and _sends(call) == (1, step.cause.sends_max)
        case SendAgain(call=name):
            raised = None if before is None else (before.sends + 1, before.sends_max)
            return name == call.call and _sends(call) == raised and call.sends <= call.sends_max
        case WorkerRan():
            return (1 if before is None else before.sends) <= call.sends <= call.sends_max
        case _:
            return False


def _is_confirmed_operation(call: CallView) -> bool:
    return (call.kind, call.state) == (CallKind.OPERATION, CallState.CONFIRMED)


def _is_started(spawn: Spawn, old: RunView, new: RunView, step: Step) -> bool:
    child = step.after.run(spawn.child)
    if child is None or step.before.run(spawn.child) is not None:
        return False
    pinned = child.parent, child.tenant, child.contract, child.bundle, child.budget_cents
    is_queued = child.state is RunState.QUEUED and child.lease_left_seconds is None and not child.calls
    is_listed = new.children == (*old.children, ChildView(spawn.spawn, spawn.child))
    return is_listed and is_queued and pinned == (old.run, old.tenant, old.contract, old.bundle, spawn.budget_cents)
