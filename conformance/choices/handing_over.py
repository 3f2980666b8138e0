"""Findings: saved with what they rest on, granted and revoked, read by runs that continue others."""

from keepfact.model.state import Run
from keepfact.spec.vocabulary import (
    Capability,
    Cause,
    Continue,
    Grant,
    MaterialId,
    ReadMaterial,
    RequestId,
    Revoke,
    RunId,
    SaveMaterial,
    SourceId,
    Submit,
    UserId,
)

from .hand import Draw, Hand, Kinds, Subject
from .sending import is_at_work

SOURCES = (SourceId("fund"), SourceId("index"))
READERS = (UserId("reader"), UserId("reader"), UserId("another reader"))
NO_MATERIAL = MaterialId("material-none")


def promising(hand: Hand, run: Run) -> Kinds:
    """To save, to let somebody read, to read what was handed over."""
    saving: Kinds = [save, save] if is_at_work(run) else []
    reading: Kinds = [read] * 4 if is_at_work(run) and run.inherited else []
    return [*saving, *reading, grant, *([revoke] if hand.state.readers else [])]


def anything(hand: Hand) -> Kinds:
    return [grant, revoke, *([save, read, save_malformed] if hand.run else [])]


def save(hand: Hand, draw: Draw) -> SaveMaterial:
    """Mostly a new one, derived from what was saved or handed over before, or replacing it; some cannot be traced."""
    known = [material.material for material in hand.run.materials] if hand.run else []
    handed = [view.material for view in hand.run.inherited] if hand.run else []
    name = draw([MaterialId(f"material-{len(known) + 1}")] * 5 + known)
    rests_on = draw([()] * 3 + [(one,) for one in handed + known] * 2 + [tuple(known[-2:]), (NO_MATERIAL,)])
    replaces = draw([None] * 5 + known + handed)
    fence, fresh = hand.fence(draw), draw((hand.lease_seconds * 2, 1, 0))
    as_of, digest = draw(("2026-06-30", "2026-06-30", "2026-06-30", None)), draw(("a", "b"))
    return SaveMaterial(
        hand.id(), hand.at, fence, name, draw(SOURCES), digest, as_of, fresh, rests_on, replaces, draw((False, True))
    )


def save_malformed(hand: Hand, draw: Draw) -> SaveMaterial:
    """Fresh for a span that is none."""
    return SaveMaterial(hand.id(), hand.at, hand.fence(draw), NO_MATERIAL, SOURCES[0], "a", None, -1)


def read(hand: Hand, draw: Draw) -> ReadMaterial:
    """Mostly what was handed over."""
    inherited = [one.material for one in hand.run.inherited] if hand.run else []
    return ReadMaterial(hand.id(), hand.at, hand.fence(draw), draw([*inherited * 4, NO_MATERIAL]))


def grant(hand: Hand, draw: Draw) -> Grant:
    return Grant(hand.id(), draw(SOURCES), draw(READERS))


def revoke(hand: Hand, draw: Draw) -> Revoke:
    return Revoke(hand.id(), draw(SOURCES), draw(READERS))


def _continuing(hand: Hand, run: Run) -> Kinds:
    """A run that is over is continued; before that it cannot be."""
    if not hand.may_bear():
        return []
    return [continue_] * 3 if run.is_sealed else [submit_requested] if hand.may_submit() else []


def continue_(hand: Hand, draw: Draw) -> Continue:
    """Mostly the run at hand, in a new one; also one that is not there, or under a name or a request that is taken."""
    source: RunId = draw([hand.at] * 5 + [RunId(hand.named("run", 0))])
    run: RunId = (draw([True] * 5 + [False]) and hand.new_run()) or hand.runs[0]
    request, budget = _request(hand, draw), draw((5, 1))
    return Continue(hand.id(), run, source, draw(READERS), draw(hand.contracts), budget, request)


def continue_malformed(hand: Hand, draw: Draw) -> Cause:
    """A budget that is none."""
    return Continue(hand.id(), RunId(f"{hand.at}-none"), hand.at, READERS[0], hand.contracts[0], -1)


def submit_requested(hand: Hand, draw: Draw) -> Submit:
    hand.at = hand.new_run()
    return Submit(hand.id(), hand.at, draw(hand.contracts), draw((9, 3)), request=_request(hand, draw))


def _request(hand: Hand, draw: Draw) -> RequestId | None:
    request: RequestId | None = draw((None, RequestId(hand.named("request", 1)), RequestId(hand.named("request", 2))))
    return request


HANDING_OVER = Subject(frozenset({Capability.MATERIALS}), promising, anything)
CONTINUING = Subject(
    frozenset({Capability.CONTINUATION}),
    _continuing,
    lambda hand: [continue_malformed, *([continue_] if hand.may_bear() else [])],
)
