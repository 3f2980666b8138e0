"""SETTLE: what a crash leaves. (How recovery comes to it stands in `recovering`.)"""

from dataclasses import replace
from typing import Any

from keepfact.spec.chapter import Chapter, Resume
from keepfact.spec.vocabulary import (
    ENDS,
    AskedOfRun,
    CallState,
    CallView,
    Delivered,
    Evidence,
    Fail,
    MaterialView,
    OfRun,
    Reconcile,
    Recover,
    Refused,
    RunState,
    RunView,
    Step,
    Stop,
    Succeed,
    WaitView,
)

from .questions.runs import is_of_an_earlier_sending, is_sealed, is_turned_away, is_unresolved

chapter = Chapter("SETTLE", "What a crash leaves")


@chapter.rule(3, of_changes=True, about=OfRun, implies=Resume.PREFIX_CONTINUATION)
def what_was_saved_stays(step: Step) -> bool | None:
    """What was intended, answered, confirmed, published, found, sealed in a checkpoint, or arrived before is there
    after, byte for byte.
    """
    if (
        step.changed_nothing
        or step.old is None
        or not (step.old.publications or step.old.calls or step.old.materials or step.old.waits or step.old.arrivals)
    ):
        return None
    if step.new is None or step.new is step.old:
        return step.new is not None
    return (
        step.new.publications[: len(step.old.publications)] == step.old.publications
        and all(_is_saved(call, step.new.call(call.call)) for call in step.old.calls)
        and _begins_with([_found(view) for view in step.new.materials], [_found(view) for view in step.old.materials])
        and _begins_with([_sealed(view) for view in step.new.waits], [_sealed(view) for view in step.old.waits])
        and all(arrival in step.new.arrivals for arrival in step.old.arrivals)
    )


@chapter.rule(4, of_changes=True, about=OfRun)
def a_settled_run_delivers_what_was_qualified(step: Step) -> bool | None:
    """A run that did not succeed delivers its last qualified publication, marked partial; without one it delivers
    nothing.
    """
    run = step.new
    if step.changed_nothing or run is None or not is_sealed(run) or run == step.old:
        return None
    qualified = [publication.version for publication in run.publications if publication.qualified]
    if not qualified:
        return run.delivered is None
    return run.delivered == Delivered(qualified[-1], partial=run.state is not RunState.SUCCEEDED)


@chapter.rule(5, of_changes=True, about=OfRun)
def success_needs_a_body_and_nothing_unresolved(step: Step) -> bool | None:
    """`succeeded` needs a qualified publication and nothing unresolved; so does being sealed for it, but for what is
    still to be found out.
    """
    if step.new is None or _aim_of(step.new) is not RunState.SUCCEEDED:
        return None
    if step.old is not None and _aim_of(step.old) is RunState.SUCCEEDED and step.old.state is step.new.state:
        return None
    is_clear = step.new.unresolved == 0 or step.new.state is not RunState.SUCCEEDED
    return is_clear and any(publication.qualified for publication in step.new.publications)


@chapter.rule(6, about=Reconcile)
def the_last_evidence_ends_the_run(step: Step) -> bool | None:
    """`unknown` ends when its last unresolved call gets evidence, in the same commit, as the end it was sealed for; and
    evidence on a call that is still unresolved never comes too late, unless the call was sent once more since.
    """
    if not isinstance(step.cause, Reconcile) or not step.old or not step.new:
        return None
    if step.old.state is not RunState.UNKNOWN:
        return None
    if isinstance(step.outcome, Refused) and not is_turned_away(step.outcome):
        call = step.old.call(step.cause.call)
        if call is None or call.state is CallState.OPEN or not is_unresolved(call):
            return None
        return None if _is_refuted(call, step.cause) else False
    if not step.took_effect:
        return None
    if step.new.unresolved:
        return step.new.state is RunState.UNKNOWN
    return step.new.state is step.old.sealed_for


@chapter.rule(9, of_changes=True, about=AskedOfRun)
def ends_stay_different(step: Step) -> bool | None:
    """Failed, cancelled, interrupted and succeeded are different: each end comes only from its own cause."""
    if step.old is None or step.new is None or not step.took_effect:
        return None
    aim = _aim_of(step.new)
    if aim is _aim_of(step.old):
        return None
    match step.cause:
        case Succeed():
            return aim is RunState.SUCCEEDED
        case Fail():
            return aim is RunState.FAILED
        case Stop():
            return aim is RunState.CANCELLED
        case Recover():
            return aim is end_by_recovery(step.old)
        case _:
            return False


def _is_refuted(call: CallView, evidence: Reconcile) -> bool:
    """An answer stands against it, or it is about an earlier sending."""
    is_answered = call.state is CallState.CONFIRMED and evidence.evidence is Evidence.NOT_FOUND
    return is_answered or is_of_an_earlier_sending(evidence, call)


def _is_saved(old: CallView, new: CallView | None) -> bool:
    if old.state is CallState.CONFIRMED:
        return old.is_kept_in(new)
    return new is not None and _intent_of(new) == _intent_of(old)


def _intent_of(call: CallView) -> object:
    asked = call.kind, call.digest, call.ceiling_cents, call.fence, call.supersedes
    return *asked, call.compensates, call.undo, call.recognises, call.sends_max


def _found(material: MaterialView) -> MaterialView:
    return replace(material, fresh_seconds=0)


def _sealed(wait: WaitView) -> object:
    return wait.wait, wait.kind, wait.checkpoint, wait.arrivals, wait.child, wait.shown


def _begins_with(after: list[Any], before: list[Any]) -> bool:
    return after[: len(before)] == before


def end_by_recovery(run: RunView) -> RunState:
    return RunState.CANCELLED if run.state is RunState.CANCELLING else RunState.INTERRUPTED


def _aim_of(run: RunView) -> RunState | None:
    """The end that the run has, or is sealed for."""
    return run.state if run.state in ENDS else run.sealed_for
