"""ENTRY: who may write."""

from keepfact.spec.chapter import Chapter, Resume
from keepfact.spec.entry_points import MAY_ANSWER, MAY_WRITE
from keepfact.spec.vocabulary import (
    WAITS,
    Act,
    Asked,
    Cause,
    Claim,
    Contract,
    Done,
    Drifted,
    EntryPoint,
    EventType,
    LookedUp,
    LookUp,
    Observe,
    OfRun,
    Recover,
    Refused,
    Replay,
    Restarted,
    RunState,
    Step,
    Stream,
    Tick,
    ToolReleased,
    WaitState,
    Wake,
    Worked,
    WorkerRan,
)

from .questions.beside import are_allowed, others_are_left, stores_are_left, timeless
from .questions.reasons import is_so
from .questions.runs import is_recovery

chapter = Chapter("ENTRY", "Who may write")

_BY_NOBODY = Tick | Act | Drifted | Restarted | ToolReleased
"""What happens without anybody asking."""


@chapter.rule(1, about=Observe | Stream | Replay)
def observing_writes_nothing(step: Step) -> bool | None:
    """Observing writes nothing: no row, no call, however often a client comes back."""
    if not isinstance(step.cause, (Observe, Stream, Replay)) or step.is_unheard:
        return None
    return step.changed_nothing and step.truth == step.truth_before


@chapter.rule(2)
def every_change_belongs_to_one_entry_point(step: Step) -> bool | None:
    """Every durable change belongs to the entry point that was asked and to a named principal, and the authority
    table allows it; without anybody asking, nothing changes, and asking about one run changes no other but its
    children: work adds them, and cancelling asks them to stop too.
    """
    if step.changed_nothing:
        return True if isinstance(step.cause, _BY_NOBODY) else None
    door = _door_of(step.cause)
    if not (others_are_left(step, door) and stores_are_left(step, door)):
        return False
    if door is None:
        return True
    signed = bool(step.new_events) or timeless(step.old) == timeless(step.new)
    return signed and are_allowed(step.new_events, door, MAY_WRITE[door])


@chapter.rule(3, implies=Resume.EFFECT_EXACTLY_ONCE, about=Recover | WorkerRan)
def recovery_dispatches_nothing(step: Step) -> bool | None:
    """Recovery dispatches nothing: no model request, no tool call, no further sending of one, no child, no publication
    and no material is born in it.
    """
    if not is_recovery(step.cause) or step.old is None or step.new is None:
        return None
    sends = {call.call: call.sends for call in step.old.calls}
    sent = any(call.sends > sends.get(call.call, 0) for call in step.new.calls)
    born = (
        len(step.new.publications) > len(step.old.publications)
        or len(step.new.children) > len(step.old.children)
        or len(step.new.materials) > len(step.old.materials)
    )
    return not (sent or born) and step.truth == step.truth_before


@chapter.rule(4, about=Asked | OfRun)
def a_stored_run_is_not_a_permission(step: Step) -> bool | None:
    """A stored run is not a permission: a grant comes from a claim of an admission still in the queue, from an accepted
    wake or, under resume, from recovery of a run whose lease lapsed, and from nothing else; nobody works on a run
    without a lease, or under a fence that was never granted.
    """
    if any(event.type is EventType.GRANTED for event in step.new_events):
        return _may_be_granted(step)
    if isinstance(step.outcome, Done) and not step.is_repeat and _promises_a_grant(step.cause, step.outcome):
        return False
    if not isinstance(step.cause, Worked) or step.old is None or step.is_repeat or step.is_unheard:
        return None
    has_no_lease = step.old.lease_left_seconds is None
    return step.had_no_effect if has_no_lease or step.cause.fence > step.old.fence else None


@chapter.rule(5, about=Asked)
def refusals_change_nothing(step: Step) -> bool | None:
    """A refused command changed nothing, and its answer names a rule's reason, one that such a command can be refused
    for and that is so.
    """
    if not isinstance(step.outcome, Refused):
        return None
    belongs = isinstance(step.cause, MAY_ANSWER[step.outcome.reason])
    return step.changed_nothing and belongs and is_so(step, step.outcome.reason) is not False


@chapter.rule(6, about=Asked, implies=Resume.CONSUME_ONCE)
def repeating_a_command_id_has_no_second_effect(step: Step) -> bool | None:
    """A command that was done, repeated with the same command id, gives the first answer and has no second effect, if
    who repeats it may ask it at all.
    """
    if not isinstance(step.repeats, Done) or step.is_unheard or _may_not_ask(step):
        return None
    if isinstance(step.cause, (Observe, Stream, Replay, LookUp)):
        return step.changed_nothing  # what is read again is read anew
    return step.changed_nothing and step.outcome == step.repeats


def _may_not_ask(step: Step) -> bool:
    """It comes through a door that is not its own, or from another tenant, which must not be told the first answer."""
    if step.session is None or not isinstance(step.cause, Asked):
        return False
    is_foreign = step.old is not None and step.old.tenant != step.session.tenant
    return is_foreign or step.session.role is not step.cause.entry_point


def _door_of(cause: Cause) -> EntryPoint | None:
    """The entry point through which the cause may write; None if nobody asked."""
    match cause:
        case Asked():
            return cause.entry_point
        case WorkerRan(door=door):
            return door
        case LookedUp():
            return EntryPoint.RECONCILE
        case Tick() | Act() | Drifted() | Restarted() | ToolReleased():
            return None


def _may_be_granted(step: Step) -> bool:
    if step.old is None:
        return False
    match step.cause:
        case Claim() | WorkerRan(door=EntryPoint.WORK):
            return step.old.state is RunState.QUEUED
        case Wake(wait=name):
            wait = step.old.wait(name)
            return step.old.state in WAITS and wait is not None and wait.state is WaitState.ACCEPTED
        case WorkerRan(door=EntryPoint.WAKE):
            return step.old.state in WAITS and any(wait.state is WaitState.ACCEPTED for wait in step.old.waits)
        case Recover() | WorkerRan(door=EntryPoint.RECOVER):
            has_lapsed = step.old.state is RunState.RUNNING and step.old.lease_left_seconds == 0
            return step.old.contract is Contract.RESUME and has_lapsed
        case _:
            return False


def _promises_a_grant(cause: Cause, outcome: Done) -> bool:
    return isinstance(cause, (Claim, Wake)) or outcome.grant is not None
