"""The loop that experiments share: one run for each strike, the next workers starting while one is judged."""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from keepfact.conformance.evidence import FaultRecord
from keepfact.spec.vocabulary import RunId

from .experiment import Progress
from .processes import Death
from .trial import Stage, Trial
from .waiting import NotReachedError


@dataclass(frozen=True, slots=True)
class Strike:
    """Where a fault is meant to fall: at the seam of that number, from 1, or on the way from it; and on which side."""

    number: int
    seam: str
    side: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """What came of all strikes: how many faults were delivered, and what could not be done or judged."""

    runs: int
    delivered: int
    undone: tuple[str, ...]


def sweep(
    stage: Stage,
    strikes: Sequence[Strike],
    deliver: Callable[[Trial, Strike], Death | None],
    look_after: Callable[[Trial, Strike], None],
    progress: Progress,
    *,
    ahead: int,
) -> Sweep:
    """Do each strike on a run of its own: deliver the fault, then judge what becomes of it.

    `deliver` gives None when the fault was withheld, and raises NotReachedError when it could not be delivered.
    `ahead` workers are started before their turn, and wait at their first seam.
    """
    trials = (Trial(stage, RunId(f"{stage.experiment}-{number:02}")) for number in range(1, len(strikes) + 1))
    delivered, undone = 0, []
    with closing(_started_ahead(trials, ahead)) as started:
        for done, (strike, trial) in enumerate(zip(strikes, started, strict=True), 1):
            with trial:
                result = _do(trial, strike, deliver, look_after)
            delivered += result.is_delivered
            undone += [f"{trial.run}: {result.trouble}"] if result.trouble else []
            _record(trial, strike, result)
            progress(done, len(strikes), f"{strike.side}: {strike.seam}")
    return Sweep(len(strikes), delivered, tuple(undone))


def count_sides(strikes: Iterable[Strike]) -> str:
    """How many strikes there are of each side, in words."""
    return ", ".join(f"{number} × {side}" for side, number in Counter(strike.side for strike in strikes).items())


@dataclass(frozen=True, slots=True)
class _Result:
    """`trouble` is why the fault could not be delivered, or why what became of it could not be judged."""

    is_delivered: bool
    proof: str
    trouble: str = ""


def _do(
    trial: Trial,
    strike: Strike,
    deliver: Callable[[Trial, Strike], Death | None],
    look_after: Callable[[Trial, Strike], None],
) -> _Result:
    try:
        trial.take_up()
        death = deliver(trial, strike)
    except NotReachedError as error:
        return _Result(False, f"not delivered: {error}", trouble=str(error))
    result = _Result(False, "withheld") if death is None else _Result(True, death.proof)
    try:
        look_after(trial, strike)
    except NotReachedError as error:
        return replace(result, trouble=str(error))
    return result


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


def _started_ahead(trials: Iterable[Trial], ahead: int) -> Generator[Trial]:
    """Each trial in turn, with that many more already started. Closes those whose turn never came."""
    waiting: deque[Trial] = deque()
    try:
        for trial in trials:
            waiting.append(trial)
            trial.start()
            if len(waiting) > ahead:
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()
    finally:
        for trial in waiting:
            trial.close()
