"""VERSION: releases roll while runs wait."""

from dataclasses import replace

from keepfact.spec.chapter import Chapter, Kind, Resume
from keepfact.spec.vocabulary import (
    ENDS,
    LATEST,
    WAITS,
    BundleId,
    BundleView,
    Capability,
    Claim,
    Decide,
    Deliver,
    Deploy,
    Done,
    EndMigration,
    Evidence,
    LookUp,
    Mark,
    Migrate,
    Observation,
    OfRun,
    Reason,
    Recover,
    Refused,
    Restarted,
    Retire,
    RunView,
    Step,
    Submit,
    Wake,
    WorkerRan,
)

from .questions.bundles import branch_of, bundle_of, resolved

chapter = Chapter("VERSION", "Releases roll while runs wait", needs=frozenset({Capability.RELEASES}))


@chapter.rule(1)
def a_run_is_pinned_to_resolved_versions(step: Step) -> bool | None:
    """A run is admitted to the bundle that it names, or to the one deployed last, never to a selector or to a retired
    one, and stays with it; a bundle never changes what it holds, and neither disappears nor comes back.
    """
    if step.outcome == Refused(Reason.NO_SUCH_BUNDLE):
        return _is_missing(step)
    if step.changed_nothing:
        return None
    pins = {run.run: run.bundle for run in step.before.runs}
    return _bundles_go_on(step) and all(
        run.bundle == (pins[run.run] if run.run in pins else _pin_of(run, step)) for run in step.after.runs
    )


@chapter.rule(2, about=Claim | Wake | Recover)
def a_worker_gets_only_what_it_supports(step: Step) -> bool | None:
    """A worker is granted only runs whose bundle it supports."""
    if not isinstance(step.cause, (Claim, Wake, Recover)) or not step.old or not step.new or step.is_repeat:
        return None
    is_supported = step.old.bundle in step.cause.supports
    if step.outcome == Refused(Reason.UNSUPPORTED_BUNDLE):
        return not is_supported
    return is_supported if step.new.fence > step.old.fence else None


@chapter.rule(3, about=Deploy)
def a_release_is_replayed_before_it_serves(step: Step) -> bool | None:
    """A release serves only once it was replayed against stored histories and none diverged; replaying none is a
    failure.
    """
    if not isinstance(step.cause, Deploy) or step.is_repeat:
        return None
    if step.outcome == Refused(Reason.DIVERGED):
        return step.cause.diverged > 0
    if step.outcome == Refused(Reason.NOT_REPLAYED):
        return step.cause.replayed < 1
    if not step.took_effect:
        return None
    deployed = BundleView(step.cause.bundle, step.cause.markers)
    is_new = bundle_of(step.before, step.cause.bundle) is None
    was_replayed = step.cause.replayed >= 1 and step.cause.diverged == 0
    return was_replayed and is_new and step.after == replace(step.before, bundles=(*step.before.bundles, deployed))


@chapter.rule(4, about=OfRun, implies=Resume.FORK_DETERMINISM)
def a_changed_branch_is_behind_its_marker(step: Step) -> bool | None:
    """A run takes the new branch of a changed program if and only if its bundle knows the marker, whichever release
    works on it; the branch is recorded with the marker, once, and stays.
    """
    if step.old is None or step.new is None or step.is_repeat:
        return None
    if step.new.markers[: len(step.old.markers)] != step.old.markers:
        return False
    added = step.new.markers[len(step.old.markers) :]
    if not all(view.branch is branch_of(step.before, step.old.bundle, view.marker) for view in added):
        return False
    if isinstance(step.cause, Mark):
        return _marks(step, step.old, step.new, step.cause)
    if added:
        return isinstance(step.cause, WorkerRan)
    return True if step.old.markers and not step.changed_nothing else None


_MAY_PASS_A_WAIT = Deploy | Retire | Migrate | EndMigration | Wake | Recover | Decide | Deliver | Restarted


@chapter.rule(5, about=_MAY_PASS_A_WAIT, implies=Resume.CHECKPOINT_VALIDITY)
def a_run_that_waited_goes_on_along_its_own_branch(step: Step) -> bool | None:
    """A run that waits through an upgrade, a roll-back or a restart keeps its bundle, its checkpoint and the branches
    it took; a worker that does not support them is refused, and the run is still there, waiting.
    """
    waiting = [run for run in step.before.runs if run.state in WAITS]
    if not waiting or step.is_unheard or not isinstance(step.cause, _MAY_PASS_A_WAIT):
        return None
    if isinstance(step.cause, Wake) and step.old in waiting and not step.is_repeat:
        is_supported = step.old is not None and step.old.bundle in step.cause.supports
        if not is_supported and not step.had_no_effect:
            return False
    return all(_is_on_its_branch(run, step.after) for run in waiting)


