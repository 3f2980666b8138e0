"""Whether what a system shows is what the model predicts, as far as the model can know it."""

from dataclasses import replace

from keepfact.spec.vocabulary import EventView, Observation, RunView

from .state import State
from .view import view


def agrees(state: State, observation: Observation) -> bool:
    """The observed runs look as predicted. Principals and digests are the system's own and not compared."""
    predicted = view(state, [run.run for run in observation.runs])
    return tuple(map(comparable, predicted.runs)) == tuple(map(comparable, observation.runs)) and (
        len(observation.runs) == len(state.runs)
    )


def comparable(run: RunView) -> RunView:
    """The run without what each system chooses for itself."""
    return replace(run, history=tuple(_bare(event) for event in run.history), next_decision=None)


def _bare(event: EventView) -> EventView:
    return EventView(event.number, event.type, event.entry_point, "", event.fence, event.concerns)
