"""The course that most experiments take: one run for each strike, the next workers starting while one is judged."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from keepfact.conformance.evidence import FaultRecord
from keepfact.spec.vocabulary import RunId

from .rehearsal import Rehearsal, rehearse
from .subject import Progress
from .tally import Tally
from .trial import Stage, Trial
from .waiting import NotReachedError

AHEAD = 2
"""Workers that start while another is judged."""


@dataclass(frozen=True, slots=True)
class Strike:
    """Where a fault is meant to fall: at the seam of that number, from 1, or on the way from it; and on which side."""

    number: int
    seam: str
    side: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """Rehearse, then strike once on each of the `sides` of each seam that `plan` finds fit, each time a run of its own.

    `deliver` brings the fault and gives the proof of it, or raises NotReachedError; `withhold` is what is done instead
    where no fault is wanted. `look_after` has everything happen that may follow, each step observed and judged.
    With a `start` of its own, a trial starts only when the one before it is over, unless it says how many `ahead`.
    """

    sides: tuple[str, ...]
    plan: Callable[[Rehearsal], Sequence[Strike]]
    deliver: Callable[[Trial, Strike], str]
    look_after: Callable[[Rehearsal, Trial, Strike], None]
    withhold: Callable[[Trial], object] = Trial.finish
    rehearse: Callable[[Trial], Rehearsal] = rehearse
    start: Callable[[Trial, Strike], None] | None = None
    ahead: int | None = None

    def __call__(self, stage: Stage, progress: Progress, *, deliver: bool, most: int | None) -> Tally:
        """As a Course."""
        rehearsal = self.rehearse(Trial(stage, RunId(f"{stage.title}-rehearsal")))
        planned = tuple(self.plan(rehearsal))
        strikes = chosen(planned, most)
        start, ahead = self.start or _start, self._ahead if rehearsal.starts_queued else 0
        trials = (Trial(stage, RunId(f"{stage.title}-{number:02}")) for number in range(1, len(strikes) + 1))
        delivered, undone = 0, []
        with closing(_started_ahead(zip(trials, strikes, strict=False), start, ahead)) as started:
            for done, (strike, trial) in enumerate(zip(strikes, started, strict=True), 1):
                with trial:
                    result = self._do(rehearsal, trial, strike, deliver=deliver)
                delivered += result.is_delivered
                undone += [f"{trial.run}: {result.trouble}"] if result.trouble else []
                _record(trial, strike, result)
                progress(done, len(strikes), f"{strike.side}: {strike.seam}")
        return Tally(
            seams=rehearsal.seams,
            runs=len(strikes),
            delivered=delivered,
            undone=tuple(undone),
            missed=tuple(f"never struck: {side}" for side in never_struck(self.sides, planned)),
            told=(f"{stage.contract}: {len(rehearsal.seams)} seams, {told(strikes, planned)}",),
        )

    @property
    def _ahead(self) -> int:
        if self.ahead is not None:
            return self.ahead
        return AHEAD if self.start is None else 0

    def _do(self, rehearsal: Rehearsal, trial: Trial, strike: Strike, *, deliver: bool) -> "_Result":
        try:
            trial.take_up()
            if not deliver:
                self.withhold(trial)
                return _Result(False, "withheld")
            result = _Result(True, self.deliver(trial, strike))
        except NotReachedError as error:
            return _Result(False, f"not delivered: {error}", trouble=str(error))
        try:
            self.look_after(rehearsal, trial, strike)
        except NotReachedError as error:
            return replace(result, trouble=str(error))
        return result


def never_struck(sides: Iterable[str], strikes: Sequence[Strike]) -> list[str]:
    """Sides on which no worker could be struck, since it never came there: a few harmless strikes are no sweep."""
    return [side for side in sides if side not in {strike.side for strike in strikes}]


def chosen(strikes: Sequence[Strike], most: int | None) -> list[Strike]:
    """About so many of them: the first of each side, and of the others as many, evenly spread over the seams."""
    if most is None or most >= len(strikes):
        return list(strikes)
    first = {strike.side: strike for strike in reversed(strikes)}.values()
    others = [strike for strike in strikes if strike not in first]
    wanted = max(0, most - len(first))
    spread = {others[index * len(others) // wanted] for index in range(wanted)}
    return [strike for strike in strikes if strike in first or strike in spread]


def told(strikes: Sequence[Strike], planned: Sequence[Strike]) -> str:
    """How many strikes there were, of how many, and on how many sides, in words."""
    sides = len({strike.side for strike in strikes})
    many = f"{len(strikes)} strikes" if len(strikes) == len(planned) else f"{len(strikes)} of {len(planned)} strikes"
    return f"{many} on {sides} {'side' if sides == 1 else 'sides'}"


@dataclass(frozen=True, slots=True)
class _Result:
    """`trouble` is why the fault could not be delivered, or why what became of it could not be judged."""

    is_delivered: bool
    proof: str
    trouble: str = ""


def _record(trial: Trial, strike: Strike, result: _Result) -> None:
    if trial.stage.evidence is not None:
        trial.stage.evidence.write(
            FaultRecord(
                experiment=trial.stage.experiment,
                trace=trial.run,
                seam=f"{strike.number} {strike.seam}",
                side=strike.side,
                delivered=result.is_delivered,
                proof=result.proof,
            )
        )


def _start(trial: Trial, _: Strike) -> None:
    trial.start()


def _started_ahead(
    trials: Iterable[tuple[Trial, Strike]], start: Callable[[Trial, Strike], None], ahead: int
) -> Generator[Trial]:
    """Each trial in turn, with that many more already started. Closes those whose turn never came."""
    waiting: deque[Trial] = deque()
    try:
        for trial, strike in trials:
            waiting.append(trial)
            start(trial, strike)
            if len(waiting) > ahead:
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()
    finally:
        for trial in waiting:
            trial.close()
