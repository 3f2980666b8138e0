"""ENTRY: who may write."""

from dataclasses import replace

from keepfact.spec.chapter import SETTLE, Chapter, Resume
from keepfact.spec.entry_points import MAY_WRITE, RULE_OF
from keepfact.spec.vocabulary import (
    Act,
    Asked,
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
    Worked,
    WorkerRan,
)

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
    table allows it; without anybody asking, nothing changes, and asking about one run changes no other.
    """
    door = _door_of(step.cause)
    if step.changed_nothing:
        return True if door is None else None
    if door is None:
        return _others(step.before) == _others(step.after)
    allowed = all(
        event.entry_point is door and event.type in MAY_WRITE[door] and event.principal for event in step.new_events
    )
    signed = bool(step.new_events) or _without_lease(step.old) == _without_lease(step.new)
    return allowed and signed and _others(step.before, step.run_id) == _others(step.after, step.run_id)


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
    """A stored run is not a permission: a grant comes from a claim of an admission still in the queue, and from
    nothing else; nobody works on a run while it is queued, or under a fence that was never granted.
    """
    is_queued = step.old is not None and step.old.state is RunState.QUEUED
    if any(event.type is EventType.GRANTED for event in step.new_events):
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
    """A command that was done, repeated with the same command id, gives the first answer and has no second effect, if
    who repeats it may ask it at all.
    """
    if not isinstance(step.repeats, Done) or step.is_unheard or _is_turned_away(step):
        return None
    return step.changed_nothing and step.outcome == step.repeats


def _is_turned_away(step: Step) -> bool:
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
        case WorkerRan():
            return EntryPoint.WORK
        case LookedUp():
            return EntryPoint.RECONCILE
        case Tick() | Act() | Drifted() | Restarted() | ToolReleased():
            return None


def _others(observation: Observation, run_id: RunId | None = None) -> list[RunView | None]:
    """Every other run, without what a passing clock may change."""
    return [_without_lease(run) for run in observation.runs if run.run != run_id]


def _without_lease(run: RunView | None) -> RunView | None:
    """The run without what a passing clock may change: its lease, and how fresh its materials are."""
    if run is None:
        return None
    materials = tuple(replace(material, fresh_seconds=0) for material in run.materials)
    return replace(run, lease_left_seconds=None, materials=materials)
