"""What the perfect system shows of itself, in the words that real systems are observed in."""

from collections.abc import Iterable

from keepfact.spec.vocabulary import CallView, Observation, RunId, RunView

from .deciding import next_decision
from .state import Call, Run, State


def view(state: State, runs: Iterable[RunId] | None = None) -> Observation:
    """What the perfect system shows of itself; of these runs only, in this order, if they are given."""
    wanted = state.runs if runs is None else [run for name in runs if (run := state.run(name)) is not None]
    views = tuple(_view_of_run(run) for run in wanted)
    return Observation(views, state.bundles, state.served, state.in_force, state.readers, state.payloads)


def _view_of_run(run: Run) -> RunView:
    """Made once for each run: the explorer shows the same one on many edges."""
    known: RunView | None = run.__dict__.get("_view")
    if known is None:
        known = run.__dict__["_view"] = _shown(run)
    return known


def _shown(run: Run) -> RunView:
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
        tenant=run.tenant,
        bundle=run.bundle,
        request=run.request,
        parent=run.parent,
        children=run.children,
        waits=run.waits,
        arrivals=run.arrivals,
        markers=run.markers,
        materials=run.materials,
        continues=run.continues,
        inherited=run.inherited,
        open_calls=run.open_calls,
        deaths=run.deaths,
        assessment=run.assessment,
        error=run.error,
        next_decision=next_decision(run),
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
        compensates=call.compensates,
        undo=call.undo,
        recognises=call.recognises,
        sends=call.sends,
        sends_max=call.sends_max,
        told_to_stop=call.told_to_stop,
    )
