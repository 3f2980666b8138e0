"""Who may write."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    CallId,
    CallState,
    Contract,
    Done,
    EntryPoint,
    EventType,
    Fence,
    MaterialId,
    MaterialView,
    Reason,
    Replay,
    RunState,
    RunView,
    SourceId,
    Stream,
    Streamed,
    WaitId,
    WaitState,
    Wake,
)

from ..cancelling import (
    NEWS,
    RESUME_IT,
    answered,
    child_of,
    recognised,
    spawned,
    wait,
    waiting_on,
)
from ..continuing import SUMMARY, handed, save_material
from ..steps import (
    CLAIM,
    DONE,
    ID,
    LOST,
    OBSERVE,
    PAY,
    RECOVER,
    RUN,
    SUBMIT,
    WORKER,
    WORKER_RAN,
    accepts,
    body,
    call,
    granted,
    intend,
    is_silent,
    lapsed,
    nothing,
    open_,
    over,
    publish,
    refused,
    rejects,
    run,
    step,
    then,
    truth,
    unknown,
)

QUEUED, RUNNING, UNKNOWN = run(RunState.QUEUED), run(), run(calls=(unknown(),))

CLAIMED = then(QUEUED, EventType.GRANTED, state=RunState.RUNNING, fence=1, lease_left_seconds=30)

PUBLISHED = then(RUNNING, EventType.PUBLISHED, publications=(body(),))

INTERRUPTED = over(lapsed(), RunState.INTERRUPTED, EventType.ENDED, by=EntryPoint.RECOVER)

UNDER_RESUME = run(RunState.RUNNING, lease=0, contract=Contract.RESUME)

RESUMED = then(
    UNDER_RESUME,
    EventType.GRANTED,
    by=EntryPoint.RECOVER,
    fence=2,
    lease_left_seconds=30,
    worker=WORKER,
    deaths=1,
)

NOT_RUNNING = Reason.NOT_RUNNING

STREAM, REPLAY = Stream(ID, RUN, 0), Replay(ID, RUN, "host")

WAKE, OTHER_WAKE = Wake(ID, RUN, NEWS, WORKER, "request"), Wake(ID, RUN, WaitId("other"), WORKER, "request")

PARENT, NEW_CHILD = spawned(RUNNING), child_of(RUNNING)

FINDING = MaterialView(MaterialId("finding"), SourceId("source"), "digest", Fence(1), None, 2)

FOUND, HANDED = replace(RUNNING, materials=(FINDING,)), replace(RUNNING, inherited=(handed(FINDING.material),))

SUM_UP = save_material(SUMMARY, derived_from=(FINDING.material,))

CORRECT = save_material(SUMMARY, replaces=FINDING.material)

MISSING = refused(Reason.NO_SUCH_MATERIAL)


def woken(run: RunView, by: EntryPoint) -> RunView:
    """The run as a grant leaves it that used up all it waited for."""
    used = tuple(replace(wait, state=WaitState.CONSUMED) for wait in run.waits)
    return then(
        run,
        (EventType.GRANTED, run.waits[-1].wait),
        by=by,
        state=RunState.RUNNING,
        waits=used,
        fence=2,
        worker=WORKER,
        lease_left_seconds=30,
    )


ACCEPTED = answered(waiting_on(wait()))

WOKEN = woken(ACCEPTED, EntryPoint.WAKE)

CASES = [
    accepts("ENTRY.3", "recovery that only settles", step(RECOVER, lapsed(), INTERRUPTED)),
    rejects(
        "ENTRY.3",
        "recovery that publishes what it found",
        step(RECOVER, lapsed(), replace(INTERRUPTED, publications=(body(),))),
    ),
    rejects(
        "ENTRY.3",
        "recovery that intends a call",
        step(RECOVER, lapsed(), then(INTERRUPTED, calls=(call(CallId("new")),))),
    ),
    rejects(
        "ENTRY.3",
        "recovery that spawns a child",
        step(RECOVER, lapsed(), replace(INTERRUPTED, children=PARENT.children)),
    ),
    rejects(
        "ENTRY.3", "recovery that saves a finding", step(RECOVER, lapsed(), replace(INTERRUPTED, materials=(FINDING,)))
    ),
    rejects(
        "ENTRY.3",
        "recovery that sends a call again",
        step(
            RECOVER,
            lapsed(calls=(recognised(),)),
            then(lapsed(calls=(recognised(),)), calls=(recognised(CallState.OPEN, sends=2),)),
        ),
    ),
    accepts("ENTRY.3", "recovery that grants", step(RESUME_IT, UNDER_RESUME, RESUMED, granted(2))),
    rejects("ENTRY.3", "recovery that sends a request", step(RECOVER, lapsed(), INTERRUPTED, truth=truth())),
    is_silent("ENTRY.3", "a worker publishes", step(publish(), RUNNING, PUBLISHED)),
    accepts("ENTRY.4", "a worker process that claimed it", step(WORKER_RAN, QUEUED, CLAIMED)),
    accepts("ENTRY.4", "a claim of a queued run", step(CLAIM, QUEUED, CLAIMED, granted(1))),
    accepts(
        "ENTRY.4", "a refusal to who works without a claim", nothing(publish(), QUEUED, refused(Reason.STALE_FENCE))
    ),
    rejects(
        "ENTRY.4",
        "a claim of a run whose lease lapsed",
        step(CLAIM, lapsed(), then(lapsed(), EventType.GRANTED, fence=2, lease_left_seconds=30), granted(2)),
    ),
    rejects("ENTRY.4", "a grant that came from recovery", step(RECOVER, QUEUED, CLAIMED)),
    rejects("ENTRY.4", "a claim that was done and granted nothing", nothing(CLAIM, QUEUED, granted(1))),
    rejects(
        "ENTRY.4",
        "a worker that publishes after it gave its run back",
        step(publish(), run(RunState.QUEUED, fence=1), then(run(RunState.QUEUED, fence=1), publications=(body(),))),
    ),
    rejects(
        "ENTRY.4", "a publication under a fence that was never granted", step(publish(fence=2), RUNNING, PUBLISHED)
    ),
    is_silent("ENTRY.4", "a claim is refused", nothing(CLAIM, RUNNING, refused(Reason.LEASE_LIVE))),
    is_silent("ENTRY.4", "somebody looks", nothing(OBSERVE, QUEUED, DONE)),
    is_silent("ENTRY.4", "a worker writes under its lease", step(publish(), RUNNING, PUBLISHED)),
    accepts(
        "ENTRY.4",
        "recovery under resume of a run whose lease lapsed",
        step(RESUME_IT, UNDER_RESUME, RESUMED, granted(2)),
    ),
    accepts("ENTRY.4", "a wake that was accepted", step(WAKE, ACCEPTED, WOKEN, granted(2))),
    accepts("ENTRY.4", "a refusal to a worker whose run waits", nothing(publish(), ACCEPTED, refused(NOT_RUNNING))),
    rejects(
        "ENTRY.4",
        "recovery under settle that grants",
        step(
            RESUME_IT,
            lapsed(),
            then(lapsed(), EventType.GRANTED, by=EntryPoint.RECOVER, fence=2, lease_left_seconds=30),
            granted(2),
        ),
    ),
    rejects(
        "ENTRY.4",
        "recovery of a run that waits",
        step(RESUME_IT, waiting_on(wait(), contract=Contract.RESUME), woken(waiting_on(wait()), EntryPoint.RECOVER)),
    ),
    rejects(
        "ENTRY.4",
        "a wake that nothing has caused",
        step(WAKE, waiting_on(wait()), woken(waiting_on(wait()), EntryPoint.WAKE), granted(2)),
    ),
    rejects("ENTRY.4", "a wake of another wait", step(OTHER_WAKE, ACCEPTED, WOKEN, granted(2))),
    rejects(
        "ENTRY.4", "a claim of a run that waits", step(CLAIM, ACCEPTED, woken(ACCEPTED, EntryPoint.WORK), granted(2))
    ),
    rejects("ENTRY.4", "a wake that was done and granted nothing", nothing(WAKE, ACCEPTED, granted(2))),
    rejects("ENTRY.4", "recovery that was done and granted nothing", nothing(RESUME_IT, UNDER_RESUME, granted(2))),
    rejects(
        "ENTRY.4",
        "a worker that publishes while its run waits",
        step(publish(), ACCEPTED, then(ACCEPTED, EventType.PUBLISHED, publications=(body(),))),
    ),
    is_silent("ENTRY.4", "a wake is refused", nothing(WAKE, waiting_on(wait()), refused(Reason.NOT_ACCEPTED))),
    accepts("ENTRY.5", "a refusal that changes nothing", nothing(CLAIM, RUNNING, refused(Reason.LEASE_LIVE))),
    rejects("ENTRY.5", "a refusal that leaves an event", step(CLAIM, RUNNING, PUBLISHED, refused(Reason.LEASE_LIVE))),
    accepts("ENTRY.5", "malformed amounts", nothing(replace(SUBMIT, budget_cents=-1), None, refused(Reason.MALFORMED))),
    accepts("ENTRY.5", "a summary of what is nowhere", nothing(SUM_UP, RUNNING, MISSING)),
    accepts("ENTRY.5", "a correction of what was only handed over", nothing(CORRECT, HANDED, MISSING)),
    rejects("ENTRY.5", "a finding of its own called missing", nothing(SUM_UP, FOUND, MISSING)),
    rejects("ENTRY.5", "a finding that was handed over called missing", nothing(SUM_UP, HANDED, MISSING)),
    rejects("ENTRY.5", "a corrected finding called missing", nothing(CORRECT, FOUND, MISSING)),
    rejects("ENTRY.5", "a run in the queue called taken", nothing(CLAIM, QUEUED, refused(Reason.LEASE_LIVE))),
    rejects("ENTRY.5", "a run at work called queued", nothing(publish(), RUNNING, refused(Reason.NOT_RUNNING))),
    rejects("ENTRY.5", "a worker on time called late", nothing(publish(), RUNNING, refused(Reason.LEASE_LAPSED))),
    rejects("ENTRY.5", "a current fence called stale", nothing(publish(), RUNNING, refused(Reason.STALE_FENCE))),
    rejects("ENTRY.5", "a run that goes on called sealed", nothing(publish(), RUNNING, refused(Reason.SEALED))),
    rejects("ENTRY.5", "a good command called malformed", nothing(CLAIM, QUEUED, refused(Reason.MALFORMED))),
    rejects("ENTRY.5", "a run that is there called missing", nothing(CLAIM, QUEUED, refused(Reason.NO_SUCH_RUN))),
    rejects("ENTRY.5", "a free id called taken", nothing(SUBMIT, None, refused(Reason.RUN_EXISTS))),
    rejects("ENTRY.5", "another command's reason", nothing(publish(), RUNNING, refused(Reason.NOT_QUEUED))),
    is_silent("ENTRY.5", "a command is done", step(CLAIM, QUEUED, CLAIMED, granted(1))),
    accepts("ENTRY.6", "the first answer again", nothing(CLAIM, CLAIMED, granted(1), repeats=granted(1))),
    is_silent("ENTRY.6", "a repeat whose answer is lost", nothing(CLAIM, CLAIMED, LOST, repeats=granted(1))),
    rejects("ENTRY.6", "another answer to a repeat", nothing(CLAIM, CLAIMED, granted(2), repeats=granted(1))),
    rejects(
        "ENTRY.6",
        "a second publication under one command id",
        step(
            publish(),
            PUBLISHED,
            then(PUBLISHED, EventType.PUBLISHED, publications=(body(), body(2))),
            repeats=DONE,
        ),
    ),
    accepts("ENTRY.6", "a stream read again", nothing(STREAM, RUNNING, DONE, repeats=Done(stream=Streamed((), False)))),
    is_silent("ENTRY.6", "the first answer was lost", step(publish(), RUNNING, PUBLISHED, repeats=LOST)),
    is_silent(
        "ENTRY.6",
        "another command has the id",
        nothing(intend(), run(calls=(open_(PAY), unknown(CallId("x")))), refused(Reason.COMMAND_ID_CONFLICT)),
    ),
]
