"""Releases: which bundles are served, which branch a run takes, which tables workers of two releases share."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    ENDS,
    Branch,
    BundleView,
    Deploy,
    EntryPoint,
    EventType,
    Mark,
    MarkerView,
    Reason,
    Refused,
    Retire,
)

from .state import Change, Run, State, WideChange, changed


def deploy(state: State, command: Deploy) -> WideChange:
    """A bundle is served only after it was replayed against stored histories, and none of them diverged."""
    if state.bundle(command.bundle) is not None:
        return Refused(Reason.BUNDLE_EXISTS)
    if command.diverged:
        return Refused(Reason.DIVERGED)
    if not command.replayed:
        return Refused(Reason.NOT_REPLAYED)
    return changed(state, bundles=(*state.bundles, BundleView(command.bundle, command.markers)))


def retire(state: State, command: Retire) -> WideChange:
    """What a run that has not ended needs stays; the refusal lists the runs."""
    bundle = state.bundle(command.bundle)
    if bundle is None:
        return Refused(Reason.NO_SUCH_BUNDLE)
    if bundle.is_retired:
        return state
    needing = tuple(run.run for run in state.runs if run.bundle == command.bundle and run.state not in ENDS)
    if needing:
        return Refused(Reason.BUNDLE_NEEDED, needing)
    retired = replace(bundle, is_retired=True)
    return changed(state, bundles=tuple(retired if one is bundle else one for one in state.bundles))


def mark(state: State, run: Run, command: Mark) -> Change:
    """A run takes the new branch exactly if its own bundle knows of the change, and stays on its branch."""
    bundle = state.bundle(run.bundle)
    knows = bundle is not None and command.marker in bundle.markers
    if command.branch is not (Branch.NEW if knows else Branch.OLD):
        return Refused(Reason.WRONG_BRANCH)
    marker = MarkerView(command.marker, command.branch)
    if marker in run.markers:
        return run
    marked = changed(run, markers=(*run.markers, marker))
    return marked.tells(EventType.MARKED, EntryPoint.WORK, run.fence, command.marker)


def migrate(state: State) -> WideChange:
    """From here on workers of both versions are served."""
    oldest, newest = state.served
    return Refused(Reason.MIGRATING) if oldest < newest else changed(state, served=(oldest, newest + 1))


def end_migration(state: State) -> WideChange:
    """From here on only the new version's; nobody of the old may be at work."""
    oldest, newest = state.served
    if oldest == newest:
        return Refused(Reason.NOT_MIGRATING)
    at_work = tuple(run.run for run in state.runs if run.lease_left_seconds and run.worker_schema == oldest)
    return Refused(Reason.OLD_WORKER_LIVE, at_work) if at_work else changed(state, served=(newest, newest))
