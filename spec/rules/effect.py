"""EFFECT: at most once, and honestly. (What is bounded, undone, spawned or died of stands in `bounds`.)"""

from keepfact.spec.chapter import Chapter, Resume
from keepfact.spec.vocabulary import (
    Act,
    AskedOfRun,
    CallId,
    CallKind,
    CallState,
    CallTruth,
    CallView,
    Evidence,
    Intend,
    LookUp,
    MarkUnknown,
    Observation,
    Reason,
    Reconcile,
    RecordAnswer,
    Refused,
    RunView,
    SendAgain,
    Step,
)

chapter = Chapter("EFFECT", "At most once, and honestly")

_RESOLVED = {CallState.CONFIRMED, CallState.NOT_FOUND}


@chapter.rule(1, implies=Resume.EFFECT_EXACTLY_ONCE)
def an_intent_stands_before_anything_is_sent(step: Step) -> bool | None:
    """Before anything is sent, an intent is committed with its stable id, the digest of the arguments, its cost
    ceiling and the fence.
    """
    if isinstance(step.cause, Intend) and step.took_effect and not (step.old and step.old.call(step.cause.call)):
        call = step.new.call(step.cause.call) if step.new else None
        return call is not None and _says(call, step.cause)
    if step.truth == step.truth_before:
        return None
    recorded = {call.call for run in step.after.runs for call in run.calls}
    return all(truth.call in recorded for truth in step.truth.calls)


@chapter.rule(2, implies=Resume.EFFECT_EXACTLY_ONCE)
def the_id_is_the_idempotency_key(step: Step) -> bool | None:
    """The call's id is the idempotency key: no other run of its tenant has a call of that id, every request carries it
    as its only key, and beside it the fence of the intent.
    """
    if isinstance(step.cause, Intend) and step.outcome == Refused(Reason.CALL_ID_CONFLICT):
        own = step.old is not None and step.old.call(step.cause.call) is not None
        return None if own or step.old is None else _is_taken(step.cause.call, step.old, step.before)
    heard = step.heard
    born = _born(step)
    if not (heard or born):
        return None
    taken = step.new is not None and any(_is_taken(call.call, step.new, step.before) for call in born)
    return not taken and all(_carries_its_key(truth, step.after) for truth in heard)


@chapter.rule(3, about=Intend)
def one_id_means_one_request(step: Step) -> bool | None:
    """The same call id with the same digest gives the first result; with another digest it is a conflict, and nothing
    changes.
    """
    if not isinstance(step.cause, Intend) or step.is_repeat or step.old is None:
        return None
    first = step.old.call(step.cause.call)
    if first is None:
        return None
    if not step.changed_nothing:
        return False
    same = (first.digest, first.kind) == (step.cause.digest, step.cause.kind)
    if step.outcome == Refused(Reason.CALL_ID_CONFLICT):
        return not same
    return same if step.is_done else None


@chapter.rule(4, implies=Resume.EFFECT_EXACTLY_ONCE, needs_world=True)
def a_tool_acts_at_most_once(step: Step) -> bool | None:
    """For one operation id the tool acts at most once, whatever instant anything dies."""
    operations = [call for call in step.truth.calls if call.kind is CallKind.OPERATION and call.acts]
    if not operations or not (isinstance(step.cause, Act) or step.truth != step.truth_before):
        return None
    return all(call.acts == 1 for call in operations)


@chapter.rule(5, about=AskedOfRun, implies=Resume.RECOVERY_DETERMINISM)
def a_lost_answer_is_unknown(step: Step) -> bool | None:
    """A call without an answer becomes unknown: never failed, never with an invented result, and never pending again
    unless it is sent again.
    """
    if step.old is None or step.new is None or not step.is_command or step.is_repeat:
        return None
    changed = [
        (old, new)
        for old in (() if step.changed_nothing else step.old.calls)
        if (new := step.new.call(old.call)) is None or (new.state, new.answer) != (old.state, old.answer)
    ]
    if not changed:
        return False if isinstance(step.cause, MarkUnknown) and step.is_done else None
    if isinstance(step.cause, (RecordAnswer, Reconcile, MarkUnknown, SendAgain)) and any(
        old.call != step.cause.call for old, _ in changed
    ):
        return False
    if isinstance(step.cause, SendAgain):
        return all(new is not None and (new.state, new.answer) == (CallState.OPEN, old.answer) for old, new in changed)
    if isinstance(step.cause, (RecordAnswer, Reconcile)):
        return all(new is not None for _, new in changed)
    return all(
        new is not None and old.state is CallState.OPEN and new.state is CallState.UNKNOWN and new.answer is None
        for old, new in changed
    )


