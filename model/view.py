"""What the perfect system shows of itself, in the words that real systems are observed in."""

from collections.abc import Iterable

from keepfact.spec.vocabulary import CallView, Observation, RunId, RunView

from .state import Call, Run, State


def view(state: State, runs: Iterable[RunId] | None = None) -> Observation:
    """What the perfect system shows of itself; of these runs only, in this order, if they are given."""
    wanted = state.runs if runs is None else [run for name in runs if (run := state.run(name)) is not None]
    return Observation(tuple(_view_of_run(run) for run in wanted))


def _view_of_run(run: Run) -> RunView:
    return RunView(
        run=run.run,
        contract=run.contract,
        state=run.state,
        fence=run.fence,
        budget_cents=run.budget_cents,
        known_cents=run.known_cents,
        held_cents=run.held_cents,
        unresolved=run.unresolved,
        worker=run.worker,
        lease_left_seconds=run.lease_left_seconds,
        sealed_for=run.sealed_for,
        delivered=run.delivered,
        calls=tuple(_view_of_call(call) for call in run.calls),
        publications=run.publications,
        history=run.history,
    )


def _view_of_call(call: Call) -> CallView:
    return CallView(
        call=call.call,
        kind=call.kind,
        digest=call.digest,
        ceiling_cents=call.ceiling_cents,
        fence=call.fence,
        state=call.state,
        answer=call.answer,
        cost_cents=call.cost_cents,
        supersedes=call.supersedes,
        over_ceiling=call.is_over_ceiling,
    )
