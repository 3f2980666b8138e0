"""Findings saved by one run and read by another that continues it, while grants on their sources come and go."""

from keepfact.model.state import Run, State
from keepfact.spec.vocabulary import (
    Capability,
    Claim,
    Continue,
    Contract,
    Fail,
    Fence,
    Grant,
    MaterialId,
    ReaderView,
    ReadMaterial,
    Recover,
    RequestId,
    Revoke,
    RunId,
    SaveMaterial,
    SourceId,
    Submit,
    Tick,
    UserId,
)

from .bounds import Bounds, fences_of
from .scope import FRESH, NEXT, OPERATION, OTHER, RUN, WORKER, Causes, Scope

FUND, INDEX = SourceId("fund"), SourceId("index")
HOLDINGS, SUMMARY, CORRECTED = MaterialId("holdings"), MaterialId("summary"), MaterialId("corrected")
READER = UserId("reader")
REQUEST = RequestId("request")
AFTER_NEXT = RunId("after-next")


def saving(state: State, run: Run) -> Causes:
    """A finding, a judgement that is derived from it, and a finding that replaces it; one of them not traceable."""
    for fence in fences_of(run):
        yield SaveMaterial(FRESH, RUN, fence, HOLDINGS, FUND, "a", "2026-06-30", 1)
        yield SaveMaterial(FRESH, RUN, fence, SUMMARY, INDEX, "b", "2026-06-30", 2, (HOLDINGS,), judgement=True)
        if run.materials:
            yield SaveMaterial(FRESH, RUN, fence, CORRECTED, FUND, "c", None, 2, replaces=HOLDINGS)


def granting(state: State, run: Run) -> Causes:
    """Each source may be readable or not, at any time. Of one of them it is tried twice over, too."""
    for source in (FUND, INDEX):
        is_readable = ReaderView(source, READER) in state.readers
        if source == FUND or not is_readable:
            yield Grant(FRESH, source, READER)
        if source == FUND or is_readable:
            yield Revoke(FRESH, source, READER)


def continuing(state: State, run: Run) -> Causes:
    """The run is continued, by a reader who may read all of it or nothing."""
    yield Continue(FRESH, NEXT, RUN, READER, Contract.SETTLE, 1, REQUEST)
    following = state.run(NEXT)
    if following is None:
        return
    fence = Fence(max(1, following.fence))
    if following.fence == 0:
        yield Claim(FRESH, NEXT, WORKER)
        # The request has admitted a run, so that these are refused: no other run is there to be brought to its end.
        yield Continue(FRESH, AFTER_NEXT, RUN, READER, Contract.SETTLE, 1, REQUEST)
        yield Submit(FRESH, OTHER, Contract.SETTLE, 1, request=REQUEST)
    yield Fail(FRESH, NEXT, fence)
    yield Recover(FRESH, NEXT)


def reading_on(state: State, run: Run) -> Causes:
    """What was handed over is read, once, and what was not is tried."""
    following = state.run(NEXT)
    if following is None or not _is_unread(following):
        return
    for material in (HOLDINGS, SUMMARY):
        yield ReadMaterial(FRESH, NEXT, Fence(max(1, following.fence)), material)


def handing_on(state: State) -> Causes:
    """A run that found something is continued by one that reads it and sums it up, and that one by one that reads this.

    Under the name of what it was handed, the second may save a finding of its own, before its summary or after it. A
    grant comes before there is a second run, and goes afterwards.
    """
    first, second, third = state.run(RUN), state.run(NEXT), state.run(AFTER_NEXT)
    yield Revoke(FRESH, FUND, READER) if second is not None else Grant(FRESH, FUND, READER)
    yield Submit(FRESH, RUN, Contract.SETTLE, 1)
    for run in (run for run in (first, second, third) if run is not None):
        yield Claim(FRESH, run.run, WORKER)
        yield Recover(FRESH, run.run)
    if first is not None:
        yield Tick(1)
        yield Grant(FRESH, INDEX, READER)
        yield SaveMaterial(FRESH, RUN, Fence(1), HOLDINGS, FUND, "a", "2026-06-30", 0)
        yield Continue(FRESH, NEXT, RUN, READER, Contract.SETTLE, 1)
    if second is not None:
        yield SaveMaterial(FRESH, NEXT, Fence(1), SUMMARY, INDEX, "b", "2026-06-30", 0, (HOLDINGS,))
        yield SaveMaterial(FRESH, NEXT, Fence(1), HOLDINGS, INDEX, "c", "2026-06-30", 0)
        if not second.materials and _is_unread(second):
            yield ReadMaterial(FRESH, NEXT, Fence(1), HOLDINGS)
            # What it was handed is not its own to replace.
            yield SaveMaterial(FRESH, NEXT, Fence(1), CORRECTED, INDEX, "d", "2026-06-30", 0, replaces=HOLDINGS)
        yield Continue(FRESH, AFTER_NEXT, NEXT, READER, Contract.SETTLE, 1)
    if third is not None and _is_unread(third):
        yield ReadMaterial(FRESH, AFTER_NEXT, Fence(1), SUMMARY)


def _is_unread(run: Run) -> bool:
    return all(one.reads == 0 for one in run.inherited)


CONTINUATION = Scope(
    name="continuation",
    bounds="1 run (settle), 1 grant, 3 findings from 2 sources, 1 of them derived and 1 that replaces another, "
    "1 reader, 1 run that continues it and reads once",
    states=3001,
    edges=64642,
    classes=87,
    needs=frozenset({Capability.MATERIALS, Capability.CONTINUATION}),
    causes=Bounds(tries_all=False, subjects=(saving, granting, continuing, reading_on)).causes,
)
INHERITED_CALLS = Scope(
    name="inherited calls",
    bounds="1 run (settle), 1 grant, 1 operation that costs 1 cent, 1 run that continues it",
    states=184,
    edges=3372,
    classes=151,
    needs=frozenset({Capability.CONTINUATION}),
    causes=Bounds(costs={OPERATION: (1,)}, tries_all=False, subjects=(continuing,)).causes,
)
HANDED_ON = Scope(
    name="handed on",
    bounds="3 runs (settle) that continue each other, 1 grant each, 1 finding of the first, 1 summary of it by the "
    "second and 1 finding under its name from another source, 1 reader, 1 reading by each",
    states=810,
    edges=13844,
    classes=51,
    needs=frozenset({Capability.MATERIALS, Capability.CONTINUATION}),
    causes=handing_on,
)
