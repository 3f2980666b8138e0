"""Defects of TENANT: a door lets through somebody who should not pass."""

from dataclasses import replace

from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.spec.vocabulary import (
    TENANT,
    AskedOfRun,
    Asking,
    Cause,
    Claim,
    Continue,
    EntryPoint,
    Observe,
    Refused,
    Stream,
    Submit,
)

from .defect import Taken, wrong_step


@wrong_step("TENANT.1")
def a_stranger_reads_by_the_id(state: State, cause: Cause | Asking) -> Taken:
    """Who knows the id of a run may read it, whosever it is."""
    is_read = isinstance(cause, Asking) and isinstance(cause.command, Observe | Stream)
    return step(state, _as_its_tenant(state, cause) if is_read else cause)


@wrong_step("TENANT.1")
def a_stranger_writes_by_the_id(state: State, cause: Cause | Asking) -> Taken:
    """Who knows the id of a run may claim, end or recover it, whosever it is."""
    is_read = isinstance(cause, Asking) and isinstance(cause.command, Observe | Stream)
    return step(state, cause if is_read else _as_its_tenant(state, cause))


@wrong_step("TENANT.1", case="B23")
def a_stranger_continues_a_run(state: State, cause: Cause | Asking) -> Taken:
    """Somebody starts a run from the id of another tenant's, and inherits what that one has found."""
    if not isinstance(cause, Asking) or not isinstance(cause.command, Continue):
        return step(state, cause)
    source = state.run(cause.command.source)
    tenant = source.tenant if source else cause.session.tenant
    outcome, after = step(state, Asking(replace(cause.session, tenant=tenant), cause.command))
    begun = None if after is state else after.run(cause.command.run)
    return outcome, after.with_run(replace(begun, tenant=cause.session.tenant)) if begun else after


@wrong_step("TENANT.1")
def a_refusal_tells_a_stranger_of_a_run(state: State, cause: Cause | Asking) -> Taken:
    """A stranger is refused, and the reason tells him how the run of another tenant stands."""
    outcome, after = step(state, cause)
    if not isinstance(outcome, Refused):
        return outcome, after
    told, _ = step(state, _as_its_tenant(state, cause))
    return told if isinstance(told, Refused) else outcome, state


@wrong_step("TENANT.1")
def every_run_belongs_to_the_first_tenant(state: State, cause: Cause | Asking) -> Taken:
    """Whoever submits, the run is admitted to the one tenant that the system was built for."""
    outcome, after = step(state, cause)
    admitted = after.run(cause.command.run) if isinstance(cause, Asking) and isinstance(cause.command, Submit) else None
    return outcome, after.with_run(replace(admitted, tenant=TENANT)) if admitted and after is not state else after


@wrong_step("TENANT.2")
def an_observer_may_write(state: State, cause: Cause | Asking) -> Taken:
    """All doors lead into the same room: whoever may look may also write."""
    if not isinstance(cause, Asking):
        return step(state, cause)
    return step(state, Asking(replace(cause.session, role=cause.command.entry_point), cause.command))


@wrong_step("TENANT.2")
def a_door_stays_shut(state: State, cause: Cause | Asking) -> Taken:
    """Workers are turned away at their own door."""
    if not isinstance(cause, Asking) or not isinstance(cause.command, Claim):
        return step(state, cause)
    return step(state, Asking(replace(cause.session, role=EntryPoint.OBSERVE), cause.command))


@wrong_step("TENANT.3")
def a_worker_says_who_it_is(state: State, cause: Cause | Asking) -> Taken:
    """Events are signed with the name that a command gives, and anybody can give any name."""
    if not isinstance(cause, Asking) or not isinstance(cause.command, Claim):
        return step(state, cause)
    return step(state, Asking(replace(cause.session, principal=cause.command.worker), cause.command))


@wrong_step("TENANT.3")
def everything_is_signed_by_the_service(state: State, cause: Cause | Asking) -> Taken:
    """All events carry the name of the service, and nobody can tell who asked for what."""
    if not isinstance(cause, Asking):
        return step(state, cause)
    return step(state, Asking(replace(cause.session, principal="service"), cause.command))


def _as_its_tenant(state: State, cause: Cause | Asking) -> Cause | Asking:
    """The same, asked by the tenant of the run that it is about."""
    if not isinstance(cause, Asking) or not isinstance(cause.command, AskedOfRun):
        return cause
    run = state.run(cause.command.run)
    return Asking(replace(cause.session, tenant=run.tenant), cause.command) if run else cause
