"""Defects of CONTINUE: a run that goes on from another inherits power, or disturbs what it continues."""

from collections.abc import Callable
from dataclasses import replace

from keepfact.model.state import Run, State
from keepfact.model.step import step
from keepfact.spec.vocabulary import Cause, Continue, Done, EntryPoint, EventType, RequestId, RunState, Submit

from .defect import Taken, wrong_step


@wrong_step("CONTINUE.1")
def the_old_run_is_told_of_its_continuation(state: State, cause: Cause) -> Taken:
    """The history of a run that is over grows by a note that another one continues it."""
    outcome, after = step(state, cause)
    source = after.run(cause.source) if isinstance(cause, Continue) and after is not state else None
    if source is None:
        return outcome, after
    return outcome, after.with_run(source.tells(EventType.ASSESSED, EntryPoint.CONTINUE))


@wrong_step("CONTINUE.1")
def the_rest_of_the_budget_comes_along(state: State, cause: Cause) -> Taken:
    """What the old run did not spend is added to the budget of the new one."""
    return admitted(state, cause, lambda new, old: replace(new, budget_cents=new.budget_cents + old.budget_cents))


@wrong_step("CONTINUE.2")
def the_fence_comes_along(state: State, cause: Cause) -> Taken:
    """The new run counts its fences on from the old one, whose worker may therefore write into it."""
    return admitted(state, cause, lambda new, old: replace(new, fence=old.fence))


@wrong_step("CONTINUE.2")
def unfinished_calls_come_along(state: State, cause: Cause) -> Taken:
    """The new run takes up the calls that the old one left unresolved, as if they were its own to send."""
    return admitted(
        state, cause, lambda new, old: replace(new, calls=tuple(call for call in old.calls if call.is_unresolved))
    )


@wrong_step("CONTINUE.2")
def findings_are_copied(state: State, cause: Cause) -> Taken:
    """The findings are copied into the new run and look as if it had found them itself."""
    return admitted(state, cause, lambda new, old: replace(new, materials=old.materials))


@wrong_step("CONTINUE.8")
def what_is_unresolved_is_not_mentioned(state: State, cause: Cause) -> Taken:
    """The new run does not learn which calls of the old one nobody knows the outcome of."""
    return admitted(state, cause, lambda new, old: replace(new, open_calls=()))


@wrong_step("CONTINUE.9")
def a_run_at_work_is_continued(state: State, cause: Cause) -> Taken:
    """A run is continued while its worker is still acting, so that two of them do the same work."""
    source = state.run(cause.source) if isinstance(cause, Continue) else None
    if source is None or source.is_sealed:
        return step(state, cause)
    outcome, after = step(state.with_run(replace(source, state=RunState.INTERRUPTED)), cause)
    return outcome, after.with_run(source) if isinstance(outcome, Done) else state


@wrong_step("CONTINUE.10")
def a_request_admits_a_run_each_time(state: State, cause: Cause) -> Taken:
    """A request that is sent twice starts two runs."""
    if not isinstance(cause, Continue | Submit) or cause.request is None:
        return step(state, cause)
    outcome, after = step(state, replace(cause, request=RequestId(f"{cause.request} for {cause.run}")))
    new = after.run(cause.run)
    return outcome, after if new is None or after is state else after.with_run(replace(new, request=cause.request))


def admitted(state: State, cause: Cause, spoil: Callable[[Run, Run], Run]) -> Taken:
    """A continuation done rightly, and its new run then spoiled, given the run that it continues."""
    outcome, after = step(state, cause)
    if not isinstance(cause, Continue) or after is state:
        return outcome, after
    new, source = after.run(cause.run), after.run(cause.source)
    return outcome, after if new is None or source is None else after.with_run(spoil(new, source))
