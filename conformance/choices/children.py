"""Children: started once under their spawn id, waited for, and lives of their own."""

from keepfact.model.state import Run
from keepfact.spec.vocabulary import (
    ENDS,
    Capability,
    Cause,
    Deliver,
    RunId,
    Spawn,
    SpawnId,
    Wait,
    WaitKind,
    WaitState,
)

from .hand import Draw, Hand, Kinds, Subject
from .sending import is_at_work
from .waiting import can_wait, new_or_old_wait, seconds, some_wait, wake


def promising(hand: Hand, run: Run) -> Kinds:
    """To have a child, and to come to its life."""
    spawning: Kinds = [spawn] if is_at_work(run) and hand.may_bear() else []
    return [*spawning, *([spawn_again] if is_at_work(run) and run.children else [])]


def anything(hand: Hand) -> Kinds:
    """Also what would be two children for one id, or a child that is a run already."""
    return [spawn_again, spawn_malformed] if hand.run else []


def spawn(hand: Hand, draw: Draw) -> Spawn:
    children = len(hand.run.children) if hand.run else 0
    fence, name = hand.fence(draw), SpawnId(f"spawn-{children + 1}")
    return Spawn(hand.id(), hand.at, fence, name, hand.new_run(), draw((5, 1, 0)))


def spawn_again(hand: Hand, draw: Draw) -> Spawn:
    """Under an id that stands for a child, or will: the same child, another, or a run that is one already."""
    children = hand.run.children if hand.run else ()
    names = [child.spawn for child in children] + [SpawnId("spawn-1")]
    child: RunId = draw([child.child for child in children] + [hand.at, hand.runs[0]])
    return Spawn(hand.id(), hand.at, hand.fence(draw), draw(names), child, 5)


def spawn_malformed(hand: Hand, draw: Draw) -> Spawn:
    return Spawn(hand.id(), hand.at, hand.fence(draw), SpawnId("spawn-none"), RunId(f"{hand.at}-none"), -1)


def wait_for_child(hand: Hand, draw: Draw) -> Wait:
    """For one of its children; sometimes for a run that is none of them."""
    children = [child.child for child in hand.run.children] if hand.run else []
    child = draw(children * 4 + [hand.runs[0]])
    fence, name, span = hand.fence(draw), new_or_old_wait(hand, draw), seconds(hand, draw)
    return Wait(hand.id(), hand.at, fence, name, WaitKind.CHILD, "a", span, child=child)


def report(hand: Hand, draw: Draw) -> Cause:
    """The child's report, also before the child has ended."""
    wait = some_wait(hand, draw)
    number, digest = draw((1, 1, 1, 2)), draw(("a", "a", "b"))
    return Deliver(hand.id(), hand.at, wait.wait, WaitKind.CHILD, number, digest)


def _waiting(hand: Hand, run: Run) -> Kinds:
    if can_wait(run) and run.children:
        return [wait_for_child] * 2
    wait = run.pending
    if wait is None or wait.kind is not WaitKind.CHILD:
        return []
    if wait.state is WaitState.ACCEPTED:
        return [wake] * 3
    child = None if wait.child is None else hand.state.run(wait.child)
    return [report] * (4 if child and child.state in ENDS else 1)


def _anything_of_waits(hand: Hand) -> Kinds:
    if hand.run is None:
        return []
    return [wait_for_child, *([report] if hand.run.waits else [])]


CHILDREN = Subject(frozenset({Capability.CHILDREN}), promising, anything)
WAITING_FOR_CHILDREN = Subject(frozenset({Capability.CHILDREN, Capability.WAITS}), _waiting, _anything_of_waits)
