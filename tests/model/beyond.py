"""Commands beyond the spine, and plays of runs that have come to need them."""

import hashlib
from dataclasses import replace

from keepfact.spec.vocabulary import (
    FIRST_BUNDLE,
    FORMAT,
    INLINE_MAX,
    TENANT,
    Asking,
    Assess,
    Branch,
    BundleId,
    CallId,
    Cancel,
    Command,
    Continue,
    Contract,
    Decide,
    Deliver,
    Deploy,
    EndMigration,
    EntryPoint,
    Fence,
    Grant,
    Intend,
    LookUp,
    Mark,
    MaterialId,
    Migrate,
    Publish,
    Purge,
    ReadMaterial,
    RecordAnswer,
    Recover,
    RequestApproval,
    RequestId,
    Retire,
    Revoke,
    RunId,
    SaveMaterial,
    SendAgain,
    Session,
    SourceId,
    Spawn,
    SpawnId,
    Stop,
    Submit,
    TenantId,
    Undo,
    UserId,
    Wait,
    WaitId,
    WaitKind,
    Wake,
    WorkerId,
)

from .play import BUDGET_CENTS, CLAIM, ID, PAY, RUN, Play, fail, in_flight, intend, running

SECONDS = 60
REPORT, TIMER, FOR_CHILD, ASKED, ASKED_ANEW = map(WaitId, ("report", "timer", "for child", "asked", "asked anew"))
CHILD, NEXT = RunId("child"), RunId("next")
SPAWNED = SpawnId("spawn")
NOTE, DRAFT = MaterialId("note"), MaterialId("draft")
SOURCE, OTHER_SOURCE = SourceId("source"), SourceId("other source")
USER = UserId("user")
BUNDLE = BundleId("bundle-2")
REQUEST = RequestId("request")
REFUND = CallId("refund")
STRANGERS = TenantId("strangers")
LARGE = "x" * (INLINE_MAX + 1)
DIGEST_OF_LARGE = hashlib.sha256(LARGE.encode()).hexdigest()

CANCEL = Cancel(ID, RUN)
MIGRATE, END_MIGRATION = Migrate(ID), EndMigration(ID)
RESUME = Recover(ID, RUN, WorkerId("successor"))


def wait_for(
    wait: WaitId = REPORT,
    kind: WaitKind = WaitKind.CALLBACK,
    *,
    arrivals: int = 1,
    child: RunId | None = None,
    fence: int = 1,
) -> Wait:
    return Wait(ID, RUN, Fence(fence), wait, kind, "request", SECONDS, arrivals, child)


def deliver(
    number: int = 1, *, wait: WaitId = REPORT, kind: WaitKind = WaitKind.CALLBACK, digest: str = "report"
) -> Deliver:
    return Deliver(ID, RUN, wait, kind, number, digest)


def wake(
    wait: WaitId = REPORT,
    *,
    digest: str = "request",
    supports: tuple[BundleId, ...] = (FIRST_BUNDLE,),
    of_format: int = FORMAT,
) -> Wake:
    return Wake(ID, RUN, wait, WorkerId("worker"), digest, supports, of_format)


def request_approval(
    wait: WaitId = ASKED, *, digest: str = "arguments", risk: str = "high", fence: int = 1
) -> RequestApproval:
    return RequestApproval(ID, RUN, Fence(fence), wait, PAY, digest, risk, "role", SECONDS)


def decide(approved: bool = True, *, wait: WaitId = ASKED, digest: str = "arguments") -> Decide:
    return Decide(ID, RUN, wait, approved, digest)


def intend_as_approved(
    call: CallId = PAY, *, wait: WaitId | None = ASKED, digest: str = "arguments", fence: int = 2
) -> Intend:
    return replace(intend(call, fence=fence, digest=digest), approval=wait)


def compensate(original: CallId = PAY, undo: Undo | None = Undo.CORRECTABLE) -> Intend:
    return replace(intend(REFUND), compensates=original, undo=undo)


