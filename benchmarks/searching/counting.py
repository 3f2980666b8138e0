"""A judge who knows how many steps were seen when something was first wrong, so that both searches count alike."""

from collections.abc import Sequence
from dataclasses import replace

from keepfact.conformance.judge import Judge, Violation
from keepfact.conformance.systems.reference import Reference
from keepfact.model.defects import Defect
from keepfact.spec.vocabulary import Asking, Cause, Observation, Outcome, RunId, Step


class CountingJudge(Judge):
    """Judges as any other."""

    seen = 0
    first: int | None = None
    """The number of the step that was first seen to be wrong, by a rule or by the model."""

    def see(self, step: Step, trace: str = "", steps: Sequence[Step] = ()) -> tuple[Violation, ...]:
        self.seen += 1
        broken = super().see(step, trace, steps)
        if broken:
            self._found()
        return broken

    def convict(self, violation: Violation) -> None:
        self._found()
        super().convict(violation)

    def _found(self) -> None:
        self.first = self.first or self.seen


class Mutant(Reference):
    """The model with one of its defects switched on, as a system."""

    def __init__(self, defect: Defect) -> None:
        super().__init__()
        self.name, self._defect = defect.name, defect

    def observe(self, runs: Sequence[RunId]) -> Observation:
        shown = self._defect.show(self._state)
        return replace(shown, runs=tuple(view for run in runs if (view := shown.run(run)) is not None))

    def _take(self, cause: Cause | Asking) -> Outcome | None:
        outcome, self._state = self._defect.step(self._state, cause)  # type: ignore[arg-type] # they pass on sessions
        return outcome
