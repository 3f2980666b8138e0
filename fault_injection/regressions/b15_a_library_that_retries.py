"""B15: a client library repeats requests that failed, and the record knows only of the one that was answered."""

from enum import StrEnum

from keepfact.spec.vocabulary import CallKind

from .. import aftermath, expectations
from ..reaching import send_into
from ..regression import OfWorkers
from ..rehearsal import Rehearsal
from ..strikes import Strike, in_order, on_the_way
from ..sweep import Sweep
from ..trial import Trial
from ..world.gates import GateKind


class Side(StrEnum):
    """What becomes of the first request of a call."""

    MODEL_FAILED = "the model acts, and answers that it failed"
    MODEL_CUT = "the model never acts, and the connection is reset"
    TOOL_FAILED = "the tool acts, and answers that it failed"
    TOOL_CUT = "the tool never acts, and the connection is reset"


FATES = {
    Side.MODEL_FAILED: (CallKind.ATTEMPT, GateKind.ACT_THEN_FAIL),
    Side.MODEL_CUT: (CallKind.ATTEMPT, GateKind.RESET_AND_DROP),
    Side.TOOL_FAILED: (CallKind.OPERATION, GateKind.ACT_THEN_FAIL),
    Side.TOOL_CUT: (CallKind.OPERATION, GateKind.RESET_AND_DROP),
}


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """Every request that a worker sends."""
    return in_order(*on_the_way(rehearsal, {side: kind for side, (kind, _) in FATES.items()}))


def fail(trial: Trial, strike: Strike) -> str:
    """Bring the worker to its seam, and let the request fail that leaves it there."""
    kind, gate = FATES[Side(strike.side)]
    trial.walk_to(strike.number, strike.seam)
    send_into(trial, kind, gate)
    trial.timeline.mark("tool" if kind is CallKind.OPERATION else "model", "kill", strike.side)
    return f"the gate {gate} was reached by the first request of the {kind}"


def look_after(_: Rehearsal, trial: Trial, __: Strike) -> None:
    """The worker goes on as it thinks right. Whatever it sends must be on record: EFFECT.8 is put to every step."""
    trial.next_seam()
    aftermath.let_through(trial)
    trial.go()
    trial.finish()
    aftermath.settle(trial)
    expectations.answers_are_recorded_once_or_held(trial)
    aftermath.bring_the_bill(trial)
    expectations.the_run_came_to_its_end(trial)


REGRESSION = OfWorkers(
    case="B15",
    name="b15_a_library_that_retries",
    fault="A request to the model or to a tool fails once; whoever repeats it must have said so before.",
    rules=("EFFECT.8", "EFFECT.5", "COST.2"),
    defects=("requests_repeated_on_the_way",),
    not_shown=("A library that repeats what is slow, and not only what failed, was not tried.",),
    course=Sweep(tuple(Side), plan, fail, look_after),
)
