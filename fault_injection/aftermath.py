"""What follows a worker's death: its lease lapses, its writes come late, recovery, look-up, and at last the bill."""

from keepfact.spec.vocabulary import (
    ENDS,
    NO_FENCE,
    CallId,
    CallKind,
    CallState,
    CallView,
    Command,
    Done,
    Evidence,
    Fence,
    Intend,
    LookedUp,
    Lost,
    Outcome,
    Publish,
    Reconcile,
    RecordAnswer,
    Recover,
    Refused,
    RunState,
    Succeed,
    Tick,
)

from .trial import Trial
from .waiting import NotReachedError, wait_until


def let_the_lease_lapse(trial: Trial) -> None:
    """The store's clock moves past the lease of the dead worker."""
    trial.happen(Tick(trial.stage.system.lease_seconds + 1))


def write_late(trial: Trial, fence: Fence) -> None:
    """What the dead worker might still have had on the wire arrives, under its fence: all of it must be refused."""
    if fence == NO_FENCE:
        return
    for command in _late_writes(trial, fence):
        outcome = trial.perform(command)
        trial.timeline.mark("database", _shape(outcome), f"late {type(command).__name__} of the dead worker: {outcome}")


def settle(trial: Trial) -> None:
    """Nobody renews the lease any more, recovery runs, and the tool is asked about what is unknown."""
    let_the_lease_lapse(trial)
    recover(trial)
    look_up(trial)


def recover(trial: Trial) -> None:
    """Recovery runs, is repeated under its own id, and is asked for once more."""
    first = Recover(trial.command_id(), trial.run)
    outcome = trial.perform(first)
    trial.timeline.mark("recovery", "recovery", f"Recover: {outcome}")
    if isinstance(outcome, Lost):
        raise NotReachedError("expected an answer to Recover, but it was lost.")
    if isinstance(outcome, Done):
        trial.perform(first)
    again = trial.perform(Recover(trial.command_id(), trial.run))
    trial.timeline.mark("recovery", _shape(again), f"Recover again: {again}")


def go_on(trial: Trial) -> None:
    """Another worker takes the run up where it stands, and goes on with it (SETTLE.7)."""
    if trial.view.state in ENDS or trial.view.state is RunState.UNKNOWN:
        return
    trial.hire().accept()
    trial.finish()
    trial.expect(
        "SETTLE.7",
        RunState.INTERRUPTED not in (trial.view.state, trial.view.sealed_for),
        "another worker goes on with a run that lost its worker once",
        f"{trial.view.state}, sealed for {trial.view.sealed_for}",
    )


def look_up(trial: Trial) -> None:
    """The system asks the tool about what it does not know."""
    trial.stage.system.look_up(trial.run, trial.stage.world.outside(trial.run))
    trial.happen(LookedUp(trial.run))
    trial.timeline.mark("recovery", "evidence", f"looked up: {trial.view.unresolved} unresolved")


def let_through(trial: Trial) -> None:
    """The request that stands at the gate goes on, and nobody waits for its answer any more."""
    if trial.gate is not None:
        trial.gate.open()
        wait_until(lambda: trial.stage.world.is_quiet(trial.run), "the world is done with every request of the run")
        trial.observe_work()


def bring_the_bill(trial: Trial) -> None:
    """A named person reads in the provider's bill what each unresolved call really cost."""
    for call in trial.view.calls:
        if call.state is CallState.UNKNOWN or (call.state is CallState.CONFIRMED and call.cost_cents is None):
            outcome = trial.perform(_billed(trial, call))
            trial.timeline.mark("recovery", "evidence", f"the bill for {call.call}: {outcome}")


def _shape(outcome: Outcome) -> str:
    """The mark of a write that should have been refused: as it was, not as it should have been."""
    return "refused" if isinstance(outcome, Refused) else "commit"


def _late_writes(trial: Trial, fence: Fence) -> list[Command]:
    run = trial.run
    another = CallId(f"{run}:late-{trial.command_id()}")
    answers = [
        RecordAnswer(trial.command_id(), run, fence, call.call, "late", cost_cents)
        for call in trial.view.calls
        if (cost_cents := _true_cost(trial, call)) is not None
    ]
    return [
        Intend(trial.command_id(), run, fence, another, CallKind.OPERATION, "late", 1),
        *answers,
        Publish(trial.command_id(), run, fence, "late", True),
        Succeed(trial.command_id(), run, fence),
    ]


def _billed(trial: Trial, call: CallView) -> Reconcile:
    cost_cents = _true_cost(trial, call)
    evidence = Evidence.NOT_FOUND if cost_cents is None else Evidence.CONFIRMED
    return Reconcile(trial.command_id(), trial.run, call.call, evidence, cost_cents)


def _true_cost(trial: Trial, call: CallView) -> int | None:
    """What the call really cost; None if it never acted."""
    truth = trial.truth.of(call.call)
    return truth.cost_cents if truth is not None and truth.acts else None
