"""Doors."""

from dataclasses import replace

from keepfact.spec.vocabulary import (
    Cancel,
    Continue,
    Contract,
    EntryPoint,
    EventType,
    InheritedView,
    Label,
    MaterialId,
    Reason,
    RequestId,
    RunId,
    RunState,
    RunView,
    Step,
    Stream,
    TenantId,
    UserId,
)

from ..approving import asked_by, becoming, seen
from ..continuing import admitted, handed, left, material, readers
from ..steps import (
    CLAIM,
    DONE,
    ID,
    LOST,
    OBSERVE,
    RUN,
    SUBMIT,
    TICK,
    accepts,
    body,
    granted,
    is_silent,
    nothing,
    publish,
    refused,
    rejects,
    renew,
    run,
    step,
    then,
)

SOURCE = RunId("source")
STREAM = Stream(ID, RUN, 0)
CANCEL = Cancel(ID, RUN)
CONTINUE = Continue(ID, RUN, SOURCE, UserId("user"), Contract.SETTLE, 10)
REQUEST = RequestId("request")
REQUESTED = replace(CONTINUE, request=REQUEST)
RUN_EXISTS, REQUEST_TAKEN = refused(Reason.RUN_EXISTS), refused(Reason.REQUEST_TAKEN)
NO_SUCH_RUN, NOT_ALLOWED = refused(Reason.NO_SUCH_RUN), refused(Reason.NOT_ALLOWED)
OBSERVER, SUBMITTER, CONTINUER = EntryPoint.OBSERVE, EntryPoint.SUBMIT, EntryPoint.CONTINUE

RUNNING, QUEUED = run(), run(RunState.QUEUED)
PUBLISHED = then(RUNNING, EventType.PUBLISHED, publications=(body(),))
CLAIMED = then(QUEUED, EventType.GRANTED, state=RunState.RUNNING, fence=1, lease_left_seconds=30)
MATERIAL = InheritedView(MaterialId("finding"), SOURCE, Label.CURRENT)
CONTINUED = admitted(handed())

ENDED = left(material())


def of_theirs(run: RunView) -> RunView:
    """The same run as another tenant's."""
    return replace(run, tenant=TenantId("another"))


def beside(happened: Step, *others: RunView) -> Step:
    """The same step, with runs that it leaves alone."""
    before, after = happened.before, happened.after
    return replace(
        happened,
        before=replace(before, runs=(*before.runs, *others)),
        after=replace(after, runs=(*after.runs, *others)),
    )


THEIRS = of_theirs(run(name=SOURCE))
ADMITTED = replace(run(name=RunId("another-of-ours")), request=REQUEST)
OURS = run(name=SOURCE)
QUEUED_BY_ANOTHER = replace(OURS, history=tuple(replace(event, principal="another") for event in OURS.history))

