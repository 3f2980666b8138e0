"""The model's tours that a system can be taken on: which fit it, and what they ask of it."""

from collections.abc import Sequence
from functools import cache

from keepfact.model.edge_classes import EdgeClass, edge_class
from keepfact.model.paths import Walk, taken
from keepfact.model.scopes import SCOPES, Scope
from keepfact.model.tours import in_brief, scopes_of_tours, soonest_first
from keepfact.spec.vocabulary import Capability, Contract

from .recorder import Move, Moves
from .shorten import lengthened, relabelled
from .system import System, declared_by

NOT_DRIVEN = frozenset({Capability.LOOKUP})
"""What only a real tool can answer, and so only experiments can show."""


def fitting_tours(system: System, *, briefly: bool = False) -> Sequence[Walk]:
    """The walks of what the system promises and offers, contract by contract. Finding them can take longer than taking
    them. `briefly`: of what is beyond the spine every way in which a command can end, and not from wherever a run may
    stand.
    """
    return _fitting(*declared_by(system), briefly)


def soonest_tours(system: System, *, briefly: bool = False) -> Sequence[Walk]:
    """The same, in an order in which what is wrong is met soon."""
    return _soonest_first(*declared_by(system), briefly)


def on(system: System, walk: Walk, prefix: str) -> Moves:
    """The walk for this system: ids of its own, and every span as many times longer as its leases are."""
    return relabelled(lengthened([Move(cause) for cause in walk], system.lease_seconds), "", prefix)


@cache
def _soonest_first(
    contracts: frozenset[Contract], capabilities: frozenset[Capability], briefly: bool
) -> Sequence[Walk]:
    return tuple(soonest_first(_fitting(contracts, capabilities, briefly)))


def _fitting(contracts: frozenset[Contract], capabilities: frozenset[Capability], briefly: bool) -> Sequence[Walk]:
    return _in_brief(contracts, capabilities) if briefly else tours_of_all(contracts, capabilities)


@cache
def reachable_classes(contracts: frozenset[Contract], capabilities: frozenset[Capability]) -> frozenset[EdgeClass]:
    """The classes of edges that a system with these can be brought to take, as far as the scopes go."""
    walks = tours_of_all(contracts, capabilities)
    return frozenset(edge_class(step) for walk in walks for step in taken(walk))


@cache
def tours_of_all(contracts: frozenset[Contract], capabilities: frozenset[Capability]) -> Sequence[Walk]:
    """The walks of a system with these contracts and capabilities."""
    return tuple(_named(contracts, capabilities))


def scope_names(contracts: frozenset[Contract], capabilities: frozenset[Capability]) -> dict[Walk, str]:
    """The name of the scope that each of these walks is through, those of the bare spine among them, which brief tours
    take as they are.
    """
    return _named(contracts, frozenset()) | _named(contracts, capabilities)


@cache
def _named(contracts: frozenset[Contract], capabilities: frozenset[Capability]) -> dict[Walk, str]:
    names: dict[Walk, str] = {}
    for contract in _in_order(contracts):
        names |= scopes_of_tours(_scopes(contract, capabilities))
    return names


@cache
def _in_brief(contracts: frozenset[Contract], capabilities: frozenset[Capability]) -> Sequence[Walk]:
    """Under each contract the tours of the spine, and of everything else every way to end."""
    brief: list[Walk] = []
    for contract in _in_order(contracts):
        own = frozenset({contract})
        brief += in_brief(tours_of_all(own, capabilities), whole=tours_of_all(own, frozenset()))
    return tuple(brief)


def _in_order(contracts: frozenset[Contract]) -> list[Contract]:
    return [contract for contract in Contract if contract in contracts]


def _scopes(contract: Contract, capabilities: frozenset[Capability]) -> tuple[Scope, ...]:
    """The scopes to take tours of: those in which nothing happens but what is offered and can be driven."""
    return tuple(scope for scope in SCOPES if scope.contract is contract and scope.needs <= capabilities - NOT_DRIVEN)
