"""WAKE: the narrow door back."""

from keepfact.spec.chapter import Chapter, Resume
from keepfact.spec.vocabulary import (
    WAITS,
    AskedOfRun,
    Cancel,
    Capability,
    Decide,
    Deliver,
    EntryPoint,
    Reason,
    Refused,
    RequestApproval,
    Restarted,
    RunView,
    Step,
    Tick,
    Wait,
    WaitKind,
    WaitState,
    Wake,
    Worked,
    WorkerRan,
)

from .questions import answers, approvals, families, runs, waits

chapter = Chapter("WAKE", "The narrow door back", needs=frozenset({Capability.WAITS}))


@chapter.rule(1)
def a_waiting_run_is_held_by_nobody(step: Step) -> bool | None:
    """A waiting run holds no lease and no worker, and nobody works on it; it waits for exactly one thing, and a run
    that does not wait has nothing open to wait for.
    """
    if isinstance(step.cause, Worked) and step.old and step.old.state in WAITS:
        return None if step.is_repeat or step.is_unheard else step.had_no_effect
    runs = [new for _, new in step.changed_runs if new.state in WAITS or new.waits]
    return all(waits.waits_for_one_thing(run) for run in runs) if runs else None


@chapter.rule(2, implies=Resume.CHECKPOINT_VALIDITY)
def a_checkpoint_seals_where_the_run_stood(step: Step) -> bool | None:
    """A checkpoint seals the current format, the run's bundle, the request's digest, the history number before the wait
    and the budget left, together with what is waited for; nothing changes it later.
    """
    if isinstance(step.cause, (Wait, RequestApproval)) and step.took_effect:
        was_there = step.old is not None and step.old.wait(step.cause.wait) is not None
        if was_there or step.new is None or step.new.wait(step.cause.wait) is None:
            return False
    seals = [waits.is_sealed_rightly(step, *runs, wait) for runs in step.changed_runs for wait in runs[1].waits]
    return all(seals) if seals else None


@chapter.rule(3, about=Decide | Deliver | Wait | RequestApproval)
def a_wait_is_answered_once(step: Step) -> bool | None:
    """An answer is accepted for the one wait that it names and fits, once: the same again is a read, another is
    refused; and no second wait takes the id of a first.
    """
    if step.old is None or step.new is None or step.is_repeat or step.is_unheard:
        return None
    match step.cause:
        case Wait() | RequestApproval():
            if step.old.wait(step.cause.wait) is None:
                is_refused = step.outcome == Refused(Reason.WAIT_EXISTS)
                return False if is_refused and not _stands_for_callbacks(step.old, step.cause) else None
            return step.had_no_effect
        case Decide() | Deliver():
            return answers.is_taken_once(step, step.old, step.new, step.cause)
        case _:
            return None


def _stands_for_callbacks(run: RunView, cause: Wait | RequestApproval) -> bool:
    """Callbacks came early under this id, so nothing else need be allowed to wait under it."""
    is_for_callbacks = isinstance(cause, Wait) and cause.kind is WaitKind.CALLBACK
    return not is_for_callbacks and any(arrival.wait == cause.wait for arrival in run.arrivals)


@chapter.rule(4)
def a_wake_and_its_cause_are_one_commit(step: Step) -> bool | None:
    """Accepting a wake and recording what caused it are one commit: no decision and no last arrival without its wake,
    no wake without its cause; and no wake that was accepted is refused as not accepted.
    """
    if isinstance(step.cause, Wake) and step.outcome == Refused(Reason.NOT_ACCEPTED):
        wait = step.old and step.old.wait(step.cause.wait)
        return wait is not None and wait.state is WaitState.WAITING
    verdicts = [answers.is_caused(step, *runs, wait) for runs in step.changed_runs for wait in runs[1].waits]
    return all(verdicts) if verdicts else None


@chapter.rule(5, implies=Resume.CONSUME_ONCE)
def a_wake_is_consumed_by_one_grant(step: Step) -> bool | None:
    """A wake is consumed by exactly one grant, which names its wait, however many race for it; a wait that is consumed
    or closed stays so, and none disappears.
    """
    if isinstance(step.cause, Wake) and step.took_effect:
        return waits.is_consumed(step, step.cause.wait)
    if isinstance(step.cause, WorkerRan) and step.cause.door is EntryPoint.WAKE and step.new_events:
        return waits.is_consumed(step, step.new_events[0].concerns)
    if isinstance(step.cause, Wake) and step.outcome == Refused(Reason.WAKE_CONSUMED):
        wait = step.old and step.old.wait(step.cause.wait)
        return wait is not None and wait.state is WaitState.CONSUMED
    moves = [waits.may_become(step, was, wait) for was, wait in waits.changed_waits(step)]
    return all(moves) if moves else None


@chapter.rule(6, about=Wake, implies=Resume.CHECKPOINT_VALIDITY)
def a_wake_takes_up_what_was_sealed(step: Step) -> bool | None:
    """A wake is refused when its format is not the checkpoint's, its bundle is not supported, its digest differs, the
    budget is spent, the wait expired or is closed, or the run is sealed; and for none of these when it is not so.
    """
    if not isinstance(step.cause, Wake) or step.old is None or step.is_repeat or step.is_unheard:
        return None
    against = waits.against_wake(step.old, step.cause)
    if isinstance(step.outcome, Refused) and step.outcome.reason in waits.WAKE_REASONS:
        return step.had_no_effect and step.outcome.reason in against
    if against:
        return step.had_no_effect
    return True if step.took_effect else None


