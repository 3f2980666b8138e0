"""The worker dies around the model's answer, and at every other step of its run, and is not there to tell."""

from dataclasses import dataclass
from enum import StrEnum

from keepfact.spec.vocabulary import CallKind, Contract

from .. import aftermath, expectations
from ..experiment import Experiment
from ..processes import Death
from ..rehearsal import Rehearsal
from ..sweep import Strike, Sweep
from ..trial import Trial
from ..waiting import NotReachedError, wait_until
from ..world.gates import GateKind
from ..world.ledger import Endpoint
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
ENDPOINTS = {CallKind.ATTEMPT: Endpoint.MODEL, CallKind.OPERATION: Endpoint.TOOL}


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """Every seam and every side that fits it."""
    return tuple(
        Strike(number, seam, side)
        for number, seam in enumerate(rehearsal.seams, 1)
        for side in _sides(seam, {dispatch.kind for dispatch in rehearsal.dispatches if dispatch.number == number})
    )


def kill(trial: Trial, strike: Strike) -> str:
    """Bring the worker to its seam, and kill it there or on its way from there."""
    side = Side(strike.side)
    if side in IN_FLIGHT:
        trial.stage.world.set_script(trial.run, script_that_calls(IN_FLIGHT[side].tool))
    trial.walk_to(strike.number, strike.seam)
    if side is Side.AT:
        return trial.kill().proof
    death = _kill_in_flight(trial, IN_FLIGHT[side]) if side in IN_FLIGHT else _kill_during_the_commit(trial)
    return death.proof


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


def _sides(seam: str, sent: set[CallKind]) -> list[Side]:
    writes_next = seam.split()[0].endswith("ing")  # by convention: `recording answer` stands before the write
    in_flight = [side for side, flight in IN_FLIGHT.items() if flight.kind in sent]
    return [Side.AT, *([Side.DURING] if writes_next else []), *in_flight]


def _kill_during_the_commit(trial: Trial) -> Death:
    """The write has reached the database when its sender dies; whether it is committed is the database's affair."""
    with trial.stage.system.hold_writes(trial.run) as held:
        trial.go()
        wait_until(lambda: held.is_waited_for() or trial.has_news(), "the write after the seam waits in the database")
        if not held.is_waited_for():
            raise NotReachedError(f"expected a write after the seam {trial.seams[-1]}, but the worker went on without.")
        death = trial.kill()
        held.let_go()
        wait_until(held.is_settled, "the write of the dead worker is committed or rolled back")
    return death


def _kill_in_flight(trial: Trial, flight: InFlight) -> Death:
    """The request stands outside at its gate when its sender dies."""
    trial.gate = trial.stage.world.set_gate(ENDPOINTS[flight.kind], flight.gate, run=trial.run)
    trial.go()
    trial.gate.wait_until_reached()
    if flight.kind is CallKind.OPERATION and not trial.has_asked(flight.tool):
        raise NotReachedError(f"expected the worker to call {flight.tool}, as the model told it, but it did not.")
    return trial.kill()


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
