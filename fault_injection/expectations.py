"""What only the whole story of a trial can say, from truth and the order of things; each belongs to a rule."""

from collections import Counter

from keepfact.spec.vocabulary import (
    ENDS,
    NO_FENCE,
    CallKind,
    CallState,
    CallTruth,
    CallView,
    EventType,
    RunState,
    RunView,
    Truth,
)

from .trial import Trial


def nothing_was_sent_again(trial: Trial, at_death: Truth) -> None:
    """After the death no request left the system: neither to the model (ENTRY.3) nor to a tool (EFFECT.6)."""
    for kind, rule in ((CallKind.ATTEMPT, "ENTRY.3"), (CallKind.OPERATION, "EFFECT.6")):
        before, after = requests_of(at_death, kind), requests_of(trial.truth, kind)
        trial.expect(
            rule, after == before, f"no {kind} is sent after the worker's death: {before} requests", f"{after} requests"
        )


def nothing_was_sent_without_a_lease(trial: Trial, at_its_end: Truth) -> None:
    """Since its lease could not be renewed any more the worker has sent nothing: it works only under one (ENTRY.4)."""
    before, after = requests_of(at_its_end, *CallKind), requests_of(trial.truth, *CallKind)
    trial.expect(
        "ENTRY.4", after == before, f"nothing is sent once a lease is over: {before} requests", f"{after} requests"
    )


def nothing_was_written_late(trial: Trial, taken_over: RunView) -> None:
    """Since the run was taken over its former worker, which was heard again, has written nothing (FENCE.8)."""
    before, after = len(taken_over.history), len(trial.view.history)
    trial.expect(
        "FENCE.8",
        trial.view.history == taken_over.history,
        f"what a worker says that has lost its run is not written: {before} events",
        f"{after} events",
    )


def tools_acted_no_more_than_in_rehearsal(trial: Trial, rehearsed: Truth) -> None:
    """Under whatever ids: an effect asked for once happens at most once (EFFECT.4)."""
    most, seen = acts_of(rehearsed), acts_of(trial.truth)
    trial.expect("EFFECT.4", seen <= most, f"tools act at most {most} times, as in an undisturbed run", f"{seen} times")


def answers_are_recorded_once_or_held(trial: Trial) -> None:
    """What acted is recorded once with its true cost, or is still unresolved (EFFECT.9, COST.2)."""
    answered = Counter(event.concerns for event in trial.view.history if event.type is EventType.ANSWERED)
    for truth in trial.truth.calls:
        view = trial.view.call(truth.call)
        if truth.acts and view is not None:
            trial.expect(
                "COST.2",
                _is_honest(view, truth),
                f"{truth.call}, which cost {truth.cost_cents} cents, is recorded with that or held as unresolved",
                f"{view.state} with {view.cost_cents} cents",
            )
        times = answered[truth.call]
        trial.expect("EFFECT.9", times <= 1, f"the answer of {truth.call} is recorded at most once", f"{times} times")


def the_run_came_to_its_end(trial: Trial) -> None:
    """After evidence on all its calls the run has ended; one that was never granted still waits for a worker."""
    trial.expect(
        "SETTLE.6" if trial.view.state is RunState.UNKNOWN else "SETTLE.1",
        trial.view.state in ENDS or _was_never_granted(trial.view),
        "the run has ended once there is evidence on all its calls",
        f"{trial.view.state} with {trial.view.unresolved} unresolved",
    )


def requests_of(truth: Truth, *kinds: CallKind) -> int:
    """How many requests have arrived outside, of calls of these kinds."""
    return sum(call.requests for call in truth.calls if call.kind in kinds)


def acts_of(truth: Truth) -> int:
    """How often tools have acted."""
    return sum(call.acts for call in truth.calls if call.kind is CallKind.OPERATION)


def _is_honest(view: CallView, truth: CallTruth) -> bool:
    match view.state:
        case CallState.CONFIRMED:
            return view.cost_cents in (None, truth.cost_cents)
        case CallState.NOT_FOUND:
            return False
        case _:
            return True


def _was_never_granted(view: RunView) -> bool:
    return view.state is RunState.QUEUED and view.fence == NO_FENCE
