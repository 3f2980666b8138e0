"""Two commands at once, in every order of their steps with few preemptions, explained by the model or not at all.

Whatever order the database brings them into, it must look as if one had been done after the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from keepfact.spec.vocabulary import Asking, Command, Observation

from .encounters import Encounter
from .judge import Judge
from .meeting import At, Ended, Interleaves, Meeting
from .orders import Asked, GaveUpError, explanation
from .recorder import Move
from .shorten import lengthened, relabelled
from .system import System
from .trial import RuleBrokenError, Trial


@dataclass(frozen=True, slots=True)
class Met:
    """What came of one meeting: who went on when, and from where; what was answered and seen; and whether an order of
    the commands explains it. None: there were too many orders to tell.
    """

    encounter: Encounter
    schedule: tuple[tuple[int, str], ...]
    asked: tuple[Asked, ...]
    observed: Observation
    is_explained: bool | None


class Schedules:
    """Every way to let actors go on, one after the other, with at most so many preemptions; depth first.

    A preemption lets another go on though the one before could have. One that waits behind another must give way, and
    that is none.
    """

    def __init__(self, preemptions_max: int) -> None:
        self._preemptions_max = preemptions_max
        self._path: list[tuple[list[int], int]] = []
        self._depth = 0

    def __iter__(self) -> Iterator["Schedules"]:
        """Once for each way; the one who drives calls `choose` at each step."""
        while True:
            self._depth = 0
            yield self
            del self._path[self._depth :]
            while self._path and self._path[-1][1] + 1 == len(self._path[-1][0]):
                self._path.pop()
            if not self._path:
                return
            options, taken = self._path.pop()
            self._path.append((options, taken + 1))

    def choose(self, able: Sequence[int], last: int | None, preemptions: int) -> int:
        """Who goes on, of those who can."""
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


def interleave(
    system: System,
    encounter: Encounter,
    judge: Judge,
    name: str,
    preemptions_max: int = 1,
) -> Iterator[Met]:
    """Let the two meet in each order in turn, every time after a walk of its own."""
    for number, schedule in enumerate(Schedules(preemptions_max), 1):
        yield _meet(system, encounter, judge, f"{name}-{number}-", schedule)


def _meet(system: System, encounter: Encounter, judge: Judge, name: str, schedule: Schedules) -> Met:
    walk = [Move(cause) for cause in (*encounter.walk, encounter.first, encounter.second)]
    *way, first, second = relabelled(lengthened(walk, system.lease_seconds), "", name)
    trial = Trial(system, judge, None, name)
    if failure := trial.run_through(tuple(way)):
        raise RuleBrokenError(failure)
    commands = [cast(Command | Asking, move.cause) for move in (first, second)]
    assert isinstance(system, Interleaves)
    with system.meeting(commands) as meeting:
        gone, asked = _direct(meeting, commands, schedule)
    observed = trial.recorder.look_around([move.said for move in (first, second)])
    try:
        order = explanation(trial.worlds, asked, observed, trial.beside)
    except GaveUpError:
        return Met(encounter, gone, asked, observed, None)
    return Met(encounter, gone, asked, observed, order is not None)


def _direct(
    meeting: Meeting, commands: Sequence[Command | Asking], schedule: Schedules
) -> tuple[tuple[tuple[int, str], ...], tuple[Asked, ...]]:
    """Let them go on as planned until all have ended: who went on from where, and what each was told from when on."""
    gone: list[tuple[int, str]] = []
    sent, answered = dict[int, int](), dict[int, int]()
    last, preemptions = None, 0
    stands = meeting.stands()
    while able := {actor: stand.milestone for actor, stand in enumerate(stands) if isinstance(stand, At)}:
        actor = schedule.choose(list(able), last, preemptions)
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
