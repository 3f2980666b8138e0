"""APPROVAL: bound to what was shown."""

from keepfact.spec.chapter import Chapter, Resume
from keepfact.spec.vocabulary import (
    AskedOfRun,
    CallView,
    Capability,
    Decide,
    InForce,
    Intend,
    OfRun,
    Reason,
    Refused,
    RequestApproval,
    RunView,
    SendAgain,
    Step,
    WaitView,
)

from .questions.approvals import behind_dispatch, differences, has_drifted, latest_about, request_of, requests

chapter = Chapter("APPROVAL", "Bound to what was shown", needs=frozenset({Capability.APPROVALS}))

_ONLY_A_FIRST_DECISION = {
    Refused(Reason.ALREADY_DECIDED),
    Refused(Reason.WAIT_CLOSED),
    Refused(Reason.SEALED),
    Refused(Reason.EXPIRED),
    Refused(Reason.SHOWN_DIFFERS),
    Refused(Reason.NOT_PERMITTED),
}
"""What may stand in the way of a first decision, but not of reading it again."""


@chapter.rule(1, about=OfRun)
def a_request_says_what_it_is_bound_to(step: Step) -> bool | None:
    """A request takes down the operation, the digest of its effective arguments, the versions in force, its risk, the
    basis of permission and its expiry; nothing changes what was shown, and a decision names its digest.
    """
    if step.old is None or step.new is None or step.is_repeat:
        return None
    if not all(_is_shown_as_before(request, step.new) for request in requests(step.old)):
        return False
    if isinstance(step.cause, RequestApproval) and step.took_effect:
        return step.old.wait(step.cause.wait) is None and _takes_down(step.new, step.cause, step.before.in_force)
    if isinstance(step.cause, Decide):
        return _names_what_was_shown(step, request_of(step.old, step.cause.wait), step.cause)
    return True if requests(step.old) and not step.changed_nothing else None


@chapter.rule(2, about=Intend)
def an_approval_lets_only_its_operation_run(step: Step) -> bool | None:
    """An operation for which approval was asked, or that names one, is dispatched only if it names the latest request
    for itself and that was approved; approving one request never lets another operation run.
    """
    if not isinstance(step.cause, Intend) or step.old is None or step.is_repeat or step.old.call(step.cause.call):
        return None
    latest = latest_about(step.old, step.cause.call)
    is_needed = latest is not None or step.cause.approval is not None
    is_given = latest is not None and latest.wait == step.cause.approval and latest.approved is True
    if step.outcome == Refused(Reason.NOT_APPROVED):
        return is_needed and not is_given
    return is_given if is_needed and step.took_effect else None


@chapter.rule(3, about=AskedOfRun)
def drift_invalidates_an_approval(step: Step) -> bool | None:
    """What an approval is bound to is compared again in the commit that dispatches its operation, or sends it again,
    and any drift refuses it; who asks anew is shown what differs from the last request for it.
    """
    if step.old is None or step.new is None or step.is_repeat:
        return None
    if isinstance(step.cause, RequestApproval):
        return _shows_the_difference(step.old, step.new, step.cause) if step.took_effect else None
    is_drifted = _is_drifted(step)
    if step.outcome == Refused(Reason.DRIFTED):
        return is_drifted is True
    return None if is_drifted is None or not step.took_effect else not is_drifted


@chapter.rule(4, about=Intend | SendAgain | Decide)
def an_approval_ends_with_its_time_and_its_permission(step: Step) -> bool | None:
    """Nothing is decided or dispatched on a request that has expired, and nothing is approved or dispatched on one
    whose permission was revoked meanwhile.
    """
    if step.old is None or step.is_repeat:
        return None
    request = _about_to_count(step, step.old)
    if request is None:
        return None
    is_expired = request.left_seconds == 0
    is_denial = isinstance(step.cause, Decide) and not step.cause.approved
    is_revoked = not (step.before.in_force.permitted or is_denial)
    if step.outcome == Refused(Reason.EXPIRED):
        return is_expired
    if step.outcome == Refused(Reason.NOT_PERMITTED):
        return is_revoked
    return not (is_expired or is_revoked) if step.took_effect else None


@chapter.rule(5, about=OfRun, implies=Resume.CONSUME_ONCE)
def a_request_is_decided_once(step: Step) -> bool | None:
    """One decision per request: the same again is a read, another is refused, and nothing but a decision on this
    request makes or changes one.
    """
    if step.old is None or step.new is None or step.is_unheard:
        return None
    if step.is_repeat:
        # What its sender never heard of was decided all the same: asked again, it is that decision.
        return False if _is_called_another(step) else None
    decided = step.cause.wait if isinstance(step.cause, Decide) else None
    if not all(_is_decided_as_before(request, step.old) for request in requests(step.new) if request.wait != decided):
        return False
    if isinstance(step.cause, Decide):
        return _decides_once(step, request_of(step.old, decided), step.new, step.cause)
    was_decided = any(request.approved is not None for request in requests(step.old))
    return True if was_decided and not step.changed_nothing else None


