"""What evidence about an unresolved call does: to the call, to its hold, and to a run that waited for it.

And what is said of a result afterwards.
"""

from typing import assert_never

from keepfact.spec.vocabulary import (
    ENDS,
    Assess,
    CallState,
    EntryPoint,
    EventType,
    Evidence,
    Reason,
    Reconcile,
    Refused,
    RunState,
)

from .state import Call, Change, Run, changed

RECONCILE = EntryPoint.RECONCILE


def reconcile(run: Run, command: Reconcile) -> Change:
    """Evidence is recorded whatever it says; the last one a sealed run waited for ends it in the same commit.

    What was found out before the call was sent once more says nothing of the later request.
    """
    call = run.call(command.call)
    if call is None:
        return Refused(Reason.NO_SUCH_CALL)
    if call.state is CallState.OPEN:
        return Refused(Reason.CALL_OPEN)
    if not call.is_unresolved:
        return Refused(Reason.ALREADY_RESOLVED)
    if command.sends not in {None, call.sends}:
        return Refused(Reason.STALE_EVIDENCE)
    if call.state is CallState.CONFIRMED and command.evidence is Evidence.NOT_FOUND:
        return Refused(Reason.CONTRADICTED)
    heard = run.with_call(_resolved(call, command)).tells(EventType.RECONCILED, RECONCILE, None, call.call)
    if heard.state is RunState.UNKNOWN and heard.sealed_for is not None and not heard.unresolved:
        return changed(heard, state=heard.sealed_for, sealed_for=None).tells(EventType.ENDED, RECONCILE)
    return heard


def assess(run: Run, command: Assess) -> Change:
    """Somebody says whether the result is good: a fact of its own, beside how the run ended."""
    if run.state not in ENDS:
        return Refused(Reason.NOT_ENDED)
    return changed(run, assessment=command.good).tells(EventType.ASSESSED, EntryPoint.DECIDE)


def _resolved(call: Call, command: Reconcile) -> Call:
    match command.evidence:
        case Evidence.CONFIRMED:
            return changed(call, state=CallState.CONFIRMED, cost_cents=command.cost_cents)
        case Evidence.NOT_FOUND:
            return changed(call, state=CallState.NOT_FOUND)
        case Evidence.AMBIGUOUS:
            return call
        case _:
            assert_never(command.evidence)
