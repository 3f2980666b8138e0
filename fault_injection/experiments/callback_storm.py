"""Callbacks come before anybody waits for them, twice, out of order, contradicting, and when their time is over."""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

from keepfact.conformance.abilities import Awaited, AwaitsCallbacks, Rollout, RunsWorkers
from keepfact.spec.vocabulary import (
    ENDS,
    ArrivalView,
    Capability,
    Contract,
    Deliver,
    Done,
    Lost,
    Outcome,
    Refused,
    RunState,
    Tick,
    WaitKind,
)

from .. import aftermath, expectations
from ..approving import rehearse_wait, work_on
from ..experiment import Experiment
from ..racing import let_go, one_is_granted, stand_ready
from ..rehearsal import Rehearsal
from ..strikes import Strike, at_every_seam
from ..sweep import AHEAD, Sweep
from ..trial import Trial
from ..waiting import NotReachedError
from ..world.script import script_that_calls

TOOL = "order"
"""What is answered by callbacks, once it has acted."""

RACERS = 2
"""Workers that race for the wake, each time."""


class Side(StrEnum):
    """When the callbacks come, and how."""

    EARLY = "all come while the worker is at work"
    SPLIT = "the last comes while the worker is at work, the others in the wait"
    SHUFFLED = "they come in the wrong order, and a worker before the last"
    TWICE = "each comes twice under its id, and once more under another"
    CONTRADICTED = "each comes again and says something else"
    EXPIRED = "the first comes in time, the others when the time is over"
    SETTLED = "the first comes in time, the others when the run has ended without them"


BEFORE = frozenset({Side.EARLY, Side.SPLIT})
TOO_LATE = frozenset({Side.EXPIRED, Side.SETTLED})


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """All come before the wait at every seam before it, one at the first and the last; the rest once the run waits."""
    first, last = Strike(1, rehearsal.seams[0], Side.SPLIT), Strike(len(rehearsal.seams), rehearsal.seams[-1], "")
    waiting = [replace(last, side=side) for side in Side if side is not Side.EARLY]
    return (*at_every_seam(rehearsal, Side.EARLY), first, *waiting)


def rehearse_callbacks(trial: Trial) -> Rehearsal:
    """Everything comes in order once the run waits, and it goes on. The seams are those before the wait."""

    def answer(trial: Trial) -> None:
        _require_waiting(trial)
        deliver(trial, range(1, awaited_by(trial).callbacks + 1))

    return rehearse_wait(trial, TOOL, answer)


def start_ordering(trial: Trial) -> None:
    """Admit a run that will use the tool, and start its worker."""
    trial.stage.world.set_script(trial.run, script_that_calls(TOOL))
    trial.start()


def awaited_by(trial: Trial) -> Awaited:
    """The callbacks that the run waits for, or will."""
    assert isinstance(trial.stage.system, AwaitsCallbacks)  # the experiment needs it
    return trial.stage.system.awaited(trial.run)


def storm(trial: Trial, strike: Strike) -> str:
    """Bring the run to the seam, or to its wait, and have the callbacks come."""
    side, numbers = Side(strike.side), list(range(1, awaited_by(trial).callbacks + 1))
    if side in BEFORE:
        trial.walk_to(strike.number, strike.seam)
        proof = f"the worker stood at {strike.seam}"
        return f"{proof}; {deliver(trial, numbers if side is Side.EARLY else numbers[-1:])}"
    trial.finish()
    _require_waiting(trial)
    match side:
        case Side.SHUFFLED:
            return deliver(trial, reversed(numbers[1:]))
        case Side.TWICE:
            return "; ".join(deliver(trial, [number], times=2) for number in numbers for _ in range(2))
        case Side.CONTRADICTED:
            return "; ".join(f"{deliver(trial, [n])}; {deliver(trial, [n], says='otherwise')}" for n in numbers)
        case _:
            proof = deliver(trial, numbers[:1])
            trial.happen(Tick(awaited_by(trial).seconds + 1))
            if side is Side.SETTLED:
                aftermath.recover(trial)
            return f"{proof}; its time passed; {deliver(trial, numbers[1:])}"


