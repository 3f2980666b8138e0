"""Texts that are large, secret or cannot be stored; readers of histories; strangers at the door; workers at once."""

from keepfact.model.payloads import digest_of
from keepfact.model.state import Run, State
from keepfact.spec.vocabulary import (
    INLINE_MAX,
    Asking,
    CallKind,
    Capability,
    Claim,
    Command,
    Continue,
    Contract,
    EntryPoint,
    Fail,
    Fence,
    Intend,
    MaterialId,
    Observe,
    Publish,
    Purge,
    RecordAnswer,
    Recover,
    Replay,
    RunId,
    SaveMaterial,
    Session,
    SourceId,
    Stream,
    Submit,
    TenantId,
    UserId,
    WorkerId,
)

from .bounds import Bounds, fences_of
from .scope import ATTEMPT, FRESH, NEXT, OPERATION, OTHER, RUN, WORKER, Causes, Scope

LARGE = "x" * (INLINE_MAX + 1)
UNSTORABLE = "NUL: \0"
CREDENTIAL = "credential-7f3a"
THEIRS = RunId("theirs")
STRANGER = TenantId("stranger")


def storing(state: State, run: Run) -> Causes:
    """Bodies and answers of every kind; a finding that rests on a large text; texts purged too early or in time."""
    fence = Fence(max(1, run.fence))
    yield Intend(FRESH, RUN, fence, OPERATION, CallKind.OPERATION, "arguments", 0, credential=CREDENTIAL)
    if len(run.publications) < 2:
        yield Publish(FRESH, RUN, fence, LARGE, qualified=True)
    yield Publish(FRESH, RUN, fence, UNSTORABLE, qualified=True)
    yield Fail(FRESH, RUN, fence, error=UNSTORABLE)
    for call in (call for call in run.calls if state.truth.of(call.call) is not None):
        yield RecordAnswer(FRESH, RUN, fence, call.call, LARGE, 0)
        yield RecordAnswer(FRESH, RUN, fence, call.call, UNSTORABLE, 0)
    large = digest_of(LARGE)
    yield SaveMaterial(FRESH, RUN, fence, MaterialId("finding"), SourceId("fund"), large, "2026-06-30", 1)
    yield Purge(FRESH, large)


def streaming(state: State, run: Run) -> Causes:
    """Readers of the stream from its beginning and from its last number."""
    yield Stream(FRESH, RUN, 0)
    yield Stream(FRESH, RUN, 1)


def reading(state: State, run: Run) -> Causes:
    """Readers of the stream, and replays on two hosts."""
    yield from streaming(state, run)
    yield Replay(FRESH, RUN, "this host")
    yield Replay(FRESH, RUN, "another host")


def strangers(state: State, run: Run) -> Causes:
    """Another tenant with a run of its own, and sessions at the wrong door."""
    yield _as_stranger(Submit(FRESH, THEIRS, Contract.SETTLE, 1))
    yield _as_stranger(Submit(FRESH, RUN, Contract.SETTLE, 1))
    yield _as_stranger(Claim(FRESH, THEIRS, WORKER))
    yield _as_stranger(Recover(FRESH, THEIRS))
    yield Observe(FRESH, THEIRS)
    fence = Fence(max(1, run.fence))
    reads: tuple[Command, ...] = (Observe(FRESH, RUN), Stream(FRESH, RUN, 0))
    writes: tuple[Command, ...] = (Claim(FRESH, RUN, WORKER), Fail(FRESH, RUN, fence), Recover(FRESH, RUN))
    for command in (*reads, *writes, Continue(FRESH, NEXT, RUN, UserId("stranger"), Contract.SETTLE, 1)):
        yield _as_stranger(command)
    for command in writes:
        yield Asking(Session(run.tenant, "watcher", EntryPoint.OBSERVE), command)
        yield Asking(Session(run.tenant, "somebody", command.entry_point), command)


def another_worker(state: State, run: Run) -> Causes:
    """A second worker and two sweeps, of which one listed the run before its last grant."""
    yield Claim(FRESH, RUN, WorkerId("another worker"))
    for seen in {run.fence, max(0, run.fence - 1)}:
        yield Recover(FRESH, RUN, seen_fence=Fence(seen))


def another_run(state: State, run: Run) -> Causes:
    """A second run of the tenant, that asks under the ids of the first."""
    yield Submit(FRESH, OTHER, Contract.SETTLE, 1)
    other = state.run(OTHER)
    if other is None:
        return
    yield Claim(FRESH, OTHER, WORKER)
    for fence in fences_of(other):
        yield Intend(FRESH, OTHER, fence, OPERATION, CallKind.OPERATION, "arguments", 0)
    yield Recover(FRESH, OTHER)


def _as_stranger(command: Command) -> Asking:
    return Asking(Session(STRANGER, "stranger", command.entry_point), command)


PAYLOADS = Scope(
    name="payloads",
    bounds="1 run (settle), 1 grant, 2 large publications, 1 operation with a credential, 1 finding",
    states=1070,
    edges=28833,
    classes=246,
    needs=frozenset({Capability.PAYLOADS, Capability.STREAMS, Capability.REPLAY, Capability.MATERIALS}),
    causes=Bounds(costs={OPERATION: (0,)}, tries_all=False, subjects=(storing, reading)).causes,
)
READERS = Scope(
    name="readers",
    bounds="1 run (settle), 1 grant, 1 attempt that costs its ceiling of 1 cent, readers of its stream",
    states=44,
    edges=765,
    classes=148,
    needs=frozenset({Capability.STREAMS}),
    causes=Bounds(costs={ATTEMPT: (1,)}, tries_all=False, subjects=(streaming,)).causes,
)
TENANTS = Scope(
    name="tenants",
    bounds="1 run (settle), 2 grants, a run of another tenant, sessions of the wrong tenant or door",
    states=91,
    edges=2488,
    classes=141,
    needs=frozenset({Capability.SESSIONS, Capability.STREAMS}),
    causes=Bounds(grants=2, tries_all=False, subjects=(strangers,)).causes,
)
RACES = Scope(
    name="races",
    bounds="1 run (settle), 3 grants, 2 workers, 2 sweeps, 1 attempt that costs its ceiling of 1 cent",
    states=688,
    edges=19975,
    classes=234,
    needs=frozenset({Capability.SWEEPS}),
    causes=Bounds(grants=3, costs={ATTEMPT: (1,)}, subjects=(another_worker,)).causes,
)
NEIGHBOURS = Scope(
    name="neighbours",
    bounds="2 runs (settle), 1 grant each, 1 operation id that both would use",
    states=231,
    edges=4464,
    classes=141,
    causes=Bounds(costs={OPERATION: (0,)}, tries_all=False, subjects=(another_run,)).causes,
)
