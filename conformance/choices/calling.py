"""Calls: intended, arriving outside, answered or lost, and what evidence says of them."""

from keepfact.model.state import Call, Run
from keepfact.spec.vocabulary import (
    Act,
    CallId,
    CallKind,
    CallState,
    Cause,
    Evidence,
    Intend,
    MarkUnknown,
    Reconcile,
    RecordAnswer,
    RunState,
)

from .hand import Draw, Hand, Kinds, Subject
from .running import TEXTS


def promising(hand: Hand, run: Run) -> Kinds:
    """What can be done with the run's calls, or to come to have one."""
    waiting: Kinds = [evidence] * 2 if any(map(awaits_evidence, run.calls)) else []
    acting: Kinds = [act] if may_act(hand) else []
    if not run.lease_left_seconds:
        return waiting + (acting if run.is_sealed else [])
    if run.state is RunState.CANCELLING:
        return [*waiting, *acting, *([*_hearing(hand), lose] if run.has_open_call else [])]
    intending: Kinds = [intend, intend]
    leading = [*_hearing(hand), lose] if run.has_open_call else []
    return [*intending, *waiting, *acting, *leading]


def _hearing(hand: Hand) -> Kinds:
    """What leads to an answer, or is one."""
    if heard(hand):
        return [answer] * 3
    return [act] * 2 if may_act(hand) else []


def anything(hand: Hand) -> Kinds:
    """Every kind that can be asked at all."""
    if hand.run is None:
        return [about_no_call]
    called: Kinds = [lose, evidence] if hand.calls else []
    return [intend, *called, *([answer] if heard(hand) else []), about_no_call, malformed]


def intend(hand: Hand, draw: Draw) -> Intend:
    """Mostly a new call; sometimes an old id again, with the same arguments or others."""
    kind = draw((CallKind.ATTEMPT, CallKind.OPERATION))
    old = [call.call for call in hand.calls]
    call = draw([new_call(hand, kind)] * 4 + old)
    supersedes = draw([None] * 3 + old) if kind is CallKind.ATTEMPT else draw([None] * 9 + old)
    digest = draw(("a", "a", "b"))
    ceiling = draw((1, 2, 0, 4, 10**6))
    return Intend(hand.id(), hand.at, hand.fence(draw), call, kind, digest, ceiling, supersedes)


def answer(hand: Hand, draw: Draw) -> RecordAnswer:
    """The answer of a call that has acted, with its amount or without one."""
    calls = heard(hand)
    call = draw([call for call in calls if call.state is CallState.OPEN] * 4 + calls)
    true = hand.trial.truth.of(call.call)
    amounts = [true.cost_cents, None] if true else [None]
    return RecordAnswer(hand.id(), hand.at, hand.fence(draw), call.call, draw(TEXTS), draw(amounts))


def lose(hand: Hand, draw: Draw) -> MarkUnknown:
    call = hand.call(draw, lambda call: call.state is CallState.OPEN)
    return MarkUnknown(hand.id(), hand.at, hand.fence(draw), call.call)


def evidence(hand: Hand, draw: Draw) -> Reconcile:
    """Evidence is true, but may be incomplete or say nothing; it may be wrong where an answer refutes it."""
    call = hand.call(draw, awaits_evidence)
    true = hand.trial.truth.of(call.call)
    honest = [(Evidence.NOT_FOUND, None)] if true is None else [(Evidence.CONFIRMED, true.cost_cents)]
    vague = [] if true is None else [(Evidence.CONFIRMED, None)]
    refuted = [(Evidence.NOT_FOUND, None)] if call.state is CallState.CONFIRMED else []
    said, cents = draw(honest * 2 + vague + refuted * 2 + [(Evidence.AMBIGUOUS, None)])
    return Reconcile(hand.id(), hand.at, call.call, said, cents, draw((None, call.sends)))


def act(hand: Hand, draw: Draw) -> Act:
    """Outside, a call takes effect: mostly within its ceiling."""
    call = draw(may_act(hand))
    return Act(hand.at, call.call, draw((call.ceiling_cents, 0, call.ceiling_cents + 1)))


def about_no_call(hand: Hand, draw: Draw) -> Cause:
    """A call that nobody ever intended."""
    call = CallId(f"{hand.at}:never-intended")
    lost = MarkUnknown(hand.id(), hand.at, hand.fence(draw), call)
    found = Reconcile(hand.id(), hand.at, call, draw((Evidence.NOT_FOUND, Evidence.AMBIGUOUS)), None)
    cause: Cause = draw((lost, found))
    return cause


def malformed(hand: Hand, draw: Draw) -> Cause:
    """Amounts that are none."""
    call = CallId(f"{hand.at}:malformed")
    ceiling = Intend(hand.id(), hand.at, hand.fence(draw), call, CallKind.ATTEMPT, "a", -1)
    amount = Reconcile(hand.id(), hand.at, call, Evidence.AMBIGUOUS, 1)
    cause: Cause = draw((ceiling, amount))
    return cause


def new_call(hand: Hand, kind: CallKind) -> CallId:
    return CallId(f"{hand.at}:{kind}-{len(hand.calls) + 1}")


def may_act(hand: Hand) -> list[Call]:
    return [call for call in hand.calls if hand.trial.may_act(call)]


def heard(hand: Hand) -> list[Call]:
    """Calls that have acted, so that there is an answer to record, in time or late."""
    return [call for call in hand.calls if hand.trial.truth.of(call.call) is not None]


def awaits_evidence(call: Call) -> bool:
    """Lost, or answered without an amount."""
    return call.is_unresolved and call.state is not CallState.OPEN


CALLING = Subject(frozenset(), promising, anything)