@chapter.rule(6, about=OfRun, implies=Resume.CONSUME_ONCE)
def an_approval_is_used_once(step: Step) -> bool | None:
    """An approval is used by at most one operation: the one it was asked for, in the commit of its intent."""
    if step.old is None or step.new is None or step.is_repeat:
        return None
    if not all(_is_used_rightly(request, step.old, step.new) for request in requests(step.new)):
        return False
    if isinstance(step.cause, Intend) and (request := behind_dispatch(step)) is not None:
        if step.outcome == Refused(Reason.APPROVAL_USED):
            return request.used_by is not None
        after = request_of(step.new, request.wait)
        is_used_now = request.used_by is None and after is not None and after.used_by == step.cause.call
        return is_used_now if step.took_effect else None
    is_used = any(request.used_by is not None for request in requests(step.new))
    return True if is_used and not step.changed_nothing else None


@chapter.rule(7, about=OfRun)
def what_was_denied_is_never_sent(step: Step) -> bool | None:
    """After a denial that operation is never dispatched, under whatever approval, nor is it asked for again."""
    if step.old is None or step.new is None or step.is_repeat or step.is_unheard:
        return None
    denied = {request.shown.call for request in requests(step.old) if request.shown and request.approved is False}
    if isinstance(step.cause, (Intend, RequestApproval)):
        if step.cause.call in denied:
            return step.had_no_effect
        return False if step.outcome == Refused(Reason.DENIED) else None
    if not denied or step.changed_nothing:
        return None
    sent = {call.call for call in step.new.calls if step.old.call(call.call) is None}
    asked = {request.shown.call for request in requests(step.new) if request.shown and not step.old.wait(request.wait)}
    return denied.isdisjoint(sent | asked)


def _is_shown_as_before(request: WaitView, later: RunView) -> bool:
    now = request_of(later, request.wait)
    return now is not None and now.shown == request.shown


def _takes_down(run: RunView, asked: RequestApproval, in_force: InForce) -> bool:
    """The request says what was asked and what is in force, for so long, and nobody has answered it yet."""
    request = request_of(run, asked.wait)
    if request is None or request.shown is None:
        return False
    shown = request.shown
    return (
        (shown.call, shown.digest, shown.risk, shown.basis) == (asked.call, asked.digest, asked.risk, asked.basis)
        and (shown.in_force, request.left_seconds) == (in_force, asked.seconds)
        and (request.approved, request.used_by) == (None, None)
    )


def _names_what_was_shown(step: Step, request: WaitView | None, decide: Decide) -> bool | None:
    is_named = request is not None and request.shown is not None and request.shown.digest == decide.digest
    if step.outcome == Refused(Reason.SHOWN_DIFFERS):
        return not is_named
    is_first = request is None or request.approved is None
    return is_named if is_first and step.took_effect else None


def _shows_the_difference(old: RunView, new: RunView, asked: RequestApproval) -> bool:
    request, earlier = request_of(new, asked.wait), latest_about(old, asked.call)
    if request is None or request.shown is None:
        return False
    return sorted(request.shown.differs) == differences(request.shown, earlier.shown if earlier else None)


def _is_drifted(step: Step) -> bool | None:
    """Whether what is dispatched under an approval is not any more what was shown; None if it is under none."""
    request, sent = behind_dispatch(step), _sent(step)
    if request is None or request.shown is None or sent is None:
        return None
    return has_drifted(request.shown, sent.digest, step.before.in_force)


def _sent(step: Step) -> Intend | CallView | None:
    match step.cause:
        case Intend():
            return step.cause
        case SendAgain(call=call):
            return None if step.old is None else step.old.call(call)
        case _:
            return None


def _about_to_count(step: Step, old: RunView) -> WaitView | None:
    """The request that is being decided for the first time, or that stands behind a dispatch."""
    if not isinstance(step.cause, Decide):
        return behind_dispatch(step)
    request = request_of(old, step.cause.wait)
    return request if request is not None and request.approved is None else None


def _is_decided_as_before(request: WaitView, before: RunView) -> bool:
    earlier = request_of(before, request.wait)
    return request.approved is (None if earlier is None else earlier.approved)


def _is_called_another(step: Step) -> bool:
    """The decision that was taken is refused as if it were another."""
    if not isinstance(step.cause, Decide) or step.outcome != Refused(Reason.ALREADY_DECIDED) or step.old is None:
        return False
    request = request_of(step.old, step.cause.wait)
    return request is not None and _is_same(request, step.cause)


def _decides_once(step: Step, request: WaitView | None, new: RunView, decide: Decide) -> bool | None:
    if request is None or request.shown is None:
        return None
    if request.approved is None:
        after = request_of(new, request.wait)
        is_decided = after is not None and after.approved is decide.approved
        if step.outcome == Refused(Reason.ALREADY_DECIDED):
            return False
        return is_decided if step.took_effect else None
    if not _is_same(request, decide):
        return step.had_no_effect
    return step.changed_nothing and step.outcome not in _ONLY_A_FIRST_DECISION


def _is_same(request: WaitView, decide: Decide) -> bool:
    """The answer that was given, to what was shown: whoever was shown something else decides something else."""
    is_shown = request.shown is not None and request.shown.digest == decide.digest
    return is_shown and request.approved is decide.approved


def _is_used_rightly(request: WaitView, old: RunView, new: RunView) -> bool:
    """Its use is what it was, or that operation was intended just now."""
    earlier = request_of(old, request.wait)
    if request.used_by == (earlier.used_by if earlier else None):
        return True
    if request.used_by is None or request.shown is None or request.shown.call != request.used_by:
        return False
    return old.call(request.used_by) is None and new.call(request.used_by) is not None
