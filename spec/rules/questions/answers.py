"""What rules ask of that which ends a wait: a decision, or what arrives."""

from keepfact.spec.vocabulary import (
    ArrivalView,
    Decide,
    Deliver,
    EventType,
    Reason,
    Refused,
    RunView,
    Step,
    Wait,
    WaitId,
    WaitKind,
    WaitState,
    WaitView,
    WorkerRan,
)

from .runs import is_turned_away
from .waits import is_due, is_too_late

_TELLS = {Decide: EventType.DECIDED, Deliver: EventType.ARRIVED, Wait: EventType.WAITED, WorkerRan: EventType.WAITED}


def arrived(run: RunView | None, deliver: Deliver) -> ArrivalView | None:
    """What has come for that wait under that number."""
    arrivals = run.arrivals if run else ()
    return next((a for a in arrivals if (a.wait, a.number) == (deliver.wait, deliver.number)), None)


def came_in_time(step: Step, deliver: Deliver) -> bool:
    """This step recorded the arrival as one that may wake the run."""
    arrival = arrived(step.new, deliver)
    return arrival is not None and not arrival.is_late and arrived(step.old, deliver) is None


def answered_before(run: RunView, answer: Decide | Deliver) -> bool | None:
    """True: this same answer was there already. False: another was. None: there was none."""
    if isinstance(answer, Decide):
        wait = run.wait(answer.wait)
        return None if wait is None or wait.approved is None else wait.approved == answer.approved
    arrival = arrived(run, answer)
    return None if arrival is None else arrival.digest == answer.digest


def is_taken_once(step: Step, old: RunView, new: RunView, answer: Decide | Deliver) -> bool | None:
    """The first answer that fits is taken for its wait alone; the same again is only read, and another is refused."""
    match answered_before(old, answer):
        case False:
            return step.had_no_effect
        case True:
            is_refused = isinstance(step.outcome, Refused) and not is_turned_away(step.outcome)
            return step.changed_nothing and not (is_refused and _can_be_read(old, answer))
    if isinstance(step.outcome, Refused):
        return False if step.outcome.reason in {Reason.ALREADY_DECIDED, Reason.ARRIVAL_CONFLICT} else None
    is_late = isinstance(answer, Deliver) and is_too_late(old, answer.wait)
    return (fits(old, answer) or is_late) and _others(old, answer.wait) == _others(new, answer.wait)


def _can_be_read(run: RunView, answer: Decide | Deliver) -> bool:
    """The same answer comes for what it was first taken for; what came before a timer or a child was waited for under
    this name was another thing.
    """
    wait = run.wait(answer.wait)
    if isinstance(answer, Decide) or wait is None:
        return fits(run, answer)
    return fits(run, answer) and (wait.kind is WaitKind.CALLBACK or wait.state is not WaitState.WAITING)


def _others(run: RunView, name: WaitId) -> list[WaitView]:
    return [wait for wait in run.waits if wait.wait != name]


def is_welcome(step: Step, run: RunView, answer: Decide | Deliver) -> bool:
    """It comes in time for an open wait that it fits, as the first."""
    wait = run.wait(answer.wait)
    if wait is None or not fits(run, answer) or is_too_late(run, answer.wait):
        return False
    is_first = answered_before(run, answer) is None
    if isinstance(answer, Decide):
        return is_first and (step.before.in_force.permitted or not answer.approved)
    return is_first and is_due(step, wait)


def is_recorded(run: RunView | None, answer: Decide | Deliver) -> bool:
    """The answer is there, as given."""
    return run is not None and answered_before(run, answer) is True


def must_be_kept(run: RunView, deliver: Deliver) -> bool:
    """It comes before its wait or too late, and for the first time."""
    is_early = run.wait(deliver.wait) is None
    return (is_early or is_too_late(run, deliver.wait)) and fits(run, deliver) and not arrived(run, deliver)


