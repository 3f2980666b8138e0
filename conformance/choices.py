"""What could be asked next: mostly what the model says can succeed, often what is late, stale, wrong or repeated."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from keepfact.model.state import Call, Run
from keepfact.spec.vocabulary import (
    Act,
    CallId,
    CallKind,
    CallState,
    Cause,
    Claim,
    Command,
    CommandId,
    Contract,
    Evidence,
    Fail,
    Fence,
    Happening,
    Intend,
    MarkUnknown,
    Observe,
    Publish,
    Reconcile,
    RecordAnswer,
    Recover,
    Release,
    Renew,
    RunId,
    RunState,
    Submit,
    Succeed,
    Tick,
    WorkerId,
)

from .trial import Trial

Draw = Callable[[Sequence[Any]], Any]
"""Draws one of the options; the first is the simplest."""

Kinds = list[Callable[[Draw], Any]]
"""Ways to make a cause; one that stands twice is drawn twice as often."""

RUNS_MAX = 3
TEXTS = ("text", "Überlappung – 重叠 – перекрытие, " * 3, "")
"""Bodies and answers: short, long and in other scripts, empty; a store must keep each byte."""


class Choices:
    """Offers the next cause of a trial, run after run."""

    def __init__(self, trial: Trial, lease_seconds: int) -> None:
        self._trial = trial
        self._lease_seconds = lease_seconds
        self._ids = count(1)
        self._runs: list[RunId] = []
        self._at = RunId("")
        self._sent: list[Command] = []

    def next_cause(self, draw: Draw) -> Cause:
        """A command, often a promising one, or a happening. Every command stays at hand to be sent again."""
        if not self._runs:
            return self._keep(self._submit_new(draw))
        self._at = draw([self._runs[-1]] * 3 + self._runs[:-1])
        kind = draw(self._promising() * 3 + self._anything())
        cause: Cause = kind(draw)
        return self._keep(cause)

    def _promising(self) -> Kinds:
        """What can succeed where the run at hand stands."""
        run = self._run
        if run is None:
            return [self._submit_again]
        waiting: Kinds = [self._evidence] * 2 if any(map(_awaits_evidence, run.calls)) else []
        acting: Kinds = [self._act] if self._may_act() else []
        if run.is_sealed:
            next_run = self._submit_new if len(self._runs) < RUNS_MAX else self._observe
            return [*waiting, *acting, next_run]
        if run.state is RunState.QUEUED:
            return [self._claim, self._claim, *waiting]
        if not run.lease_left_seconds:
            return [self._recover, *waiting]
        return [
            self._intend,
            self._intend,
            self._publish,
            self._renew,
            self._tick,
            *waiting,
            *acting,
            *self._leading(run),
        ]

    def _leading(self, run: Run) -> Kinds:
        """What a worker can do to come nearer to the end of its run."""
        if run.has_open_call:
            heard: Kinds = [self._answer] * 3 if self._heard() else [self._act] * 2
            return [*heard, self._lose, self._fail]
        can_succeed = any(publication.qualified for publication in run.publications)
        return [self._release, self._fail, *([self._succeed] * 3 if can_succeed else [])]

    def _anything(self) -> Kinds:
        """Every kind that can be asked at all, promising or not."""
        always: Kinds = [self._observe, self._submit_again, self._claim, self._recover, self._tick, self._again]
        worked: Kinds = [self._renew, self._release, self._intend, self._publish, self._succeed, self._fail]
        another: Kinds = [self._submit_new] if len(self._runs) < RUNS_MAX else []
        called: Kinds = [self._lose, self._evidence] if self._calls else []
        heard: Kinds = [self._answer] if self._heard() else []
        wrong: Kinds = [self._under_a_used_id, self._about_no_call, self._malformed]
        return always + another + called + heard + wrong + (worked if self._run else [])

    def _submit_new(self, draw: Draw) -> Submit:
        self._at = RunId(f"{self._trial.recorder.trace}-run-{len(self._runs) + 1}")
        self._runs.append(self._at)
        return Submit(self._id(), self._at, Contract.SETTLE, draw((9, 6, 3, 1, 10**9)))

    def _submit_again(self, draw: Draw) -> Submit:
        return Submit(self._id(), self._at, Contract.SETTLE, 6)

    def _claim(self, draw: Draw) -> Claim:
        return Claim(self._id(), self._at, WorkerId(draw(("w1", "w2"))))

    def _renew(self, draw: Draw) -> Renew:
        return Renew(self._id(), self._at, self._fence(draw))

    def _release(self, draw: Draw) -> Release:
        return Release(self._id(), self._at, self._fence(draw))

    def _intend(self, draw: Draw) -> Intend:
        """Mostly a new call; sometimes an old id again, with the same arguments or others."""
        calls = self._calls
        kind = draw((CallKind.ATTEMPT, CallKind.OPERATION))
        new = CallId(f"{self._at}:{kind}-{len(calls) + 1}")
        old = [call.call for call in calls]
        call = draw([new] * 4 + old)
        supersedes = draw([None] * 3 + old) if kind is CallKind.ATTEMPT else draw([None] * 9 + old)
        digest = draw(("a", "a", "b"))
        return Intend(
            self._id(), self._at, self._fence(draw), call, kind, digest, draw((1, 2, 0, 4, 10**6)), supersedes
        )

    def _answer(self, draw: Draw) -> RecordAnswer:
        """The answer of a call that has acted, with its amount or without one."""
        heard = self._heard()
        call = draw([call for call in heard if call.state is CallState.OPEN] * 4 + heard)
        true = self._trial.truth.of(call.call)
        amounts = [true.cost_cents, None] if true else [None]
        return RecordAnswer(self._id(), self._at, self._fence(draw), call.call, draw(TEXTS), draw(amounts))

    def _lose(self, draw: Draw) -> MarkUnknown:
        call = self._call(draw, lambda call: call.state is CallState.OPEN)
        return MarkUnknown(self._id(), self._at, self._fence(draw), call.call)

    def _publish(self, draw: Draw) -> Publish:
        return Publish(self._id(), self._at, self._fence(draw), draw(TEXTS), draw((True, False)))

    def _succeed(self, draw: Draw) -> Succeed:
        return Succeed(self._id(), self._at, self._fence(draw))

    def _fail(self, draw: Draw) -> Fail:
        return Fail(self._id(), self._at, self._fence(draw))

    def _recover(self, draw: Draw) -> Recover:
        return Recover(self._id(), self._at)

    def _evidence(self, draw: Draw) -> Reconcile:
        """Evidence is true, but may be incomplete or say nothing; it may be wrong where an answer refutes it."""
        call = self._call(draw, _awaits_evidence)
        true = self._trial.truth.of(call.call)
        honest = [(Evidence.NOT_FOUND, None)] if true is None else [(Evidence.CONFIRMED, true.cost_cents)]
        vague = [] if true is None else [(Evidence.CONFIRMED, None)]
        refuted = [(Evidence.NOT_FOUND, None)] if call.state is CallState.CONFIRMED else []
        evidence, cents = draw(honest * 2 + vague + refuted * 2 + [(Evidence.AMBIGUOUS, None)])
        return Reconcile(self._id(), self._at, call.call, evidence, cents)

    def _act(self, draw: Draw) -> Cause:
        """Outside, a call takes effect: mostly within its ceiling."""
        call = draw(self._may_act())
        return Act(self._at, call.call, draw((call.ceiling_cents, 0, call.ceiling_cents + 1)))

    def _tick(self, draw: Draw) -> Tick:
        whole = self._lease_seconds
        return Tick(draw((whole, 1, whole - 1, whole + 1)))

    def _again(self, draw: Draw) -> Cause:
        """One that could be sent again in good faith: what was true when it was first sent may not be any more."""
        honest = [command for command in reversed(self._sent) if self._trial.is_honest(command)]
        again: Command = draw(honest)
        return again

    def _under_a_used_id(self, draw: Draw) -> Cause:
        """Another command under an id that stands for one already."""
        other: Claim | Recover | Renew = draw((self._claim, self._recover, self._renew))(draw)
        return replace(other, command_id=draw(self._sent[::-1]).command_id)

    def _about_no_call(self, draw: Draw) -> Cause:
        """A call that nobody ever intended."""
        call = CallId(f"{self._at}:never-intended")
        lost = MarkUnknown(self._id(), self._at, self._fence(draw), call)
        found = Reconcile(self._id(), self._at, call, draw((Evidence.NOT_FOUND, Evidence.AMBIGUOUS)), None)
        cause: Cause = draw((lost, found))
        return cause

    def _malformed(self, draw: Draw) -> Cause:
        """Amounts that are none."""
        run, call = self._at, CallId(f"{self._at}:malformed")
        budget = Submit(self._id(), run, Contract.SETTLE, -1)
        ceiling = Intend(self._id(), run, self._fence(draw), call, CallKind.ATTEMPT, "a", -1)
        amount = Reconcile(self._id(), run, call, Evidence.AMBIGUOUS, 1)
        cause: Cause = draw((budget, ceiling, amount))
        return cause

    def _observe(self, draw: Draw) -> Observe:
        return Observe(self._id(), self._at)

    @property
    def _run(self) -> Run | None:
        return self._trial.run(self._at)

    @property
    def _calls(self) -> list[Call]:
        return list(self._run.calls) if self._run else []

    def _may_act(self) -> list[Call]:
        return [call for call in self._calls if self._trial.may_act(call)]

    def _heard(self) -> list[Call]:
        """Calls that have acted, so that there is an answer to record, in time or late."""
        return [call for call in self._calls if self._trial.truth.of(call.call) is not None]

    def _call(self, draw: Draw, is_promising: Callable[[Call], bool]) -> Call:
        """Mostly one that stands as the command needs it."""
        calls = self._calls
        found: Call = draw([call for call in calls if is_promising(call)] * 4 + calls)
        return found

    def _fence(self, draw: Draw) -> Fence:
        """Mostly the current one; also every older one, and one that was never granted."""
        now = self._run.fence if self._run else 0
        return Fence(draw([now] * 6 + [*range(now - 1, 0, -1)] * 2 + [now + 1]))

    def _id(self) -> CommandId:
        return CommandId(f"{self._trial.recorder.trace}-{next(self._ids)}")

    def _keep(self, cause: Cause) -> Cause:
        if not isinstance(cause, Happening):
            self._sent.append(cause)
        return cause


def _awaits_evidence(call: Call) -> bool:
    """Lost, or answered without an amount."""
    return call.is_unresolved and call.state is not CallState.OPEN
