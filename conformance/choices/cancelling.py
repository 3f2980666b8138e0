"""Requests to stop, at any time, and what is said of a result afterwards."""

from keepfact.model.state import Run
from keepfact.spec.vocabulary import ENDS, Assess, Cancel, Capability, RunState, Stop

from .hand import Draw, Hand, Kinds, Subject


def promising(hand: Hand, run: Run) -> Kinds:
    """To be asked to stop, and to stop."""
    if run.state is RunState.CANCELLING:
        return [stop] * 3
    return [] if run.is_sealed else [cancel]


def anything(hand: Hand) -> Kinds:
    return [cancel, stop]


def cancel(hand: Hand, draw: Draw) -> Cancel:
    return Cancel(hand.id(), hand.at)


def stop(hand: Hand, draw: Draw) -> Stop:
    return Stop(hand.id(), hand.at, hand.fence(draw))


def assess(hand: Hand, draw: Draw) -> Assess:
    return Assess(hand.id(), hand.at, draw((True, False)))


CANCELLING = Subject(frozenset({Capability.CANCELLING}), promising, anything)
ASSESSING = Subject(
    frozenset({Capability.ASSESSMENT}),
    lambda hand, run: [assess] if run.state in ENDS else [],
    lambda hand: [assess],
)