@chapter.rule(6, about=RecordAnswer | Reconcile | LookUp)
def evidence_decides_as_it_says(step: Step) -> bool | None:
    """An unknown call is resolved by evidence alone and as it says: `confirmed`, or a definite `not_found`;
    `ambiguous` leaves it unknown, and no late answer resolves it. Evidence is turned away only for what is so. Looking
    a call up writes nothing and sends nothing.
    """
    if not isinstance(step.cause, (RecordAnswer, Reconcile, LookUp)) or not step.old or not step.new or step.is_repeat:
        return None
    if isinstance(step.cause, LookUp):
        return None if step.is_unheard else step.changed_nothing and step.truth == step.truth_before
    old, new = step.old.call(step.cause.call), step.new.call(step.cause.call)
    if isinstance(step.cause, RecordAnswer):
        is_late = old is not None and old.state is CallState.UNKNOWN and not step.is_unheard
        return step.had_no_effect if is_late else None
    if isinstance(step.outcome, Refused):
        return _turns_away_rightly(step.outcome.reason, old, step.cause)
    if not step.took_effect:
        return None
    if old is None or new is None or new.answer != old.answer:
        return False
    match step.cause.evidence:
        case Evidence.CONFIRMED:
            return new.state is CallState.CONFIRMED
        case Evidence.NOT_FOUND:
            return new.state is CallState.NOT_FOUND
        case Evidence.AMBIGUOUS:
            return new == old


@chapter.rule(9, about=RecordAnswer | Reconcile)
def an_answer_is_recorded_once_and_whole(step: Step) -> bool | None:
    """An answer is recorded once and whole: no later answer or evidence replaces it or is spliced into it."""
    if step.old is None or step.new is None or not isinstance(step.cause, (RecordAnswer, Reconcile)) or step.is_repeat:
        return None
    old, new = step.old.call(step.cause.call), step.new.call(step.cause.call)
    if old is not None and old.state in _RESOLVED:
        return None if step.is_unheard else old.is_kept_in(new)
    if isinstance(step.cause, RecordAnswer) and step.took_effect:
        return new is not None and (new.state, new.answer) == (CallState.CONFIRMED, step.cause.answer)
    return None


def _born(step: Step) -> list[CallView]:
    if step.new is None or step.new is step.old or step.is_repeat:
        return []
    return [call for call in step.new.calls if step.old is None or step.old.call(call.call) is None]


def _is_taken(call: CallId, run: RunView, before: Observation) -> bool:
    """Another run of the tenant has a call of that id."""
    others = [other for other in before.runs if other.run != run.run and other.tenant == run.tenant]
    return any(other.call(call) for other in others)


def _carries_its_key(truth: CallTruth, after: Observation) -> bool:
    """Servers that show no keys or no fence are not judged by them."""
    fences = [call.fence for run in after.runs for call in run.calls if call.call == truth.call]
    is_fenced = truth.fence is None or not fences or truth.fence in fences
    return is_fenced and (not truth.keys or truth.keys == (truth.call,))


def _says(call: CallView, intent: Intend) -> bool:
    """The record of the call says what was intended."""
    recorded = (call.kind, call.digest, call.ceiling_cents, call.fence)
    return recorded == (intent.kind, intent.digest, intent.ceiling_cents, intent.fence)


def _turns_away_rightly(reason: Reason, call: CallView | None, evidence: Reconcile) -> bool | None:
    """Whether the reason is so; silent about reasons that are not about the call."""
    match reason:
        case Reason.NO_SUCH_CALL:
            return call is None
        case Reason.CALL_OPEN:
            return call is not None and call.state is CallState.OPEN
        case Reason.CONTRADICTED:
            is_answered = call is not None and call.state is CallState.CONFIRMED
            return is_answered and evidence.evidence is Evidence.NOT_FOUND
        case Reason.ALREADY_RESOLVED:
            is_priced = call is not None and call.cost_cents is not None
            return call is not None and (is_priced or call.state is CallState.NOT_FOUND)
        case _:
            return None
