"""A run is cancelled at every point of its way: it comes to one end, and begins nothing after the request."""

from enum import StrEnum

from keepfact.spec.vocabulary import ENDS, CallKind, Cancel, Capability, Contract, RunState

from .. import aftermath, expectations
from ..experiment import Experiment
from ..reaching import send_into
from ..rehearsal import Rehearsal
from ..strikes import Strike, at_every_seam, in_order, on_the_way
from ..sweep import Sweep
from ..trial import Trial
from ..world.gates import GateKind


class Side(StrEnum):
    """Where the worker is when somebody asks that the run be stopped, and whether it lives to hear of it."""

    AT = "at the seam"
    KILLED = "at the seam, and the worker dies before it hears of it"
    MODEL = "the model has the request"
    TOOL = "the tool has the request"


SENT: dict[str, CallKind] = {Side.MODEL: CallKind.ATTEMPT, Side.TOOL: CallKind.OPERATION}


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """At every seam with a living worker and with a dying one, and while each request is outside."""
    return in_order(*at_every_seam(rehearsal, Side.AT, Side.KILLED), *on_the_way(rehearsal, SENT))


def cancel(trial: Trial, strike: Strike) -> str:
    """Bring the worker to its seam, or its request outside, and ask that the run be stopped."""
    trial.walk_to(strike.number, strike.seam)
    if strike.side in SENT:
        send_into(trial, SENT[strike.side], GateKind.HOLD_BEFORE_ACTING)
        trial.observe_work()
    outcome = trial.perform(Cancel(trial.command_id(), trial.run))
    trial.timeline.mark("recovery", "kill", f"somebody asks that the run be stopped: {outcome}")
    proof = f"the worker stood at {trial.seams[-1]}; the answer was {outcome}"
    return f"{proof}; {trial.kill().proof}" if strike.side == Side.KILLED else proof


def look_after(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """The worker stops, or is brought to an end by recovery; what was in flight is classified."""
    calls, history = {call.call for call in trial.view.calls}, trial.view.history
    was_cancelled = trial.view.state in {RunState.CANCELLING, RunState.CANCELLED}
    if trial.gate is not None:
        aftermath.let_through(trial)
    if strike.side == Side.KILLED:
        trial.observe_work()
    else:
        if strike.side not in SENT:
            trial.go()
        trial.finish()
    aftermath.settle(trial)
    expectations.answers_are_recorded_once_or_held(trial)
    aftermath.bring_the_bill(trial)
    begun = {call.call for call in trial.view.calls} - calls
    trial.expect("CANCEL.1", not (was_cancelled and begun), "no call is begun after the request", f"{sorted(begun)}")
    state = trial.view.state
    is_right = state is RunState.CANCELLED if was_cancelled else state in ENDS
    trial.expect("CANCEL.4", is_right, "the run comes to the one end that won", f"{state}")
    trial.expect("CANCEL.4", trial.view.history[: len(history)] == history, "what was there stays", "it was changed")
    expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)


EXPERIMENT = Experiment(
    name="cancel_raced",
    fault="Somebody asks that the run be stopped: at each seam of its worker, which lives or dies before it hears of "
    "it, and while a request is outside.",
    rules=("CANCEL.1", "CANCEL.2", "CANCEL.3", "CANCEL.4", "COST.2", "EFFECT.4", "EFFECT.5", "ENTRY.3", "SETTLE.9"),
    not_shown=("Runs with children, and runs that wait, are cancelled in lockstep only.",),
    course=Sweep(tuple(Side), plan, cancel, look_after),
    contracts=(Contract.SETTLE, Contract.RESUME),
    needs=frozenset({Capability.CANCELLING}),
)  # fmt: skip
