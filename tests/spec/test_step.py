"""What a step says of itself: whether its command took effect, was a repeat, came late."""

import pytest

from keepfact.spec.vocabulary import EventType, Outcome, Reason, RunState, Step

from .steps import CLAIM, DONE, LOST, RECOVER, TICK, body, lapsed, nothing, publish, refused, renew, run, step, then

RUNNING = run()
PUBLISHED = then(RUNNING, EventType.PUBLISHED, publications=(body(),))
SEALED = refused(Reason.SEALED)


def changing(outcome: Outcome, repeats: Outcome | None = None) -> Step:
    return step(publish(), RUNNING, PUBLISHED, outcome, repeats=repeats)


def idle(outcome: Outcome, repeats: Outcome | None = None) -> Step:
    return nothing(publish(), RUNNING, outcome, repeats=repeats)


@pytest.mark.parametrize(
    ("taken", "took_effect", "is_repeat"),
    [
        pytest.param(changing(DONE), True, False, id="done"),
        pytest.param(idle(DONE), True, False, id="done, with nothing to do"),
        pytest.param(changing(LOST), True, False, id="its answer was lost, and something changed"),
        pytest.param(idle(LOST), False, False, id="its answer was lost, and nothing changed"),
        pytest.param(idle(SEALED), False, False, id="refused"),
        pytest.param(changing(SEALED), False, False, id="refused, although something changed"),
        pytest.param(idle(DONE, repeats=DONE), False, True, id="done before"),
        pytest.param(changing(DONE, repeats=DONE), False, True, id="done before, and something changed once more"),
        pytest.param(idle(DONE, repeats=LOST), False, True, id="repeated after a lost answer, and nothing changed"),
        pytest.param(changing(DONE, repeats=LOST), True, False, id="repeated after a lost answer, and it happens now"),
        pytest.param(changing(LOST, repeats=LOST), True, False, id="lost once more, and it happens now"),
    ],
)
def test_a_command_takes_effect_once(taken: Step, took_effect: bool, is_repeat: bool) -> None:
    assert (taken.took_effect, taken.is_repeat) == (took_effect, is_repeat)


def test_only_what_changes_nothing_and_is_not_called_done_had_no_effect() -> None:
    assert idle(SEALED).had_no_effect
    assert idle(LOST).had_no_effect
    assert not idle(DONE).had_no_effect
    assert not changing(SEALED).had_no_effect


def test_a_command_is_unheard_when_it_may_never_have_arrived() -> None:
    assert idle(LOST).is_unheard
    assert not changing(LOST).is_unheard
    assert not idle(SEALED).is_unheard


def test_a_worker_is_stale_under_an_older_fence_and_lapsed_without_time() -> None:
    assert nothing(renew(fence=1), run(fence=2), LOST).is_stale
    assert not nothing(renew(fence=2), run(fence=2), LOST).is_stale
    assert nothing(renew(), lapsed(), LOST).is_lapsed
    assert not nothing(renew(), RUNNING, LOST).is_lapsed
    assert not nothing(CLAIM, lapsed(), LOST).is_lapsed


@pytest.mark.parametrize("state", RunState)
def test_a_run_is_sealed_when_it_ended_or_waits_for_evidence_only(state: RunState) -> None:
    over = {RunState.UNKNOWN, RunState.SUCCEEDED, RunState.FAILED, RunState.CANCELLED, RunState.INTERRUPTED}
    assert nothing(RECOVER, run(state), LOST).was_sealed is (state in over)


def test_the_new_events_are_those_behind_the_old_ones() -> None:
    assert [event.type for event in changing(DONE).new_events] == [EventType.PUBLISHED]
    assert idle(DONE).new_events == ()
    assert step(publish(), None, RUNNING).new_events == RUNNING.history


def test_a_happening_has_no_outcome_and_is_no_command() -> None:
    ticked = nothing(TICK, RUNNING, DONE)
    assert ticked.outcome is None
    assert not ticked.is_command
    assert not ticked.took_effect
