"""The course that most experiments take: one run for each strike, the next workers starting while one is judged."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from keepfact.conformance.evidence import FaultRecord
from keepfact.spec.vocabulary import RunId

from .rehearsal import Rehearsal, rehearse
from .strikes import Sample, Strike, chosen, never_struck, told
from .subject import Progress
from .tally import Tally
from .trial import Stage, Trial
from .waiting import NotReachedError

AHEAD = 2
"""Workers that start while another is judged."""


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
    start: Callable[[Rehearsal, Trial, Strike], None] | None = None
    ahead: int | None = None

    def __call__(self, stage: Stage, progress: Progress, *, deliver: bool, sample: Sample | None) -> Tally:
        """As a Course."""
        rehearsal = self.rehearse(Trial(stage, RunId(f"{stage.title}-rehearsal")))
        planned = tuple(self.plan(rehearsal))
        strikes = chosen(planned, sample)
        start, ahead = partial(self.start or _start, rehearsal), self._ahead if rehearsal.starts_queued else 0
        trials = (Trial(stage, RunId(f"{stage.title}-{number:02}")) for number in range(1, len(strikes) + 1))
        delivered, undone = 0, []
        with closing(_started_ahead(zip(trials, strikes, strict=False), start, ahead)) as started:
            for done, (strike, trial) in enumerate(zip(strikes, started, strict=True), 1):
                with trial:
                    result = self._do(rehearsal, trial, strike, deliver=deliver)
                delivered += result.is_delivered
                undone += [f"{trial.run}: {result.trouble}"] if result.trouble else []
                _record(trial, strike, result)
                progress(done, len(strikes), f"{strike.side}: {strike.place}")
        return Tally(
            seams=rehearsal.seams,
            runs=len(strikes),
            delivered=delivered,
            undone=tuple(undone),
            missed=tuple(f"never struck: {side}" for side in never_struck(self.sides, planned)),
            is_whole=len(strikes) == len(planned),
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
                seam=f"{strike.number} {strike.place}",
                side=strike.side,
                delivered=result.is_delivered,
                proof=result.proof,
            )
        )


def _start(_: Rehearsal, trial: Trial, __: Strike) -> None:
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
