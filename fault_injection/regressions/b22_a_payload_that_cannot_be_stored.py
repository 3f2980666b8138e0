"""B22: a result cannot be stored, nor the report of that failure, which has the result in it: the run stays open."""

from enum import StrEnum

from keepfact.spec.vocabulary import ENDS, CallKind, RunState

from .. import aftermath, expectations
from ..regression import OfWorkers
from ..rehearsal import Rehearsal
from ..strikes import Strike, on_the_way
from ..sweep import Sweep
from ..trial import Trial
from ..waiting import NotReachedError
from ..world.ledger import Endpoint, Happened
from ..world.script import Reply

LONG = 1_000_000
"""So many characters are more than a system must store."""


class Side(StrEnum):
    """What the model answers."""

    NUL = "an answer with a NUL in it"
    HUGE = "an answer of a million characters"
    ARGUMENTS = "a call of a tool with a NUL in its arguments"


SCRIPTS = {
    Side.NUL: (Reply(text="The invoice is \0 settled.", cost_cents=2),),
    Side.HUGE: (Reply(text="x" * LONG, cost_cents=2),),
    Side.ARGUMENTS: (
        Reply(text="I will settle it.", cost_cents=3, tool="pay", arguments={"invoice": "\0", "amount_cents": 4200}),
        Reply(text="The invoice is settled.", cost_cents=2),
    ),
}


def plan(rehearsal: Rehearsal) -> tuple[Strike, ...]:
    """The first answer of the model."""
    every = on_the_way(rehearsal, dict.fromkeys(Side, CallKind.ATTEMPT))
    return tuple(strike for strike in every if strike.number == every[0].number)


def answer(trial: Trial, strike: Strike) -> str:
    """Bring the worker to its seam, and have the model answer so. Raises NotReachedError if it was asked nothing."""
    trial.stage.world.set_script(trial.run, SCRIPTS[Side(strike.side)])
    trial.walk_to(strike.number, strike.seam)
    before = _answers(trial)
    trial.go()
    trial.next_seam()
    answers = _answers(trial) - before
    if not answers:
        raise NotReachedError(f"expected the model to answer {strike.side}, but it was not asked.")
    trial.timeline.mark("model", "answer", strike.side)
    return f"the model has answered {answers} request so"


def _answers(trial: Trial) -> int:
    """How often the model was heard."""
    said = [(entry.endpoint, entry.happened) for entry in trial.stage.world.entries(trial.run)]
    return said.count((Endpoint.MODEL, Happened.ANSWERED))


def look_after(_: Rehearsal, trial: Trial, __: Strike) -> None:
    """The same worker ends the run, well or not; it is not left to recovery."""
    trial.go()
    trial.finish()
    trial.expect(
        "SETTLE.1",
        trial.view.state in ENDS or trial.view.state is RunState.UNKNOWN,
        "the worker can always say how its run ends, whatever it was answered",
        f"{trial.view.state}",
    )
    aftermath.settle(trial)
    expectations.answers_are_recorded_once_or_held(trial)
    aftermath.bring_the_bill(trial)
    expectations.the_run_came_to_its_end(trial)


REGRESSION = OfWorkers(
    case="B22",
    name="b22_a_payload_that_cannot_be_stored",
    fault="The model answers with what no database stores: a NUL, a million characters, arguments with a NUL in them.",
    rules=("SETTLE.1", "EFFECT.9", "COST.2"),
    defects=("what_is_said_of_a_text_refused_as_well",),
    not_shown=(
        "Half characters, which no JSON that is right has in it, are tried at the implementation itself.",
        "It is the model's first answer: what a tool answers, or an error that says such a thing, was not tried.",
    ),
    course=Sweep(tuple(Side), plan, answer, look_after),
)
