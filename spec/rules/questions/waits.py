"""What rules ask of a wait: whether it is open, what it seals, how it may go on, what stands against its wake."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    ENDS,
    FORMAT,
    WAITS,
    Cancel,
    Checkpoint,
    Done,
    EventType,
    InForce,
    Reason,
    Recover,
    Refused,
    RequestApproval,
    RunState,
    RunView,
    Step,
    Wait,
    WaitId,
    WaitKind,
    WaitState,
    WaitView,
    Wake,
    WorkerRan,
)

from .runs import is_sealed, is_spent

WAKE_REASONS = frozenset(
    {
        Reason.SEALED,
        Reason.BUDGET_SPENT,
        Reason.WAIT_CLOSED,
        Reason.UNSUPPORTED_FORMAT,
        Reason.UNSUPPORTED_BUNDLE,
        Reason.DIGEST_DIFFERS,
        Reason.EXPIRED,
    }
)
"""For what WAKE.6 refuses a wake."""


def changed_waits(step: Step) -> list[tuple[WaitView, WaitView | None]]:
    """Each wait of a changed run: as it was, and as it is, which is None if it is gone."""
    return [(wait, new.wait(wait.wait)) for old, new in step.changed_runs if old for wait in old.waits]


def is_open(wait: WaitView) -> bool:
    return wait.state in {WaitState.WAITING, WaitState.ACCEPTED}


def is_expired(wait: WaitView) -> bool:
    """Its time is over. A timer is due then, and anything else can wake the run no more."""
    return wait.left_seconds == 0 and wait.kind is not WaitKind.TIMER


def is_too_late(run: RunView, name: WaitId) -> bool:
    """Whatever comes for this wait now can wake the run no more."""
    wait = run.wait(name)
    return is_sealed(run) or (wait is not None and (not is_open(wait) or is_expired(wait)))


def is_due(step: Step, wait: WaitView) -> bool:
    """What is waited for may come now: a timer has run down, a child has ended; a callback may come at any time."""
    match wait.kind:
        case WaitKind.TIMER:
            return wait.left_seconds == 0
        case WaitKind.CHILD:
            child = step.before.run(wait.child) if wait.child else None
            return child is not None and child.state in ENDS
        case _:
            return True


def waits_for_one_thing(run: RunView) -> bool:
    """A waiting run is held by nobody and has one open wait, of its kind; any other run has none."""
    kinds = [wait.kind is WaitKind.APPROVAL for wait in run.waits if is_open(wait)]
    if run.state not in WAITS:
        return not kinds
    return (run.worker, run.lease_left_seconds, kinds) == (None, None, [run.state is RunState.WAITING_APPROVAL])


def is_sealed_rightly(step: Step, old: RunView | None, new: RunView, wait: WaitView) -> bool:
    """A new checkpoint says where the run stood, and its wait what was asked; one that was there is as it was."""
    was = old.wait(wait.wait) if old else None
    if was is not None:
        return _sealed(was) == _sealed(wait)
    numbers = [e.number for e in new.history if e.type is EventType.WAITED and e.concerns == wait.wait]
    left = new.budget_cents - new.known_cents - new.held_cents
    point = Checkpoint(FORMAT, new.bundle, wait.checkpoint.digest, numbers[0] - 1 if numbers else 0, left)
    return wait.checkpoint == point and _is_as_asked(step, wait)


def _sealed(wait: WaitView) -> object:
    return wait.kind, wait.checkpoint, wait.arrivals, wait.child, wait.shown


def _is_as_asked(step: Step, wait: WaitView) -> bool:
    digest, says = wait.checkpoint.digest, (wait.kind, wait.left_seconds, wait.arrivals, wait.child)
    match step.cause:
        case Wait() as asked:
            wanted = (asked.kind, asked.seconds, asked.arrivals, asked.child)
            return (wait.wait, digest, says) == (asked.wait, asked.digest, wanted)
        case RequestApproval() as asked:
            wanted = (WaitKind.APPROVAL, asked.seconds, 1, None)
            return (wait.wait, digest, says) == (asked.wait, asked.digest, wanted)
        case _:
            return isinstance(step.cause, WorkerRan)


def may_become(step: Step, was: WaitView, wait: WaitView | None) -> bool:
    """A wait that waits may be accepted, and one that is open closed; a wake that took effect is judged by itself."""
    if wait is None or wait.state is was.state:
        return wait is not None
    match wait.state:
        case WaitState.ACCEPTED:
            return was.state is WaitState.WAITING
        case WaitState.CLOSED:
            return is_open(was) and isinstance(step.cause, (Cancel, Recover))
        case WaitState.WAITING | WaitState.CONSUMED:
            return False


def is_consumed(step: Step, name: str | None) -> bool:
    """The accepted wait is consumed, no other is touched, and one grant names it."""
    if step.old is None or step.new is None or name is None:
        return False
    wait = step.old.wait(WaitId(name))
    consumed = wait and replace(wait, state=WaitState.CONSUMED)
    grants = [event.concerns for event in step.new_events if event.type is EventType.GRANTED]
    return (
        wait is not None
        and wait.state is WaitState.ACCEPTED
        and list(step.new.waits) == [consumed if view == wait else view for view in step.old.waits]
        and grants == [name]
    )


def against_wake(run: RunView, wake: Wake) -> set[Reason]:
    """Every reason of WAKE.6 that stands against this wake."""
    reasons = {Reason.SEALED: is_sealed(run), Reason.BUDGET_SPENT: is_spent(run)}
    wait = run.wait(wake.wait)
    if wait is not None:
        reasons |= {
            Reason.WAIT_CLOSED: wait.state is WaitState.CLOSED,
            Reason.UNSUPPORTED_FORMAT: wake.format != wait.checkpoint.format,
            Reason.UNSUPPORTED_BUNDLE: wait.checkpoint.bundle not in wake.supports,
            Reason.DIGEST_DIFFERS: wake.digest != wait.checkpoint.digest,
            Reason.EXPIRED: is_expired(wait),
        }
    return {reason for reason, stands in reasons.items() if stands}


def is_granted(step: Step, wake: Wake) -> bool:
    """The worker runs the run under a live lease and a new fence, and was told so unless its answer was lost."""
    if step.old is None or step.new is None or isinstance(step.outcome, Refused):
        return False
    grant = step.outcome.grant if isinstance(step.outcome, Done) else None
    is_told = step.is_lost or (grant is not None and grant.fence == step.new.fence)
    is_running = step.new.state is RunState.RUNNING and step.new.worker == wake.worker
    return is_told and is_running and bool(step.new.lease_left_seconds) and step.new.fence > step.old.fence


def counts_down(old: RunView, new: RunView | None, seconds: int) -> bool:
    """What is still open, or was approved, runs down by so many seconds, to 0; nothing else does so faster, or up."""
    for was in old.waits:
        wait, due = new.wait(was.wait) if new else None, max(0, was.left_seconds - seconds)
        is_counted = not is_sealed(old) and (is_open(was) or bool(was.approved))
        if wait is None or not due <= wait.left_seconds <= (due if is_counted else was.left_seconds):
            return False
    return True


def stands(wait: WaitView | None, now: InForce) -> bool:
    """It is an approval that nobody has used, in time, and given for the versions that are in force."""
    if wait is None or wait.shown is None or not wait.approved or wait.used_by is not None or is_expired(wait):
        return False
    return replace(wait.shown.in_force, permitted=now.permitted) == now


def asks_the_same(request: RequestApproval, wait: WaitView, now: InForce) -> bool:
    """Nothing that a person would be shown now differs from what was approved."""
    shown = wait.shown
    return shown is not None and (shown.digest, shown.risk, shown.basis, shown.in_force) == (
        request.digest,
        request.risk,
        request.basis,
        now,
    )


def stays_decided(was: WaitView, wait: WaitView | None) -> bool:
    """The decision is the same, and an approval that was used stays used by the same operation."""
    return wait is not None and wait.approved is was.approved and was.used_by in {None, wait.used_by}
