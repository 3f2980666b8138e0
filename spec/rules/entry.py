"""ENTRY: who may write."""

from keepfact.spec.chapter import BOTH, SETTLE, Chapter, Resume
from keepfact.spec.entry_points import MAY_WRITE, RULE_OF
from keepfact.spec.vocabulary import (
    Act,
    Asked,
    Claim,
    Done,
    EntryPoint,
    EventType,
    LookedUp,
    Observe,
    Recover,
    Refused,
    RunState,
    Step,
    Tick,
    WorkerRan,
)

chapter = Chapter("ENTRY", "Who may write")


@chapter.rule(1)
def observing_writes_nothing(step: Step) -> bool | None:
    """Observing writes nothing: no row, no call, however often a client comes back."""
    if not isinstance(step.cause, Observe):
        return None
    return step.changed_nothing and step.truth == step.truth_before


@chapter.rule(2)
def every_change_belongs_to_one_entry_point(step: Step) -> bool | None:
    """Every durable change belongs to the entry point that was asked and to a named principal, and the authority
    table allows it; without anybody asking, nothing changes.
    """
    match step.cause:
        case Asked() as command:
            door = command.entry_point
        case WorkerRan():
            door = EntryPoint.WORK
        case LookedUp():
            door = EntryPoint.RECONCILE
        case Act() | Tick():
            return _without_leases(step, before=True) == _without_leases(step, before=False)
    if not step.new_events:
        return None
    return all(
        event.entry_point is door and event.type in MAY_WRITE[door] and event.principal for event in step.new_events
    )


@chapter.rule(3, implies=Resume.EFFECT_EXACTLY_ONCE)
def recovery_dispatches_nothing(step: Step) -> bool | None:
    """Recovery dispatches nothing: no model request, no tool call and no publication is born in it."""
    if not isinstance(step.cause, Recover) or step.old is None or step.new is None:
        return None
    born = len(step.new.calls) != len(step.old.calls) or step.new.publications != step.old.publications
    return not born and step.truth == step.truth_before


@chapter.rule(4, contracts=SETTLE)
def only_the_queue_leads_to_a_grant(step: Step) -> bool | None:
    """A stored run is not a permission: a grant comes from a claim of an admission still in the queue, and from
    nothing else.
    """
    if step.new is None or not any(event.type is EventType.GRANTED for event in step.new_events):
        return False if step.is_done and isinstance(step.cause, Claim) and not step.is_repeat else None
    claimed = isinstance(step.cause, Claim | WorkerRan)
    return claimed and step.old is not None and step.old.state is RunState.QUEUED


@chapter.rule(5, contracts=BOTH)
def refusals_change_nothing(step: Step) -> bool | None:
    """A refused command changed nothing, and its answer names the rule."""
    if not isinstance(step.outcome, Refused):
        return None
    return step.changed_nothing and step.outcome.reason in RULE_OF


@chapter.rule(6, implies=Resume.CONSUME_ONCE)
def repeating_a_command_id_has_no_second_effect(step: Step) -> bool | None:
    """A command that was done, repeated with the same command id, gives the first answer and has no second effect."""
    if not isinstance(step.repeats, Done):
        return None
    return step.changed_nothing and (step.is_lost or step.outcome == step.repeats)


def _without_leases(step: Step, *, before: bool) -> object:
    """All that a passing clock may not change."""
    observation = step.before if before else step.after
    return [(run.run, run.state, run.fence, run.known_cents, run.held_cents, run.history) for run in observation.runs]