APART = [
    accepts("TENANT.1", "work on a run of its own", asked_by(step(publish(), RUNNING, PUBLISHED))),
    accepts("TENANT.1", "an admission of its own", asked_by(step(SUBMIT, None, QUEUED), SUBMITTER)),
    accepts(
        "TENANT.1",
        "an admission beside another tenant's run",
        asked_by(step(SUBMIT, None, QUEUED, others=(THEIRS, THEIRS)), SUBMITTER),
    ),
    accepts(
        "TENANT.1",
        "a continuation of a run of its own",
        asked_by(seen(step(CONTINUE, None, CONTINUED, others=(ENDED, ENDED)), readers=readers("web")), CONTINUER),
    ),
    accepts(
        "TENANT.1",
        "a look at another tenant's run that is refused",
        asked_by(nothing(OBSERVE, of_theirs(RUNNING), NO_SUCH_RUN), OBSERVER),
    ),
    accepts(
        "TENANT.1",
        "a stream of another tenant's run that is refused",
        asked_by(nothing(STREAM, of_theirs(RUNNING), NO_SUCH_RUN), OBSERVER),
    ),
    accepts(
        "TENANT.1",
        "work on another tenant's run that is refused",
        asked_by(nothing(publish(), of_theirs(RUNNING), NO_SUCH_RUN)),
    ),
    accepts(
        "TENANT.1",
        "another tenant that repeats a command word for word",
        asked_by(nothing(CLAIM, of_theirs(CLAIMED), NO_SUCH_RUN, repeats=granted(1))),
    ),
    accepts(
        "TENANT.1",
        "a continuation of another tenant's run that is refused",
        asked_by(step(CONTINUE, None, None, NO_SUCH_RUN, others=(THEIRS, THEIRS)), CONTINUER),
    ),
    accepts(
        "TENANT.1",
        "a continuation of another tenant's run under the id of one of its own",
        asked_by(step(CONTINUE, QUEUED, QUEUED, RUN_EXISTS, others=(THEIRS, THEIRS)), CONTINUER),
    ),
    accepts(
        "TENANT.1",
        "a continuation of another tenant's run for a request of its own",
        asked_by(beside(step(REQUESTED, None, None, REQUEST_TAKEN), THEIRS, ADMITTED), CONTINUER),
    ),
    rejects(
        "TENANT.1",
        "a continuation of another tenant's run under an id that nobody has",
        asked_by(step(CONTINUE, None, None, RUN_EXISTS, others=(THEIRS, THEIRS)), CONTINUER),
    ),
    rejects(
        "TENANT.1",
        "a continuation that tells of another tenant's request",
        asked_by(beside(step(REQUESTED, None, None, REQUEST_TAKEN), THEIRS, of_theirs(ADMITTED)), CONTINUER),
    ),
    rejects(
        "TENANT.1",
        "a continuation under the id of another tenant's run that tells that there is one",
        asked_by(nothing(CONTINUE, of_theirs(QUEUED), RUN_EXISTS), CONTINUER),
    ),
    rejects(
        "TENANT.1", "a look at another tenant's run", asked_by(nothing(OBSERVE, of_theirs(RUNNING), DONE), OBSERVER)
    ),
    rejects(
        "TENANT.1", "a stream of another tenant's run", asked_by(nothing(STREAM, of_theirs(RUNNING), DONE), OBSERVER)
    ),
    rejects(
        "TENANT.1",
        "work on another tenant's run",
        asked_by(step(publish(), of_theirs(RUNNING), of_theirs(PUBLISHED))),
    ),
    rejects(
        "TENANT.1",
        "work on another tenant's run, unheard",
        asked_by(step(publish(), of_theirs(RUNNING), of_theirs(PUBLISHED), LOST)),
    ),
    rejects(
        "TENANT.1",
        "another tenant that is given the first answer",
        asked_by(nothing(CLAIM, of_theirs(CLAIMED), granted(1), repeats=granted(1))),
    ),
    rejects(
        "TENANT.1",
        "a refusal that tells how another tenant's run stands",
        asked_by(nothing(CLAIM, of_theirs(RUNNING), refused(Reason.LEASE_LIVE))),
    ),
    rejects(
        "TENANT.1",
        "an admission that is told of another tenant's run",
        asked_by(nothing(SUBMIT, of_theirs(RUNNING), refused(Reason.RUN_EXISTS)), SUBMITTER),
    ),
    rejects(
        "TENANT.1",
        "a continuation of another tenant's run",
        asked_by(step(CONTINUE, None, CONTINUED, others=(THEIRS, THEIRS)), CONTINUER),
    ),
    rejects(
        "TENANT.1",
        "a continuation that hands over another tenant's material",
        asked_by(
            step(replace(CONTINUE, source=RunId("a third")), None, CONTINUED, others=(THEIRS, THEIRS)),
            CONTINUER,
        ),
    ),
    rejects("TENANT.1", "an admission for another tenant", asked_by(step(SUBMIT, None, of_theirs(QUEUED)), SUBMITTER)),
    rejects(
        "TENANT.1",
        "a command that changes another tenant's run on the way",
        asked_by(step(publish(), RUNNING, PUBLISHED, others=(THEIRS, then(THEIRS, EventType.PUBLISHED)))),
    ),
    is_silent("TENANT.1", "nobody knows who asked", step(publish(), of_theirs(RUNNING), of_theirs(PUBLISHED))),
    is_silent("TENANT.1", "its own run is looked at", asked_by(nothing(OBSERVE, RUNNING, DONE), OBSERVER)),
    is_silent("TENANT.1", "it may never have arrived", asked_by(nothing(publish(), of_theirs(RUNNING), LOST))),
]

