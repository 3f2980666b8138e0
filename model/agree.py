"""Whether what a system shows is what the model predicts, as far as the model can know it."""

from collections.abc import Iterable
from dataclasses import replace

from keepfact.spec.vocabulary import Done, EventView, Observation, Outcome, Refused, RunView

from .state import State
from .view import view


def agrees(state: State, observation: Observation, beside: Iterable[str] = ()) -> bool:
    """The observed runs look as predicted, and so does what these fields show beside them.

    Principals and digests are the system's own and not compared.
    """
    predicted = view(state, [run.run for run in observation.runs])
    if any(getattr(predicted, name) != getattr(observation, name) for name in beside):
        return False
    return tuple(map(comparable, predicted.runs)) == tuple(map(comparable, observation.runs)) and (
        len(observation.runs) == len(state.runs)
    )


def comparable(run: RunView) -> RunView:
    """The run without what each system chooses for itself."""
    return replace(run, history=tuple(_bare(event) for event in run.history), next_decision=None)


def is_answer(predicted: Outcome | None, outcome: Outcome | None) -> bool:
    """The outcome says what was predicted. Each system has a program of its own, so what it decides is not compared."""
    return predicted == outcome or _plain(predicted) == _plain(outcome)


def _plain(outcome: Outcome | None) -> Outcome | None:
    """Without what each system chooses for itself, and with lists of runs in one order."""
    match outcome:
        case Done(stream=stream) if stream is not None:
            return replace(outcome, stream=replace(stream, events=tuple(map(_bare, stream.events))))
        case Done():
            return replace(outcome, decision=None)
        case Refused():
            return replace(outcome, runs=tuple(sorted(outcome.runs)))
        case _:
            return outcome


def _bare(event: EventView) -> EventView:
    return EventView(event.number, event.type, event.entry_point, "", event.fence, event.concerns)
