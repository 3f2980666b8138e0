"""Whoever recovers a run dies too, at every step or in a race with others: it comes to one end, on the same facts.

Under settle it is a recovery process, under resume another worker. Two deaths of which each may fall anywhere would be
a sweep of a sweep: here one of the two is held at one place, and the other goes everywhere.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial

from keepfact.conformance.abilities import RunsRecovery, RunsWorkers
from keepfact.spec.vocabulary import (
    DEATHS_MAX,
    ENDS,
    NO_FENCE,
    CallKind,
    CallState,
    CallView,
    Contract,
    EntryPoint,
    EventType,
    Fence,
    RunState,
    WorkerId,
    WorkerRan,
)

from .. import aftermath, expectations
from ..experiment import Experiment
from ..processes import is_alive
from ..racing import let_go
from ..reaching import held_write, walk_into
from ..rehearsal import Rehearsal
from ..strikes import Strike, at_every_seam, before_every_write, in_order
from ..subject import ExperimentError
from ..sweep import Sweep
from ..trial import Trial
from ..waiting import NotReachedError, wait_until
from ..worker import Worker, door_after
from ..world.gates import GateKind

RACERS = (2, 4, 8)
RECOVERERS_MAX = DEATHS_MAX + 2
"""More than it takes to bring any run to its end."""


class Side(StrEnum):
    """How those die that recover the run."""

    AT = "one dies at the seam"
    DURING = "one dies while its write waits"
    TAKING = "the worker dies at the seam, and who comes next before it has taken the run over"
    GONE_ON = "the worker dies at the seam, and who comes next once it has gone on from there"
    RACED = "none dies, so many are let go at once"
    RACED_DYING = "so many are let go at once, and all but one die while their writes wait"


PAIRED = {
    Side.TAKING: {Contract.SETTLE: 1, Contract.RESUME: 1},
    Side.GONE_ON: {Contract.SETTLE: 2, Contract.RESUME: 4},
}
"""At which of its seams who comes next dies. On the way from the first it takes the run over, and has settled it; or
goes on, under resume, to its own next write, on the way from the third. Death between is the business of poisoned_run.
"""


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """One at every seam of who recovers, and in each of its writes; many wherever what is written is not work.

    And two deaths, the first at every seam of the worker up to its request to a tool.
    """
    contended = [
        strike for strike in before_every_write(rehearsal, Side.RACED) if door_after(strike.seam) is not EntryPoint.WORK
    ]
    return in_order(
        *at_every_seam(replace(rehearsal, seams=rehearsal.lost), *PAIRED),
        *at_every_seam(rehearsal, Side.AT),
        *before_every_write(rehearsal, Side.DURING),
        *(replace(strike, side=side, amount=amount)
          for strike in contended for side in (Side.RACED, Side.RACED_DYING) for amount in RACERS),
    )  # fmt: skip


def rehearse_recovery(trial: Trial) -> Rehearsal:
    """One that recovers undisturbed. The seams are its own; the worker's own are not struck."""
    with trial:
        try:
            trial.start()
            trial.take_up()
            starts_queued, lost = lose_the_worker(trial), tuple(trial.seams)
            send_recoverer(trial).accept()
            trial.finish()
            if not trial.seams:
                raise ExperimentError(f"expected who recovers {trial.run} to stop at seams, but it named none.")
            seams = tuple(trial.seams)
            bring_to_its_end(trial)
        except NotReachedError as error:
            raise ExperimentError(str(error)) from error
        return Rehearsal(seams, (), trial.truth, starts_queued, trial.view.calls, lost)


def lose_the_worker(trial: Trial) -> bool:
    """It dies with its request at a tool, which acts; its lease lapses. Whether its run was still queued at first."""
    was_queued = trial.view.state is RunState.QUEUED
    walk_into(trial, CallKind.OPERATION, GateKind.ACT_THEN_HOLD)
    trial.kill()
    trial.observe_work()
    aftermath.let_through(trial)
    aftermath.let_the_lease_lapse(trial)
    return was_queued


