"""Texts that are large, cannot be stored or are secret; and forgetting them, too early or in time."""

from keepfact.model.payloads import digest_of
from keepfact.model.state import Run
from keepfact.spec.vocabulary import (
    INLINE_MAX,
    TEXT_MAX,
    CallKind,
    CallState,
    Capability,
    Cause,
    Fail,
    Intend,
    MaterialId,
    Publish,
    Purge,
    RecordAnswer,
    SaveMaterial,
    SourceId,
)

from .calling import heard, new_call
from .hand import Draw, Hand, Kinds, Subject
from .sending import is_at_work

LARGE = ("x" * (INLINE_MAX + 1), "Überlappung " * (INLINE_MAX // 10), "x" * INLINE_MAX)
"""Larger than what stands inline, the same in more bytes than characters, and just not larger."""
UNSTORABLE = ("NUL: \0", "half a character: \ud800", "x" * (TEXT_MAX + 1))
CREDENTIAL = "credential-7f3a"


def promising(hand: Hand, run: Run) -> Kinds:
    """Large texts, and to forget them."""
    purging: Kinds = [purge] * 2 if hand.state.payloads else []
    if not is_at_work(run):
        return purging
    return [publish_large, intend_with_credential, *purging, *([answer_large] * 2 if heard(hand) else [])]


def anything(hand: Hand) -> Kinds:
    """Texts that cannot be stored, and digests that nobody knows."""
    if hand.run is None:
        return [purge]
    return [purge, publish_unstorable, fail_unstorable, *([answer_large] if heard(hand) else [])]


def publish_large(hand: Hand, draw: Draw) -> Publish:
    return Publish(hand.id(), hand.at, hand.fence(draw), draw(LARGE), draw((True, False)))


def publish_unstorable(hand: Hand, draw: Draw) -> Publish:
    return Publish(hand.id(), hand.at, hand.fence(draw), draw(UNSTORABLE), True)


def fail_unstorable(hand: Hand, draw: Draw) -> Fail:
    """A failure is recorded whatever its text is."""
    return Fail(hand.id(), hand.at, hand.fence(draw), draw([*UNSTORABLE, "it broke"]))


def answer_large(hand: Hand, draw: Draw) -> RecordAnswer:
    """A large answer of a call that has acted; sometimes one that cannot be stored."""
    calls = heard(hand)
    call = draw([call for call in calls if call.state is CallState.OPEN] * 4 + calls)
    true = hand.trial.truth.of(call.call)
    fence, text = hand.fence(draw), draw([*LARGE * 2, *UNSTORABLE])
    return RecordAnswer(hand.id(), hand.at, fence, call.call, text, true.cost_cents if true else None)


def intend_with_credential(hand: Hand, draw: Draw) -> Intend:
    """What goes out with the request must not stay."""
    call, fence = new_call(hand, CallKind.OPERATION), hand.fence(draw)
    return Intend(hand.id(), hand.at, fence, call, CallKind.OPERATION, "a", draw((1, 0)), credential=CREDENTIAL)


def purge(hand: Hand, draw: Draw) -> Purge:
    """A text that is needed, or no more, or was never kept."""
    kept = [payload.digest for payload in hand.state.payloads]
    return Purge(hand.id(), draw([*kept * 3, digest_of("never kept")]))


def save_large(hand: Hand, draw: Draw) -> Cause:
    """A finding that rests on a large text."""
    source, digest = SourceId("fund"), digest_of(LARGE[0])
    name = MaterialId(f"large-{len(hand.run.materials) + 1 if hand.run else 1}")
    return SaveMaterial(hand.id(), hand.at, hand.fence(draw), name, source, digest, "2026-06-30", 1)


def _saving(hand: Hand, run: Run) -> Kinds:
    return [save_large] if is_at_work(run) else []


TEXTS = Subject(frozenset({Capability.PAYLOADS}), promising, anything)
LARGE_FINDINGS = Subject(frozenset({Capability.PAYLOADS, Capability.MATERIALS}), _saving, lambda hand: [])
