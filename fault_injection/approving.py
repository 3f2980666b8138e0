"""What experiments with waits share: a run that waits, is approved or otherwise answered, and is taken up."""

from collections.abc import Callable

from keepfact.conformance.abilities import Rollout
from keepfact.spec.vocabulary import (
    WAITS,
    Decide,
    Done,
    Outcome,
    RunState,
    WaitKind,
    WaitState,
    WaitView,
)

from .rehearsal import Rehearsal
from .subject import ExperimentError
from .trial import Trial
from .waiting import NotReachedError
from .world.script import script_that_calls

TOOL = "transfer"
"""What a person must approve before it is used."""


def rehearse_approval(trial: Trial) -> Rehearsal:
    """One release: the run waits, is approved and goes on. The seams are those before the wait."""
    return rehearse_wait(trial, TOOL, approve)


def rehearse_wait(trial: Trial, tool: str, answer: Callable[[Trial], object]) -> Rehearsal:
    """The run uses the tool and waits, what it waits for comes, and it goes on. The seams are those before the wait."""
    with trial:
        try:
            trial.stage.world.set_script(trial.run, script_that_calls(tool))
            trial.start()
            trial.take_up()
            trial.finish()
            seams = tuple(trial.seams)
            answer(trial)
            work_on(trial, Rollout.FIRST)
        except NotReachedError as error:
            raise ExperimentError(str(error)) from error
        if trial.view.state is not RunState.SUCCEEDED:
            raise ExperimentError(f"expected a run that was answered to succeed, but it is {trial.view.state}.")
        return Rehearsal(seams, (), trial.truth, starts_queued=True)


def approve(trial: Trial) -> None:
    """A person approves what was shown. Raises NotReachedError if that is not accepted."""
    wait = pending(trial)
    outcome = decide(trial, wait, approved=True)
    if not isinstance(outcome, Done):
        raise NotReachedError(
            f"expected the approval of {wait.wait} to be accepted, but the system answered {outcome}."
        )


def decide(trial: Trial, wait: WaitView, *, approved: bool) -> Outcome:
    """A person decides on what was shown."""
    assert wait.shown is not None  # it is an approval
    asked = Decide(trial.command_id(), trial.run, wait.wait, approved=approved, digest=wait.shown.digest)
    outcome = trial.perform(asked)
    says = "approves" if approved else "denies"
    trial.timeline.mark("recovery", "evidence", f"a person {says} {wait.wait}: {outcome}")
    return outcome


def pending(trial: Trial) -> WaitView:
    """The request that waits for a decision. Raises NotReachedError if there is none."""
    waits = trial.view.waits if trial.view.state in WAITS else ()
    for wait in waits:
        if wait.kind is WaitKind.APPROVAL and wait.state is WaitState.WAITING:
            return wait
    raise NotReachedError(f"expected {trial.run} to wait for an approval, but it is {trial.view.state}: {waits}.")


def work_on(trial: Trial, rollout: Rollout) -> str:
    """A worker of that release takes up the run, or is refused; the proof that it was there."""
    worker = trial.hire(rollout)
    worker.accept()
    status = trial.finish()
    return f"process {worker.process.pid} of the release `{rollout}` stood at {worker.seams}, and ended with {status}"
