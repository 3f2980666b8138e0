"""Plays: commands under fresh ids, one after the other, on a perfect system or another."""

from dataclasses import dataclass, field, replace
from itertools import count

from keepfact.model.state import Call, Run, State
from keepfact.model.step import step
from keepfact.model.walker import Stepper
from keepfact.spec.vocabulary import (
    Act,
    Asking,
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
    Happening,
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
ID = CommandId("to be given")
"""Stands for an id that nobody else has."""

OBSERVE = Observe(ID, RUN)
SUBMIT = Submit(ID, RUN, Contract.SETTLE, BUDGET_CENTS)
CLAIM = Claim(ID, RUN, WorkerId("worker"))
RECOVER = Recover(ID, RUN)


def renew(fence: int = 1) -> Renew:
    return Renew(ID, RUN, Fence(fence))


def release(fence: int = 1) -> Release:
    return Release(ID, RUN, Fence(fence))


def intend(
    call: CallId = PAY,
    *,
    fence: int = 1,
    kind: CallKind = CallKind.OPERATION,
    digest: str = "arguments",
    ceiling: int = 4,
    supersedes: CallId | None = None,
) -> Intend:
    return Intend(ID, RUN, Fence(fence), call, kind, digest, ceiling, supersedes)


def ask(call: CallId = ASK, *, supersedes: CallId | None = None) -> Intend:
    return intend(call, kind=CallKind.ATTEMPT, supersedes=supersedes)


def record(call: CallId = PAY, cost: int | None = 3, *, fence: int = 1) -> RecordAnswer:
    return RecordAnswer(ID, RUN, Fence(fence), call, "answer", cost)


def mark_unknown(call: CallId = PAY, *, fence: int = 1) -> MarkUnknown:
    return MarkUnknown(ID, RUN, Fence(fence), call)


def publish(*, qualified: bool = True, fence: int = 1) -> Publish:
    return Publish(ID, RUN, Fence(fence), "body", qualified)


def succeed(fence: int = 1) -> Succeed:
    return Succeed(ID, RUN, Fence(fence))


def fail(fence: int = 1) -> Fail:
    return Fail(ID, RUN, Fence(fence))


def reconcile(evidence: Evidence, cost: int | None = None, call: CallId = PAY) -> Reconcile:
    return Reconcile(ID, RUN, call, evidence, cost)


@dataclass
class Play:
    """A system that is played with. Each command gets an id of its own, unless it has one."""

    stepper: Stepper = step
    state: State = field(default_factory=lambda: State(LEASE_SECONDS))

    def __post_init__(self) -> None:
        self._ids = count(1)

    def ask(self, asked: Command | Asking) -> Outcome:
        """What the system answers."""
        command = asked.command if isinstance(asked, Asking) else asked
        if command.command_id == ID:
            command = replace(command, command_id=CommandId(str(next(self._ids))))
        cause = Asking(asked.session, command) if isinstance(asked, Asking) else command
        outcome, self.state = self.stepper(self.state, cause)  # type: ignore[arg-type]  # as the walker: passed on
        assert outcome is not None
        return outcome

    def do(self, *commands: Command | Asking) -> "Play":
        """The same play, after these commands, each of which must be done."""
        for command in commands:
            assert isinstance(self.ask(command), Done), command
        return self

    def meet(self, *happenings: Happening) -> "Play":
        """The same play, after this has happened."""
        for happening in happenings:
            _, self.state = self.stepper(self.state, happening)
        return self

    def wait(self, seconds: int = LEASE_SECONDS) -> "Play":
        return self.meet(Tick(seconds))

    def act(self, cost: int, call: CallId = PAY) -> "Play":
        return self.meet(Act(RUN, call, cost))

    @property
    def run(self) -> Run:
        return self.other(RUN)

    def other(self, name: RunId) -> Run:
        run = self.state.run(name)
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
