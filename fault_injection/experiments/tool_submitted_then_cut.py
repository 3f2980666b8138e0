"""The network is cut after a tool got the request, and the worker lives on without knowing what became of it."""

from dataclasses import dataclass
from enum import StrEnum

from keepfact.spec.vocabulary import CallKind, Contract

from .. import aftermath, expectations
from ..experiment import Experiment
from ..reaching import send_into
from ..rehearsal import Rehearsal
from ..strikes import Strike, in_order, on_the_way
from ..sweep import Sweep
from ..trial import Trial
from ..world.gates import GateKind
from ..world.ledger import Endpoint
from ..world.script import script_that_calls


class Side(StrEnum):
    """What the tool does, and when the connection is cut."""

    DROPPED = "cut before the tool acted, and it never acts"
    DROPPED_UNSURE = "cut before the tool acted, it never acts, and its look-up is ambiguous"
    ACTS_LATE = "cut before the tool acted, it acts while the worker goes on"
    ACTS_AT_LAST = "cut before the tool acted, it acts when all else is over"
    ACTED = "cut after the tool acted"
    ACTED_UNSURE = "cut after the tool acted, and its look-up is ambiguous"
    HALF = "cut in the midst of the tool's answer"
    FAILED = "the tool acted, and answers that it failed"


@dataclass(frozen=True, slots=True)
class Cut:
    """How the request fares. `acts_at_last`: the gate stays closed until there is nothing else to do."""

    gate: GateKind
    tool: str = "pay"
    acts_at_last: bool = False


CUTS = {
    Side.DROPPED: Cut(GateKind.RESET_AND_DROP),
    Side.DROPPED_UNSURE: Cut(GateKind.RESET_AND_DROP, "send_letter"),
    Side.ACTS_LATE: Cut(GateKind.RESET_THEN_ACT),
    Side.ACTS_AT_LAST: Cut(GateKind.RESET_THEN_ACT, acts_at_last=True),
    Side.ACTED: Cut(GateKind.ACT_THEN_RESET),
    Side.ACTED_UNSURE: Cut(GateKind.ACT_THEN_RESET, "send_letter"),
    Side.HALF: Cut(GateKind.ACT_THEN_HALF),
    Side.FAILED: Cut(GateKind.ACT_THEN_FAIL),
}


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """Every side of every request to a tool."""
    return in_order(*on_the_way(rehearsal, dict.fromkeys(Side, CallKind.OPERATION)))


def cut(trial: Trial, strike: Strike) -> str:
    """Bring the worker to its seam, and cut the connection of the request that leaves it there."""
    fate = CUTS[Side(strike.side)]
    trial.stage.world.set_script(trial.run, script_that_calls(fate.tool))
    trial.walk_to(strike.number, strike.seam)
    send_into(trial, CallKind.OPERATION, fate.gate, fate.tool)
    trial.timeline.mark("tool", "kill", strike.side)
    entries = (entry for entry in trial.stage.world.entries(trial.run) if entry.endpoint is Endpoint.TOOL)
    told = ", ".join(f"{entry.happened} {entry.key}" for entry in entries)
    return f"the gate {fate.gate} has done to the connection what it is called; the world's ledger says then: {told}"


def look_after(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """The worker goes on as it thinks right; then whatever is still unknown is looked up, and at last billed."""
    fate = CUTS[Side(strike.side)]
    trial.next_seam()
    if not fate.acts_at_last:
        aftermath.let_through(trial)
    trial.go()
    trial.finish()
    fence = trial.view.fence
    aftermath.let_the_lease_lapse(trial)
    aftermath.recover(trial)
    aftermath.write_late(trial, fence)
    aftermath.look_up(trial)
    if fate.acts_at_last:
        aftermath.let_through(trial)
    expectations.answers_are_recorded_once_or_held(trial)
    aftermath.bring_the_bill(trial)
    expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)
    expectations.the_run_came_to_its_end(trial)


EXPERIMENT = Experiment(
    name="tool_submitted_then_cut",
    fault="The connection to a tool is reset after the tool has the request: before it acts, after it has acted, in "
    "the midst of its answer; or it acts and answers with an error. The worker lives on.",
    rules=("EFFECT.1", "EFFECT.2", "EFFECT.4", "EFFECT.5", "EFFECT.6", "EFFECT.7", "EFFECT.8", "EFFECT.9", "COST.2",
           "COST.3", "COST.4", "SETTLE.5", "SETTLE.6"),
    not_shown=(
        "The request had always reached the tool whole; what becomes of half a request was not tried.",
        "One connection was cut for each run.",
    ),
    course=Sweep(tuple(Side), plan, cut, look_after),
    contracts=(Contract.SETTLE, Contract.RESUME),
)  # fmt: skip
