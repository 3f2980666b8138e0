"""FENCE: one writer at a time. (Of FENCE.5 one step shows the sweep; two actors at once are the harness's business.)"""

from keepfact.spec.chapter import Chapter, Resume
from keepfact.spec.vocabulary import (
    ENDS,
    Act,
    AskedOfRun,
    Capability,
    Claim,
    Done,
    EventType,
    Intend,
    LookedUp,
    OfRun,
    Reason,
    Recover,
    Refused,
    SendAgain,
    Spawn,
    Step,
    Wake,
    Worked,
    WorkerRan,
)

chapter = Chapter("FENCE", "One writer at a time")

_FENCED_OFF = {Reason.STALE_FENCE, Reason.SEALED, Reason.COMMAND_ID_CONFLICT, Reason.MALFORMED}
"""Why a fenced-off worker may be refused; what is wrong with the command itself may be told first."""


@chapter.rule(1, about=OfRun)
def every_grant_has_a_higher_fence(step: Step) -> bool | None:
    """Each grant's fence is higher than every earlier one of that run, and none is taken back; it is unique to the
    grant, not to the worker.
    """
    if step.old is None or step.new is None:
        return None
    if step.new.fence < step.old.fence:
        return False
    is_granted = isinstance(step.cause, Claim) or any(event.type is EventType.GRANTED for event in step.new_events)
    if not is_granted or not step.took_effect:
        return None
    told = not isinstance(step.outcome, Done) or (
        step.outcome.grant is not None and step.outcome.grant.fence == step.new.fence
    )
    return told and step.new.fence > step.old.fence


@chapter.rule(2, about=Worked)
def stale_writes_change_nothing(step: Step) -> bool | None:
    """A write under an older fence is refused for that reason and changes nothing; so are renewals, releases, failures
    and finishes.
    """
    if not step.is_stale or step.is_repeat or step.is_unheard:
        return None
    return step.had_no_effect and _says_why(step)


@chapter.rule(3, about=Worked)
def lapsed_leases_write_nothing(step: Step) -> bool | None:
    """A write under a lapsed lease is refused, even if nobody else has claimed yet; only the store's clock decides."""
    if not step.is_lapsed or step.is_repeat or step.is_unheard:
        return None
    return step.had_no_effect


@chapter.rule(4, about=Claim | Wake | Recover)
def a_live_lease_is_left_alone(step: Step) -> bool | None:
    """While a lease is live nobody else is granted the run, and recovery leaves it alone."""
    if step.is_repeat or step.is_unheard or not isinstance(step.cause, (Claim, Wake, Recover)) or step.old is None:
        return None
    if not step.old.lease_left_seconds:
        return None
    return step.had_no_effect


@chapter.rule(5, needs={Capability.SWEEPS}, about=Recover)
def a_sweep_checks_again_at_its_write(step: Step) -> bool | None:
    """A sweep checks again at its write: recovery that names the fence it saw has no effect on a run that was granted
    since, or whose lease is live; only such a sweep is told that its fence is stale.
    """
    if not isinstance(step.cause, Recover) or step.is_repeat or step.is_unheard or step.old is None:
        return None
    is_overtaken = step.cause.seen_fence is not None and step.cause.seen_fence != step.old.fence
    if step.outcome == Refused(Reason.STALE_FENCE):
        return is_overtaken and step.changed_nothing
    is_live = step.cause.seen_fence is not None and bool(step.old.lease_left_seconds)
    return step.had_no_effect if is_overtaken or is_live else None


@chapter.rule(6, about=AskedOfRun | WorkerRan | LookedUp, implies=Resume.PREFIX_CONTINUATION)
def an_end_is_written_once(step: Step) -> bool | None:
    """The end of a run is written once; after it no command changes its state, its publications or its history's
    past.
    """
    if step.old is None or step.old.state not in ENDS or isinstance(step.cause, Act):
        return None
    return (
        step.new is not None
        and step.new.state is step.old.state
        and step.new.publications == step.old.publications
        and step.new.history[: len(step.old.history)] == step.old.history
        and not any(event.type is EventType.ENDED for event in step.new_events)
    )


@chapter.rule(7, about=Intend | SendAgain | Spawn)
def nothing_is_dispatched_after_the_seal(step: Step) -> bool | None:
    """After the seal nothing is dispatched, not even by the holder of the current fence."""
    if (
        not isinstance(step.cause, (Intend, SendAgain, Spawn))
        or not step.was_sealed
        or step.is_repeat
        or step.is_unheard
    ):
        return None
    return step.had_no_effect


@chapter.rule(8, about=Worked)
def late_news_is_only_evidence(step: Step) -> bool | None:
    """What a fenced-off worker still says is refused for that reason and never written as work: neither its answers,
    nor a body, nor an end; they can only come in as evidence.
    """
    if not isinstance(step.cause, Worked) or step.is_repeat or step.is_unheard:
        return None
    if not (step.is_stale or step.was_sealed):
        return None
    return step.had_no_effect and _says_why(step)


def _says_why(step: Step) -> bool:
    """Who is told another reason than that it is fenced off may try again; a lost answer tells nobody anything.

    Whether a session is rightly turned away at the door, before anybody looks at its fence, is said in TENANT.
    """
    if not isinstance(step.outcome, Refused):
        return True
    at_the_door = step.session is not None and step.outcome.reason in {Reason.NOT_ALLOWED, Reason.NO_SUCH_RUN}
    return at_the_door or step.outcome.reason in _FENCED_OFF
