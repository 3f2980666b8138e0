"""ENTRY: who may write."""

from collections.abc import Sequence
from dataclasses import replace

from keepfact.spec.chapter import SETTLE, Chapter, Resume
from keepfact.spec.entry_points import MAY_WRITE, RULE_OF
from keepfact.spec.vocabulary import (
    Act,
    Asked,
    Cancel,
    Cause,
    Claim,
    Done,
    Drifted,
    EntryPoint,
    EventType,
    LookedUp,
    Observation,
    Observe,
    Recover,
    Refused,
    Restarted,
    RunId,
    RunState,
    RunView,
    Step,
    Tick,
    ToolReleased,
    WaitState,
    Wake,
    Worked,
    WorkerRan,
)

from .families import family_of

chapter = Chapter("ENTRY", "Who may write")


@chapter.rule(1)
def observing_writes_nothing(step: Step) -> bool | None:
    """Observing writes nothing: no row, no call, however often a client comes back."""
    if not isinstance(step.cause, Observe) or step.is_unheard:
        return None
    return step.changed_nothing and step.truth == step.truth_before


@chapter.rule(2)
def every_change_belongs_to_one_entry_point(step: Step) -> bool | None:
    """Every durable change belongs to the entry point that was asked and to a named principal, and the authority
    table allows it; without anybody asking, nothing changes, and asking about one run changes no other, but that a
    cancellation reaches the run's children.
    """
    door = _door_of(step.cause)
    if step.changed_nothing:
        return True if door is None else None
    if door is None:
        return _others(step.before) == _others(step.after)
    reached = _reached(step)
    signed = all(_is_signed(step.before.run(run), step.after.run(run), door) for run in reached)
    return signed and _others(step.before, reached) == _others(step.after, reached)


@chapter.rule(3, implies=Resume.EFFECT_EXACTLY_ONCE)
def recovery_dispatches_nothing(step: Step) -> bool | None:
    """Recovery dispatches nothing: no model request, no tool call and no publication is born in it."""
    if not isinstance(step.cause, Recover) or step.old is None or step.new is None:
        return None
    born = any(step.old.call(call.call) is None for call in step.new.calls)
    published = len(step.new.publications) > len(step.old.publications)
    return not (born or published) and step.truth == step.truth_before


@chapter.rule(4, contracts=SETTLE)
def a_stored_run_is_not_a_permission(step: Step) -> bool | None:
    """A stored run is not a permission: a grant comes from a claim of an admission still in the queue or from an
    accepted wake, and from nothing else; nobody works on a run while it is queued, or under a fence that was never
    granted.
    """
    is_queued = step.old is not None and step.old.state is RunState.QUEUED
    if any(event.type is EventType.GRANTED for event in step.new_events):
        if isinstance(step.cause, Wake):
            wait = step.old and step.old.wait(step.cause.wait)
            return wait is not None and wait.state is WaitState.ACCEPTED
        return is_queued and isinstance(step.cause, Claim | WorkerRan)
    if isinstance(step.cause, Claim) and step.is_done and not step.is_repeat:
        return False
    if not isinstance(step.cause, Worked) or step.old is None or step.is_repeat or step.is_unheard:
        return None
    return step.had_no_effect if is_queued or step.cause.fence > step.old.fence else None


@chapter.rule(5)
def refusals_change_nothing(step: Step) -> bool | None:
    """A refused command changed nothing, and its answer names the rule."""
    if not isinstance(step.outcome, Refused):
        return None
    return step.changed_nothing and step.outcome.reason in RULE_OF


@chapter.rule(6, implies=Resume.CONSUME_ONCE)
def repeating_a_command_id_has_no_second_effect(step: Step) -> bool | None:
    """A command that was done, repeated with the same command id, gives the first answer and has no second effect."""
    if not isinstance(step.repeats, Done) or step.is_unheard:
        return None
    return step.changed_nothing and step.outcome == step.repeats


def _door_of(cause: Cause) -> EntryPoint | None:
    """The entry point through which the cause may write; None if nobody asked."""
    match cause:
        case Asked():
            return cause.entry_point
        case WorkerRan():
            return EntryPoint.WORK
        case LookedUp():
            return EntryPoint.RECONCILE
        case Tick() | Act() | Drifted() | Restarted() | ToolReleased():
            return None


def _reached(step: Step) -> list[RunId]:
    """The run that was asked about; a cancellation reaches its children, and theirs."""
    if step.run_id is None:
        return []
    family = family_of(step.before, step.run_id) if isinstance(step.cause, Cancel) else []
    return [step.run_id, *(child.run for child in family)]


def _is_signed(old: RunView | None, new: RunView | None, door: EntryPoint) -> bool:
    """Each new event is one that the door may write, by somebody, and no change but the clock's is without one."""
    events = new.history[len(old.history) if old else 0 :] if new else ()
    allowed = all(event.entry_point is door and event.type in MAY_WRITE[door] and event.principal for event in events)
    return allowed and (bool(events) or _without_clock(old) == _without_clock(new))


def _others(observation: Observation, reached: Sequence[RunId] = ()) -> list[RunView | None]:
    """Every other run, without what a passing clock may change."""
    return [_without_clock(run) for run in observation.runs if run.run not in reached]


def _without_clock(run: RunView | None) -> RunView | None:
    return run and replace(
        run, lease_left_seconds=None, waits=tuple(replace(wait, left_seconds=0) for wait in run.waits)
    )
