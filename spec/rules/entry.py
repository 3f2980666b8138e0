"""ENTRY: who may write."""

from dataclasses import replace

from keepfact.spec.chapter import Chapter, Resume
from keepfact.spec.entry_points import MAY_WRITE, RULE_OF
from keepfact.spec.vocabulary import (
    WAITS,
    Act,
    Asked,
    Cancel,
    Cause,
    Claim,
    Contract,
    Done,
    Drifted,
    EntryPoint,
    EventType,
    EventView,
    LookedUp,
    Observe,
    Recover,
    Refused,
    Replay,
    Restarted,
    RunState,
    RunView,
    Spawn,
    Step,
    Stream,
    Tick,
    ToolReleased,
    WaitState,
    Wake,
    Worked,
    WorkerRan,
)

chapter = Chapter("ENTRY", "Who may write")


_KEPT_BESIDE_RUNS = ("bundles", "schema", "in_force", "readers", "payloads")
_MAY_KEEP: dict[EntryPoint, tuple[str, ...]] = {
    EntryPoint.WORK: ("payloads",),
    EntryPoint.PURGE: ("payloads",),
    EntryPoint.GRANT: ("readers",),
    EntryPoint.DEPLOY: ("bundles", "schema"),
}
"""What each entry point may change of what is kept beside runs."""


@chapter.rule(1, about=Observe | Stream | Replay)
def observing_writes_nothing(step: Step) -> bool | None:
    """Observing writes nothing: no row, no call, however often a client comes back."""
    if not isinstance(step.cause, Observe | Stream | Replay) or step.is_unheard:
        return None
    return step.changed_nothing and step.truth == step.truth_before


@chapter.rule(2)
def every_change_belongs_to_one_entry_point(step: Step) -> bool | None:
    """Every durable change belongs to the entry point that was asked and to a named principal, and the authority
    table allows it; without anybody asking, nothing changes, and asking about one run changes no other but its
    children: work adds them, and cancelling asks them to stop too.
    """
    door = _door_of(step.cause)
    if step.changed_nothing:
        return True if door is None else None
    if not (_others_are_left(step, door) and _stores_are_left(step, door)):
        return False
    if door is None:
        return True
    signed = bool(step.new_events) or _without_lease(step.old) == _without_lease(step.new)
    return signed and _are_allowed(step.new_events, door, MAY_WRITE[door])


@chapter.rule(3, implies=Resume.EFFECT_EXACTLY_ONCE, about=Recover)
def recovery_dispatches_nothing(step: Step) -> bool | None:
    """Recovery dispatches nothing: no model request, no tool call, no further sending of one, no child, no publication
    and no material is born in it.
    """
    if not isinstance(step.cause, Recover) or step.old is None or step.new is None:
        return None
    sends = {call.call: call.sends for call in step.old.calls}
    sent = any(call.sends > sends.get(call.call, 0) for call in step.new.calls)
    born = (
        len(step.new.publications) > len(step.old.publications)
        or len(step.new.children) > len(step.old.children)
        or len(step.new.materials) > len(step.old.materials)
    )
    return not (sent or born) and step.truth == step.truth_before


@chapter.rule(4)
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


def _others_are_left(step: Step, door: EntryPoint | None) -> bool:
    """Every other run stays as it was, but for children of the one asked about; without anybody asking, every run."""
    own = None if door is None else step.run_id
    before = [run for run in step.before.runs if run.run != own]
    after = [run for run in step.after.runs if run.run != own]
    return (
        len(before) <= len(after)
        and all(
            new is old or _timeless(new) == _timeless(old) or _is_cancelled_too(old, new, step)
            for old, new in zip(before, after, strict=False)
        )
        and all(_is_spawned(run, step) for run in after[len(before) :])
    )


def _stores_are_left(step: Step, door: EntryPoint | None) -> bool:
    if door is None:
        may: tuple[str, ...] = ("in_force",) if isinstance(step.cause, Drifted) else ()
    else:
        may = _MAY_KEEP.get(door, ())
    kept = [name for name in _KEPT_BESIDE_RUNS if name not in may]
    return all(getattr(step.before, name) == getattr(step.after, name) for name in kept)


def _are_allowed(events: tuple[EventView, ...], door: EntryPoint, types: frozenset[EventType]) -> bool:
    return all(event.entry_point is door and event.type in types and event.principal for event in events)


def _may_be_granted(step: Step) -> bool:
    if step.old is None:
        return False
    match step.cause:
        case Claim() | WorkerRan():
            return step.old.state is RunState.QUEUED
        case Wake(wait=name):
            wait = step.old.wait(name)
            return step.old.state in WAITS and wait is not None and wait.state is WaitState.ACCEPTED
        case Recover():
            has_lapsed = step.old.state is RunState.RUNNING and step.old.lease_left_seconds == 0
            return step.old.contract is Contract.RESUME and has_lapsed
        case _:
            return False


def _promises_a_grant(cause: Cause, outcome: Done) -> bool:
    return isinstance(cause, Claim | Wake) or outcome.grant is not None


def _is_spawned(run: RunView, step: Step) -> bool:
    """It was not there, and is a child of the run at work."""
    is_work = isinstance(step.cause, Spawn | WorkerRan) and run.parent is not None and run.parent == step.run_id
    return is_work and _are_allowed(run.history, EntryPoint.WORK, frozenset({EventType.ADMITTED}))


def _is_cancelled_too(old: RunView, new: RunView, step: Step) -> bool:
    """It descends from the run that is cancelled, and changed as that one does and no further."""
    told = new.history[len(old.history) :]
    signed = bool(told) and _are_allowed(told, EntryPoint.CANCEL, frozenset({EventType.CANCEL_REQUESTED}))
    back = replace(
        new, state=old.state, history=old.history, calls=old.calls, waits=old.waits, next_decision=old.next_decision
    )
    is_cancelled = isinstance(step.cause, Cancel) and _descends(new, step)
    return is_cancelled and signed and _timeless(back) == _timeless(old)


def _descends(run: RunView, step: Step) -> bool:
    parent = run.parent
    for _ in step.before.runs:
        if parent is None or parent == step.run_id:
            break
        above = step.before.run(parent)
        parent = above.parent if above else None
    return parent is not None and parent == step.run_id


def _timeless(run: RunView) -> RunView:
    """The run without what a passing clock may change."""
    return replace(
        run,
        lease_left_seconds=None,
        waits=tuple(replace(wait, left_seconds=0) for wait in run.waits),
        materials=tuple(replace(material, fresh_seconds=0) for material in run.materials),
    )


def _without_lease(run: RunView | None) -> RunView | None:
    return run and replace(run, lease_left_seconds=None)
