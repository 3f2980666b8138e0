"""A step that kills every worker that takes it: the deaths are counted, and the run is settled, not tried for ever."""

from enum import StrEnum

from keepfact.spec.vocabulary import DEATHS_MAX, ENDS, NO_FENCE, Contract, RunState

from .. import aftermath, expectations
from ..experiment import Experiment
from ..rehearsal import Rehearsal
from ..strikes import Strike, at_every_seam
from ..sweep import Sweep
from ..trial import Trial

WORKERS_MAX = DEATHS_MAX + 2
"""More than a run may kill."""


class Side(StrEnum):
    """How each worker dies."""

    AT = "each worker at the same step"


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """Every seam but those before the run is granted: who dies there has not touched it."""
    granted = rehearsal.seams.index("claimed") if "claimed" in rehearsal.seams else 0
    return tuple(strike for strike in at_every_seam(rehearsal, Side.AT) if strike.number > granted)


def kill(trial: Trial, strike: Strike) -> str:
    """The first worker dies."""
    trial.walk_to(strike.number, strike.seam)
    return trial.kill().proof


def look_after(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """Whoever comes next dies as soon as it comes back to the step, until nobody is let near the run any more."""
    trial.observe_work()
    while not _is_over(trial) and len(trial.workers) < WORKERS_MAX:
        aftermath.let_the_lease_lapse(trial)
        aftermath.look_up(trial)
        trial.hire().accept()
        _die_without_progress(trial)
    deaths = len(trial.workers) - 1
    trial.expect(
        "EFFECT.13",
        _is_over(trial),
        f"after {DEATHS_MAX} deaths on one step the run is settled",
        f"{trial.view.state} after {deaths} workers more",
    )
    aftermath.look_up(trial)
    expectations.answers_are_recorded_once_or_held(trial)
    aftermath.bring_the_bill(trial)
    expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)
    expectations.the_run_came_to_its_end(trial)


def _die_without_progress(trial: Trial) -> None:
    """It recovers the run, and dies before it writes anything more."""
    while trial.next_seam() is not None:
        if len(trial.seams) == 2:
            trial.kill()
            trial.observe_work()
            return
        trial.go()
    trial.wait_for_exit()


def _is_over(trial: Trial) -> bool:
    return trial.view.state in ENDS or trial.view.state is RunState.UNKNOWN or trial.view.fence == NO_FENCE


EXPERIMENT = Experiment(
    name="poisoned_run",
    fault="One step of the run kills every worker that comes to it, the first and all that take the run over.",
    rules=("EFFECT.13", "EFFECT.4", "EFFECT.5", "COST.2", "COST.3", "SETTLE.6", "SETTLE.7", "SETTLE.8"),
    not_shown=("That a payload cannot be stored, again and again, was not tried.",),
    course=Sweep(tuple(Side), plan, kill, look_after),
    contracts=(Contract.RESUME,),
)  # fmt: skip
