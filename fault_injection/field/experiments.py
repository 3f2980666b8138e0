"""What is done to an engine in the field. Nothing inside it is touched: processes, connections, releases, approvals."""

import time
from dataclasses import dataclass

from keepfact.conformance.errors import KeepfactError
from keepfact.conformance.field import ENDED, OVER, Capability

from ..pgwire import Side
from ..world.client import SetGate
from ..world.gates import GateKind
from ..world.ledger import Endpoint
from .facts import Facts
from .statements import STEPS, killed_ahead_of_its_commit, killed_at_the_commit_of
from .trial import REPLACED_AFTER_SECONDS, UPGRADED_SECONDS, WATCHED_SECONDS, Deed, Trial


@dataclass(frozen=True, slots=True)
class FieldExperiment:
    """`rules` are those it judges; each of the `deeds` is done to a run of its own.

    Without what it `needs` it does not apply, and `why` says so.
    """

    name: str
    sentence: str
    rules: tuple[str, ...]
    deeds: tuple[Deed, ...]
    needs: Capability | None = None
    why: str = ""


def killed_after_the_model_answered(trial: Trial) -> tuple[str, Facts]:
    """The model has answered and billed, and the worker dies before the answer reaches it."""
    gate = trial.gate(Endpoint.MODEL, GateKind.ACT_THEN_HOLD, 1)
    return _killed_at(trial, gate)


def killed_before_the_answer_was_recorded(trial: Trial) -> tuple[str, Facts]:
    """The tool has acted, and the worker dies before it has recorded that."""
    gate = trial.gate(Endpoint.TOOL, GateKind.ACT_THEN_HOLD, 1)
    return _killed_at(trial, gate)


def tool_acted_then_cut(trial: Trial) -> tuple[str, Facts]:
    """The tool has acted, and the connection is reset instead of an answer; the worker lives."""
    gate = trial.gate(Endpoint.TOOL, GateKind.ACT_THEN_RESET, 1)
    trial.worker()
    trial.submit()
    gate.wait_until_reached()
    trial.note("the connection of the first request to a tool was reset after it had acted")
    return "the ledger says that the request acted and that its connection was reset", trial.facts(trial.to_the_end())


def upgraded_while_approval_waits(trial: Trial) -> tuple[str, Facts]:
    """While the approval waits, a release with another argument replaces the one that asked; then it is approved."""
    worker = trial.worker()
    trial.submit()
    asked = trial.go_on_until(lambda one: one.state == "waiting", "the run waits for its approval")
    trial.kill(worker)
    upgraded = trial.worker(release=2)
    trial.approved_if_asked(asked)
    standing = trial.watch(lambda one: one.state in ENDED, UPGRADED_SECONDS)
    proof = f"when the approval came, the only worker was process {upgraded.pid}, of release 2"
    if standing.state in ENDED:
        return proof, trial.facts(standing, upgraded=standing)
    trial.note(f"in {UPGRADED_SECONDS:g} s it has not ended with release 2; release 1 comes back")
    trial.kill(upgraded)
    trial.worker(release=1)
    return proof, trial.facts(trial.to_the_end(), upgraded=standing)


def cancelled_while_approval_waits(trial: Trial) -> tuple[str, Facts]:
    """The run is cancelled while its approval waits, and then approved all the same."""
    trial.worker()
    trial.submit()
    trial.go_on_until(lambda one: one.state == "waiting", "the run waits for its approval")
    cancelled_at = trial.cancel()
    trial.watch(lambda one: one.state in OVER, WATCHED_SECONDS)
    try:
        trial.approve()
    except KeepfactError as refusal:
        trial.note(f"the approval is refused: {refusal}")
    last = trial.watch(lambda _: False, WATCHED_SECONDS)
    return "the engine took the request to cancel while the run waited", trial.facts(last, cancelled_at=cancelled_at)


