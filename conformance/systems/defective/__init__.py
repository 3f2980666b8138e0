"""The implementation with one thing broken in its real SQL, to see whether the harness notices and names it."""

from keepfact.conformance.systems import UnknownSystemError
from keepfact.conformance.systems.postgres import Postgres

from . import calls, costs, ends, leases, meetings
from .mutation import Mutation, NotAppliedError

MUTATIONS: dict[str, Mutation] = {
    mutation.name: mutation
    for module in (leases, calls, costs, ends, meetings)
    for mutation in vars(module).values()
    if isinstance(mutation, Mutation)
}


class Defective(Postgres):
    """The implementation, mutated; creating it fails unless every edit was made."""

    def __init__(self, mutation: Mutation) -> None:
        edit, check = mutation.editor()
        super().__init__(edit=edit)
        try:
            check()
        except NotAppliedError:
            self.close()
            raise
        self.name = f"defective:{mutation.name}"
        self.mutation = mutation


def open_defective(name: str) -> Defective:
    """The implementation with the defect of that name."""
    if name not in MUTATIONS:
        raise UnknownSystemError(
            f"expected a defect, one of {', '.join(sorted(MUTATIONS))}; there is none called {name!r}."
        )
    return Defective(MUTATIONS[name])


__all__ = ["MUTATIONS", "Defective", "Mutation", "NotAppliedError", "open_defective"]
