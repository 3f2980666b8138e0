"""Clocks are hours off: those of workers, of who would take over, and the store's own. Leases follow the store only."""

import time
from enum import StrEnum

from keepfact.conformance.abilities import RunsWorkers, SkewsClocks
from keepfact.spec.vocabulary import (
    NO_FENCE,
    CallKind,
    Claim,
    Contract,
    Fence,
    Recover,
    RunState,
    Tick,
    WorkerId,
)

from .. import aftermath, expectations
from ..experiment import Experiment
from ..rehearsal import Rehearsal
from ..strikes import Strike, at_every_seam, in_order
from ..sweep import Sweep
from ..trial import Trial
from ..waiting import NotReachedError
from ..worker import Worker

OFF_SECONDS = 6 * 3600
"""How far clocks are off: many times a lease."""

NEAR_SECONDS = 600
"""What the clock of a worker shows may be read so much later than it was asked."""


class Side(StrEnum):
    """Whose clock is wrong, and how."""

    AHEAD = "the worker's clock jumps ahead"
    BEHIND = "the worker's clock falls behind, and by the store's its lease is over"
    STORE_BACK = "the store's clock jumps back under a live lease"
    OTHER_AHEAD = "the clock of another worker is ahead, while the lease is live"
    OTHER_BEHIND = "the worker dies, and the clock of the next is behind"
    TAKEN_OVER = "the store's clock jumps back after another took the run over"


EVERYWHERE = (Side.AHEAD, Side.BEHIND, Side.STORE_BACK)
"""Sides on which it is struck at every seam, and not only where the worker is about to send something."""


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """One worker alone at every seam; two wherever the first is about to send something."""
    sending = [(dispatch.number, rehearsal.seams[dispatch.number - 1]) for dispatch in rehearsal.dispatches]
    return in_order(
        *at_every_seam(rehearsal, *EVERYWHERE),
        *(Strike(*place, side) for place in sending for side in Side if side not in EVERYWHERE),
    )


def strike_clocks(trial: Trial, strike: Strike) -> str:
    """Bring the worker to its seam, and make the clock wrong."""
    trial.walk_to(strike.number, strike.seam)
    match Side(strike.side):
        case Side.AHEAD:
            _skew(trial, trial.worker.name, OFF_SECONDS)
            return _read(trial, trial.worker, OFF_SECONDS)
        case Side.BEHIND:
            _skew(trial, trial.worker.name, -OFF_SECONDS)
            trial.happen(Tick(OFF_SECONDS))
            return f"{_read(trial, trial.worker, -OFF_SECONDS)}; the store's moved on by {OFF_SECONDS} s"
        case Side.STORE_BACK:
            return _set_back(trial)
        case Side.OTHER_AHEAD:
            return _hire_by_another_clock(trial, OFF_SECONDS)
        case Side.OTHER_BEHIND:
            death = trial.kill().proof
            trial.observe_work()
            aftermath.let_the_lease_lapse(trial)
            return f"{death}; {_hire_by_another_clock(trial, -OFF_SECONDS)}"
        case Side.TAKEN_OVER:
            first = trial.worker
            _take_over(trial)
            proof = _set_back(trial)
            trial.turn_to(first)
            return proof


def look_after(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """Whoever holds the lease by the store's clock goes on, and nobody else."""
    match Side(strike.side):
        case Side.AHEAD | Side.STORE_BACK:
            _ask_for_it(trial, WorkerId("another"))
            _goes_on(trial, trial.worker)
        case Side.BEHIND:
            _writes_nothing(trial, trial.worker, "FENCE.3")
            _recover_or_go_on(trial)
        case Side.OTHER_AHEAD:
            _leaves_it_alone(trial)
        case Side.OTHER_BEHIND:
            _takes_it_up(trial)
            _recover_or_go_on(trial)
        case Side.TAKEN_OVER:
            _writes_nothing(trial, trial.worker, "FENCE.8")
            if trial.workers[-1] is not trial.worker:
                _goes_on(trial, trial.workers[-1])
    expectations.answers_are_recorded_once_or_held(trial)
    aftermath.bring_the_bill(trial)
    expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)
    expectations.the_run_came_to_its_end(trial)
    aftermath.write_late(trial, Fence(1))


def _skew(trial: Trial, worker: WorkerId, ahead_seconds: int) -> None:
    system = trial.stage.system
    assert isinstance(system, SkewsClocks)  # the experiment needs it
    system.skew_clock(worker, ahead_seconds)
    trial.timeline.mark("worker", "kill", f"the clock of {worker} is {ahead_seconds:+} s off")


def _read(trial: Trial, worker: Worker, ahead_seconds: int) -> str:
    """How far its clock is off, as proof. Raises NotReachedError if it is not."""
    system = trial.stage.system
    assert isinstance(system, SkewsClocks)  # the experiment needs it
    off_seconds = system.clock_of(worker.name) - time.time()
    if abs(off_seconds - ahead_seconds) > NEAR_SECONDS:
        raise NotReachedError(
            f"expected the clock of {worker.name} to be {ahead_seconds:+} s off, but it is {off_seconds:+.0f} s off."
        )
    return f"at its seam {worker.seams[-1]} the clock of process {worker.process.pid} is {off_seconds:+.0f} s off"