ROLES = [
    accepts("TENANT.2", "a worker that works", asked_by(step(publish(), RUNNING, PUBLISHED))),
    accepts("TENANT.2", "a worker that renews", asked_by(step(renew(), run(lease=3), RUNNING))),
    accepts("TENANT.2", "an observer that may not work", asked_by(nothing(publish(), RUNNING, NOT_ALLOWED), OBSERVER)),
    accepts(
        "TENANT.2",
        "an observer that repeats what a worker did",
        asked_by(nothing(publish(), PUBLISHED, NOT_ALLOWED, repeats=DONE), OBSERVER),
    ),
    accepts("TENANT.2", "a worker that may not cancel", asked_by(nothing(CANCEL, RUNNING, NOT_ALLOWED))),
    rejects("TENANT.2", "an observer that publishes", asked_by(step(publish(), RUNNING, PUBLISHED), OBSERVER)),
    rejects(
        "TENANT.2", "an observer that publishes, unheard", asked_by(step(publish(), RUNNING, PUBLISHED, LOST), OBSERVER)
    ),
    rejects("TENANT.2", "a submitter that looks", asked_by(nothing(OBSERVE, RUNNING, DONE), SUBMITTER)),
    rejects(
        "TENANT.2",
        "an observer that is told why a worker could not",
        asked_by(nothing(publish(2), RUNNING, refused(Reason.LEASE_LAPSED)), OBSERVER),
    ),
    rejects("TENANT.2", "a worker that may not work", asked_by(nothing(publish(), RUNNING, NOT_ALLOWED))),
    rejects("TENANT.2", "a look that lengthens a lease", asked_by(step(OBSERVE, run(lease=3), RUNNING), OBSERVER)),
    rejects(
        "TENANT.2",
        "an event signed by another door",
        asked_by(step(publish(), RUNNING, then(RUNNING, EventType.PUBLISHED, by=EntryPoint.DECIDE))),
    ),
    rejects(
        "TENANT.2",
        "an event that is not the role's to write",
        asked_by(step(publish(), RUNNING, then(RUNNING, EventType.DECIDED, by=EntryPoint.WORK))),
    ),
    rejects(
        "TENANT.2",
        "such an event in another run",
        asked_by(step(publish(), RUNNING, PUBLISHED, others=(OURS, then(OURS, EventType.CANCEL_REQUESTED)))),
    ),
    is_silent("TENANT.2", "nobody knows who asked", step(publish(), RUNNING, PUBLISHED)),
    is_silent("TENANT.2", "an observer looks", asked_by(nothing(OBSERVE, RUNNING, DONE), OBSERVER)),
    is_silent("TENANT.2", "it may never have arrived", asked_by(nothing(publish(), RUNNING, LOST), OBSERVER)),
    is_silent("TENANT.2", "nobody asks", asked_by(step(TICK, run(lease=3), run(lease=2)))),
]

PRINCIPALS = [
    accepts("TENANT.3", "a publication under the session's principal", asked_by(step(publish(), RUNNING, PUBLISHED))),
    accepts("TENANT.3", "an unheard one", asked_by(step(publish(), RUNNING, PUBLISHED, LOST))),
    accepts("TENANT.3", "an admission under it", asked_by(step(SUBMIT, None, QUEUED), SUBMITTER)),
    rejects(
        "TENANT.3",
        "a publication under another principal",
        asked_by(step(publish(), RUNNING, PUBLISHED), principal="somebody else"),
    ),
    rejects(
        "TENANT.3",
        "an admission under another principal",
        asked_by(step(SUBMIT, None, QUEUED), SUBMITTER, principal="somebody else"),
    ),
    rejects(
        "TENANT.3",
        "an event in another run under another principal",
        asked_by(becoming(step(CANCEL, RUNNING, RUNNING), runs=(RUNNING, QUEUED_BY_ANOTHER)), EntryPoint.CANCEL),
    ),
    is_silent("TENANT.3", "nobody knows who asked", step(publish(), RUNNING, PUBLISHED)),
    is_silent("TENANT.3", "nothing is written", asked_by(nothing(publish(), RUNNING, refused(Reason.STALE_FENCE)))),
    is_silent("TENANT.3", "nobody asks", asked_by(step(TICK, run(lease=3), run(lease=2)))),
]

CASES = [*APART, *ROLES, *PRINCIPALS]
