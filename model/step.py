"""What a perfect system answers, and what it then holds: one match over everything that may happen."""

from typing import assert_never

from keepfact.spec.vocabulary import (
    Act,
    Asking,
    Assess,
    Cancel,
    Cause,
    Claim,
    Command,
    Continue,
    Decide,
    Deliver,
    Deploy,
    Done,
    Drifted,
    EndMigration,
    Fail,
    Grant,
    Intend,
    LeaseGrant,
    LookedUp,
    LookUp,
    Mark,
    MarkUnknown,
    Migrate,
    Observe,
    Outcome,
    Publish,
    Purge,
    ReadMaterial,
    Reason,
    Reconcile,
    RecordAnswer,
    Recover,
    Refused,
    Release,
    Renew,
    Replay,
    RequestApproval,
    Restarted,
    Retire,
    Revoke,
    SaveMaterial,
    SendAgain,
    Session,
    Spawn,
    Stop,
    Stream,
    Submit,
    Succeed,
    Tick,
    ToolReleased,
    Wait,
    Wake,
    Worked,
    WorkerRan,
)

from .admission import admit, continue_, is_malformed, spawn
from .approving import decide, request_approval
from .calling import intend, mark_unknown, record_answer, send_again
from .cancelling import cancel, stop
from .materials import grant, read_material, revoke, save_material
from .outside import act, drift, pass_time, release_tool
from .payloads import kept_apart, purge
from .reading import read
from .reconciling import assess, reconcile
from .releases import deploy, end_migration, mark, migrate, retire
from .sessions import USUAL, is_strangers, is_wrong_door, signed
from .settling import fail, recover, succeed
from .state import Change, Run, State, changed
from .waiting import deliver, wait, wake
from .working import claim, publish, release, renew, why_not_work

_READS = (Observe, Stream, Replay, LookUp)
_OfOneRun = (
    Claim
    | Renew
    | Release
    | Intend
    | SendAgain
    | RecordAnswer
    | MarkUnknown
    | Publish
    | Mark
    | SaveMaterial
    | ReadMaterial
    | Wait
    | RequestApproval
    | Decide
    | Deliver
    | Wake
    | Succeed
    | Fail
    | Stop
    | Recover
    | Reconcile
    | Assess
)
_PROGRESS = (Intend, SendAgain, RecordAnswer, Publish, Mark, SaveMaterial, Wait, RequestApproval)


def step(state: State, cause: Cause | Asking) -> tuple[Outcome | None, State]:
    """The outcome that a correct system gives, and its state after it. A happening has no outcome."""
    match cause:
        case Tick():
            return None, pass_time(state, cause)
        case Act():
            return None, act(state, cause)
        case Drifted():
            return None, drift(state, cause)
        case ToolReleased():
            return None, release_tool(state)
        case Restarted():
            return None, state
        case WorkerRan() | LookedUp():
            raise ValueError("expected single commands, but a process worked by itself: only rules can judge that")
        case Asking():
            return _perform(state, cause.command, cause.session)
        case _:
            return _perform(state, cause, USUAL)


def _perform(state: State, command: Command, session: Session) -> tuple[Outcome, State]:
    """A command happens at most once under its id; a refused one leaves no trace, not even of its id (ENTRY.5, 6).

    Looking writes nothing (ENTRY.1), so no id is looked up for it and none is kept.
    """
    if is_wrong_door(command, session):
        return Refused(Reason.NOT_ALLOWED), state
    if is_malformed(command):
        return Refused(Reason.MALFORMED), state
    if not isinstance(command, _READS) and (first := _first_answer(state, command, session)) is not None:
        return first, state
    if is_strangers(state, command, session):
        return Refused(Reason.NO_SUCH_RUN), state
    if isinstance(command, _READS):
        return read(state, command), state
    made = _made(state, command, session)
    if isinstance(made, Refused):
        return made, state
    done = Done(_granted(state, command, made))
    after = state.with_run(made) if isinstance(made, Run) else made
    after = kept_apart(signed(state, after, session), command)
    return done, changed(after, answers=(*after.answers, (session.tenant, command, done)))


def _first_answer(state: State, command: Command, session: Session) -> Outcome | None:
    """What the same tenant was answered under this id before; what others have asked leaves no trace here either."""
    for tenant, first, answer in state.answers:
        if (tenant, first.command_id) == (session.tenant, command.command_id):
            return answer if first == command else Refused(Reason.COMMAND_ID_CONFLICT)
    return None


def _made(state: State, command: Command, session: Session) -> Run | State | Refused:
    """What the command makes of its run, or of more than that; the first check that fails gives the refusal."""
    match command:
        case Submit():
            return admit(state, command, session.tenant)
        case Continue():
            return continue_(state, command, session.tenant)
        case Spawn():
            return spawn(state, command)
        case Cancel():
            return cancel(state, command)
        case Grant():
            return grant(state, command)
        case Revoke():
            return revoke(state, command)
        case Deploy():
            return deploy(state, command)
        case Retire():
            return retire(state, command)
        case Migrate():
            return migrate(state)
        case EndMigration():
            return end_migration(state)
        case Purge():
            return purge(state, command)
        case Observe() | Stream() | Replay() | LookUp():
            raise AssertionError(f"expected a command that may change something, but {command} only reads")
    run = state.run(command.run)
    if run is None:
        return Refused(Reason.NO_SUCH_RUN)
    if isinstance(command, Worked) and (reason := why_not_work(run, command)) is not None:
        return Refused(reason)
    made = _of_one_run(state, run, command)
    if isinstance(made, Run) and made.deaths and made is not run and isinstance(command, _PROGRESS):
        return changed(made, deaths=0)
    return made


def _of_one_run(state: State, run: Run, command: _OfOneRun) -> Change:
    match command:
        case Claim():
            return claim(state, run, command)
        case Renew():
            return renew(run, state.lease_seconds)
        case Release():
            return release(run)
        case Intend():
            return intend(state, run, command)
        case SendAgain():
            return send_again(state, run, command)
        case RecordAnswer():
            return record_answer(run, command)
        case MarkUnknown():
            return mark_unknown(run, command)
        case Publish():
            return publish(run, command)
        case Mark():
            return mark(state, run, command)
        case SaveMaterial():
            return save_material(run, command)
        case ReadMaterial():
            return read_material(state, run, command)
        case Wait():
            return wait(run, command)
        case RequestApproval():
            return request_approval(state, run, command)
        case Decide():
            return decide(state, run, command)
        case Deliver():
            return deliver(state, run, command)
        case Wake():
            return wake(state, run, command)
        case Succeed():
            return succeed(run)
        case Fail():
            return fail(run, command)
        case Stop():
            return stop(run)
        case Recover():
            return recover(state, run, command)
        case Reconcile():
            return reconcile(run, command)
        case Assess():
            return assess(run, command)
        case _:
            assert_never(command)


def _granted(state: State, command: Command, made: Run | State) -> LeaseGrant | None:
    """A run whose fence has risen was granted."""
    if not isinstance(command, (Claim, Wake, Recover)) or not isinstance(made, Run):
        return None
    before = state.run(made.run)
    return LeaseGrant(made.fence, state.lease_seconds) if before and made.fence > before.fence else None
