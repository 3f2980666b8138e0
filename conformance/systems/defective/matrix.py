"""Which rules catch each mutation: one server for all, an installation for each, shared out among all cores."""

import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from keepfact.conformance.crew import shared_out
from keepfact.conformance.evidence import DefectRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.lockstep import Search, search
from keepfact.conformance.profiles import EFFORTS, Profile
from keepfact.conformance.recorder import Moves
from keepfact.conformance.shorten import relabelled
from keepfact.conformance.systems.postgres import Postgres, Server, remove, shared_server
from keepfact.conformance.trial import Failure, Trial

from . import MUTATIONS, Defective, mutation_named
from .mutation import Mutation


@dataclass(frozen=True, slots=True)
class Task:
    """A search to be made by some process: for a mutation, or without one for the control."""

    mutation: Mutation | None
    server: Server
    installation: str
    seed: int


@dataclass(frozen=True, slots=True)
class Hunt:
    """What came of a search: the rules that caught the mutation, and the moves it took."""

    name: str
    killed_by: tuple[str, ...]
    moves: Moves = ()
    traces: int = 0
    seconds: float = 0


T = [0.0]
CONTROL = "control"
"""Stands where the name of a mutation would: the implementation as it is."""


def hunts(names: Sequence[str], seed: int) -> Iterator[Hunt]:
    """A search for each of these mutations, as they are done; without names for all of them.

    The control comes last: what showed a mutation must show nothing without it, and if all are asked for, neither must
    a whole search.
    """
    mutations = [mutation_named(name) for name in dict.fromkeys(names)] or [None, *MUTATIONS.values()]
    prefix = f"kf_{secrets.token_hex(4)}"
    with shared_server() as server:
        tasks = [Task(one, server, f"{prefix}_{number}", seed) for number, one in enumerate(mutations)]
        found, control = list[Hunt](), list[str]()
        try:
            for hunt in shared_out(hunted, tasks):
                if hunt.name == CONTROL:
                    control += hunt.killed_by
                else:
                    found.append(hunt)
                    yield hunt
        except BaseException:
            for task in tasks:  # their processes were killed
                remove(server, task.installation)
            raise
        yield Hunt(CONTROL, tuple(sorted({*control, *_shown_without(found, server)})))


def hunted(task: Task) -> Hunt:
    try:
        return hunted_(task)
    except Exception as error:
        return Hunt(task.mutation.name if task.mutation else CONTROL, ("CRASH", str(error)[:600]))


def hunted_(task: Task) -> Hunt:
    """Search until a rule breaks. Nothing is made shorter: it is enough to know which."""
    if task.mutation is None:
        with closing(Postgres(server=task.server, installation=task.installation)) as system:
            return _hunt(CONTROL, _search(system, (), task.seed))
    with closing(Defective(task.mutation, server=task.server, installation=task.installation)) as system:
        return _hunt(task.mutation.name, _search(system, task.mutation.predicted, task.seed))


def _search(system: Postgres, concern: Iterable[str], seed: int) -> Search:
    T[0] = time.time()
    judge = Judge(system.contracts, capabilities=system.capabilities)
    return search(system, judge, None, EFFORTS[Profile.QUICK], seed, concern=concern, shortens=False)


def _hunt(name: str, found: Search) -> Hunt:
    """Of several failures the last one counts, in which a rule says what the model had only seen."""
    if not found.failures:
        return Hunt(name, (), (), found.traces, time.time() - T[0])
    failure = found.failures[-1]
    return Hunt(name, failure.rules, relabelled(failure.moves, failure.trace, ""), found.traces, time.time() - T[0])


def _shown_without(found: Iterable[Hunt], server: Server) -> Iterator[str]:
    """The rules that the implementation as it is breaks by what showed a mutation."""
    with closing(Postgres(server=server)) as right:
        for hunt in found:
            judge = Judge(right.contracts, capabilities=right.capabilities)
            failure = Trial(right, judge, None, hunt.name).run_through(relabelled(hunt.moves, "", hunt.name))
            yield from failure.rules if failure else ()


def record_of(hunt: Hunt) -> DefectRecord:
    """Predicted rules beside those that caught it."""
    return DefectRecord(name=hunt.name, predicted=MUTATIONS[hunt.name].predicted, killed_by=hunt.killed_by)
