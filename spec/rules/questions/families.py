"""What rules ask of a run's children."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    EventType,
    Observation,
    RunId,
    RunState,
    RunView,
    Step,
)

from .runs import is_sealed


def family_of(observation: Observation, head: RunId, *, going: bool = False) -> list[RunView]:
    """The children of a run and theirs, parents first; `going`: those that go on, under parents that go on."""
    names, family = {head}, []
    for run in observation.runs:
        if run.parent in names and run.run not in names and not (going and is_sealed(run)):
            names.add(run.run)
            family.append(run)
    return family


def report_of(run: RunView) -> object:
    """What a run has to report: what it published, what its calls came to, and how it ended once it has."""
    calls = [replace(call, told_to_stop=False) for call in run.calls]
    return run.publications, calls, (run.state, run.sealed_for, run.delivered) if is_sealed(run) else None


def is_cancelled(step: Step) -> bool:
    """A cancellation that took effect reached each of the family that goes on."""
    going = family_of(step.before, step.run_id, going=True) if step.run_id else []
    return not step.took_effect or all(_is_asked_to_stop(was, step.after.run(was.run)) for was in going)


def _is_asked_to_stop(was: RunView, run: RunView | None) -> bool:
    if run is None or run.state is not RunState.CANCELLING:
        return False
    told = [event.type for event in run.history[len(was.history) :]]
    return told == ([] if was.state is RunState.CANCELLING else [EventType.CANCEL_REQUESTED])