@chapter.rule(7, about=Wake)
def a_refused_wake_leaves_what_was_there(step: Step) -> bool | None:
    """A refused wake leaves every earlier fact as it was, and a run that is sealed, at work, in the queue, or visibly
    still waiting.
    """
    if not isinstance(step.cause, Wake) or not isinstance(step.outcome, Refused) or runs.is_turned_away(step.outcome):
        return None
    is_visible = step.new is None or step.new.state not in WAITS or any(map(waits.is_open, step.new.waits))
    return step.changed_nothing and is_visible


@chapter.rule(8)
def every_arrival_is_kept_and_matched(step: Step) -> bool | None:
    """A callback may come before its wait, twice, out of order or too late: it is kept once and in order, matched in
    time, and recorded as late when it can wake the run no more; no arrival comes by itself, changes or goes.
    """
    if isinstance(step.cause, Deliver) and step.old and step.new and not step.is_repeat and not step.is_unheard:
        if not isinstance(step.outcome, Refused):
            return answers.is_kept(step, step.old, step.new, step.cause)
        if answers.must_be_kept(step.old, step.cause) and not runs.is_turned_away(step.outcome):
            return False
    pairs = [(old.arrivals if old else (), new.arrivals) for old, new in step.changed_runs]
    return all(old == new for old, new in pairs) if any(old or new for old, new in pairs) else None


@chapter.rule(9)
def a_timer_survives_restarts_and_fires_once(step: Step) -> bool | None:
    """A timer survives restarts and fires once, when it is due and not before: only the store's clock counts waits
    down, and a restart changes nothing.
    """
    if isinstance(step.cause, Restarted):
        return step.changed_nothing
    if isinstance(step.cause, Deliver) and step.cause.kind is WaitKind.TIMER:
        came_when_due = answers.came_when_due(step, step.cause)
        if came_when_due is not None:
            return came_when_due
    seconds = step.cause.seconds if isinstance(step.cause, Tick) else 0
    runs = [(old, step.after.run(old.run)) for old in step.before.runs if old.waits]
    verdicts = [waits.counts_down(old, new, seconds) for old, new in runs if seconds or old is not new]
    return all(verdicts) if verdicts else None


@chapter.rule(10, implies=Resume.CONSUME_ONCE)
def nobody_is_asked_again(step: Step) -> bool | None:
    """What a person decided is never undone, whatever dies later; and while an approval stands, unused, in time and
    undrifted, the person is not asked again.
    """
    if isinstance(step.cause, RequestApproval) and step.old and not step.is_repeat and not step.is_unheard:
        approval, now = approvals.latest_about(step.old, step.cause.call), step.before.in_force
        if step.outcome == Refused(Reason.ALREADY_APPROVED):
            return waits.stands(approval, now)
        if approval and waits.stands(approval, now) and waits.asks_the_same(step.cause, approval, now):
            return step.had_no_effect
    decided = [(was, wait) for was, wait in waits.changed_waits(step) if was.approved is not None]
    return all(waits.stays_decided(was, wait) for was, wait in decided) if decided else None


@chapter.rule(11, about=AskedOfRun)
def a_childs_report_is_its_own(step: Step) -> bool | None:
    """A child's report belongs to the child: only a run's own child is waited for, its report comes when it has ended,
    and nothing done to the parent changes it; cancelling the parent cancels each child that goes on, in the same
    commit.
    """
    if isinstance(step.cause, Wait) and step.cause.kind is WaitKind.CHILD and step.took_effect and step.old:
        return step.cause.child in [view.child for view in step.old.children]
    if isinstance(step.cause, Deliver) and step.cause.kind is WaitKind.CHILD:
        came_when_ended = answers.came_when_due(step, step.cause)
        if came_when_ended is False:
            return False
    if step.run_id is None or not step.is_command or step.is_repeat or step.is_unheard:
        return None
    family = [(child, step.after.run(child.run)) for child in families.family_of(step.before, step.run_id)]
    if not family:
        return None
    is_kept = all(child and families.report_of(was) == families.report_of(child) for was, child in family)
    return is_kept and (not isinstance(step.cause, Cancel) or families.is_cancelled(step))


@chapter.rule(12, about=Wake | Decide | Deliver)
def a_valid_wake_leads_to_a_grant(step: Step) -> bool | None:
    """An accepted wake against which nothing stands leads to a grant, and what comes in time for a wait is accepted:
    legitimate waits are never blocked.
    """
    if step.old is None or step.is_repeat or step.is_unheard or runs.is_turned_away(step.outcome):
        return None
    match step.cause:
        case Wake():
            wait = step.old.wait(step.cause.wait)
            is_accepted = wait is not None and wait.state is WaitState.ACCEPTED
            is_valid = is_accepted and not waits.against_wake(step.old, step.cause)
            return waits.is_granted(step, step.cause) if is_valid else None
        case Decide() | Deliver():
            is_welcome = answers.is_welcome(step, step.old, step.cause)
            return answers.is_recorded(step.new, step.cause) if is_welcome else None
        case _:
            return None
