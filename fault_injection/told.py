"""Stories in commands: what is asked and what happens, how that is answered where the rules are kept, and the fault."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from keepfact.conformance.recorder import Move
from keepfact.conformance.shorten import relabelled
from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    Act,
    Asking,
    BundleId,
    CallId,
    CallKind,
    Cause,
    Claim,
    Command,
    CommandId,
    Contract,
    Decide,
    Done,
    Fence,
    Intend,
    Outcome,
    Publish,
    Refused,
    RequestApproval,
    RunId,
    Submit,
    Succeed,
    Tick,
    WaitId,
    Wake,
    WorkerId,
)

ID = CommandId("")
"""Stands for an id that no other command has."""
RUN, CALL = RunId("run"), CallId("pay")
WORKER, SUCCESSOR = WorkerId("worker"), WorkerId("successor")
FIRST, SECOND = Fence(1), Fence(2)
BUDGET_CENTS, CEILING_CENTS = 100, 40
ARGUMENTS = "digest of the arguments"
ASKED = WaitId("asked")


@dataclass(frozen=True, slots=True)
class Told:
    """One move of a story, and how it is answered where the rules are kept. The fault is what went wrong in reality."""

    move: Move
    expected: type[Done] | type[Refused] | None = None
    is_fault: bool = False

    def goes_as_told(self, outcome: Outcome | None) -> bool:
        """Whether that is what the story says; an answer that nobody hears says nothing."""
        return self.expected is None or isinstance(outcome, self.expected)


def done(asked: Command | Asking) -> Told:
    """It is asked, and done."""
    return Told(Move(asked), Done)


def refused(asked: Command | Asking) -> Told:
    """It is asked, and turned away."""
    return Told(Move(asked), Refused)


def happens(cause: Cause) -> Told:
    """It happens outside, or time passes."""
    return Told(Move(cause))


def unheard(asked: Command | Asking) -> Told:
    """It is done, and its answer is lost."""
    return Told(Move(asked, "withheld"))


def never_arrives(asked: Command | Asking) -> Told:
    """It is lost on its way, and who asked cannot know."""
    return Told(Move(asked, "never sent"))


def fault(told: Told) -> Told:
    """This is where the real system went wrong."""
    return Told(told.move, told.expected, is_fault=True)


Story = Callable[[int], tuple[Told, ...]]
"""The moves, for a system whose leases last so many seconds."""


def running(contract: Contract) -> tuple[Told, ...]:
    """A run was admitted, and a worker works on it under the first fence."""
    return done(Submit(ID, RUN, contract, BUDGET_CENTS)), done(Claim(ID, RUN, WORKER))


def finishes(fence: Fence) -> tuple[Told, ...]:
    """The worker publishes what was wanted, and ends the run."""
    return done(Publish(ID, RUN, fence, "all that was wanted", True)), done(Succeed(ID, RUN, fence))


def lapses(lease_seconds: int) -> Told:
    """Nobody renews the lease, and it ends."""
    return happens(Tick(lease_seconds + 1))


def intend(fence: Fence = FIRST, digest: str = ARGUMENTS) -> Intend:
    """The worker is about to pay, at most twice, with a tool that does not recognise what it was asked before."""
    return Intend(ID, RUN, fence, CALL, CallKind.OPERATION, digest, CEILING_CENTS, sends_max=2)


def in_flight(contract: Contract) -> tuple[Told, ...]:
    """A worker is paying: the tool has acted, and its answer is on its way."""
    return *running(contract), done(intend()), happens(Act(RUN, CALL, CEILING_CENTS))


def request_approval(seconds: int) -> RequestApproval:
    """The worker asks a person about paying, who has so long to answer, and waits."""
    return RequestApproval(ID, RUN, FIRST, ASKED, CALL, ARGUMENTS, "high", "role", seconds)


def decide(*, approved: bool = True, digest: str = ARGUMENTS) -> Decide:
    """The person answers, having been shown that."""
    return Decide(ID, RUN, ASKED, approved, digest)


def approved(contract: Contract, seconds: int) -> tuple[Told, ...]:
    """A person was asked about paying, and has approved it."""
    return *running(contract), done(request_approval(seconds)), done(decide())


def wake(worker: WorkerId, *, supports: tuple[BundleId, ...] = (FIRST_BUNDLE,)) -> Wake:
    """A worker takes the answer up."""
    return Wake(ID, RUN, ASKED, worker, ARGUMENTS, supports)


def approved_intent(fence: Fence = SECOND, digest: str = ARGUMENTS) -> Intend:
    """The worker is about to pay as it was allowed to."""
    return replace(intend(fence, digest), approval=ASKED)


def in_full(story: Sequence[Told], prefix: str) -> Iterator[Told]:
    """The moves of the story with ids that begin so, each command with one of its own where it has none."""
    for number, told in enumerate(story, 1):
        (move,) = relabelled([_named(told.move, f"command-{number}")], "", prefix)
        yield replace(told, move=move)


def _named(move: Move, name: str) -> Move:
    said = move.said
    if not isinstance(said, Command) or said.command_id != ID:
        return move
    named = replace(said, command_id=CommandId(name))
    return replace(move, cause=replace(move.cause, command=named) if isinstance(move.cause, Asking) else named)
