"""What a system under test must offer to be driven in lockstep. What experiments need besides stands in `abilities`."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from keepfact.conformance.errors import KeepfactError
from keepfact.spec.vocabulary import (
    Capability,
    Command,
    Contract,
    Drift,
    Observation,
    Outcome,
    RunId,
    Session,
)


class SystemUnavailableError(KeepfactError):
    """The system cannot be used as things are; the message says what was expected, what was seen and what to do."""


class System(Protocol):
    """A system that is driven command by command.

    `lease_seconds` is the full length of a lease on the store's clock, which moves only by `tick`. One that offers more
    than the spine also has `capabilities`, a frozenset of `keepfact.spec.vocabulary.Capability`.
    """

    name: str
    lease_seconds: int
    contracts: frozenset[Contract]

    def perform(self, command: Command) -> Outcome:
        """Do one command, in the session of its entry point. A timeout is `Lost`; an exception is a broken adapter."""

    def observe(self, runs: Sequence[RunId]) -> Observation:
        """Show these runs, in this order; runs that were never admitted are left out. Must write nothing."""

    def tick(self, seconds: int) -> None:
        """Move the store's clock on."""

    def versions(self) -> dict[str, str]:
        """Name and version of what is under test and below it, for the evidence."""

    def close(self) -> None:
        """Stop and remove everything that was started or created."""


class BeginsAfresh(Protocol):
    """A system in which a trace can begin as if nothing had been before it. It needs that to be compared in what it
    keeps beyond one run: what earlier traces have left there must not be met by what is asked from here on.
    """

    def begin(self) -> None:
        """Start afresh: no runs, bundles but the first, readers or payloads; versions in force and of tables are 1."""


@runtime_checkable
class Drifts(Protocol):
    """A system whose approvals are bound to versions and a permission that a harness can change."""

    def drift(self, what: Drift) -> None:
        """Count the version of that on by one; for PERMISSION, withdraw it."""


class Restarts(Protocol):
    """A system whose processes can be stopped."""

    def restart(self) -> None:
        """Stop them and start them again; what was only in memory is gone."""


class HasSessions(Protocol):
    """A system that tells who asks."""

    def perform_in(self, session: Session, command: Command) -> Outcome:
        """Do one command as asked by this principal of this tenant, through this door; else as `perform`."""


HOOKS: dict[Capability, tuple[str, ...]] = {
    Capability.WAITS: ("restart",),
    Capability.APPROVALS: ("begin", "drift"),
    Capability.RELEASES: ("begin",),
    Capability.MIGRATION: ("begin",),
    Capability.MATERIALS: ("begin",),
    Capability.CONTINUATION: ("begin",),
    Capability.PAYLOADS: ("begin",),
    Capability.SESSIONS: ("perform_in",),
}
"""What a system must have in addition to be driven in what it offers: `begin` of BeginsAfresh, and so on."""

SHOWN_BESIDE: dict[Capability, str] = {
    Capability.APPROVALS: "in_force",
    Capability.RELEASES: "bundles",
    Capability.MIGRATION: "served",
    Capability.MATERIALS: "readers",
    Capability.PAYLOADS: "payloads",
}
"""The field of an Observation that shows what is kept beyond one run."""


def missing_hooks(system: System) -> list[str]:
    """What the system would need to be driven in what it declares, and lacks."""
    needed = {hook for capability in capabilities_of(system) for hook in HOOKS.get(capability, ())}
    return sorted(hook for hook in needed if not callable(getattr(system, hook, None)))


def capabilities_of(system: System) -> frozenset[Capability]:
    """What the system offers beyond the spine; nothing, unless it says so."""
    declared: frozenset[Capability] = getattr(system, "capabilities", frozenset())
    return declared


def declared_by(system: System) -> tuple[frozenset[Contract], frozenset[Capability]]:
    """What the system promises, and what it offers; adapters may hold either in any kind of set."""
    return frozenset(system.contracts), frozenset(capabilities_of(system))
