"""The budget is all but used up: by answers that are lost, and may have cost their ceilings, or by what is known."""

from dataclasses import replace
from enum import StrEnum

from keepfact.spec.vocabulary import CallKind, Contract

from .. import aftermath, expectations
from ..experiment import Experiment
from ..rehearsal import Rehearsal
from ..strikes import Strike, on_the_way
from ..sweep import Sweep
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
    """The answers to so many requests to the model, from the first on; and the first request to a tool."""
    lost = on_the_way(rehearsal, {Side.LOST: CallKind.ATTEMPT})[:1]
    known = on_the_way(rehearsal, {Side.KNOWN: CallKind.OPERATION})[:1]
    return (*(replace(strike, amount=amount) for strike in lost for amount in range(1, LOST_MAX + 1)), *known)


def start(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """With too little by a cent for the dispatch after what the strike is about."""
    trial.start(budget_cents=budget_of(rehearsal, strike))


def budget_of(rehearsal: Rehearsal, strike: Strike) -> int:
    """In cents, by the ceilings and the costs of the rehearsal."""
    attempt = next(call for call in rehearsal.calls if call.kind is CallKind.ATTEMPT)
    if strike.side == Side.LOST:
        return (strike.amount + 1) * attempt.ceiling_cents - 1
    operation = next(call for call in rehearsal.calls if call.kind is CallKind.OPERATION)
    return (attempt.cost_cents or 0) + operation.ceiling_cents - 1


def squeeze(trial: Trial, strike: Strike) -> str:
    """Have so many answers lost, and the worker go on for as long as it may."""
    set_gate = trial.stage.world.set_gate
    gates = [set_gate(Endpoint.MODEL, GateKind.ACT_THEN_RESET, run=trial.run) for _ in range(strike.amount)]
    trial.finish()
    missed = [gate for gate in gates if not gate.is_reached()]
    if missed:
        raise NotReachedError(f"expected {len(gates)} requests to the model, but {len(missed)} of them did not come.")
    held = f"{trial.view.known_cents} cents known and {trial.view.held_cents} held"
    return f"{len(gates)} answers were reset after the model had acted; {held}"


def look_after(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """Nothing was sent beyond the budget, and nothing that is held was let go without evidence."""
    view, truth, budget_cents = trial.view, trial.truth, budget_of(rehearsal, strike)
    sent, paid = expectations.requests_of(truth, CallKind.ATTEMPT), expectations.acts_of(truth)
    trial.expect(
        "COST.1",
        view.known_cents + view.held_cents <= budget_cents and sent <= max(1, strike.amount) and not paid,
        f"what is known and held stays within {budget_cents} cents: the next dispatch is refused",
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


EXPERIMENT = Experiment(
    name="budget_squeezed",
    fault="The budget is too small by a cent for the next dispatch, because answers of the model were lost that may "
    "have cost their ceilings, or because of what is known to have been spent.",
    rules=("COST.1", "COST.2", "COST.3", "COST.4", "COST.8", "EFFECT.4"),
    not_shown=("Ceilings were honest: no call cost more than it was said to cost at most.",),
    course=Sweep(tuple(Side), plan, squeeze, look_after, start=start),
    contracts=(Contract.SETTLE, Contract.RESUME),
)  # fmt: skip
