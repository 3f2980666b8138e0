"""Plays of one run: commands under fresh ids, one after the other, on a perfect system or another."""

from dataclasses import dataclass, field, replace
from itertools import count

from keepfact.model.state import Call, Run, State
from keepfact.model.step import step
from keepfact.model.walker import Stepper
from keepfact.spec.vocabulary import (
    Act,
    CallId,
    CallKind,
    Claim,
    Command,
    CommandId,
    Contract,
    Done,
    Evidence,
    Fail,
    Fence,
    Intend,
    MarkUnknown,
    Observe,
    Outcome,
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

RUN = RunId("run")
PAY, ASK, AGAIN = CallId("pay"), CallId("ask"), CallId("ask again")
LEASE_SECONDS = 30
BUDGET_CENTS = 10
_ID = CommandId("to be given")

OBSERVE = Observe(_ID, RUN)
SUBMIT = Submit(_ID, RUN, Contract.SETTLE, BUDGET_CENTS)
CLAIM = Claim(_ID, RUN, WorkerId("worker"))
RECOVER = Recover(_ID, RUN)


def renew(fence: int = 1) -> Renew:
    return Renew(_ID, RUN, Fence(fence))


def release(fence: int = 1) -> Release:
    return Release(_ID, RUN, Fence(fence))


def intend(
    call: CallId = PAY,
    *,
    fence: int = 1,
    kind: CallKind = CallKind.OPERATION,
    digest: str = "arguments",
    ceiling: int = 4,
    supersedes: CallId | None = None,
) -> Intend:
    return Intend(_ID, RUN, Fence(fence), call, kind, digest, ceiling, supersedes)


def ask(call: CallId = ASK, *, supersedes: CallId | None = None) -> Intend:
    return intend(call, kind=CallKind.ATTEMPT, supersedes=supersedes)


def record(call: CallId = PAY, cost: int | None = 3, *, fence: int = 1) -> RecordAnswer:
    return RecordAnswer(_ID, RUN, Fence(fence), call, "answer", cost)


def mark_unknown(call: CallId = PAY, *, fence: int = 1) -> MarkUnknown:
    return MarkUnknown(_ID, RUN, Fence(fence), call)


def publish(*, qualified: bool = True, fence: int = 1) -> Publish:
    return Publish(_ID, RUN, Fence(fence), "body", qualified)


def succeed(fence: int = 1) -> Succeed:
    return Succeed(_ID, RUN, Fence(fence))


def fail(fence: int = 1) -> Fail:
    return Fail(_ID, RUN, Fence(fence))


def reconcile(evidence: Evidence, cost: int | None = None, call: CallId = PAY) -> Reconcile:
    return Reconcile(_ID, RUN, call, evidence, cost)


@dataclass
class Play:
    """A system that is played with. Each command gets an id of its own, unless it has one."""

    stepper: Stepper = step
    state: State = field(default_factory=lambda: State(LEASE_SECONDS))

    def __post_init__(self) -> None:
        self._ids = count(1)

    def ask(self, command: Command) -> Outcome:
        """What the system answers."""
        if command.command_id == _ID:
            command = replace(command, command_id=CommandId(str(next(self._ids))))
        outcome, self.state = self.stepper(self.state, command)
        assert outcome is not None
        return outcome

    def do(self, *commands: Command) -> "Play":
        """The same play, after these commands, each of which must be done."""
        for command in commands:
            assert isinstance(self.ask(command), Done), command
        return self

    def wait(self, seconds: int = LEASE_SECONDS) -> "Play":
        _, self.state = self.stepper(self.state, Tick(seconds))
        return self

    def act(self, cost: int, call: CallId = PAY) -> "Play":
        _, self.state = self.stepper(self.state, Act(RUN, call, cost))
        return self

    @property
    def run(self) -> Run:
        run = self.state.run(RUN)
        assert run is not None
        return run

    def call(self, name: CallId = PAY) -> Call:
        call = self.run.call(name)
        assert call is not None
        return call


def queued() -> Play:
    return Play().do(SUBMIT)


def running() -> Play:
    return queued().do(CLAIM)


def in_flight() -> Play:
    return running().do(intend())


def unknown() -> Play:
    return in_flight().do(mark_unknown())


def sealed() -> Play:
    """Sealed as unknown, for `interrupted`."""
    play = in_flight().wait().do(RECOVER)
    assert play.run.state is RunState.UNKNOWN
    return play
