"""The budget is all but used up: by answers that are lost, and may have cost their ceilings, or by what is known."""

from enum import StrEnum

from keepfact.spec.vocabulary import CallKind, Contract

from .. import aftermath, expectations
from ..experiment import Experiment
from ..rehearsal import Rehearsal
from ..sweep import Strike, Sweep
from ..trial import Trial
from ..waiting import NotReachedError
from ..world.gates import GateKind
from ..world.ledger import Endpoint

LOST_MAX = 3
"""Fewer than a probe asks for."""


class Side(StrEnum):
    """What leaves too little for the next dispatch."""

    LOST = "answers of the model are lost, each may have cost its ceiling"
    KNOWN = "what is known leaves one cent less than the tool may cost"


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """The number of each strike is its budget, in cents."""
    attempts = [call for call in rehearsal.calls if call.kind is CallKind.ATTEMPT]
    operations = [call for call in rehearsal.calls if call.kind is CallKind.OPERATION]
    lost = [
        Strike((lost + 1) * attempt.ceiling_cents - 1, f"{lost} lost", Side.LOST)
        for attempt in attempts[:1]
        for lost in range(1, LOST_MAX + 1)
    ]
    known = [
        Strike((attempt.cost_cents or 0) + operation.ceiling_cents - 1, "0 lost", Side.KNOWN)
        for attempt, operation in zip(attempts[:1], operations, strict=False)
    ]
    return (*lost, *known)


def start(trial: Trial, strike: Strike) -> None:
    """With this budget."""
    trial.start(budget_cents=strike.number)


def squeeze(trial: Trial, strike: Strike) -> str:
    """Have so many answers lost, and the worker go on for as long as it may."""
    set_gate = trial.stage.world.set_gate
    gates = [set_gate(Endpoint.MODEL, GateKind.ACT_THEN_RESET, run=trial.run) for _ in range(_lost(strike))]
    trial.finish()
    missed = [gate for gate in gates if not gate.is_reached()]
    if missed:
        raise NotReachedError(f"expected {len(gates)} requests to the model, but {len(missed)} of them did not come.")
    held = f"{trial.view.known_cents} cents known and {trial.view.held_cents} held of {strike.number}"
    return f"{len(gates)} answers were reset after the model had acted; {held}"


def look_after(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """Nothing was sent beyond the budget, and nothing that is held was let go without evidence."""
    view, truth = trial.view, trial.truth
    sent = sum(call.requests for call in truth.calls if call.kind is CallKind.ATTEMPT)
    paid = sum(call.acts for call in truth.calls if call.kind is CallKind.OPERATION)
    trial.expect(
        "COST.1",
        view.known_cents + view.held_cents <= strike.number and sent <= max(1, _lost(strike)) and not paid,
        f"what is known and held stays within {strike.number} cents: the next dispatch is refused",
        f"{view.known_cents} known, {view.held_cents} held, {sent} requests to the model, the tool acted {paid} times",
    )
    expectations.answers_are_recorded_once_or_held(trial)
    aftermath.let_the_lease_lapse(trial)
    aftermath.recover(trial)
    aftermath.look_up(trial)
    still_held = trial.view.held_cents
    trial.expect(
        "COST.3", still_held == view.held_cents, f"{view.held_cents} cents stay held", f"{still_held} after recovery"
    )
    aftermath.bring_the_bill(trial)
    expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)
    expectations.the_run_came_to_its_end(trial)


def _lost(strike: Strike) -> int:
    return int(strike.seam.split()[0])


EXPERIMENT = Experiment(
    name="budget_squeezed",
    fault="The budget is too small by a cent for the next dispatch, because answers of the model were lost that may "
    "have cost their ceilings, or because of what is known to have been spent.",
    rules=("COST.1", "COST.2", "COST.3", "COST.4", "COST.8", "EFFECT.4"),
    not_shown=("Ceilings were honest: no call cost more than it was said to cost at most.",),
    course=Sweep(tuple(Side), plan, squeeze, look_after, start=start),
    contracts=(Contract.SETTLE, Contract.RESUME),
)  # fmt: skip
