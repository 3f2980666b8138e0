"""The worker dies around the model's answer, and at every other step of its run, and is not there to tell."""

from dataclasses import dataclass
from enum import StrEnum

from keepfact.spec.vocabulary import CallKind, Contract

from .. import aftermath, expectations
from ..experiment import Experiment
from ..reaching import held_write, send_into
from ..rehearsal import Rehearsal
from ..strikes import Strike, at_every_seam, before_every_write, in_order, on_the_way
from ..sweep import Sweep
from ..trial import Trial
from ..world.gates import GateKind
from ..world.script import script_that_calls


class Side(StrEnum):
    """On which side of a seam the worker dies."""

    AT = "at the seam"
    DURING = "during the commit"
    MODEL_ASKED = "model has the request, acts after recovery"
    MODEL_ACTED = "model acted, answer on its way"
    TOOL_ASKED = "tool has the request, acts not before the look-up"
    TOOL_ACTS_LATE = "tool has the request, acts before recovery"
    TOOL_ACTED = "tool acted, answer on its way"
    TOOL_UNSURE = "tool acted, its look-up is ambiguous"


@dataclass(frozen=True, slots=True)
class InFlight:
    """A death while a request is outside. `outlasts`: the request stands at its gate until after the look-up."""

    kind: CallKind
    gate: GateKind
    outlasts: bool = False
    tool: str = "pay"


IN_FLIGHT = {
    Side.MODEL_ASKED: InFlight(CallKind.ATTEMPT, GateKind.HOLD_BEFORE_ACTING, outlasts=True),
    Side.MODEL_ACTED: InFlight(CallKind.ATTEMPT, GateKind.ACT_THEN_HOLD),
    Side.TOOL_ASKED: InFlight(CallKind.OPERATION, GateKind.HOLD_BEFORE_ACTING, outlasts=True),
    Side.TOOL_ACTS_LATE: InFlight(CallKind.OPERATION, GateKind.HOLD_BEFORE_ACTING),
    Side.TOOL_ACTED: InFlight(CallKind.OPERATION, GateKind.ACT_THEN_HOLD),
    Side.TOOL_UNSURE: InFlight(CallKind.OPERATION, GateKind.ACT_THEN_HOLD, tool="send_letter"),
}


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """Every seam and every side that fits it."""
    return in_order(
        *at_every_seam(rehearsal, Side.AT),
        *before_every_write(rehearsal, Side.DURING),
        *on_the_way(rehearsal, {side: flight.kind for side, flight in IN_FLIGHT.items()}),
    )


def kill(trial: Trial, strike: Strike) -> str:
    """Bring the worker to its seam, and kill it there or on its way from there."""
    side = Side(strike.side)
    if side in IN_FLIGHT:
        trial.stage.world.set_script(trial.run, script_that_calls(IN_FLIGHT[side].tool))
    trial.walk_to(strike.number, strike.seam)
    if side is Side.DURING:
        with held_write(trial):
            return trial.kill().proof
    if side in IN_FLIGHT:
        flight = IN_FLIGHT[side]
        send_into(trial, flight.kind, flight.gate, flight.tool if flight.kind is CallKind.OPERATION else None)
    return trial.kill().proof


def look_after(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """Everything that may follow a death, each step observed and judged."""
    outlasts = strike.side in IN_FLIGHT and IN_FLIGHT[Side(strike.side)].outlasts
    trial.observe_work()
    if not outlasts:
        aftermath.let_through(trial)
    at_death, fence = trial.truth, trial.view.fence
    aftermath.let_the_lease_lapse(trial)
    aftermath.write_late(trial, fence)
    if trial.stage.contract is Contract.SETTLE:
        aftermath.recover(trial)
        aftermath.write_late(trial, fence)
    aftermath.look_up(trial)
    if outlasts:
        aftermath.let_through(trial)
    expectations.nothing_was_sent_again(trial, at_death)
    if trial.stage.contract is Contract.RESUME:
        aftermath.go_on(trial)
        aftermath.write_late(trial, fence)
    expectations.answers_are_recorded_once_or_held(trial)
    aftermath.bring_the_bill(trial)
    if trial.stage.contract is Contract.SETTLE:
        expectations.nothing_was_sent_again(trial, at_death)
    expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)
    expectations.the_run_came_to_its_end(trial)


EXPERIMENT = Experiment(
    name="model_returned_then_killed",
    fault="The worker dies by SIGKILL: at each of its seams, while a write waits in the database, and while a request "
    "to the model or to a tool is outside.",
    rules=("ENTRY.2", "ENTRY.3", "FENCE.3", "FENCE.8", "EFFECT.1", "EFFECT.4", "EFFECT.5", "EFFECT.6", "EFFECT.9",
           "COST.2", "COST.3", "COST.4", "SETTLE.1", "SETTLE.2", "SETTLE.3", "SETTLE.4", "SETTLE.6", "SETTLE.8"),
    not_shown=(
        "A worker was killed at its seams and between them in a write or a call, not at every machine instruction.",
        "One worker died at a time, and recovery itself was left alive.",
        "The database lived on; what a power cut does to it was not tried.",
    ),
    course=Sweep(tuple(Side), plan, kill, look_after),
    contracts=(Contract.SETTLE, Contract.RESUME),
)  # fmt: skip
