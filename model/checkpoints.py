"""The sealed safe point at which a run waits, without lease and worker."""

from keepfact.spec.vocabulary import FORMAT, Checkpoint, EntryPoint, EventType, Reason, RunState, WaitView

from .state import Run, changed


def why_not_wait(run: Run, wait: str) -> Reason | None:
    """Why a run may not come to wait: nothing may be in flight, and something must be left to go on with."""
    if run.wait(wait) is not None:
        return Reason.WAIT_EXISTS
    if run.has_open_call:
        return Reason.CALL_OPEN
    return Reason.BUDGET_SPENT if run.budget_left_cents <= 0 else None


def sealed_at(run: Run, digest: str) -> Checkpoint:
    """What must be the same when the run goes on."""
    return Checkpoint(FORMAT, run.bundle, digest, len(run.history), run.budget_left_cents)


def at_checkpoint(run: Run, wait: WaitView, state: RunState) -> Run:
    """The run at its wait: nobody holds it."""
    waiting = changed(run.with_wait(wait), state=state, worker=None, lease_left_seconds=None)
    return waiting.tells(EventType.WAITED, EntryPoint.WORK, run.fence, wait.wait)
