"""What the model showed of itself: that its rules hold on it, and that each of them can fail."""

from dataclasses import dataclass

from .evidence import DefectRecord, ScopeRecord
from .verdicts import Verdict


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What the model showed of itself, as records."""

    scopes: tuple[ScopeRecord, ...]
    defects: tuple[DefectRecord, ...]

    def caught(self) -> dict[str, tuple[str, ...]]:
        """For each rule the defects that it was predicted to catch, and caught."""
        found: dict[str, list[str]] = {}
        for defect in self.defects:
            for rule in set(defect.predicted) & set(defect.killed_by):
                found.setdefault(rule, []).append(defect.name)
        return {rule: tuple(names) for rule, names in found.items()}

    def missed(self) -> list[str]:
        """The defects that a rule did not catch which was predicted to."""
        return [defect.name for defect in self.defects if not set(defect.predicted) <= set(defect.killed_by)]

    def verdicts(self) -> tuple[Verdict, ...]:
        """What it adds to the verdict on a system: what is wrong with our model is not the system's fault, but then
        nothing that it says of the system counts.
        """
        wrong = any(scope.verdict is Verdict.VIOLATED for scope in self.scopes)
        verdicts = [Verdict.INCONCLUSIVE] if wrong else [scope.verdict for scope in self.scopes]
        return (*verdicts, *([Verdict.INCONCLUSIVE] if self.missed() else []))
