"""Defects of COST: money that nobody spent, or nobody counted."""

from dataclasses import replace

from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import (
    CallState,
    Cause,
    Evidence,
    Fail,
    Intend,
    Observation,
    Reconcile,
    RecordAnswer,
    Recover,
)

from .defect import Taken, changed, run_after, wrong_step, wrong_view


@wrong_step("COST.1")
def the_budget_is_not_asked(state: State, cause: Cause) -> Taken:
    """A dispatch looks at what is known and forgets what is held."""
    run = state.run(cause.run) if isinstance(cause, Intend) else None
    if run is None:
        return step(state, cause)
    outcome, after = step(changed(state, run.run, budget_cents=run.budget_cents + 10), cause)
    return outcome, changed(after, run.run, budget_cents=run.budget_cents) if after.answers != state.answers else state


@wrong_step("COST.2", "COST.3")
def unknown_is_booked_as_zero(state: State, cause: Cause) -> Taken:
    """Settling books the calls it knows nothing of at 0, which releases their holds."""
    outcome, after = step(state, cause)
    if not isinstance(cause, Recover | Fail) or after is state:
        return outcome, after
    run = run_after((outcome, after), cause.run)
    for call in run.calls:
        if call.state is CallState.UNKNOWN:
            run = run.with_call(replace(call, cost_cents=0, ceiling_cents=0))
    return outcome, after.with_run(run)


@wrong_step("COST.4", "COST.2")
def confirmed_is_booked_as_zero(state: State, cause: Cause) -> Taken:
    """Evidence that a call happened ends its hold, but its amount is lost on the way."""
    if isinstance(cause, Reconcile) and cause.evidence is Evidence.CONFIRMED and cause.cost_cents:
        return step(state, replace(cause, cost_cents=0))
    return step(state, cause)


@wrong_step("COST.5")
def a_missing_amount_is_zero(state: State, cause: Cause) -> Taken:
    """An answer without usage is booked as free."""
    if isinstance(cause, RecordAnswer) and cause.cost_cents is None:
        return step(state, replace(cause, cost_cents=0))
    return step(state, cause)


@wrong_step("COST.5")
def a_reported_zero_is_missing(state: State, cause: Cause) -> Taken:
    """`amount or estimate`: a reported 0 is read as no report at all."""
    if isinstance(cause, RecordAnswer) and cause.cost_cents == 0:
        return step(state, replace(cause, cost_cents=None))
    return step(state, cause)


@wrong_step("COST.6")
def a_second_call_shares_the_hold(state: State, cause: Cause) -> Taken:
    """Only the first call of a run reserves anything."""
    run = state.run(cause.run) if isinstance(cause, Intend) else None
    if run is None or not isinstance(cause, Intend) or not run.calls:
        return step(state, cause)
    return step(state, replace(cause, ceiling_cents=0))


@wrong_step("COST.7")
def an_amount_is_capped(state: State, cause: Cause) -> Taken:
    """An amount above its ceiling is cut down to it, and nobody hears of the difference."""
    run = state.run(cause.run) if isinstance(cause, RecordAnswer) else None
    call = run.call(cause.call) if run and isinstance(cause, RecordAnswer) else None
    if call is None or not isinstance(cause, RecordAnswer) or cause.cost_cents is None:
        return step(state, cause)
    return step(state, replace(cause, cost_cents=min(cause.cost_cents, call.ceiling_cents)))


@wrong_view("COST.8", "COST.2")
def a_total_without_what_is_held(state: State) -> Observation:
    """The total shows what is known as if it were all."""
    shown = view(state)
    return Observation(tuple(replace(run, held_cents=0) for run in shown.runs))
