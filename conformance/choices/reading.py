"""What is read of a history: its events from any number, and its next decision on any host."""

from keepfact.model.state import Run
from keepfact.spec.vocabulary import Capability, Replay, Stream

from .hand import Draw, Hand, Kinds, Subject


def stream(hand: Hand, draw: Draw) -> Stream:
    """From the beginning, from where a reader stopped, from beyond the end; or from no number."""
    last = len(hand.run.history) if hand.run else 0
    return Stream(hand.id(), hand.at, draw((0, max(0, last - 2), last, last + 1, -1)))


def replay(hand: Hand, draw: Draw) -> Replay:
    return Replay(hand.id(), hand.at, draw(("this host", "another host")))


def _streaming(hand: Hand, run: Run) -> Kinds:
    return [stream]


def _replaying(hand: Hand, run: Run) -> Kinds:
    return [replay]


STREAMING = Subject(frozenset({Capability.STREAMS}), _streaming, lambda hand: [stream])
REPLAYING = Subject(frozenset({Capability.REPLAY}), _replaying, lambda hand: [replay])
