"""Calls that may be sent again, and operations that undo others."""

from keepfact.model.state import Call, Run
from keepfact.spec.vocabulary import (
    CallId,
    CallKind,
    CallState,
    Capability,
    Cause,
    Evidence,
    Intend,
    Reconcile,
    SendAgain,
    Undo,
)

from .calling import new_call
from .hand import Draw, Hand, Kinds, Subject


def promising(hand: Hand, run: Run) -> Kinds:
    """To have something that may be sent again, and to send it."""
    if not is_at_work(run):
        return []
    resent: Kinds = [old_evidence] if any(map(_was_sent_again, run.calls)) else []
    return [intend_resendable, *([send_again] * 3 if any(map(_is_sendable, run.calls)) else []), *resent]


def anything(hand: Hand) -> Kinds:
    resent: Kinds = [old_evidence] if any(map(_was_sent_again, hand.calls)) else []
    return [send_again_unknown, *([send_again] if hand.calls else []), *resent] if hand.run else []


def is_at_work(run: Run) -> bool:
    return bool(run.lease_left_seconds) and not run.is_sealed


def intend_resendable(hand: Hand, draw: Draw) -> Intend:
    """It may be sent twice or more; its tool promises to recognise the id, or does not."""
    call, ceiling = new_call(hand, CallKind.OPERATION), draw((1, 2, 0))
    recognises, sends_max = draw((True, False)), draw((2, 3, 1, 0))
    fence = hand.fence(draw)
    return Intend(
        hand.id(), hand.at, fence, call, CallKind.OPERATION, "a", ceiling, recognises=recognises, sends_max=sends_max
    )


def send_again(hand: Hand, draw: Draw) -> SendAgain:
    call = hand.call(draw, _is_sendable)
    return SendAgain(hand.id(), hand.at, hand.fence(draw), call.call)


def old_evidence(hand: Hand, draw: Draw) -> Reconcile:
    """What was found out before a call was sent once more, and is told only now."""
    call = draw([call for call in hand.calls if _was_sent_again(call)])
    said = draw((Evidence.NOT_FOUND, Evidence.AMBIGUOUS))
    return Reconcile(hand.id(), hand.at, call.call, said, None, sends=call.sends - 1)


def send_again_unknown(hand: Hand, draw: Draw) -> SendAgain:
    """A call that nobody ever intended."""
    return SendAgain(hand.id(), hand.at, hand.fence(draw), CallId(f"{hand.at}:never-intended"))


def compensate(hand: Hand, draw: Draw) -> Cause:
    """An operation that undoes another, which should have acted, as far as it says."""
    original = hand.call(draw, _has_acted)
    undo: Undo | None = draw([*Undo, *Undo, None])
    compensates: CallId | None = draw([original.call] * 8 + [None])
    call, fence = new_call(hand, CallKind.OPERATION), hand.fence(draw)
    kind = draw([CallKind.OPERATION] * 5 + [CallKind.ATTEMPT])
    return Intend(hand.id(), hand.at, fence, call, kind, "undo", 0, compensates=compensates, undo=undo)


def _compensating(hand: Hand, run: Run) -> Kinds:
    return [compensate] * 3 if is_at_work(run) and any(map(_has_acted, run.calls)) else []


def _is_sendable(call: Call) -> bool:
    return call.state is CallState.NOT_FOUND or (call.state is CallState.UNKNOWN and call.recognises)


def _was_sent_again(call: Call) -> bool:
    return call.sends > 1


def _has_acted(call: Call) -> bool:
    return call.kind is CallKind.OPERATION and call.state is CallState.CONFIRMED


SENDING = Subject(frozenset({Capability.RESENDING}), promising, anything)
COMPENSATING = Subject(
    frozenset({Capability.COMPENSATION}), _compensating, lambda hand: [compensate] if hand.calls else []
)