def _set_back(trial: Trial) -> str:
    """The store's clock jumps back."""
    before = trial.view.lease_left_seconds
    trial.happen(Tick(-OFF_SECONDS))
    trial.timeline.mark("database", "kill", f"the store's clock jumps back by {OFF_SECONDS} s")
    return f"the store's clock jumped back by {OFF_SECONDS} s; of the lease {before} s were left, then {_left(trial)}"


def _left(trial: Trial) -> str:
    left = trial.view.lease_left_seconds
    return "none is held" if left is None else f"{left} s"


def _hire_by_another_clock(trial: Trial, ahead_seconds: int) -> str:
    """Another worker starts with a wrong clock, and stands at its first seam."""
    _skew(trial, trial.next_name, ahead_seconds)
    other = trial.hire()
    other.accept()
    trial.next_seam()
    return _read(trial, other, ahead_seconds)


def _take_over(trial: Trial) -> None:
    """The lease lapses; the run is settled, or another worker has it and stands where it was granted."""
    aftermath.let_the_lease_lapse(trial)
    if trial.stage.contract is Contract.SETTLE:
        aftermath.recover(trial)
        return
    fence = trial.view.fence
    trial.hire().accept()
    while trial.view.fence == fence:
        if trial.next_seam() is None:
            raise NotReachedError(f"expected another worker to take {trial.run} over, but it ended before.")
        if trial.view.fence == fence:
            trial.go()


def _goes_on(trial: Trial, worker: Worker) -> None:
    """It holds the lease by the store's clock, and brings the run to its end."""
    trial.turn_to(worker)
    trial.go()
    trial.finish()
    trial.expect(
        "FENCE.3",
        _has_succeeded(trial),
        "who holds the lease by the store's clock goes on, whatever other clocks show",
        f"{trial.view.state}",
    )


def _writes_nothing(trial: Trial, worker: Worker, rule: str) -> None:
    """It has lost the lease by the store's clock, whatever it believes."""
    fence, history, sent = trial.view.fence, trial.view.history, expectations.requests_of(trial.truth, *CallKind)
    trial.turn_to(worker)
    trial.go()
    trial.finish()
    if fence == NO_FENCE:
        return
    added = len(trial.view.history) - len(history)
    trial.expect(rule, added == 0, "who lost the lease by the store's clock writes nothing", f"{added} events")
    more = expectations.requests_of(trial.truth, *CallKind) - sent
    trial.expect("EFFECT.8", more <= 1, "it sends no more than what it had committed", f"{more} requests")
    aftermath.write_late(trial, Fence(1))


def _leaves_it_alone(trial: Trial) -> None:
    """The other asks in every way that there is, and is granted nothing; then the first goes on."""
    fence, history, other = trial.view.fence, trial.view.history, trial.worker
    trial.go()
    trial.finish()
    _ask_for_it(trial, other.name)
    is_alone = (trial.view.fence, trial.view.history) == (fence, history)
    trial.expect("FENCE.4", is_alone, "a live lease is left alone by who believes it is over", "it was not")
    _goes_on(trial, trial.workers[0])


def _ask_for_it(trial: Trial, other: WorkerId) -> None:
    """In both ways in which a run can be asked for that somebody holds."""
    if trial.view.lease_left_seconds:
        trial.perform(Claim(trial.command_id(), trial.run, other))
        trial.perform(Recover(trial.command_id(), trial.run, other))


def _takes_it_up(trial: Trial) -> None:
    """The lease is over by the store's clock: under resume the other goes on, under settle it has nothing to do."""
    history = trial.view.history
    trial.go()
    trial.finish()
    if trial.stage.contract is Contract.RESUME:
        is_right, expected = _has_succeeded(trial), "who takes over by the store's clock goes on"
    else:
        is_right, expected = trial.view.history == history, "nobody works on a run that is to be settled"
    trial.expect("ENTRY.4", is_right, expected, f"{trial.view.state}")


def _has_succeeded(trial: Trial) -> bool:
    """It has, or will have once there is evidence on an attempt that was lost."""
    return RunState.SUCCEEDED in (trial.view.state, trial.view.sealed_for)


def _recover_or_go_on(trial: Trial) -> None:
    if trial.stage.contract is Contract.SETTLE:
        aftermath.let_the_lease_lapse(trial)
        aftermath.recover(trial)
        aftermath.look_up(trial)
    else:
        aftermath.look_up(trial)
        aftermath.go_on(trial)


EXPERIMENT = Experiment(
    name="clock_skewed",
    fault=f"Clocks are {OFF_SECONDS // 3600} hours off: that of the worker, ahead or behind, or of another that would "
    "take over; and the store's jumps back, under a live lease and after another took the run over.",
    rules=("ENTRY.4", "FENCE.3", "FENCE.4", "FENCE.6", "FENCE.8", "EFFECT.4", "EFFECT.8", "EFFECT.9", "COST.2"),
    not_shown=(
        "Workers told the wrong time of day; how long something takes they still measured by the clock of the host.",
        "That only the store's clock counts down waits and timers is judged in lockstep.",
    ),
    course=Sweep(tuple(Side), plan, strike_clocks, look_after),
    contracts=(Contract.SETTLE, Contract.RESUME),
    abilities=(RunsWorkers, SkewsClocks),
)  # fmt: skip
