"""Defects of COST: money that nobody spent, or nobody counted."""

from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import (
    CallState,
    Done,
    Evidence,
    Fail,
    Intend,
    Observation,
    Reconcile,
    RecordAnswer,
    Recover,
)

from .defect import Taken, wrong_command, wrong_result, wrong_view


@wrong_command(Intend, "COST.1")
def what_is_held_is_forgotten(state: State, intend: Intend, run: Run) -> Taken:
    """A dispatch looks at what is known and forgets what is held."""
    outcome, after = step(state.with_run(replace(run, budget_cents=run.budget_cents + run.held_cents)), intend)
    sent = after.run(run.run)
    if sent is None or not isinstance(outcome, Done):
        return outcome, state
    return outcome, after.with_run(replace(sent, budget_cents=run.budget_cents))


@wrong_result(Recover | Fail, "COST.2", "COST.3")
def unknown_is_booked_as_zero(old: Run, new: Run) -> Run:
    """Settling books the calls it knows nothing of at 0, which releases their holds."""
    unknown = [call for call in new.calls if call.state is CallState.UNKNOWN]
    for call in unknown:
        new = new.with_call(replace(call, cost_cents=0, ceiling_cents=0))
    return new


@wrong_command(Reconcile, "COST.4", "COST.2")
def confirmed_is_booked_as_zero(state: State, reconcile: Reconcile, run: Run) -> Taken:
    """Evidence that a call happened ends its hold, but its amount is lost on the way."""
    if reconcile.evidence is Evidence.CONFIRMED and reconcile.cost_cents:
        return step(state, replace(reconcile, cost_cents=0))
    return step(state, reconcile)


@wrong_command(RecordAnswer, "COST.5", case="B13")
def a_missing_amount_is_zero(state: State, record: RecordAnswer, run: Run) -> Taken:
    """An answer without usage is booked as free."""
    return step(state, replace(record, cost_cents=record.cost_cents or 0))


@wrong_command(RecordAnswer, "COST.5", case="B14")
def a_reported_zero_is_missing(state: State, record: RecordAnswer, run: Run) -> Taken:
    """`amount or estimate`: a reported 0 is read as no report at all."""
    return step(state, replace(record, cost_cents=record.cost_cents or None))


@wrong_command(Intend, "COST.6")
def a_second_call_shares_the_hold(state: State, intend: Intend, run: Run) -> Taken:
    """Only the first call of a run reserves anything."""
    return step(state, replace(intend, ceiling_cents=0) if run.calls else intend)


@wrong_command(RecordAnswer, "COST.7")
def an_amount_is_capped(state: State, record: RecordAnswer, run: Run) -> Taken:
    """An amount above its ceiling is cut down to it, and nobody hears of the difference."""
    call = run.call(record.call)
    if call is None or record.cost_cents is None:
        return step(state, record)
    return step(state, replace(record, cost_cents=min(record.cost_cents, call.ceiling_cents)))


@wrong_view("COST.8", "COST.2")
def a_total_without_what_is_held(state: State) -> Observation:
    """The total shows what is known as if it were all."""
    shown = view(state)
    return Observation(tuple(replace(run, held_cents=0) for run in shown.runs))
