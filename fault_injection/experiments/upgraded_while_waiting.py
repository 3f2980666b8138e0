"""A release rolls out while a person's approval is pending: the run goes on along its own branch, or is refused and
visibly waits.

What the person was shown is what is done, or nothing is.
"""

from dataclasses import dataclass
from enum import StrEnum

from keepfact.conformance.abilities import SECOND_BUNDLE, Rollout
from keepfact.conformance.system import Drifts
from keepfact.spec.vocabulary import (
    WAITS,
    Capability,
    Contract,
    Deploy,
    Done,
    Drift,
    Drifted,
    RunId,
    RunState,
)

from ..approving import TOOL, approve, rehearse_approval, work_on
from ..experiment import Experiment
from ..rehearsal import Rehearsal
from ..strikes import Strike, at_every_seam
from ..sweep import Sweep
from ..trial import Trial
from ..waiting import NotReachedError
from ..world.ledger import Endpoint, Happened
from ..world.script import script_that_calls

ASKED, DECIDED = "while the approval is pending", "after the decision, before anybody took it up"


class Side(StrEnum):
    """What the release brings, or what it meets."""

    EARLY = "while the first worker is at work, the old bundle is kept"
    KEPT = "the old bundle is kept"
    GONE = "the old bundle is gone"
    ARGUMENTS = "the arguments have changed"
    PLAN = "the plan has changed"
    SCHEMA = "the tool's schema has changed"
    ROLLED_BACK = "rolled back to a release that never knew the bundle"
    BOTH = "both releases at once"


@dataclass(frozen=True, slots=True)
class Upgrade:
    """Workers of `first` bring the run to its wait, those of `newcomer` find it there.

    `is_served`: they may go on with it. Where they may not, one of `first` still can.
    """

    newcomer: Rollout
    is_served: bool
    first: Rollout = Rollout.FIRST


UPGRADES = {
    Side.EARLY: Upgrade(Rollout.SECOND, is_served=True),
    Side.KEPT: Upgrade(Rollout.SECOND, is_served=True),
    Side.GONE: Upgrade(Rollout.SECOND_ALONE, is_served=False),
    Side.ARGUMENTS: Upgrade(Rollout.CHANGED_ARGUMENTS, is_served=False),
    Side.PLAN: Upgrade(Rollout.CHANGED_PLAN, is_served=False),
    Side.SCHEMA: Upgrade(Rollout.SECOND, is_served=True),
    Side.ROLLED_BACK: Upgrade(Rollout.FIRST, is_served=False, first=Rollout.SECOND),
    Side.BOTH: Upgrade(Rollout.SECOND, is_served=True),
}


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """Early at every seam before the wait; everything else before and after the decision."""
    last = len(rehearsal.seams)
    at_wait = [Strike(last, moment, side) for side in Side if side is not Side.EARLY for moment in (ASKED, DECIDED)]
    return (*at_every_seam(rehearsal, Side.EARLY), *at_wait)


def start(_: Rehearsal, trial: Trial, strike: Strike) -> None:
    """Each in a store where nothing has been rolled out before."""
    trial.stage.begin()
    trial.stage.world.set_script(trial.run, script_that_calls(TOOL))
    first = UPGRADES[Side(strike.side)].first
    if first is not Rollout.FIRST:
        roll_out(trial)
    trial.start(first)


def upgrade(trial: Trial, strike: Strike) -> str:
    """Bring the run to its wait, roll the release out, and let its workers find the run there."""
    side = Side(strike.side)
    if side is Side.EARLY:
        trial.walk_to(strike.number, strike.seam)
        roll_out(trial)
        trial.go()
    trial.finish()
    if strike.seam == DECIDED:
        approve(trial)
    if side is Side.SCHEMA:
        _change_the_schema(trial)
    elif side is not Side.EARLY and side is not Side.ROLLED_BACK:
        roll_out(trial)
    if strike.seam != DECIDED:
        approve(trial)
    if side is Side.BOTH:
        return _both(trial)
    return work_on(trial, UPGRADES[side].newcomer)


def withhold(trial: Trial) -> None:
    """No release: workers of the first go on."""
    trial.finish()
    approve(trial)
    work_on(trial, Rollout.FIRST)


