"""COST: unknown is not zero. All amounts are whole cents."""

from keepfact.spec.chapter import Chapter
from keepfact.spec.vocabulary import (
    AskedOfRun,
    CallState,
    CallView,
    Evidence,
    Intend,
    OfRun,
    Reason,
    Reconcile,
    RecordAnswer,
    Refused,
    RunView,
    SendAgain,
    Step,
)

from .questions.runs import is_unresolved

chapter = Chapter("COST", "Unknown is not zero")


@chapter.rule(1, about=Intend | SendAgain)
def dispatch_stays_within_the_budget(step: Step) -> bool | None:
    """Before a dispatch, known + held + ceiling is at most the budget, or the dispatch is refused; sending again needs
    room only where the call's hold had ended.
    """
    if not isinstance(step.cause, (Intend, SendAgain)) or step.old is None or step.is_repeat:
        return None
    call = step.old.call(step.cause.call)
    if isinstance(step.cause, Intend):
        ceiling = step.cause.ceiling_cents if call is None else None
    else:
        ceiling = call.ceiling_cents if call is not None and not is_unresolved(call) else None
    if ceiling is None:
        # Nothing more is held for it, so nothing can be too much.
        is_again = isinstance(step.cause, SendAgain)
        return False if is_again and step.outcome == Refused(Reason.OVER_BUDGET) else None
    wanted = step.old.known_cents + step.old.held_cents + ceiling
    if step.outcome == Refused(Reason.OVER_BUDGET):
        return wanted > step.old.budget_cents
    return wanted <= step.old.budget_cents if step.took_effect else None


@chapter.rule(2, of_changes=True)
def the_true_cost_lies_in_the_interval(step: Step) -> bool | None:
    """The true cost always lies between what is known and what is known or held, as long as every ceiling is
    honest.
    """
    if not step.truth.calls or (step.changed_nothing and step.truth is step.truth_before):
        return None
    verdicts = [_covers(run, step) for run in step.after.runs if run.calls and _ceilings_were_honest(run, step)]
    return all(verdicts) if verdicts else None


@chapter.rule(3, of_changes=True, about=AskedOfRun)
def only_answers_and_evidence_reduce_a_hold(step: Step) -> bool | None:
    """No timeout, settlement, cancellation, retry, wait, grant or end of a run reduces what is held: a call's hold
    outlives everything but an answer or evidence about that call.
    """
    if step.changed_nothing or step.old is None or step.new is None or not step.old.held_cents or not step.is_command:
        return None
    heard_of = step.cause.call if isinstance(step.cause, (RecordAnswer, Reconcile)) else None
    others = [call for call in step.old.calls if call.call != heard_of]
    kept = all(_hold_of(step.new.call(call.call)) >= _hold_of(call) for call in others)
    return kept and (heard_of is not None or step.new.held_cents >= step.old.held_cents)


@chapter.rule(4, about=Reconcile)
def a_hold_ends_only_by_evidence(step: Step) -> bool | None:
    """A hold ends only by evidence: a confirmed amount becomes known, a definite `not_found` ends it at zero, and
    `ambiguous` ends nothing.
    """
    if not isinstance(step.cause, Reconcile) or not step.took_effect or not step.old or not step.new:
        return None
    call = step.old.call(step.cause.call)
    hold, amount = _hold_of(call), step.cause.cost_cents
    released = step.old.held_cents - step.new.held_cents
    learned = step.new.known_cents - step.old.known_cents
    match step.cause.evidence:
        case Evidence.CONFIRMED if amount is not None:
            return (released, learned) == (hold, amount)
        case Evidence.NOT_FOUND:
            return (released, learned) == (hold, 0)
        case _:
            return (released, learned) == (0, 0)


@chapter.rule(5, about=RecordAnswer)
def a_missing_amount_is_not_zero(step: Step) -> bool | None:
    """A reported 0 is an amount; a missing amount is not 0, and keeps the hold."""
    if not isinstance(step.cause, RecordAnswer) or not step.took_effect or not step.old or not step.new:
        return None
    amount, hold = step.cause.cost_cents, _hold_of(step.old.call(step.cause.call))
    released = step.old.held_cents - step.new.held_cents
    learned = step.new.known_cents - step.old.known_cents
    call = step.new.call(step.cause.call)
    if call is None or call.cost_cents != amount:
        return False
    return (released, learned) == ((0, 0) if amount is None else (hold, amount))


@chapter.rule(6, about=Intend | SendAgain)
def every_attempt_has_its_own_hold(step: Step) -> bool | None:
    """Each call has a hold of its own, also one that is sent again after its hold had ended; a superseded attempt keeps
    its hold.
    """
    if not isinstance(step.cause, (Intend, SendAgain)) or not step.took_effect or not step.old or not step.new:
        return None
    before, after = step.old.call(step.cause.call), step.new.call(step.cause.call)
    if isinstance(step.cause, Intend):
        wanted = step.cause.ceiling_cents if before is None else None
    else:
        wanted = _hold_of(after) - _hold_of(before) if after is not None and is_unresolved(after) else None
    if wanted is None:
        return False if isinstance(step.cause, SendAgain) else None
    return step.new.held_cents - step.old.held_cents == wanted


@chapter.rule(7, about=RecordAnswer | Reconcile)
def an_amount_over_its_ceiling_is_flagged(step: Step) -> bool | None:
    """An amount above its ceiling is recorded in full and flagged; one within it is not flagged."""
    if not isinstance(step.cause, (RecordAnswer, Reconcile)) or not step.took_effect or step.new is None:
        return None
    call = step.new.call(step.cause.call)
    if call is None or step.cause.cost_cents is None:
        return None
    return call.cost_cents == step.cause.cost_cents and call.over_ceiling == (call.cost_cents > call.ceiling_cents)


@chapter.rule(8, of_changes=True, about=OfRun)
def a_total_is_an_interval(step: Step) -> bool | None:
    """A total is shown as an interval with the number of unresolved items: known is the sum of the amounts, held the
    sum of the ceilings of what is unresolved; only what is confirmed has an amount.
    """
    run = step.new
    if step.changed_nothing or run is None or not run.calls or run == step.old:
        return None
    unresolved = [call for call in run.calls if is_unresolved(call)]
    return (
        all(call.cost_cents is None for call in run.calls if call.state is not CallState.CONFIRMED)
        and run.known_cents == sum(call.cost_cents or 0 for call in run.calls)
        and run.held_cents == sum(call.ceiling_cents for call in unresolved)
        and run.unresolved == len(unresolved)
    )


def _covers(run: RunView, step: Step) -> bool:
    """The run's interval holds what its calls really cost."""
    ours = {call.call for call in run.calls}
    true_cents = sum(truth.cost_cents for truth in step.truth.calls if truth.call in ours)
    return run.known_cents <= true_cents <= run.known_cents + run.held_cents


def _ceilings_were_honest(run: RunView, step: Step) -> bool:
    """No call whose amount is still to come cost more than its ceiling. What is resolved is exact in any case."""
    unpriced = [call for call in run.calls if call.cost_cents is None and call.state is not CallState.NOT_FOUND]
    return all(
        (truth := step.truth.of(call.call)) is None or truth.cost_cents <= call.ceiling_cents for call in unpriced
    )


def _hold_of(call: CallView | None) -> int:
    return call.ceiling_cents if call is not None and is_unresolved(call) else 0
