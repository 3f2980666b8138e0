"""Which rules catch each mutation: one server for all, an installation for each, shared out among all cores."""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from keepfact.conformance.crew import shared_out
from keepfact.conformance.evidence import DefectRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.lockstep import Search, search
from keepfact.conformance.meetings.together import bring_together
from keepfact.conformance.profiles import EFFORTS, Profile
from keepfact.conformance.recorder import Moves
from keepfact.conformance.shorten import relabelled
from keepfact.conformance.systems.postgres import Postgres, Server, remove, shared_server
from keepfact.conformance.trial import Trial
from keepfact.conformance.verdicts import Verdict

from . import MUTATIONS, Defective, mutation_named
from .mutation import Mutation

CONTROL = "control"
"""Stands where the name of a mutation would: the implementation as it is."""


@dataclass(frozen=True, slots=True)
class Task:
    """A search to be made by some process: for a mutation, or without one for the control."""

    mutation: Mutation | None
    server: Server
    installation: str
    seed: int


@dataclass(frozen=True, slots=True)
class Hunt:
    """What came of a search: the rules that broke, the moves it took, and how many traces until then."""

    name: str
    killed_by: tuple[str, ...]
    moves: Moves = ()
    traces: int = 0

    @property
    def record(self) -> DefectRecord:
        """The rules that caught the mutation beside those that were predicted to."""
        return DefectRecord(name=self.name, predicted=MUTATIONS[self.name].predicted, killed_by=self.killed_by)

    @property
    def is_as_predicted(self) -> bool:
        """A predicted rule caught the mutation; of the control, that no rule broke."""
        if self.name == CONTROL:
            return not self.killed_by
        return bool(set(MUTATIONS[self.name].predicted) & set(self.killed_by))


def hunts(names: Sequence[str], seed: int) -> Iterator[Hunt]:
    """A search for each of these mutations, as they are done; without names for all of them.

    The control comes last: what showed a mutation must show nothing without it, and if all are asked for, neither must
    a whole search. Raises SystemUnavailableError.
    """
    chosen: list[Mutation | None] = [mutation_named(name) for name in dict.fromkeys(names)]
    mutations = chosen or [None, *MUTATIONS.values()]
    prefix = f"kf_{secrets.token_hex(4)}"
    with shared_server() as server:
        tasks = [Task(one, server, f"{prefix}_{number}", seed) for number, one in enumerate(mutations)]
        found = list[Hunt]()
        try:
            for hunt in shared_out(hunted, tasks):
                found.append(hunt)
                if hunt.name != CONTROL:
                    yield hunt
        except BaseException:
            for task in tasks:  # whoever was to remove them may have been killed
                remove(server, task.installation)
            raise
        yield _control(found, server)


def hunted(task: Task) -> Hunt:
    """Search until a rule breaks. Nothing is made shorter: it is enough to know which."""
    if task.mutation is None:
        with closing(Postgres(server=task.server, installation=task.installation)) as system:
            return _hunt(CONTROL, _search(system, (), task.seed))
    with closing(Defective(task.mutation, server=task.server, installation=task.installation)) as system:
        if task.mutation.shows_in_meetings:
            return _met(task.mutation.name, system, task.seed)
        return _hunt(task.mutation.name, _search(system, task.mutation.predicted, task.seed))


def _search(system: Postgres, concern: Iterable[str], seed: int) -> Search:
    judge = Judge(system.contracts, capabilities=system.capabilities)
    return search(system, judge, None, EFFORTS[Profile.QUICK], seed, concern=concern, shortens=False)


def _hunt(name: str, found: Search) -> Hunt:
    """Of several failures the last one counts: in it a rule says what the model had only seen."""
    if not found.failures:
        return Hunt(name, (), traces=found.traces)
    failure = found.failures[-1]
    return Hunt(name, failure.rules, relabelled(failure.moves, failure.trace, ""), found.traces)


def _met(name: str, system: Postgres, seed: int) -> Hunt:
    """Where commands meet; there are no moves that would show it one after the other."""
    judge = Judge(system.contracts, capabilities=system.capabilities)
    found = bring_together(system, judge, None, EFFORTS[Profile.QUICK], seed)
    rules = tuple(wrong.rule for wrong in found.failure.violations) if found.failure else ()
    return Hunt(name, rules, traces=found.meetings)


def _control(found: Sequence[Hunt], server: Server) -> Hunt:
    """Make the moves of each hunt once more, on the implementation as it is."""
    whole = next((hunt for hunt in found if hunt.name == CONTROL), Hunt(CONTROL, ()))
    broken = set(whole.killed_by)
    with closing(Postgres(server=server)) as right:
        for hunt in found:
            judge = Judge(right.contracts, capabilities=right.capabilities)
            failure = Trial(right, judge, None, hunt.name).run_through(relabelled(hunt.moves, "", f"{hunt.name}-"))
            broken |= set(failure.rules if failure else ())
    return Hunt(CONTROL, tuple(sorted(broken)), traces=whole.traces + len(found))


def verdict_of(hunts: Iterable[Hunt]) -> Verdict:
    """No pass without every mutation caught by a rule that was predicted, and a control in which nothing broke."""
    known = list(hunts)
    if not all(hunt.is_as_predicted for hunt in known if hunt.name == CONTROL):
        return Verdict.VIOLATED
    is_whole = any(hunt.name == CONTROL for hunt in known) and all(hunt.is_as_predicted for hunt in known)
    return Verdict.HOLDS if is_whole else Verdict.INCONCLUSIVE