@chapter.rule(6, about=Retire)
def a_needed_bundle_stays(step: Step) -> bool | None:
    """A bundle that a run not yet ended needs cannot be retired; the refusal lists just these runs."""
    if not isinstance(step.cause, Retire) or step.is_repeat:
        return None
    bundle = step.cause.bundle
    needing = {run.run for run in step.before.runs if run.bundle == bundle and run.state not in ENDS}
    if isinstance(step.outcome, Refused) and step.outcome.reason is Reason.BUNDLE_NEEDED:
        return bool(needing) and sorted(step.outcome.runs) == sorted(needing)
    if not step.took_effect:
        return None
    retired = tuple(replace(view, is_retired=view.is_retired or view.bundle == bundle) for view in step.before.bundles)
    is_known = bundle_of(step.before, bundle) is not None
    return not needing and is_known and step.after == replace(step.before, bundles=retired)


@chapter.rule(7, needs={Capability.LOOKUP}, about=LookUp, kind=Kind.PLATFORM)
def old_operations_can_still_be_looked_up(step: Step) -> bool | None:
    """An operation that took effect is found by a lookup under its id, whatever releases its tool has had since."""
    if not isinstance(step.cause, LookUp) or step.is_repeat or step.old is None or not step.old.call(step.cause.call):
        return None
    truth = step.truth_before.of(step.cause.call)
    if truth is None or not truth.acts:
        return None
    if isinstance(step.outcome, Done):
        return step.outcome.evidence is Evidence.CONFIRMED
    return False if step.outcome == Refused(Reason.NO_SUCH_CALL) else None


@chapter.rule(8, needs={Capability.MIGRATION}, about=Claim | Migrate | EndMigration)
def both_releases_work_while_the_schema_migrates(step: Step) -> bool | None:
    """From the beginning of a migration to its end workers of both schemas are served, and outside of it only those of
    the one; neither its beginning nor its end touches a run, so that a live lease survives both.
    """
    if step.is_repeat:
        return None
    match step.cause:
        case Claim(schema=schema):
            is_served = step.before.served[0] <= schema <= step.before.served[1]
            if step.outcome == Refused(Reason.UNSUPPORTED_SCHEMA):
                return not is_served
            return is_served if step.took_effect else None
        case Migrate() | EndMigration():
            return _migrates(step)
        case _:
            return None


def _is_missing(step: Step) -> bool:
    """The bundle that could not be found is not served, or for a retirement is not known."""
    if isinstance(step.cause, Retire):
        return bundle_of(step.before, step.cause.bundle) is None
    return resolved(step.before, step.cause.bundle if isinstance(step.cause, Submit) else LATEST) is None


def _bundles_go_on(step: Step) -> bool:
    """No bundle is lost, changed, renamed or un-retired, and none has the name of a selector."""
    old, new = step.before.bundles, step.after.bundles
    return (
        len(new) >= len(old)
        and all(
            (before.bundle, before.markers) == (after.bundle, after.markers) and before.is_retired <= after.is_retired
            for before, after in zip(old, new, strict=False)
        )
        and all(view.bundle != LATEST for view in new)
    )


def _pin_of(run: RunView, step: Step) -> BundleId | None:
    """Where a run that was admitted just now belongs: a child is pinned to what its parent is pinned to."""
    if run.parent is not None:
        parent = step.after.run(run.parent)
        return None if parent is None else parent.bundle
    return resolved(step.before, step.cause.bundle if isinstance(step.cause, Submit) else LATEST)


def _marks(step: Step, old: RunView, new: RunView, mark: Mark) -> bool | None:
    is_right = mark.branch is branch_of(step.before, old.bundle, mark.marker)
    if step.outcome == Refused(Reason.WRONG_BRANCH):
        return not is_right
    if not step.took_effect:
        return None
    recorded = [view.branch for view in new.markers if view.marker == mark.marker]
    others = [view.marker for view in new.markers[len(old.markers) :] if view.marker != mark.marker]
    return is_right and recorded == [mark.branch] and not others


def _is_on_its_branch(old: RunView, after: Observation) -> bool:
    """It has its bundle, its markers and its checkpoints, all of them of that bundle."""
    new = after.run(old.run)
    if new is None:
        return False
    sealed = [new.wait(wait.wait) for wait in old.waits]
    return (new.bundle, new.markers) == (old.bundle, old.markers) and all(
        view is not None and view.checkpoint == wait.checkpoint and view.checkpoint.bundle == new.bundle
        for view, wait in zip(sealed, old.waits, strict=True)
    )


def _migrates(step: Step) -> bool | None:
    oldest, newest = step.before.served
    is_live = any(run.lease_left_seconds for run in step.before.runs)
    match step.outcome:
        case Refused(reason=Reason.MIGRATING):
            return oldest < newest
        case Refused(reason=Reason.NOT_MIGRATING):
            return oldest == newest
        case Refused(reason=Reason.OLD_WORKER_LIVE):
            return oldest < newest and is_live
    if not step.took_effect:
        return None
    begins = isinstance(step.cause, Migrate)
    served = (oldest, newest + 1) if begins else (newest, newest)
    return begins is (oldest == newest) and step.after == replace(step.before, served=served)
