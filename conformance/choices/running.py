"""The life of a run: submitted, claimed, kept, published, ended, recovered."""

from dataclasses import replace

from keepfact.model.state import Run
from keepfact.spec.vocabulary import (
    Asking,
    Capability,
    Cause,
    Claim,
    Contract,
    Fail,
    Fence,
    Observe,
    Publish,
    Recover,
    Release,
    Renew,
    RunState,
    Submit,
    Succeed,
    Tick,
    WorkerId,
)

from .hand import Draw, Hand, Kinds, Subject

TEXTS = ("text", "Überlappung – 重叠 – перекрытие, " * 3, "")
"""Bodies and answers: short, long and in other scripts, empty; a store must keep each byte."""


def promising(hand: Hand, run: Run) -> Kinds:
    """What can succeed where the run stands."""
    if run.is_sealed:
        return [submit_new if hand.may_submit() else observe]
    if run.state is RunState.QUEUED:
        return [claim, claim]
    if run.is_waiting:
        return [tick]
    if not run.lease_left_seconds:
        return [recover, recover]
    if run.state is RunState.CANCELLING:
        return [renew, tick]
    return [publish, renew, tick, *_leading(run)]


def _leading(run: Run) -> Kinds:
    """What a worker can do to come nearer to the end of its run."""
    if run.has_open_call:
        return [fail]
    can_succeed = any(publication.qualified for publication in run.publications)
    return [release, fail, *([succeed] * 3 if can_succeed else [])]


def anything(hand: Hand) -> Kinds:
    """Every kind that can be asked at all, promising or not."""
    always: Kinds = [observe, submit_again, claim, recover, tick, again, under_a_used_id, malformed]
    worked: Kinds = [renew, release, publish, succeed, fail]
    another: Kinds = [submit_new] if hand.may_submit() else []
    return always + another + (worked if hand.run else [])


def submit_new(hand: Hand, draw: Draw) -> Submit:
    hand.at = hand.new_run()
    return Submit(hand.id(), hand.at, draw(hand.contracts), draw((9, 6, 3, 1, 10**9)))


def submit_again(hand: Hand, draw: Draw) -> Submit:
    return Submit(hand.id(), hand.at, draw(hand.contracts), 6)


def claim(hand: Hand, draw: Draw) -> Claim:
    return Claim(hand.id(), hand.at, hand.worker(draw), hand.supports(draw), _schema(hand, draw))


def renew(hand: Hand, draw: Draw) -> Renew:
    return Renew(hand.id(), hand.at, hand.fence(draw))


def release(hand: Hand, draw: Draw) -> Release:
    return Release(hand.id(), hand.at, hand.fence(draw))


def publish(hand: Hand, draw: Draw) -> Publish:
    return Publish(hand.id(), hand.at, hand.fence(draw), draw(TEXTS), draw((True, False)))


def succeed(hand: Hand, draw: Draw) -> Succeed:
    return Succeed(hand.id(), hand.at, hand.fence(draw))


def fail(hand: Hand, draw: Draw) -> Fail:
    return Fail(hand.id(), hand.at, hand.fence(draw))


def recover(hand: Hand, draw: Draw) -> Recover:
    """Under `resume` mostly with a worker to go on; by a sweep that listed the run now, or before its last grant."""
    if Contract.RESUME not in hand.contracts:
        return Recover(hand.id(), hand.at, seen_fence=_seen(hand, draw))
    worker: WorkerId | None = draw([hand.worker(draw)] * 5 + [None])
    return Recover(hand.id(), hand.at, worker, hand.supports(draw), _seen(hand, draw))


def tick(hand: Hand, draw: Draw) -> Tick:
    return hand.tick(draw)


def observe(hand: Hand, draw: Draw) -> Observe:
    return Observe(hand.id(), hand.at)


def again(hand: Hand, draw: Draw) -> Cause:
    """One that could be sent again in good faith: what was true when it was first sent may not be any more."""
    sent = [asked.command if isinstance(asked, Asking) else asked for asked in reversed(hand.sent)]
    honest = [command for command in sent if hand.trial.is_honest(command)]
    cause: Cause = draw(honest or [observe(hand, draw)])
    return cause


def under_a_used_id(hand: Hand, draw: Draw) -> Cause:
    """Another command under an id that stands for one already."""
    other: Claim | Recover | Renew = draw((claim, recover, renew))(hand, draw)
    return replace(other, command_id=draw(hand.used_ids() or [other.command_id]))


def malformed(hand: Hand, draw: Draw) -> Cause:
    """A budget that is none."""
    return Submit(hand.id(), hand.at, hand.contracts[0], -1)


def _seen(hand: Hand, draw: Draw) -> Fence | None:
    if not hand.offers(Capability.SWEEPS):
        return None
    now = hand.run.fence if hand.run else 0
    seen: Fence | None = draw((None, Fence(now), Fence(max(0, now - 1))))
    return seen


def _schema(hand: Hand, draw: Draw) -> int:
    """The version of tables that a worker is written for: mostly one that is served."""
    if not hand.offers(Capability.MIGRATION):
        return 1
    oldest, newest = hand.state.served
    schema: int = draw([oldest, newest] * 3 + [newest + 1, max(0, oldest - 1)])
    return schema


RUNNING = Subject(frozenset(), promising, anything)
