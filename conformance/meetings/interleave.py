"""Commands at once, in every order of their steps with few preemptions, explained by the model or not at all.

Whatever order the database brings them into, it must look as if one had been done after the other.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import cast

from keepfact.conformance.evidence import EvidenceWriter, MeetingRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.recorder import Moves
from keepfact.conformance.system import System
from keepfact.conformance.trial import RuleBrokenError, Trial
from keepfact.spec.vocabulary import Asking, Command, Observation

from .actors import At, Ended, Interleaves, Meeting
from .groups import Group
from .orders import Asked, is_explained

Choose = Callable[[Sequence[int], int | None, int], int]
"""Who goes on, of those who can, given who went on last and how many preemptions there were."""

_MOMENTS = 8
"""Three commands go on about so often, taken together, before the last of them is alone."""


@dataclass(frozen=True, slots=True)
class Met:
    """What came of one meeting, after the moves of the `way` to it.

    `schedule` says who went on when, and from which milestone. `is_explained` is None where there were too many orders
    to tell.
    """

    way: Trial
    schedule: tuple[tuple[int, str], ...]
    asked: tuple[Asked, ...]
    observed: Observation
    is_explained: bool | None

    def record(self) -> MeetingRecord:
        """For the evidence."""
        return MeetingRecord(
            trace=self.way.recorder.trace,
            schedule=self.schedule,
            asked=tuple(asked.record() for asked in self.asked),
            observed=self.observed,
            explained=self.is_explained,
        )


class Schedules:
    """Every way to let actors go on, one after the other, with at most so many preemptions; depth first.

    A preemption lets another go on though the one before could have. One that waits behind another must give way, and
    that is none.
    """

    def __init__(self, preemptions_max: int) -> None:
        self._preemptions_max = preemptions_max
        self._path: list[tuple[list[int], int]] = []
        self._depth = 0

    def __iter__(self) -> Iterator[Choose]:
        """Once for each way; it is chosen by at each step, until all have ended."""
        while True:
            self._depth = 0
            yield self._choose
            del self._path[self._depth :]
            while self._path and self._path[-1][1] + 1 == len(self._path[-1][0]):
                self._path.pop()
            if not self._path:
                return
            options, taken = self._path.pop()
            self._path.append((options, taken + 1))

    def _choose(self, able: Sequence[int], last: int | None, preemptions: int) -> int:
        if self._depth == len(self._path):
            self._path.append((self._options(able, last, preemptions), 0))
        options, taken = self._path[self._depth]
        self._depth += 1
        # Where a lock is given to another than last time, what was planned may not be able to go on.
        return options[taken] if options[taken] in able else able[0]

    def _options(self, able: Sequence[int], last: int | None, preemptions: int) -> list[int]:
        if last is None or last not in able:
            return list(able)
        others = [actor for actor in able if actor != last]
        return [last, *(others if preemptions < self._preemptions_max else [])]


def by_chance(chance: Random) -> Choose:
    """One after the other in an order that chance gives, and once, at some moment, another goes on instead."""
    moment = chance.randrange(_MOMENTS)

    def choose(able: Sequence[int], last: int | None, preemptions: int) -> int:
        nonlocal moment
        moment -= 1
        if last is None or last not in able:
            return chance.choice(able)
        others = [actor for actor in able if actor != last]
        return chance.choice(others) if others and moment < 0 and not preemptions else last

    return choose


def as_planned(plan: Sequence[int]) -> Choose:
    """The same way once more."""
    left = iter(plan)

    def choose(able: Sequence[int], last: int | None, preemptions: int) -> int:
        actor = next(left, able[0])
        return actor if actor in able else able[0]

    return choose


def interleave(
    system: System, group: Group, judge: Judge, evidence: EvidenceWriter | None, name: str, orders: Iterable[Choose]
) -> Iterator[Met]:
    """Let them meet in each order in turn, every time after a walk of its own. Raises RuleBrokenError on the way."""
    actors = len(group.commands)
    for number, choose in enumerate(orders, 1):
        moves = group.moves(actors, f"{name}-{number}-", system.lease_seconds)
        yield meet(system, moves, judge, evidence, f"{name}-{number}", choose, actors)


def race(
    system: System, group: Group, judge: Judge, evidence: EvidenceWriter | None, name: str, racers: int, chance: Random
) -> Met:
    """Let so many meet at once, by turns of the one and of the other kind, in an order that chance gives."""
    moves = group.moves(racers, f"{name}-", system.lease_seconds)
    return meet(system, moves, judge, evidence, name, lambda able, last, preemptions: chance.choice(able), racers)


def meet(
    system: System,
    moves: Moves,
    judge: Judge,
    evidence: EvidenceWriter | None,
    trace: str,
    choose: Choose,
    racers: int = 2,
) -> Met:
    """Make all moves but the last ones, and let those meet. Raises RuleBrokenError if a rule breaks before they do."""
    way, met = moves[:-racers], moves[-racers:]
    trial = Trial(system, judge, evidence, trace)
    if failure := trial.run_through(way):
        raise RuleBrokenError(failure)
    commands = [cast(Command | Asking, move.cause) for move in met]
    with cast(Interleaves, system).meeting(commands) as meeting:
        schedule, asked = _direct(meeting, commands, choose)
    observed = trial.recorder.look_around(move.said for move in met)
    came_of_it = Met(trial, schedule, asked, observed, is_explained(trial.worlds, asked, observed, trial.beside))
    if evidence is not None:
        evidence.write(came_of_it.record())
    return came_of_it


def _direct(
    meeting: Meeting, commands: Sequence[Command | Asking], choose: Choose
) -> tuple[tuple[tuple[int, str], ...], tuple[Asked, ...]]:
    """Let them go on as chosen until all have ended: who went on from where, and what each was told from when on."""
    gone: list[tuple[int, str]] = []
    sent, answered = dict[int, int](), dict[int, int]()
    last, preemptions = None, 0
    stands = meeting.stands()
    while able := {actor: stand.milestone for actor, stand in enumerate(stands) if isinstance(stand, At)}:
        actor = choose(list(able), last, preemptions)
        preemptions += last in able and actor != last
        gone.append((actor, able[actor]))
        sent.setdefault(actor, len(gone))
        meeting.go_on(actor)
        stands, last = meeting.stands(), actor
        for other, stand in enumerate(stands):
            if isinstance(stand, Ended):
                answered.setdefault(other, len(gone))
    outcomes = [stand.outcome for stand in stands if isinstance(stand, Ended)]
    asked = zip(commands, outcomes, strict=True)
    return tuple(gone), tuple(Asked(command, told, sent[at], answered[at]) for at, (command, told) in enumerate(asked))
