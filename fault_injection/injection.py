"""What can be injected, as the command line sees it: experiments, and faults that were reported."""

from typing import Protocol

from keepfact.conformance.evidence import EvidenceWriter, ExperimentRecord
from keepfact.conformance.judge import Judge
from keepfact.conformance.system import System

from .strikes import Sample
from .subject import Progress


class Injection(Protocol):
    """It says what it breaks, what it needs, which rules it judges, what it does not show; and it can be run."""

    @property
    def name(self) -> str: ...
    @property
    def fault(self) -> str: ...
    @property
    def rules(self) -> tuple[str, ...]: ...
    @property
    def not_shown(self) -> tuple[str, ...]: ...
    @property
    def needed(self) -> tuple[str, ...]:
        """What a system must offer for it, in words."""

    def why_not(self, system: System) -> str | None:
        """Why it cannot be done with this system; None if it can."""

    def run(
        self,
        system: System,
        judge: Judge,
        evidence: EvidenceWriter | None,
        progress: Progress,
        *,
        deliver: bool = True,
        sample: Sample | None = None,
    ) -> ExperimentRecord:
        """Do it, to a system that suits; without `deliver` all but the fault, and with a sample not every strike."""
