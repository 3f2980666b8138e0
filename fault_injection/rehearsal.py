"""The dry run before a sweep: which seams a worker has, and on the way from which of them it calls the outside."""

from dataclasses import dataclass

from keepfact.spec.vocabulary import CallKind, CallView, RunState, Truth

from .subject import ExperimentError
from .trial import Trial
from .waiting import NotReachedError


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A request that leaves the worker after the seam of that number."""

    number: int
    kind: CallKind


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """An undisturbed run. `starts_queued`: at its first seam the worker has done nothing yet that lasts. `calls` are
    as they stood at its end. `lost` are the seams of the worker before, where the seams are of who comes after it.
    """

    seams: tuple[str, ...]
    dispatches: tuple[Dispatch, ...]
    truth: Truth
    starts_queued: bool
    calls: tuple[CallView, ...] = ()
    lost: tuple[str, ...] = ()


def rehearse(trial: Trial) -> Rehearsal:
    """Have a real worker go through all its seams. Raises ExperimentError if it has none, or does not succeed."""
    with trial:
        try:
            trial.start()
            trial.take_up()
            starts_queued, dispatches = _walk(trial)
            status = trial.wait_for_exit()
        except NotReachedError as error:
            raise ExperimentError(f"{error} {_PROTOCOL}") from error
        if not trial.seams:
            raise ExperimentError(f"expected the worker to stop at seams, but it named none. {_PROTOCOL}")
        if trial.view.state is not RunState.SUCCEEDED:
            raise ExperimentError(
                f"expected an undisturbed run to succeed before anything is broken, but it is {trial.view.state} and "
                f"its worker ended with status {status} after the seam {trial.seams[-1]}."
            )
        return Rehearsal(tuple(trial.seams), tuple(dispatches), trial.truth, starts_queued, trial.view.calls)


_PROTOCOL = (
    "A worker must connect to the Unix socket that it is told of, write the name of each seam as a line, and wait "
    "for the line `go`."
)


def _walk(trial: Trial) -> tuple[bool, list[Dispatch]]:
    """Whether the run was still queued at the first seam, and which requests left after which seam."""
    starts_queued, dispatches, seen = False, [], trial.truth
    while trial.next_seam() is not None:
        starts_queued = starts_queued or (len(trial.seams) == 1 and trial.view.state is RunState.QUEUED)
        dispatches += [Dispatch(len(trial.seams) - 1, kind) for kind in _kinds_sent(seen, trial.truth)]
        seen = trial.truth
        trial.go()
    dispatches += [Dispatch(len(trial.seams), kind) for kind in _kinds_sent(seen, trial.truth)]
    return starts_queued, dispatches


def _kinds_sent(before: Truth, after: Truth) -> list[CallKind]:
    """The kinds of the calls for which a request has arrived in between."""
    return [
        call.kind
        for call in after.calls
        if (earlier := before.of(call.call)) is None or earlier.requests < call.requests
    ]
