"""Releases that roll while runs are queued, at work or waiting."""

from keepfact.model.state import Run, State
from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    Branch,
    BundleId,
    Capability,
    Claim,
    Contract,
    Deliver,
    Deploy,
    EndMigration,
    Mark,
    Migrate,
    Recover,
    Retire,
    Submit,
    Wait,
    WaitId,
    WaitKind,
    Wake,
)

from .bounds import Bounds, fences_of
from .scope import FRESH, OTHER, RUN, WORKER, Causes, Scope

NEW_BUNDLE = BundleId("bundle-2")
CHANGE = "change"
CALLBACK = WaitId("callback")


def releasing(state: State, run: Run) -> Causes:
    """A second bundle that knows of a change is deployed, after a replay or without; either may be retired."""
    yield Deploy(FRESH, NEW_BUNDLE, replayed=1, diverged=0, markers=(CHANGE,))
    yield Deploy(FRESH, NEW_BUNDLE, replayed=0, diverged=0, markers=(CHANGE,))
    yield Deploy(FRESH, NEW_BUNDLE, replayed=1, diverged=1, markers=(CHANGE,))
    yield Retire(FRESH, FIRST_BUNDLE)
    yield Retire(FRESH, NEW_BUNDLE)
    if state.run(OTHER) is None:
        yield Submit(FRESH, OTHER, Contract.SETTLE, 1)
        yield Submit(FRESH, OTHER, Contract.SETTLE, 1, NEW_BUNDLE)
        yield Submit(FRESH, OTHER, Contract.SETTLE, 1, FIRST_BUNDLE)
    for one in state.runs:
        yield Recover(FRESH, one.run)
        for supports in ((FIRST_BUNDLE,), (NEW_BUNDLE,)):
            yield Claim(FRESH, one.run, WORKER, supports)
        for branch in Branch:
            yield Mark(FRESH, one.run, fences_of(one)[-1], CHANGE, branch)
    yield from _waiting(run)


def migrating(state: State, run: Run) -> Causes:
    """Tables for two versions' workers, for a while."""
    if state.served[1] == 1:
        yield Migrate(FRESH)
    yield EndMigration(FRESH)
    for schema in (1, 2):
        yield Claim(FRESH, RUN, WORKER, schema=schema)


def _waiting(run: Run) -> Causes:
    """The run waits through all of this, and is taken up by one release or the other."""
    yield Wait(FRESH, RUN, fences_of(run)[-1], CALLBACK, WaitKind.CALLBACK, "request", seconds=1)
    yield Deliver(FRESH, RUN, CALLBACK, WaitKind.CALLBACK, 1, "report")
    for supports in ((FIRST_BUNDLE,), (NEW_BUNDLE,)):
        yield Wake(FRESH, RUN, CALLBACK, WORKER, "request", supports)


VERSIONS = Scope(
    name="versions",
    bounds="2 runs (settle), 1 claim of the first, 1 new bundle with 1 changed branch, 1 wait for a callback",
    states=2017,
    edges=61786,
    classes=190,
    needs=frozenset({Capability.RELEASES, Capability.WAITS}),
    causes=Bounds(grants=1, tries_all=False, subjects=(releasing,)).causes,
)
MIGRATION = Scope(
    name="migration",
    bounds="1 run (settle), 3 grants, 1 migration",
    states=71,
    edges=1126,
    classes=77,
    needs=frozenset({Capability.MIGRATION}),
    causes=Bounds(grants=3, subjects=(migrating,)).causes,
)
