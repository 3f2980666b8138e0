"""The implementation with one thing broken in its real SQL, to see whether the harness notices and names it."""

from types import ModuleType

from keepfact.conformance.systems import UnknownSystemError
from keepfact.conformance.systems.postgres import Postgres, Server

from . import (
    approving,
    calls,
    cancelling,
    continuing,
    costs,
    ends,
    histories,
    leases,
    meetings,
    releases,
    tenants,
    under_faults,
    unseen,
    waits,
)
from .mutation import Mutation, NotAppliedError
from .repeating import RepeatsOnTheWay


def _in(*modules: ModuleType) -> dict[str, Mutation]:
    """The mutations that stand there, by their names."""
    found = (mutation for module in modules for mutation in vars(module).values() if isinstance(mutation, Mutation))
    return {mutation.name: mutation for mutation in found}


MUTATIONS = _in(
    *(leases, histories, calls, costs, ends),
    *(waits, approving, cancelling, releases, continuing, tenants, meetings),
)
"""Every mutation that lockstep shows by its name, chapter by chapter."""

UNSEEN = _in(unseen)
"""Those that only the write-ahead log shows."""

UNDER_FAULTS = _in(under_faults)
"""Those that show only with real workers and what a real outside may answer."""


class Defective(Postgres):
    """The implementation, mutated; creating it fails unless every edit was made."""

    def __init__(self, mutation: Mutation, *, server: Server | None = None, installation: str | None = None) -> None:
        edit, check = mutation.editor()
        super().__init__(server=server, edit=edit, installation=installation)
        try:
            check()
        except NotAppliedError:
            self.close()
            raise
        self.name = f"defective:{mutation.name}"
        self.mutation = mutation


def open_defective(name: str) -> Postgres:
    """The implementation with the defect of that name, also with one that only an experiment shows."""
    if name == RepeatsOnTheWay.defect:
        return RepeatsOnTheWay()
    apart = {**UNSEEN, **UNDER_FAULTS}
    return Defective(apart[name] if name in apart else mutation_named(name))


def mutation_named(name: str) -> Mutation:
    """A mutation by its name. Raises UnknownSystemError, which lists them."""
    if name not in MUTATIONS:
        raise UnknownSystemError(
            f"expected a defect, one of {', '.join(sorted(MUTATIONS))}; there is none called {name!r}."
        )
    return MUTATIONS[name]


__all__ = [
    "MUTATIONS",
    "UNDER_FAULTS",
    "UNSEEN",
    "Defective",
    "Mutation",
    "NotAppliedError",
    "mutation_named",
    "open_defective",
]
