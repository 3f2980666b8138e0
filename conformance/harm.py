"""How bad a failure was: what the step that broke a rule changed, from the worst to nothing at all."""

from enum import StrEnum

from keepfact.spec.vocabulary import ENDS, EventType, Refused, RunView, Step


class Harm(StrEnum):
    """Worst first, so that failures can be ranked by their place here."""

    END = "end"
    OUTSIDE = "outside"
    MONEY = "money"
    AUTHORITY = "authority"
    WRITTEN = "written"
    ANSWER = "answer"
    REASON = "reason"
    NOTHING = "nothing"


SENTENCES = {
    Harm.END: "An end was overwritten: what was over, or sealed, is so in another way now.",
    Harm.OUTSIDE: "The step that broke the rule took effect outside.",
    Harm.MONEY: "The step that broke the rule changed what a run may spend or has spent.",
    Harm.AUTHORITY: "The step that broke the rule changed who may write.",
    Harm.WRITTEN: "The step that broke the rule wrote something.",
    Harm.ANSWER: "Nothing was written; only the answer differs.",
    Harm.REASON: "Nothing was written; only the reason is wrong.",
    Harm.NOTHING: "Nothing was written.",
}


def harm_of(step: Step, model: str = "") -> Harm:
    """The worst that this step did. `model` is what the model expected, in words; it tells a wrong reason."""
    pairs = [(old, new) for old in step.before.runs if (new := step.after.run(old.run)) is not None]
    if any(_ends_anew(old, new) for old, new in pairs):
        return Harm.END
    if step.truth != step.truth_before:
        return Harm.OUTSIDE
    if any(_money(old) != _money(new) for old, new in pairs):
        return Harm.MONEY
    if any((old.fence, old.worker) != (new.fence, new.worker) for old, new in pairs):
        return Harm.AUTHORITY
    if not step.changed_nothing:
        return Harm.WRITTEN
    if step.outcome is None:
        return Harm.NOTHING
    is_refused_as_well = isinstance(step.outcome, Refused) and model.startswith("it was refused")
    return Harm.REASON if is_refused_as_well else Harm.ANSWER


def fenced_off(step: Step) -> str:
    """What the model answers to a worker that is fenced off, as the step itself shows; empty where it is not."""
    if step.is_stale:
        return "it was refused (stale_fence)"
    return "it was refused (sealed)" if step.was_sealed else ""


def _ends_anew(old: RunView, new: RunView) -> bool:
    """An end that comes after being sealed is the one that was sealed."""
    is_over = old.state in ENDS
    ends = sum(event.type is EventType.ENDED for event in new.history)
    had = sum(event.type is EventType.ENDED for event in old.history)
    resealed = old.sealed_for is not None and new.sealed_for not in {None, old.sealed_for}
    return (is_over and new.state is not old.state) or resealed or (had > 0 and ends > had)


def _money(run: RunView) -> tuple[int, int, int]:
    return run.budget_cents, run.known_cents, run.held_cents
