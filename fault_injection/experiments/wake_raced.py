"""An approval is given once, twice or otherwise, and many workers race to take it up: one of them gets the run."""

from enum import StrEnum

from keepfact.spec.vocabulary import Capability, Contract, Done, Refused, RunState

from .. import aftermath, expectations
from ..approving import TOOL, decide, pending, rehearse_approval
from ..experiment import Experiment
from ..racing import let_go, one_is_granted, stand_ready
from ..rehearsal import Rehearsal
from ..strikes import Strike
from ..sweep import Sweep
from ..trial import Trial
from ..waiting import NotReachedError
from ..world.script import script_that_calls

RACERS = (2, 4, 8)


class Side(StrEnum):
    """When the person decides, and how often."""

    ONCE = "decided once"
    TWICE = "decided twice under two ids, and then otherwise"
    IN_VAIN = "decided after a worker came in vain"


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """So many workers for each way to decide."""
    last, seam = len(rehearsal.seams), rehearsal.seams[-1]
    return tuple(Strike(last, seam, side, racers) for racers in RACERS for side in Side)


def race(trial: Trial, strike: Strike) -> str:
    """Bring the run to its wait, decide, and let the workers go at once."""
    trial.stage.world.set_script(trial.run, script_that_calls(TOOL))
    trial.finish()
    wait = pending(trial)
    if strike.side == Side.IN_VAIN:
        trial.hire().accept()
        trial.finish()
    outcome = decide(trial, wait, approved=True)
    if not isinstance(outcome, Done):
        raise NotReachedError(
            f"expected the approval of {wait.wait} to be accepted, but the system answered {outcome}."
        )
    if strike.side == Side.TWICE:
        again, otherwise = decide(trial, wait, approved=True), decide(trial, wait, approved=False)
        trial.expect("APPROVAL.5", isinstance(again, Done), "the same decision again is a read", f"{again}")
        trial.expect("APPROVAL.5", isinstance(otherwise, Refused), "another decision is refused", f"{otherwise}")
    return let_go(trial, stand_ready(trial, strike.amount))


def look_after(_: Rehearsal, trial: Trial, strike: Strike) -> None:
    """One of them works; the others have gone without a trace."""
    one_is_granted(trial, trial.workers[-strike.amount :])
    acts = expectations.acts_of(trial.truth)
    trial.expect("APPROVAL.6", acts <= 1, f"{TOOL} acts once for one approval", f"{acts} times")
    aftermath.let_the_lease_lapse(trial)
    trial.expect(
        "WAKE.12", trial.view.state is RunState.SUCCEEDED, "the approved run comes to its end", f"{trial.view.state}"
    )


EXPERIMENT = Experiment(
    name="wake_raced",
    fault="A decision comes once, twice, or after a worker came in vain, and two, four or eight workers race for the "
    "wake.",
    rules=("APPROVAL.1", "APPROVAL.5", "APPROVAL.6", "WAKE.3", "WAKE.4", "WAKE.5", "WAKE.10", "WAKE.12"),
    not_shown=(
        "Persons who decide at the same moment are tried where commands meet, not here.",
        "Which worker wins was left to chance.",
    ),
    course=Sweep(tuple(Side), plan, race, look_after, rehearse=rehearse_approval),
    contracts=(Contract.SETTLE, Contract.RESUME),
    needs=frozenset({Capability.WAITS, Capability.APPROVALS}),
)  # fmt: skip
