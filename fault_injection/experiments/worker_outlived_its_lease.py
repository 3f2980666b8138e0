"""A worker sleeps past its lease, another takes over and ends the run; then the first wakes and goes on unawares."""

from enum import StrEnum

from keepfact.spec.vocabulary import ENDS, CallKind, Contract, RunState

from .. import aftermath, expectations
from ..experiment import Experiment
from ..reaching import send_into
from ..rehearsal import Rehearsal
from ..strikes import Strike, at_every_seam, in_order, on_the_way
from ..sweep import Sweep
from ..trial import Trial
from ..world.gates import GateKind


class Side(StrEnum):
    """Where the worker is when it falls asleep."""

    AT = "at the seam"
    MODEL = "the model has acted, its answer comes while the worker sleeps"
    TOOL = "the tool has acted, its answer comes while the worker sleeps"


SENT: dict[str, CallKind] = {Side.MODEL: CallKind.ATTEMPT, Side.TOOL: CallKind.OPERATION}


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """At every seam, and while each request is outside."""
    return in_order(*at_every_seam(rehearsal, Side.AT), *on_the_way(rehearsal, SENT))


def fall_asleep(trial: Trial, strike: Strike) -> str:
    """Bring the worker to its seam and stop it there, or with its request outside."""
    trial.walk_to(strike.number, strike.seam)
    if strike.side in SENT:
        send_into(trial, SENT[strike.side], GateKind.ACT_THEN_HOLD)
    return trial.freeze()


def look_after(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """Another takes over; the sleeper wakes to a run that is not its own any more."""
    sleeper, fence = trial.worker, trial.view.fence
    trial.observe_work()
    aftermath.let_through(trial)
    aftermath.let_the_lease_lapse(trial)
    if trial.stage.contract is Contract.RESUME or trial.view.state is RunState.QUEUED:
        aftermath.look_up(trial)
        aftermath.go_on(trial)
    else:
        aftermath.recover(trial)
        aftermath.look_up(trial)
    requests, history = expectations.requests_of(trial.truth, *CallKind), trial.view.history
    trial.turn_to(sleeper)
    trial.thaw()
    if strike.side not in SENT:
        trial.go()
    trial.finish()
    trial.expect(
        "FENCE.8", trial.view.history == history, "the sleeper writes nothing when it wakes", "it added to the history"
    )
    sent = expectations.requests_of(trial.truth, *CallKind) - requests
    trial.expect("EFFECT.8", sent <= 1, "the sleeper sends no more than what it had committed", f"{sent} requests")
    aftermath.write_late(trial, fence)
    expectations.answers_are_recorded_once_or_held(trial)
    aftermath.bring_the_bill(trial)
    expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)
    trial.expect("FENCE.6", trial.view.state in ENDS, "the run has ended, and stays so", trial.view.state)


EXPERIMENT = Experiment(
    name="worker_outlived_its_lease",
    fault="The worker is stopped by SIGSTOP until its lease has lapsed and another has taken the run over and brought "
    "it to its end; then it is let go on.",
    rules=("EFFECT.8", "FENCE.2", "FENCE.6", "FENCE.8", "COST.2", "EFFECT.4", "EFFECT.5",
           "EFFECT.9", "SETTLE.6"),
    not_shown=(
        "The sleeper slept until the run was over; that it wakes in the midst of another's work was not tried.",
        "A request committed before the sleep may leave after it: only whoever gets it could refuse its fence.",
    ),
    course=Sweep(tuple(Side), plan, fall_asleep, look_after),
    contracts=(Contract.SETTLE, Contract.RESUME),
)  # fmt: skip