def came_when_due(step: Step, deliver: Deliver) -> bool | None:
    """A timer or a child's report came in time when it was due, or was refused because it was not."""
    wait = step.old.wait(deliver.wait) if step.old else None
    if step.outcome == Refused(Reason.NOT_DUE):
        return wait is not None and not is_due(step, wait)
    if step.is_repeat or not came_in_time(step, deliver):
        return None
    is_awaited = wait is not None and (wait.kind, wait.state) == (deliver.kind, WaitState.WAITING)
    return wait is not None and is_awaited and is_due(step, wait)


def fits(run: RunView, answer: Decide | Deliver) -> bool:
    """It is of the kind that is waited for; only a callback may come before its wait."""
    wait = run.wait(answer.wait)
    if isinstance(answer, Decide):
        return wait is not None and wait.kind is WaitKind.APPROVAL and answer.digest == _digest_shown(wait)
    if wait is None:
        return answer.kind is WaitKind.CALLBACK
    return answer.kind is wait.kind is not WaitKind.APPROVAL and 1 <= answer.number <= wait.arrivals


def _digest_shown(wait: WaitView) -> str | None:
    return wait.shown.digest if wait.shown else None


def is_caused(step: Step, old: RunView | None, new: RunView, wait: WaitView) -> bool:
    """The wait is accepted with its whole cause and not before, and became so by that which completed it."""
    was = old.wait(wait.wait) if old else None
    is_complete = _is_complete(new, wait)
    if wait.state in {WaitState.ACCEPTED, WaitState.CONSUMED} and not is_complete:
        return False
    # A callback that came before a timer or a child was waited for, under the same name, says nothing about these.
    must_be_accepted = wait.kind in {WaitKind.APPROVAL, WaitKind.CALLBACK} or _is_delivered_now(step, new, wait)
    if wait.state is WaitState.WAITING and is_complete and must_be_accepted:
        return False
    is_accepted_now = wait.state is WaitState.ACCEPTED and (was is None or was.state is not WaitState.ACCEPTED)
    is_decided_now = wait.approved is not (was and was.approved)
    return not (is_accepted_now or is_decided_now) or (is_accepted_now and _accepts(step, was, new, wait))


def _is_complete(run: RunView, wait: WaitView) -> bool:
    if wait.kind is WaitKind.APPROVAL:
        return wait.approved is not None
    in_time = {arrival.number for arrival in run.arrivals if arrival.wait == wait.wait and not arrival.is_late}
    return in_time >= set(range(1, wait.arrivals + 1))


def _is_delivered_now(step: Step, run: RunView, wait: WaitView) -> bool:
    if not isinstance(step.cause, Deliver) or (step.run_id, step.cause.wait) != (run.run, wait.wait):
        return False
    return came_in_time(step, step.cause)


def _accepts(step: Step, was: WaitView | None, run: RunView, wait: WaitView) -> bool:
    """The cause is one that accepts this wait, and its event says so."""
    told = [event.concerns for event in step.new_events if event.type is _TELLS.get(type(step.cause))]
    if step.run_id != run.run or wait.wait not in told:
        return False
    match step.cause:
        case Decide():
            return wait.kind is WaitKind.APPROVAL and wait.approved is step.cause.approved
        case Deliver():
            return wait.kind is not WaitKind.APPROVAL
        case _:  # all of a callback had come before the wait
            return wait.kind is WaitKind.CALLBACK and was is None


def is_kept(step: Step, old: RunView, new: RunView, deliver: Deliver) -> bool:
    """The arrival is among the others, once and in order of number; a late one is told as late and moves nothing."""
    first, kept = arrived(old, deliver), arrived(new, deliver)
    if first is not None or kept is None:
        return first is not None and new.arrivals == old.arrivals
    is_late = is_too_late(old, deliver.wait)
    numbers = [arrival.number for arrival in new.arrivals if arrival.wait == deliver.wait]
    told = [(event.type, event.concerns) for event in step.new_events]
    return (
        kept == ArrivalView(deliver.wait, deliver.number, deliver.digest, is_late)
        and [arrival for arrival in new.arrivals if arrival != kept] == list(old.arrivals)
        and numbers == sorted(set(numbers))
        and told == [(EventType.ARRIVED_LATE if is_late else EventType.ARRIVED, deliver.wait)]
        and (not is_late or (new.state, new.waits) == (old.state, old.waits))
    )