def intend_to_ask_again(*, recognises: bool = False, sends_max: int = 2) -> Intend:
    return replace(intend(), recognises=recognises, sends_max=sends_max)


def send_again(call: CallId = PAY, *, fence: int = 1) -> SendAgain:
    return SendAgain(ID, RUN, Fence(fence), call)


def look_up(call: CallId = PAY) -> LookUp:
    return LookUp(ID, RUN, call)


def stop(fence: int = 1) -> Stop:
    return Stop(ID, RUN, Fence(fence))


def assess(good: bool = True) -> Assess:
    return Assess(ID, RUN, good)


def spawn(child: RunId = CHILD, *, spawn: SpawnId = SPAWNED, fence: int = 1, budget: int = 5) -> Spawn:
    return Spawn(ID, RUN, Fence(fence), spawn, child, budget)


def deploy(bundle: BundleId = BUNDLE, *, replayed: int = 1, diverged: int = 0, markers: tuple[str, ...] = ()) -> Deploy:
    return Deploy(ID, bundle, replayed, diverged, markers)


def retire(bundle: BundleId = FIRST_BUNDLE) -> Retire:
    return Retire(ID, bundle)


def mark(branch: Branch, marker: str = "change", *, fence: int = 1) -> Mark:
    return Mark(ID, RUN, Fence(fence), marker, branch)


def save(
    material: MaterialId = NOTE,
    source: SourceId = SOURCE,
    *,
    digest: str = "finding",
    as_of: str | None = "today",
    fresh_seconds: int = SECONDS,
    derived_from: tuple[MaterialId, ...] = (),
    replaces: MaterialId | None = None,
    judgement: bool = False,
) -> SaveMaterial:
    return SaveMaterial(
        ID, RUN, Fence(1), material, source, digest, as_of, fresh_seconds, derived_from, replaces, judgement
    )


def read(material: MaterialId = NOTE, *, run: RunId = NEXT) -> ReadMaterial:
    return ReadMaterial(ID, run, Fence(1), material)


def grant(source: SourceId = SOURCE) -> Grant:
    return Grant(ID, source, USER)


def revoke(source: SourceId = SOURCE) -> Revoke:
    return Revoke(ID, source, USER)


def continued(run: RunId = NEXT, source: RunId = RUN, request: RequestId | None = None) -> Continue:
    return Continue(ID, run, source, USER, Contract.SETTLE, BUDGET_CENTS, request)


def purge(payload: str) -> Purge:
    return Purge(ID, payload)


def publish_text(body: str) -> Publish:
    return Publish(ID, RUN, Fence(1), body, True)


def answer_text(answer: str) -> RecordAnswer:
    return RecordAnswer(ID, RUN, Fence(1), PAY, answer, 3)


def asking(
    command: Command, *, principal: str = "somebody", tenant: TenantId = TENANT, door: EntryPoint | None = None
) -> Asking:
    """The command, asked in a session of this tenant; at its own door unless another is given."""
    return Asking(Session(tenant, principal, door or command.entry_point), command)


def waiting() -> Play:
    """For one report."""
    return running().do(wait_for())


def woken() -> Play:
    """The report came, and its wake was used: fence 2."""
    return waiting().do(deliver(), wake())


def asked() -> Play:
    """A person was asked to approve the payment."""
    return running().do(request_approval())


def approved() -> Play:
    """And did; the run goes on under fence 2."""
    return asked().do(decide(), wake(ASKED, digest="arguments"))


def denied() -> Play:
    return asked().do(decide(approved=False), wake(ASKED, digest="arguments"))


def cancelling() -> Play:
    """With a payment in flight."""
    return in_flight().do(CANCEL)


def with_child() -> Play:
    return running().do(spawn())


def resuming() -> Play:
    """A run under `resume`, with a worker."""
    return Play().do(Submit(ID, RUN, Contract.RESUME, BUDGET_CENTS), CLAIM)


def left_with(*saved: SaveMaterial) -> Play:
    """A failed run with these findings, whose source the user may read."""
    return running().do(*saved, fail(), grant())