def send_recoverer(trial: Trial) -> Worker:
    """Start one more process that may recover the run, without waiting for it."""
    if trial.stage.contract is Contract.RESUME:
        return trial.hire()
    system = trial.stage.system
    assert isinstance(system, RunsRecovery)  # the experiment needs it
    name = WorkerId(f"recovery-{len(trial.workers)}-of-{trial.run}")
    return trial.employ(name, partial(system.start_recovery, trial.run))


def strike_down(trial: Trial, strike: Strike) -> str:
    """Lose the worker, and those who come to recover its run."""
    if strike.side in PAIRED:
        return _two_die(trial, strike)
    lose_the_worker(trial)
    if strike.side in {Side.AT, Side.DURING}:
        send_recoverer(trial).accept()
        trial.walk_to(strike.number, strike.seam)
        if strike.side == Side.AT:
            return trial.kill().proof
        with held_write(trial):
            return trial.kill().proof
    racers = [_standing_at(trial, strike.seam) for _ in range(strike.amount)]
    return _race(trial, racers) if strike.side == Side.RACED else _race_and_die(trial, racers)


def look_after(rehearsal: Rehearsal, trial: Trial, strike: Strike) -> None:
    """Whoever is left goes on, others come after them; and the run is where an undisturbed recovery had brought it."""
    at_loss, racers = trial.truth, trial.workers[-strike.amount :] if strike.amount else []
    if not racers:
        trial.observe_work(trial.worker.door)
    was_granted = trial.view.fence != NO_FENCE
    for racer in racers:
        trial.turn_to(racer)
        _finish(trial)
    bring_to_its_end(trial)
    _lost_nothing(trial)
    aftermath.write_late(trial, Fence(1))
    if trial.stage.contract is Contract.SETTLE and was_granted:
        expectations.nothing_was_sent_again(trial, at_loss)
        aftermath.recover(trial)
    if trial.stage.contract is Contract.SETTLE and strike.side not in PAIRED:
        facts, expected = _facts(trial.view.calls), _facts(rehearsal.calls)
        trial.expect("SETTLE.8", facts == expected, f"the facts of an undisturbed recovery: {expected}", f"{facts}")
    ends = [event for event in trial.view.history if event.type is EventType.ENDED]
    trial.expect("SETTLE.2", len(ends) == 1, "the run has one end, however many recovered it", f"{len(ends)}")
    expectations.answers_are_recorded_once_or_held(trial)
    expectations.tools_acted_no_more_than_in_rehearsal(trial, rehearsal.truth)
    expectations.the_run_came_to_its_end(trial)


def bring_to_its_end(trial: Trial) -> None:
    """One after the other recovers the run, undisturbed, until it has ended; at last comes the bill."""
    for _ in range(RECOVERERS_MAX):
        aftermath.let_the_lease_lapse(trial)
        aftermath.look_up(trial)
        if trial.view.state in ENDS or trial.view.state is RunState.UNKNOWN:
            break
        _send_next(trial).accept()
        trial.finish()
    aftermath.bring_the_bill(trial)


def _two_die(trial: Trial, strike: Strike) -> str:
    """The worker at that seam, and who comes next, as it takes over or after that; the proof of both."""
    trial.walk_to(strike.number, strike.seam)
    first = trial.kill().proof
    trial.observe_work()
    aftermath.let_the_lease_lapse(trial)
    _send_next(trial).accept()
    for _ in range(PAIRED[Side(strike.side)][trial.stage.contract] - 1):
        trial.next_seam()
        trial.go()
    if trial.next_seam() is None:
        raise NotReachedError(f"expected who comes next to take the run over, but it ended after {trial.seams}.")
    return f"{first}; then {trial.kill().proof}"


def _send_next(trial: Trial) -> Worker:
    """Whoever takes up a run that stands as this one does: what was never granted has nothing to recover."""
    return trial.hire() if trial.view.state is RunState.QUEUED else send_recoverer(trial)


def _finish(trial: Trial) -> None:
    """Let one that raced, and may have died, go on from where it stands now."""
    if is_alive(trial.worker.process) and not trial.worker.is_gone:
        trial.go()
        trial.finish()
    else:
        trial.wait_for_exit()


