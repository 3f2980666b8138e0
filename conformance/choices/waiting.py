"""Waits: for callbacks and timers; what arrives early, twice, out of order, too late; wakes, good and used and old."""

from keepfact.model.state import Run
from keepfact.spec.vocabulary import (
    FORMAT,
    ArrivalView,
    Capability,
    Cause,
    Deliver,
    Restarted,
    RunState,
    Tick,
    Wait,
    WaitId,
    WaitKind,
    WaitState,
    WaitView,
    Wake,
)

from .hand import Draw, Hand, Kinds, Subject


def promising(hand: Hand, run: Run) -> Kinds:
    """To come to wait, to be woken, to go on."""
    if can_wait(run):
        return [wait, wait, deliver_early]
    pending = run.pending
    if pending is None or pending.kind is WaitKind.APPROVAL:
        return []
    if pending.state is WaitState.ACCEPTED:
        return [wake] * 4
    return [deliver] * 4 + ([until_due] * 2 if pending.kind is WaitKind.TIMER else [])


def anything(hand: Hand) -> Kinds:
    """What nobody waits for, and what is used up or none."""
    if hand.run is None:
        return [restart]
    waited: Kinds = [deliver, wake, until_due] if hand.run.waits else []
    return [restart, wait, deliver_early, malformed, *waited]


def can_wait(run: Run) -> bool:
    return bool(run.state is RunState.RUNNING and run.lease_left_seconds and not run.has_open_call)


def wait(hand: Hand, draw: Draw) -> Wait:
    """For one or two callbacks, or until a timer is due; sometimes under a name that is used."""
    kind = draw((WaitKind.CALLBACK, WaitKind.TIMER))
    arrivals = draw((1, 2, 3)) if kind is WaitKind.CALLBACK else 1
    name = new_or_old_wait(hand, draw)
    return Wait(hand.id(), hand.at, hand.fence(draw), name, kind, draw(("a", "b")), seconds(hand, draw), arrivals)


def deliver(hand: Hand, draw: Draw) -> Deliver:
    """Mostly what is missing yet of the wait at hand; also what has come before, and what nobody waits for."""
    wait = some_wait(hand, draw)
    kind = draw([wait.kind] * 9 + [WaitKind.CALLBACK, WaitKind.TIMER, WaitKind.APPROVAL])
    here = [one.number for one in _arrived(hand, wait.wait)]
    missing = [number for number in range(1, wait.arrivals + 1) if number not in here]
    number = draw(missing * 3 + missing[::-1] * 2 + here + [wait.arrivals + 1])
    return Deliver(hand.id(), hand.at, wait.wait, kind, number, draw(("a", "a", "a", "b")))


def deliver_early(hand: Hand, draw: Draw) -> Deliver:
    """Before there is a wait of that name."""
    name = new_wait(hand)
    return Deliver(hand.id(), hand.at, name, draw([WaitKind.CALLBACK] * 5 + [WaitKind.TIMER]), draw((1, 2)), "a")


def wake(hand: Hand, draw: Draw) -> Wake:
    """Mostly the wake of the wait at hand, as it was sealed; also used ones, other requests, releases and formats."""
    wait = some_wait(hand, draw)
    sealed = wait.checkpoint
    digest = draw([sealed.digest] * 6 + ["another"])
    format_ = draw([sealed.format] * 8 + [FORMAT + 1, FORMAT - 1])
    return Wake(hand.id(), hand.at, wait.wait, hand.worker(draw), digest, hand.supports(draw), format_)


def until_due(hand: Hand, draw: Draw) -> Tick:
    """The rest of the time of a wait, or not quite."""
    left = some_wait(hand, draw).left_seconds
    return Tick(draw((max(1, left), max(1, left - 1))))


def restart(hand: Hand, draw: Draw) -> Restarted:
    return Restarted()


def malformed(hand: Hand, draw: Draw) -> Cause:
    """Spans and numbers that are none, and a person who is asked in the wrong way."""
    name, fence = new_wait(hand), hand.fence(draw)
    waits = [(WaitKind.CALLBACK, -1, 1), (WaitKind.CALLBACK, 1, 0), (WaitKind.APPROVAL, 1, 1)]
    kind, span, arrivals = draw(waits)
    wait = Wait(hand.id(), hand.at, fence, name, kind, "a", span, arrivals)
    cause: Cause = draw((wait, Deliver(hand.id(), hand.at, name, WaitKind.CALLBACK, 0, "a")))
    return cause


def seconds(hand: Hand, draw: Draw) -> int:
    """How long something is waited for."""
    span: int = draw((hand.lease_seconds * 2, hand.lease_seconds, 1, 0))
    return span


def some_wait(hand: Hand, draw: Draw) -> WaitView:
    """Mostly the one that the run stands at. There must be one."""
    run = hand.run
    waits = list(run.waits) if run else []
    pending = [run.pending] if run and run.pending else []
    found: WaitView = draw(pending * 4 + waits[::-1])
    return found


def new_wait(hand: Hand) -> WaitId:
    return WaitId(f"wait-{len(hand.run.waits) + 1 if hand.run else 1}")


def new_or_old_wait(hand: Hand, draw: Draw) -> WaitId:
    """Mostly new, so that what came early is for it; sometimes one that is used."""
    old = [wait.wait for wait in hand.run.waits] if hand.run else []
    name: WaitId = draw([new_wait(hand)] * 5 + old)
    return name


def _arrived(hand: Hand, wait: WaitId) -> list[ArrivalView]:
    return [one for one in hand.run.arrivals if one.wait == wait] if hand.run else []


WAITING = Subject(frozenset({Capability.WAITS}), promising, anything)
