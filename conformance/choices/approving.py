"""Approvals: asked, decided in time or not, overtaken by what changes, used for what was shown or for more."""

from keepfact.model.approving import latest_request
from keepfact.model.state import Run
from keepfact.spec.vocabulary import (
    CallId,
    CallKind,
    Capability,
    Cause,
    Decide,
    Drift,
    Drifted,
    Intend,
    RequestApproval,
    Shown,
    WaitId,
    WaitKind,
    WaitState,
    WaitView,
)

from .hand import Draw, Hand, Kinds, Subject
from .sending import is_at_work
from .waiting import can_wait, new_or_old_wait, until_due, wake


def promising(hand: Hand, run: Run) -> Kinds:
    """To ask, to be answered, to go on, to do what was approved."""
    pending = run.pending
    if pending is not None and pending.kind is WaitKind.APPROVAL:
        return [wake] * 4 if pending.state is WaitState.ACCEPTED else [decide] * 4
    asking: Kinds = [request, request] if can_wait(run) else []
    if not is_at_work(run) or not any(map(_is_open, run.waits)):
        return asking
    return [*asking, *([dispatch] * 5)]


def anything(hand: Hand) -> Kinds:
    """Second decisions, requests for what was denied, dispatches under other approvals or none, and drift."""
    if hand.run is None:
        return [drift]
    asked: Kinds = [decide, dispatch, until_due] if any(wait.shown for wait in hand.run.waits) else []
    return [drift, request, malformed, *asked]


def request(hand: Hand, draw: Draw) -> RequestApproval:
    """Mostly for a new operation; also again for one that was asked for before, with the same arguments or others."""
    asked = [wait.shown.call for wait in _requests(hand) if wait.shown]
    call = draw([_next_operation(hand)] * 2 + asked[::-1] * 2 + [call.call for call in hand.calls])
    digest, risk = draw(("a", "a", "b")), draw(("high", "high", "low"))
    span = draw((hand.lease_seconds * 4, hand.lease_seconds * 2, 1, 0))
    name = new_or_old_wait(hand, draw)
    return RequestApproval(hand.id(), hand.at, hand.fence(draw), name, call, digest, risk, "policy", span)


def decide(hand: Hand, draw: Draw) -> Decide:
    """Mostly on what was shown; also on something else, twice, otherwise, too late."""
    wait = _some_request(hand, draw)
    shown = wait.shown.digest if wait.shown else "a"
    approved = draw((True, True, True, False))
    return Decide(hand.id(), hand.at, wait.wait, approved, draw([shown] * 5 + ["another"]))


def dispatch(hand: Hand, draw: Draw) -> Intend:
    """The operation under its approval; also other arguments, other operations, an earlier approval, or none."""
    wait = _some_request(hand, draw)
    call, digest = (wait.shown.call, wait.shown.digest) if wait.shown else (_next_operation(hand), "a")
    call = draw([call] * 6 + [_next_operation(hand)])
    digest = draw([digest] * 6 + ["another"])
    approvals: list[WaitId | None] = [one.wait for one in _requests(hand)]
    approval = draw([wait.wait] * 6 + approvals + [None, WaitId("wait-none")])
    fence, ceiling = hand.fence(draw), draw((0, 1))
    return Intend(hand.id(), hand.at, fence, call, CallKind.OPERATION, digest, ceiling, approval=approval)


def drift(hand: Hand, draw: Draw) -> Drifted:
    """The permission is withdrawn more seldom than anything else changes: it does not come back."""
    return Drifted(draw((Drift.RESOURCE, Drift.PLAN, Drift.POLICY, Drift.RESOURCE, Drift.PERMISSION)))


def malformed(hand: Hand, draw: Draw) -> Cause:
    """A span that is none, and a decision on what nobody asked."""
    name, fence = WaitId("wait-none"), hand.fence(draw)
    asked = RequestApproval(hand.id(), hand.at, fence, name, _next_operation(hand), "a", "low", "policy", -1)
    cause: Cause = draw((asked, Decide(hand.id(), hand.at, name, True, "a")))
    return cause


def _requests(hand: Hand) -> list[WaitView]:
    return [wait for wait in hand.run.waits if wait.shown] if hand.run else []


def _some_request(hand: Hand, draw: Draw) -> WaitView:
    """Mostly the latest. There must be one."""
    requests = _requests(hand)
    found: WaitView = draw([requests[-1]] * 4 + requests)
    return found


def _is_open(wait: WaitView) -> bool:
    """It was asked for and not used yet."""
    return isinstance(wait.shown, Shown) and wait.used_by is None


def _next_operation(hand: Hand) -> CallId:
    """The next operation that needs approval: the first that was not asked for and not sent."""
    run, number = hand.run, 1
    while run and (latest_request(run, _operation(hand, number)) or run.call(_operation(hand, number))):
        number += 1
    return _operation(hand, number)


def _operation(hand: Hand, number: int) -> CallId:
    return CallId(f"{hand.at}:approved-{number}")


APPROVING = Subject(frozenset({Capability.APPROVALS, Capability.WAITS}), promising, anything)
