"""What happens without anybody asking: time passes, calls take effect outside, what approvals rest on changes."""

from dataclasses import replace
from typing import assert_never

from keepfact.spec.vocabulary import Act, CallTruth, Drift, Drifted, Tick, Truth

from .state import Run, State, changed


def pass_time(state: State, tick: Tick) -> State:
    """Leases, waits and the freshness of findings run down to 0, and stay there."""
    return changed(state, runs=tuple(_older(run, tick.seconds) for run in state.runs))


def act(state: State, act_: Act) -> State:
    """The request of an intended call arrives and takes effect. Knowledge stays what it was; only truth changes."""
    run = state.run(act_.run)
    call = run.call(act_.call) if run else None
    if call is None:
        raise ValueError(f"expected an intended call to act, but {act_.call!r} was never intended in {act_.run!r}")
    true = state.truth.of(call.call)
    if true is not None and not (call.recognises and true.requests < call.sends):
        raise ValueError(f"expected {call.call!r} to act once, but it has acted")
    if true is not None:
        again = replace(true, requests=true.requests + 1)
        calls = tuple(again if one is true else one for one in state.truth.calls)
        return changed(state, truth=replace(state.truth, calls=calls))
    true = CallTruth(call.call, call.kind, 1, 1, act_.cost_cents, keys=(call.call,), fence=call.fence)
    return changed(state, truth=replace(state.truth, calls=(*state.truth.calls, true)))


def drift(state: State, drifted: Drifted) -> State:
    """One of the things that an approval is bound to is not any more what it was."""
    now = state.in_force
    match drifted.what:
        case Drift.RESOURCE:
            now = replace(now, resource=now.resource + 1)
        case Drift.PLAN:
            now = replace(now, plan=now.plan + 1)
        case Drift.POLICY:
            now = replace(now, policy=now.policy + 1)
        case Drift.PERMISSION:
            now = replace(now, permitted=False)
        case _:
            assert_never(drifted.what)
    return changed(state, in_force=now)


def release_tool(state: State) -> State:
    """A new release of the tool; what it did before, it did."""
    return changed(state, truth=Truth(state.truth.calls, state.truth.tool_release + 1))


def _older(run: Run, seconds: int) -> Run:
    waits = tuple(replace(one, left_seconds=max(0, one.left_seconds - seconds)) for one in run.waits)
    materials = tuple(replace(one, fresh_seconds=max(0, one.fresh_seconds - seconds)) for one in run.materials)
    lease = run.lease_left_seconds and max(0, run.lease_left_seconds - seconds)
    if (lease, waits, materials) == (run.lease_left_seconds, run.waits, run.materials):
        return run
    return changed(run, lease_left_seconds=lease, waits=waits, materials=materials)