def frozen_as_the_model_answers(trial: Trial) -> tuple[str, Facts]:
    """A worker is frozen as the model answers it, another ends the run, and the frozen one wakes."""
    return _frozen_at(trial, trial.gate(Endpoint.MODEL, GateKind.ACT_THEN_HOLD, 1))


def frozen_as_a_tool_answers(trial: Trial) -> tuple[str, Facts]:
    """The same as the first tool answers."""
    return _frozen_at(trial, trial.gate(Endpoint.TOOL, GateKind.ACT_THEN_HOLD, 1))


def _frozen_at(trial: Trial, gate: SetGate) -> tuple[str, Facts]:
    sleeper = trial.worker()
    trial.submit()
    gate.wait_until_reached()
    proof = trial.stop(sleeper)
    gate.open()  # the answer waits for it in its socket
    time.sleep(REPLACED_AFTER_SECONDS)
    trial.worker()
    ended = trial.to_the_end()
    woken_at = time.time()
    proof = f"{proof}; {trial.wake(sleeper)}"
    last = trial.watch(lambda _: False, WATCHED_SECONDS)
    return proof, trial.facts(last, first_end=ended if ended.state in OVER else None, woken_at=woken_at)


def _killed_at(trial: Trial, gate: SetGate) -> tuple[str, Facts]:
    worker = trial.worker()
    trial.submit()
    gate.wait_until_reached()
    proof = trial.kill(worker)
    gate.open()
    trial.worker()
    return proof, trial.facts(trial.to_the_end())


ALWAYS = ("EFFECT.2", "EFFECT.4", "EFFECT.5", "COST.2", "SETTLE.10")

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        FieldExperiment(
            "killed_after_the_model_answered",
            "The worker dies by SIGKILL when the model has answered, before it hears it.",
            ("HISTORY.7", "SETTLE.7", *ALWAYS),
            (killed_after_the_model_answered,),
        ),
        FieldExperiment(
            "tool_acted_then_cut",
            "A tool has acted, and its connection is reset instead of the answer.",
            ALWAYS,
            (tool_acted_then_cut,),
        ),
        FieldExperiment(
            "killed_before_the_answer_was_recorded",
            "The worker dies by SIGKILL when a tool has acted, before it has recorded that.",
            ("HISTORY.7", "SETTLE.7", *ALWAYS),
            (killed_before_the_answer_was_recorded,)
            * 3,  # what is written meanwhile, without being waited for, is a race
        ),
        FieldExperiment(
            "upgraded_while_approval_waits",
            "A release that asks for a hundred times as much rolls out while the approval waits.",
            ("APPROVAL.3", "VERSION.5", "SETTLE.10"),
            (upgraded_while_approval_waits,),
        ),
        FieldExperiment(
            "cancelled_while_approval_waits",
            "A run is cancelled while its approval waits, and the approval comes all the same.",
            ("CANCEL.1", "CANCEL.5"),
            (cancelled_while_approval_waits,),
            needs="cancel",
            why="it has no way of its own to cancel a run",
        ),
        FieldExperiment(
            "worker_outlived_its_lease",
            "A worker is frozen until another has ended the run, and wakes.",
            ("FENCE.6", "FENCE.7", "HISTORY.7", *ALWAYS),
            (frozen_as_the_model_answers, frozen_as_a_tool_answers),
        ),
        FieldExperiment(
            "killed_at_its_own_commits",
            "The worker dies by SIGKILL at the commit that records each answer: just before it, and just after it; and "
            "while the plan is held on its way to the database, once a tool is asked all the same.",
            ("HISTORY.7", "SETTLE.7", *ALWAYS),
            (
                *(killed_at_the_commit_of(step, side) for step in STEPS for side in (Side.AFTER, Side.BEFORE)),
                killed_ahead_of_its_commit,
            ),
            needs="postgresql",
            why="it does not store in PostgreSQL, so its own statements cannot be seen from outside",
        ),
    )
}
