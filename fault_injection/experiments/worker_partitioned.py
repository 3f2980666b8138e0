"""The worker loses the database but not the tools, or the other way round; it is heard when its run is another's."""

import time
from dataclasses import dataclass, field
from enum import StrEnum

from keepfact.conformance.abilities import KeepsInPostgres, RunsWorkers
from keepfact.spec.vocabulary import NO_FENCE, CallKind, Contract, RunId, Truth

from .. import aftermath, expectations
from ..experiment import Experiment
from ..pgwire import Partition
from ..reaching import send_into
from ..rehearsal import Rehearsal
from ..strikes import Sample, Strike, at_every_seam, in_order, on_sides, on_the_way
from ..subject import Progress
from ..sweep import AHEAD, Sweep
from ..tally import Tally
from ..trial import Stage, Trial
from ..waiting import wait_until
from ..ways import Ways
from ..world.gates import GateKind

LEASE_SECONDS = 4
"""Where the worker's own clock must run out: long enough to get as far as that, and short enough to wait for."""


class Side(StrEnum):
    """Whom the worker has lost, and until when."""

    DATABASE = "the database is silent until the run is another's"
    LAPSED = "the database is silent, and the worker stands still until its lease is over by its own clock"
    MODEL_LATE = "the model hears only once the run is another's"
    MODEL_ACTED = "the model acted, and is heard only once the run is another's"
    TOOL_LATE = "the tool hears only once the run is another's"
    TOOL_ACTED = "the tool acted, and is heard only once the run is another's"


@dataclass(frozen=True, slots=True)
class Silence:
    """Between the worker and what it has sent such a request to. `is_late`: on the way there, else on the way back."""

    kind: CallKind
    is_late: bool


OUTSIDE = {
    Side.MODEL_LATE: Silence(CallKind.ATTEMPT, is_late=True),
    Side.MODEL_ACTED: Silence(CallKind.ATTEMPT, is_late=False),
    Side.TOOL_LATE: Silence(CallKind.OPERATION, is_late=True),
    Side.TOOL_ACTED: Silence(CallKind.OPERATION, is_late=False),
}


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """The database falls silent at every seam; the outside on the way from each from which something is sent.

    The worker stands still at the seam before the first of those, where it still has to ask itself whether it may send:
    later ones are not reached for certain within so short a lease.
    """
    first = rehearsal.dispatches[0].number if rehearsal.dispatches else 0
    return in_order(
        *at_every_seam(rehearsal, Side.DATABASE),
        *(strike for strike in at_every_seam(rehearsal, Side.LAPSED) if strike.number == first - 1),
        *on_the_way(rehearsal, {side: silence.kind for side, silence in OUTSIDE.items()}),
    )


def course(
    stage: Stage, progress: Progress, *, deliver: bool, sample: Sample | None, sides: tuple[Side, ...] = tuple(Side)
) -> Tally:
    """Every worker reaches its database through a proxy of its own. With fewer `sides` less is shown."""
    with Ways(stage.system) as ways:
        scene = _Scene(ways)
        swept = Sweep(sides, on_sides(plan, sides), scene.deliver, scene.look_after, start=scene.start, ahead=AHEAD)
        return swept(stage, progress, deliver=deliver, sample=sample)


