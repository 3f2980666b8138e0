"""What happens without anybody asking: time, calls that act outside, and what only rules can judge."""

import pytest

from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.spec.vocabulary import Act, LookedUp, Tick, WorkerRan

from .play import LEASE_SECONDS, PAY, RUN, in_flight, running


def test_what_acts_outside_changes_truth_and_no_knowledge() -> None:
    play = in_flight()
    before = play.run
    play.act(3)
    assert play.run == before
    true = play.state.truth.of(PAY)
    assert true is not None
    assert (true.acts, true.requests, true.cost_cents) == (1, 1, 3)


def test_a_call_acts_after_its_intent_and_once() -> None:
    with pytest.raises(ValueError, match="never intended"):
        step(running().state, Act(RUN, PAY, 1))
    with pytest.raises(ValueError, match="expected 'pay' to act once"):
        in_flight().act(1).act(1)


@pytest.mark.parametrize("happening", [WorkerRan(RUN), LookedUp(RUN)])
def test_what_processes_do_by_themselves_is_not_predicted(happening: WorkerRan | LookedUp) -> None:
    with pytest.raises(ValueError, match="only rules can judge that"):
        step(State(LEASE_SECONDS), happening)


def test_time_passes_for_every_run_and_is_no_event() -> None:
    play = running()
    outcome, after = step(play.state, Tick(1))
    assert outcome is None
    assert after.runs[0].lease_left_seconds == LEASE_SECONDS - 1
    assert after.runs[0].history == play.run.history
