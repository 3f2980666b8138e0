"""What happens without anybody asking: time passes, and calls take effect outside."""

from dataclasses import replace

from keepfact.spec.vocabulary import Act, CallTruth, Tick, Truth

from .state import Run, State


def pass_time(state: State, tick: Tick) -> State:
    """Leases run down to 0, which is lapsed."""
    return replace(state, runs=tuple(_older(run, tick.seconds) for run in state.runs))


def act(state: State, act_: Act) -> State:
    """The request of an intended call arrives and takes effect. Knowledge stays what it was; only truth changes."""
    run = state.run(act_.run)
    call = run.call(act_.call) if run else None
    if call is None:
        raise ValueError(f"expected an intended call to act, but {act_.call!r} was never intended in {act_.run!r}")
    if state.truth.of(call.call) is not None:
        raise ValueError(f"expected {call.call!r} to act once, but it has acted")
    true = CallTruth(call.call, call.kind, requests=1, acts=1, cost_cents=act_.cost_cents)
    return replace(state, truth=Truth((*state.truth.calls, true)))


def _older(run: Run, seconds: int) -> Run:
    if not run.lease_left_seconds:
        return run
    return replace(run, lease_left_seconds=max(0, run.lease_left_seconds - seconds))