def look_after(_: Rehearsal, trial: Trial, strike: Strike) -> None:
    """The run has gone on, or still waits and goes on where its own release is; what was done is what was shown."""
    side = Side(strike.side)
    if side is Side.SCHEMA:
        _is_still_waiting(trial, "APPROVAL.3", "asks again, since what was approved has changed")
        approve(trial)
        work_on(trial, Rollout.FIRST)
    elif not UPGRADES[side].is_served:
        _is_still_waiting(trial, "WAKE.7", "is visibly waiting after it was refused")
        work_on(trial, UPGRADES[side].first)
    trial.expect(
        "WAKE.12",
        trial.view.state is RunState.SUCCEEDED,
        "an approved run goes on as soon as there is a worker that may go on with it",
        f"{trial.view.state}",
    )
    _was_done_as_shown(trial, is_other=UPGRADES[side].first is not Rollout.FIRST)


def roll_out(trial: Trial) -> None:
    """The second release is deployed; that it was replayed before is the experiment's word."""
    outcome = trial.perform(Deploy(trial.command_id(), SECOND_BUNDLE, replayed=1, diverged=0))
    if not isinstance(outcome, Done):
        raise NotReachedError(f"expected the second release to be deployed, but the system answered {outcome}.")
    trial.timeline.mark("worker", "recovery", f"{SECOND_BUNDLE} is deployed")


def _change_the_schema(trial: Trial) -> None:
    system = trial.stage.system
    assert isinstance(system, Drifts)  # it offers approvals
    system.drift(Drift.RESOURCE)
    trial.happen(Drifted(Drift.RESOURCE))
    trial.timeline.mark("tool", "recovery", "its schema changes")


def _both(trial: Trial) -> str:
    """Workers of both stand before the wake; the old one takes it, and the new one comes too late."""
    old, new = trial.hire(Rollout.FIRST), trial.hire(Rollout.SECOND)
    for worker in (old, new):
        trial.turn_to(worker)
        worker.accept()
        trial.next_seam()
    for worker in (old, new):
        trial.turn_to(worker)
        trial.go()
        trial.next_seam()
    if new.seams != ["waking"] or old.seams != ["waking", "woken"]:
        raise NotReachedError(
            f"expected both workers to stand before the wake, but they were at {new.seams}, {old.seams}."
        )
    status = trial.wait_for_exit()
    trial.turn_to(old)
    trial.go()
    trial.finish()
    return f"both stood at their seam `waking`; then {new.process.pid}, of the new release, ended with {status}"


def _is_still_waiting(trial: Trial, rule: str, expected: str) -> None:
    acted = _acts(trial)
    trial.expect(
        rule,
        trial.view.state in WAITS and not acted,
        f"the run {expected}, and {TOOL} has not acted",
        f"it is {trial.view.state}, and {TOOL} has acted {len(acted)} times",
    )


def _was_done_as_shown(trial: Trial, *, is_other: bool) -> None:
    """A run of the first bundle does as in rehearsal; `is_other`: one of the second bundle does not."""
    rehearsed = _acts(trial, RunId(f"{trial.stage.title}-rehearsal"))
    seen = _acts(trial)
    as_shown = not set(seen) & set(rehearsed) if is_other else set(seen) <= set(rehearsed)
    trial.expect("APPROVAL.3", as_shown, f"{TOOL} gets the arguments that were shown", "it got others")
    trial.expect("APPROVAL.6", len(seen) <= 1, f"{TOOL} acts once for one approval", f"{len(seen)} times")


def _acts(trial: Trial, run: RunId | None = None) -> list[str]:
    """The digests of the requests with which the tool has acted."""
    entries = trial.stage.world.entries(run or trial.run)
    return [entry.digest for entry in entries if (entry.endpoint, entry.happened) == (Endpoint.TOOL, Happened.ACTED)]


EXPERIMENT = Experiment(
    name="upgraded_while_waiting",
    fault="A release rolls out while an approval is pending, or was given: the old bundle kept or gone, the plan, the "
    "arguments or the tool's schema changed, rolled back, or both releases at once.",
    rules=("APPROVAL.1", "APPROVAL.3", "APPROVAL.5", "APPROVAL.6", "EFFECT.1", "EFFECT.4", "VERSION.1",
           "VERSION.3", "VERSION.5", "WAKE.1", "WAKE.2", "WAKE.3", "WAKE.4", "WAKE.5", "WAKE.10", "WAKE.12"),
    not_shown=(
        "That a release is replayed against stored histories before it serves was the experiment's word.",
        "Approvals were given by one person, in time, and never denied.",
    ),
    course=Sweep(tuple(Side), plan, upgrade, look_after, withhold, rehearse_approval, start),
    contracts=(Contract.SETTLE, Contract.RESUME),
    needs=frozenset({Capability.WAITS, Capability.APPROVALS, Capability.RELEASES}),
)  # fmt: skip
