"""Defects of VERSION: a run goes on with another program than the one that it began with."""

from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    Cause,
    Claim,
    Deploy,
    Done,
    EndMigration,
    Evidence,
    LookUp,
    Mark,
    MarkerView,
    Migrate,
    Reason,
    Refused,
    Retire,
    RunState,
    Submit,
    Wake,
)

from .defect import Taken, wrong_command, wrong_step
from .pretending import taken_as_if


@wrong_step("VERSION.1")
def a_run_is_pinned_to_a_selector(state: State, cause: Cause) -> Taken:
    """A run remembers that it wanted the latest release, and not which one that was."""
    outcome, after = step(state, cause)
    admitted = after.run(cause.run) if isinstance(cause, Submit) and after is not state else None
    if admitted is None or not isinstance(cause, Submit):
        return outcome, after
    return outcome, after.with_run(replace(admitted, bundle=cause.bundle))


@wrong_step("VERSION.1", "VERSION.3")
def a_release_changes_the_ones_before_it(state: State, cause: Cause) -> Taken:
    """A release is written over the one before, so that old runs find another program under the same name."""
    outcome, after = step(state, cause)
    if not isinstance(cause, Deploy) or after is state:
        return outcome, after
    return outcome, replace(after, bundles=tuple(replace(one, markers=cause.markers) for one in after.bundles))


@wrong_command(Claim, "VERSION.2")
def any_worker_gets_any_run(state: State, claim: Claim, run: Run) -> Taken:
    """Whoever comes first gets the run, whether or not its release can work on it."""
    return step(state, replace(claim, supports=(run.bundle,)))


@wrong_step("VERSION.3")
def replaying_nothing_is_enough(state: State, cause: Cause) -> Taken:
    """A release that was replayed against no history at all counts as one that has passed."""
    return step(state, replace(cause, replayed=max(1, cause.replayed)) if isinstance(cause, Deploy) else cause)


@wrong_step("VERSION.3")
def a_release_serves_although_it_diverged(state: State, cause: Cause) -> Taken:
    """A release decides otherwise than a stored history says, and is let through with a warning."""
    return step(state, replace(cause, diverged=0) if isinstance(cause, Deploy) else cause)


@wrong_command(Mark, "VERSION.4")
def an_old_run_takes_the_new_branch(state: State, mark: Mark, run: Run) -> Taken:
    """A run takes the branch of the newest release, and not that of its own."""
    outcome, after = taken_as_if(state, state.with_run(replace(run, bundle=state.bundles[-1].bundle)), mark)
    marked = None if after is state else after.run(run.run)
    return outcome, after.with_run(replace(marked, bundle=run.bundle)) if marked else state


@wrong_command(Mark, "VERSION.4")
def a_run_changes_its_branch(state: State, mark: Mark, run: Run) -> Taken:
    """A run that has taken one branch goes over to the other half-way."""
    if mark.marker not in {one.marker for one in run.markers} or not run.lease_left_seconds:
        return step(state, mark)
    others = (one for one in run.markers if one.marker != mark.marker)
    return Done(), state.with_run(replace(run, markers=(*others, MarkerView(mark.marker, mark.branch))))


@wrong_command(Wake, "VERSION.5", "VERSION.1", case="B12")
def the_selector_is_resolved_again(state: State, wake: Wake, run: Run) -> Taken:
    """A run that waited is woken with whatever is the latest release by then."""
    served = [bundle.bundle for bundle in state.bundles if not bundle.is_retired]
    return taken_as_if(state, state.with_run(replace(run, bundle=served[-1])), wake) if served else step(state, wake)


@wrong_command(Wake, "VERSION.5", "VERSION.2", "WAKE.6")
def any_release_takes_up_a_run_that_waited(state: State, wake: Wake, run: Run) -> Taken:
    """A run that waited is taken up by a worker whose release cannot work on it."""
    return step(state, replace(wake, supports=(run.bundle,)))


@wrong_step("VERSION.5", "VERSION.1")
def a_deployment_moves_runs_that_wait(state: State, cause: Cause) -> Taken:
    """A deployment takes all runs along that happen to wait."""
    outcome, after = step(state, cause)
    if not isinstance(cause, Deploy) or after is state:
        return outcome, after
    moved = (replace(run, bundle=cause.bundle) if run.is_waiting else run for run in after.runs)
    return outcome, replace(after, runs=tuple(moved))


@wrong_step("VERSION.6")
def a_bundle_that_is_waited_for_is_retired(state: State, cause: Cause) -> Taken:
    """Only runs that are at work count, so a release is taken away from those that wait or are not yet claimed."""
    if not isinstance(cause, Retire):
        return step(state, cause)
    at_work = replace(state, runs=tuple(run for run in state.runs if run.state is RunState.RUNNING))
    outcome, after = taken_as_if(state, at_work, cause)
    return outcome, after if after is state else replace(after, runs=state.runs)


@wrong_step("VERSION.6")
def a_refusal_does_not_say_who_needs_the_bundle(state: State, cause: Cause) -> Taken:
    """A release cannot be retired, and nobody is told because of which runs."""
    outcome, after = step(state, cause)
    is_needed = isinstance(outcome, Refused) and outcome.reason is Reason.BUNDLE_NEEDED
    return Refused(Reason.BUNDLE_NEEDED) if is_needed else outcome, after


@wrong_command(LookUp, "VERSION.7")
def a_new_tool_forgets_old_operations(state: State, look_up: LookUp, run: Run) -> Taken:
    """A new release of the tool says of an operation of the old one that it never happened."""
    is_asked = run.call(look_up.call) is not None
    is_new = state.truth.tool_release > 1
    return (Done(evidence=Evidence.NOT_FOUND), state) if is_asked and is_new else step(state, look_up)


@wrong_step("VERSION.8")
def a_migration_locks_the_old_release_out(state: State, cause: Cause) -> Taken:
    """The tables change in one step, and workers of the old release stand outside from that moment on."""
    outcome, after = step(state, cause)
    if not isinstance(cause, Migrate) or after is state:
        return outcome, after
    return outcome, replace(after, served=(after.served[1], after.served[1]))


@wrong_step("VERSION.8")
def the_end_of_a_migration_stops_workers(state: State, cause: Cause) -> Taken:
    """Whoever ends a migration takes the leases of all workers away, to be on the safe side."""
    if not isinstance(cause, EndMigration):
        return step(state, cause)
    stopped = (replace(run, lease_left_seconds=run.lease_left_seconds and 0) for run in state.runs)
    return taken_as_if(state, replace(state, runs=tuple(stopped)), cause)
