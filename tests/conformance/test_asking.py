"""A broken adapter is told as one: which, what it was asked, what it did, and where."""

from collections.abc import Callable

import pytest

from keepfact.conformance import asking
from keepfact.conformance.asking import AdapterError
from keepfact.conformance.judge import Judge
from keepfact.conformance.recorder import Recorder
from keepfact.conformance.system import System
from keepfact.conformance.systems import open_system
from keepfact.spec.vocabulary import Claim, CommandId, Contract, Observation, RunId, Submit, Tick, WorkerId

RUN = RunId("run-1")
SUBMIT = Submit(CommandId("1"), RUN, Contract.SETTLE, 5)
CLAIM = Claim(CommandId("2"), RUN, WorkerId("w1"))
Opened = Callable[[str], System]


def test_the_message_names_the_adapter_the_command_the_error_and_the_line(opened: Opened) -> None:
    system = opened("broken:RaisesOnTheThird")
    asking.perform(system, SUBMIT)
    asking.perform(system, CLAIM)
    with pytest.raises(AdapterError) as told:
        asking.perform(system, CLAIM)
    assert "the adapter of raises on the third to perform Claim, worker w1 claims run-1" in str(told.value)
    assert "raised ValueError: a field was renamed (broken.py line " in str(told.value)
    assert isinstance(told.value.__cause__, ValueError)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("AnswersNothing", "it answered None"),
        ("RaisesWhenWatched", "observe run-1, but it raised KeyError: 'fence' (broken.py line "),
        ("ShowsStrings", "at runs[0].state it gave 'queued' (Input should be an instance of RunState)"),
        ("ShowsNumbers", "at served[0] it gave '1' (Input should be a valid integer); at served[1] it gave '2'"),
        ("ShowsTooMuch", "it gave run-1, somebody-else's, in this order"),
    ],
)
def test_what_no_adapter_may_do_is_told(opened: Opened, name: str, said: str) -> None:
    recorder = Recorder(opened(f"broken:{name}"), Judge({Contract.SETTLE}), None, "trace")
    with pytest.raises(AdapterError) as told:
        recorder.perform(SUBMIT)
    assert said in str(told.value)


def test_a_clock_that_raises_is_told(opened: Opened) -> None:
    recorder = Recorder(opened("broken:RaisesOnTick"), Judge({Contract.SETTLE}), None, "trace")
    with pytest.raises(AdapterError, match="tick 30 seconds, but it raised OSError: no clock"):
        recorder.happen(Tick(30))


def test_an_adapter_that_does_not_close_is_told() -> None:
    with pytest.raises(AdapterError, match="of does not close to close, but it raised OSError: it is gone already"):
        asking.close(open_system("broken:DoesNotClose"))


def test_what_a_right_adapter_shows_is_passed_on(opened: Opened) -> None:
    system = opened("reference")
    asking.perform(system, SUBMIT)
    shown = asking.observe(system, [RunId("absent"), RUN], Observation())
    assert [run.run for run in shown.runs] == [RUN]
    assert asking.versions(system) == system.versions()
