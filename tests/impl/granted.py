"""A system of the harness, with a run in it that a worker has."""

from keepfact.conformance.systems.postgres import Postgres
from keepfact.spec.vocabulary import Claim, CommandId, Contract, Done, Fence, LeaseGrant, RunId, Submit, WorkerId

from .driving import fresh


def granted(system: Postgres) -> RunId:
    """Begin afresh; a run is submitted and granted under fence 1."""
    system.begin()
    run = RunId(fresh("granted"))
    assert system.perform(Submit(command_id(), run, Contract.SETTLE, 100)) == Done()
    assert system.perform(Claim(command_id(), run, WorkerId("w 1"))) == Done(LeaseGrant(Fence(1), system.lease_seconds))
    return run


def command_id() -> CommandId:
    """One that was not used before."""
    return CommandId(fresh("command"))