def _standing_at(trial: Trial, seam: str) -> Worker:
    """One more, which stands there. Raises NotReachedError if it ended instead."""
    racer = send_recoverer(trial)
    racer.accept()
    while trial.next_seam() != seam:
        if not is_alive(racer.process):
            raise NotReachedError(f"expected who recovers to come to its seam {seam}, but it was at {racer.seams}.")
        trial.go()
    return racer


def _race(trial: Trial, racers: Sequence[Worker]) -> str:
    """Let them go at once, and see what they have done together."""
    door, proof = racers[0].door, let_go(trial, racers, "recovery")
    for racer in racers:
        racer.next_seam()
    trial.observe_work(door)
    _one_has_won(trial, racers)
    return proof


def _race_and_die(trial: Trial, racers: Sequence[Worker]) -> str:
    """Let them go at once into a write that waits, and kill all but the last of them there."""
    door = racers[0].door
    with trial.stage.system.hold_writes(trial.run) as held:
        proof = let_go(trial, racers, "recovery")
        wait_until(lambda: held.is_waited_for(len(racers)), f"{len(racers)} writes wait in the database")
        deaths = []
        for racer in racers[:-1]:
            trial.turn_to(racer)
            deaths.append(trial.kill().proof)
        held.let_go()
        wait_until(held.is_settled, "the write that waited is committed or rolled back")
    racers[-1].next_seam()
    trial.turn_to(racers[-1])
    trial.observe_work(door)
    _one_has_won(trial, racers)
    return f"{proof}; {len(racers)} writes waited; {'; '.join(deaths)}"


def _one_has_won(trial: Trial, racers: Sequence[Worker]) -> None:
    """Of what all of them wanted to write, one has written it: one seal, one grant, one piece of evidence each."""
    last = trial.recorder.steps[-1]
    told = [(event.type, event.concerns) for event in last.new_events]
    trial.expect(
        "SETTLE.2", len(set(told)) == len(told), f"one of {len(racers)} wins, the others write nothing", f"{told}"
    )


def _lost_nothing(trial: Trial) -> None:
    """Whatever recovery wrote, what was unresolved is still held, and a call without an answer unknown."""
    for step in trial.recorder.steps:
        if step.cause != WorkerRan(trial.run, EntryPoint.RECOVER) or step.old is None or step.new is None:
            continue
        held = step.new.held_cents
        trial.expect("COST.3", held >= step.old.held_cents, f"{step.old.held_cents} cents stay held", f"{held}")
        states = [new.state for old, new in zip(step.old.calls, step.new.calls, strict=False) if new != old]
        is_right = all(state is CallState.UNKNOWN for state in states)
        trial.expect(
            "EFFECT.5", is_right, "a call without an answer becomes unknown, and no other changes", f"{states}"
        )


def _facts(calls: Sequence[CallView]) -> list[tuple[object, ...]]:
    """What is known of each call, whatever its run is called."""
    return [(call.kind, call.state, call.cost_cents, call.ceiling_cents, call.sends) for call in calls]


EXPERIMENT = Experiment(
    name="recovery_killed",
    fault="Who recovers a run that lost its worker dies by SIGKILL too: at each of its seams, in each of its writes, "
    "or as it takes over, or a step later, wherever the worker died. Or two, four or eight of them race, and all live "
    "or all but one die.",
    rules=("ENTRY.2", "ENTRY.3", "ENTRY.4", "FENCE.6", "FENCE.8", "EFFECT.4", "EFFECT.5", "EFFECT.6", "EFFECT.9",
           "COST.2", "COST.3", "SETTLE.2", "SETTLE.3", "SETTLE.4", "SETTLE.8"),
    not_shown=(
        "Where who recovers died anywhere, or raced, the worker had died with a tool's answer on its way; where the "
        "worker died at any of its seams, who came next died as it took the run over, or a step later.",
        "At most two died of what was struck here, and after the second all went well.",
        "Under resume what more is done after a death too many is the business of poisoned_run.",
        "Which of those that raced won was left to chance.",
    ),
    course=Sweep(tuple(Side), plan, strike_down, look_after, rehearse=rehearse_recovery),
    contracts=(Contract.SETTLE, Contract.RESUME),
    abilities=(RunsWorkers, RunsRecovery),
)  # fmt: skip
