"""SETTLE: what a crash leaves. (SETTLE.10, an end is always reached, is a property of the whole graph.)"""

from keepfact.spec.chapter import SETTLE, Chapter, Resume
from keepfact.spec.vocabulary import (
    ENDS,
    CallState,
    CallView,
    Delivered,
    Fail,
    Reason,
    Reconcile,
    Recover,
    Refused,
    RunState,
    RunView,
    Step,
    Succeed,
)

chapter = Chapter("SETTLE", "What a crash leaves")


@chapter.rule(1, contracts=SETTLE)
def a_lapsed_run_is_sealed(step: Step) -> bool | None:
    """A run whose lease lapsed is sealed by recovery: each call without an answer becomes unknown, and the run ends
    `interrupted`, or stays `unknown` while anything is unresolved.
    """
    if not _is_settling(step) or not step.old or not step.new or step.old.lease_left_seconds != 0:
        return None
    if step.is_unheard:
        return None
    as_left = [CallState.UNKNOWN if call.state is CallState.OPEN else call.state for call in step.old.calls]
    sealed = RunState.UNKNOWN if step.new.unresolved else RunState.INTERRUPTED
    return (
        not isinstance(step.outcome, Refused)
        and step.new.state is sealed
        and [call.state for call in step.new.calls] == as_left
        and step.new.lease_left_seconds is None
        and (sealed is RunState.INTERRUPTED or step.new.sealed_for is RunState.INTERRUPTED)
    )


@chapter.rule(2)
def settling_again_changes_nothing(step: Step) -> bool | None:
    """Of many settlers one wins; repeating it changes nothing."""
    if not _is_settling(step) or not step.was_sealed or step.is_unheard:
        return None
    return step.changed_nothing and step.outcome == Refused(Reason.SEALED)


@chapter.rule(3, implies=Resume.PREFIX_CONTINUATION)
def what_was_saved_stays(step: Step) -> bool | None:
    """What was intended, answered, confirmed or published before is there after, byte for byte."""
    if step.old is None or not (step.old.publications or step.old.calls):
        return None
    if step.new is None or step.new is step.old:
        return step.new is not None
    published = step.new.publications[: len(step.old.publications)] == step.old.publications
    return published and all(_is_saved(call, step.new.call(call.call)) for call in step.old.calls)


@chapter.rule(4)
def a_settled_run_delivers_what_was_qualified(step: Step) -> bool | None:
    """A run that did not succeed delivers its last qualified publication, marked partial; without one it delivers
    nothing.
    """
    run = step.new
    if run is None or run.state not in (ENDS | {RunState.UNKNOWN}) or run == step.old:
        return None
    qualified = [publication.version for publication in run.publications if publication.qualified]
    if not qualified:
        return run.delivered is None
    return run.delivered == Delivered(qualified[-1], partial=run.state is not RunState.SUCCEEDED)


@chapter.rule(5)
def success_needs_a_body_and_nothing_unresolved(step: Step) -> bool | None:
    """`succeeded` needs a qualified publication and nothing unresolved."""
    if step.new is None or step.new.state is not RunState.SUCCEEDED:
        return None
    if step.old is not None and step.old.state is RunState.SUCCEEDED:
        return None
    return step.new.unresolved == 0 and any(publication.qualified for publication in step.new.publications)


@chapter.rule(6)
def the_last_evidence_ends_the_run(step: Step) -> bool | None:
    """`unknown` ends when its last unresolved call gets evidence, in the same commit, as the end it was sealed for."""
    if not isinstance(step.cause, Reconcile) or not step.took_effect or not step.old or not step.new:
        return None
    if step.old.state is not RunState.UNKNOWN:
        return None
    if step.new.unresolved:
        return step.new.state is RunState.UNKNOWN
    return step.new.state is step.old.sealed_for


@chapter.rule(8, implies=Resume.RECOVERY_DETERMINISM)
def recovery_starts_from_the_last_commit(step: Step) -> bool | None:
    """The recovery point is the last committed event: nothing before it is repeated, nothing after it invented."""
    if not isinstance(step.cause, Recover) or not step.took_effect or not step.old or not step.new:
        return None
    lost = [call.call for call in step.old.calls if call.state is CallState.OPEN]
    told = [event.concerns for event in step.new_events if event.concerns is not None]
    return step.new.history[: len(step.old.history)] == step.old.history and told == lost


@chapter.rule(9)
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
        case Recover():
            return aim is RunState.INTERRUPTED
        case _:
            return False


def _is_saved(old: CallView, new: CallView | None) -> bool:
    if old.state is CallState.CONFIRMED:
        return old.is_kept_in(new)
    return new is not None and _intent_of(new) == _intent_of(old)


def _intent_of(call: CallView) -> object:
    return call.kind, call.digest, call.ceiling_cents, call.fence, call.supersedes


def _is_settling(step: Step) -> bool:
    """Recovery is asked for the first time, under a command id of its own."""
    if not isinstance(step.cause, Recover) or step.is_repeat:
        return False
    return step.outcome != Refused(Reason.COMMAND_ID_CONFLICT)


def _aim_of(run: RunView) -> RunState | None:
    """The end that the run has, or is sealed for."""
    return run.state if run.state in ENDS else run.sealed_for