@dataclass
class _Scene:
    """The network of the first worker of each run, and what is broken in it."""

    ways: Ways
    silent: dict[RunId, Partition] = field(default_factory=dict)
    last_sent: dict[RunId, Truth] = field(default_factory=dict)
    """What had been sent when a lease could be renewed for the last time, of workers that were to wait for its end."""

    def start(self, _: Rehearsal, trial: Trial, __: Strike) -> None:
        self.ways.start(trial)

    def deliver(self, trial: Trial, strike: Strike) -> str:
        """Bring the worker to its seam, break its network, and let it run into that."""
        side = Side(strike.side)
        if side in OUTSIDE:
            return _lose_the_outside(trial, strike, OUTSIDE[side])
        if side is Side.LAPSED:
            with self.ways.system.leases_of(LEASE_SECONDS):
                trial.walk_to(strike.number, strike.seam)
        else:
            trial.walk_to(strike.number, strike.seam)
        before = trial.truth
        if side is Side.LAPSED:
            self.last_sent[trial.run] = before
        partition = self.silent[trial.run] = self.ways.of(trial).partition()
        trial.timeline.mark("database", "kill", "silent for the worker")
        if side is Side.LAPSED:
            wait_until_lease_is_over()
        _run_into(trial, partition)
        if side is Side.LAPSED:
            expectations.nothing_was_sent_without_a_lease(trial, before)
        return f"{partition.delivered.proof}; kept back: {', '.join(partition.kept)}"

    def look_after(self, rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
        """The run becomes another's; then the network heals, and the worker says what it still has to say."""
        worker, fence, contract = trial.worker, trial.view.fence, trial.stage.contract
        is_late = strike.side in OUTSIDE and OUTSIDE[Side(strike.side)].is_late
        at_loss = self.last_sent.get(trial.run, trial.truth)
        aftermath.let_the_lease_lapse(trial)
        aftermath.write_late(trial, fence)
        if contract is Contract.SETTLE:
            aftermath.recover(trial)
        aftermath.look_up(trial)
        if contract is Contract.RESUME and not is_late:
            aftermath.go_on(trial)
            trial.turn_to(worker)
        taken_over = trial.view
        self._heal(trial)
        if fence != NO_FENCE:
            expectations.nothing_was_written_late(trial, taken_over)
            if contract is Contract.SETTLE:
                expectations.nothing_was_sent_again(trial, at_loss)
            aftermath.write_late(trial, fence)
        if contract is Contract.RESUME:
            aftermath.go_on(trial)
        expectations.answers_are_recorded_once_or_held(trial)
        aftermath.bring_the_bill(trial)
        expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)
        expectations.the_run_came_to_its_end(trial)

    def _heal(self, trial: Trial) -> None:
        """What was kept back arrives, and the worker goes on to its end."""
        if trial.run in self.silent:
            self.silent[trial.run].heal()
            trial.timeline.mark("database", "recovery", "healed for the worker")
        if trial.gate is not None:
            aftermath.let_through(trial)
        trial.finish()


def _lose_the_outside(trial: Trial, strike: Strike, silence: Silence) -> str:
    """The request leaves the worker, and nothing comes back."""
    trial.walk_to(strike.number, strike.seam)
    kind = GateKind.HOLD_BEFORE_ACTING if silence.is_late else GateKind.ACT_THEN_HOLD
    send_into(trial, silence.kind, kind)
    assert trial.gate is not None  # it stands there
    return f"the request stands at its gate: {trial.gate.setting}"


def wait_until_lease_is_over() -> None:
    """By the clock of this host, which is the worker's too: it cannot have been renewed later than now."""
    over_at = time.monotonic() + LEASE_SECONDS
    wait_until(lambda: time.monotonic() > over_at, "a lease that is not renewed is over")


def _run_into(trial: Trial, partition: Partition) -> None:
    """Let the worker go on until something more is kept back. Raises NotReachedError if nothing ever is."""
    is_there, kept = True, len(partition.kept)
    while is_there:
        trial.go()
        wait_until(lambda: trial.has_news() or len(partition.kept) > kept, "the worker meets the silence, or goes on")
        if not trial.has_news():
            return
        is_there = trial.next_seam() is not None
    wait_until(lambda: len(partition.kept) > kept, "something of the worker is kept back")


EXPERIMENT = Experiment(
    name="worker_partitioned",
    fault="Between the worker and its database there is silence, or between it and what it has asked outside, until "
    "the run is another's; then everything arrives.",
    rules=("ENTRY.3", "ENTRY.4", "FENCE.3", "FENCE.8", "EFFECT.4", "EFFECT.5", "EFFECT.6", "EFFECT.9",
           "COST.2", "COST.3", "SETTLE.1", "SETTLE.6"),
    not_shown=(
        "The silence was complete and fell on all connections of the worker at once; one that loses some bytes, or "
        "some of its connections, was not tried.",
        "The worker was cut off at its seams and at what it sent next, not in the midst of a message.",
        "That nothing is sent without a lease was seen of the first request of a run.",
    ),
    course=course,
    contracts=(Contract.SETTLE, Contract.RESUME),
    abilities=(RunsWorkers, KeepsInPostgres),
)  # fmt: skip