def look_after(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """What came is kept, in order and once; what came in time has woken the run once, and what came late has not."""
    side, numbers = Side(strike.side), list(range(1, awaited_by(trial).callbacks + 1))
    if side in BEFORE:
        trial.go()
        trial.finish()
    if side is Side.SPLIT:
        deliver(trial, numbers[:-1])
    if side is Side.SHUFFLED:
        work_on(trial, Rollout.FIRST)
        acts = trial.view.state is RunState.WAITING_EXTERNAL
        trial.expect("WAKE.4", acts, "the run waits until all have come", f"{trial.view.state}")
        deliver(trial, numbers[:1])
    if side in TOO_LATE:
        work_on(trial, Rollout.FIRST)
        if side is Side.EXPIRED:
            aftermath.recover(trial)
    else:
        racers = stand_ready(trial, RACERS)
        let_go(trial, racers)
        one_is_granted(trial, racers)
    late = set(numbers[1:]) if side in TOO_LATE else set()
    expected = tuple(_arrival(trial, number, is_late=number in late) for number in numbers)
    for says in ("what it says", "otherwise"):
        deliver(trial, numbers, says=says)
    kept = tuple(sorted(trial.view.arrivals, key=lambda arrival: arrival.number))
    trial.expect("WAKE.8", kept == expected, f"kept once, in order: {expected}", f"{kept}")
    state, end = trial.view.state, RunState.INTERRUPTED if late else RunState.SUCCEEDED
    trial.expect("WAKE.12", state is end and state in ENDS, f"the run has come to its end: {end}", f"{state}")
    expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)
    expectations.answers_are_recorded_once_or_held(trial)


def deliver(trial: Trial, numbers: Iterable[int], *, says: str = "what it says", times: int = 1) -> str:
    """Have these callbacks come, each so many times under one id of its own. Raises NotReachedError for a lost answer.

    What was answered, as proof.
    """
    told = []
    for number in numbers:
        awaited = awaited_by(trial)
        arrives = Deliver(trial.command_id(), trial.run, awaited.wait, WaitKind.CALLBACK, number, _digest(number, says))
        outcomes: list[Outcome] = [trial.perform(arrives) for _ in range(times)]
        if any(isinstance(outcome, Lost) for outcome in outcomes):
            raise NotReachedError(f"expected an answer to callback {number}, but it was lost.")
        told.append(f"callback {number} came: {' and '.join(map(_said, outcomes))}")
        trial.timeline.mark("tool", "evidence", told[-1])
    return "; ".join(told)


def _require_waiting(trial: Trial) -> None:
    state = trial.view.state
    if state is not RunState.WAITING_EXTERNAL:
        raise NotReachedError(f"expected {trial.run} to wait for callbacks after {TOOL} had acted, but it is {state}.")


def _said(outcome: Outcome) -> str:
    match outcome:
        case Done():
            return "taken"
        case Refused(reason):
            return f"refused, {reason}"
        case Lost():
            return "lost"


def _arrival(trial: Trial, number: int, *, is_late: bool) -> ArrivalView:
    return ArrivalView(awaited_by(trial).wait, number, _digest(number, "what it says"), is_late)


def _digest(number: int, says: str) -> str:
    return f"callback {number} says {says}"


EXPERIMENT = Experiment(
    name="callback_storm",
    fault="The callbacks that a run waits for come before it waits, at every seam of its worker; twice, in the wrong "
    "order, contradicting what came before; and when their time is over, or the run.",
    rules=("ENTRY.6", "EFFECT.4", "WAKE.1", "WAKE.2", "WAKE.3", "WAKE.4", "WAKE.5", "WAKE.8", "WAKE.9", "WAKE.12",
           "SETTLE.10"),
    not_shown=(
        "Callbacks came one after the other; what happens where they meet is tried where commands meet, not here.",
        "Who sends callbacks was the experiment itself: that a tool sends each until it is heard was not tried.",
    ),
    course=Sweep(
        tuple(Side),
        plan,
        storm,
        look_after,
        rehearse=rehearse_callbacks,
        start=lambda rehearsal, trial, strike: start_ordering(trial),
        ahead=AHEAD,
    ),
    contracts=(Contract.SETTLE, Contract.RESUME),
    needs=frozenset({Capability.WAITS}),
    abilities=(RunsWorkers, AwaitsCallbacks),
)  # fmt: skip
