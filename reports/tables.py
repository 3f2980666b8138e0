"""The tables of the page: where faults struck, and which outcomes each command had."""

from dataclasses import dataclass

from keepfact.conformance.evidence import LockstepRecord

from .summary import ExperimentFinding


@dataclass(frozen=True, slots=True)
class Struck:
    """One cell: of `meant` faults at this seam and side, `delivered` were proven to have struck."""

    delivered: int
    meant: int


@dataclass(frozen=True, slots=True)
class FaultTable:
    """Seams down, sides across; a cell is None where no fault was meant to strike."""

    sides: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Struck | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class OutcomeTable:
    """Outcomes down, commands across, as there are more kinds of outcome than of command."""

    commands: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]


def fault_table(finding: ExperimentFinding) -> FaultTable:
    """Every seam that was counted or struck, in the order in which a run passes them.

    A run passes seams of one name more than once, so each has its number, and a fault names the seam with it.
    """
    counted = finding.record.seams if finding.record else ()
    numbered = (f"{number} {seam}" for number, seam in enumerate(counted, 1))
    seams = tuple(dict.fromkeys([*numbered, *(fault.seam for fault in finding.faults)]))
    sides = tuple(dict.fromkeys(fault.side for fault in finding.faults))
    return FaultTable(sides, tuple((seam, tuple(_struck(finding, seam, side) for side in sides)) for seam in seams))


def outcome_table(record: LockstepRecord) -> OutcomeTable:
    """Done first, then the rest in alphabetical order; a pair that never came up counts 0."""
    commands = tuple(record.outcomes)
    named = {outcome for outcomes in record.outcomes.values() for outcome in outcomes}
    outcomes = sorted(named, key=lambda outcome: (not outcome.lower().startswith("done"), outcome))
    rows = tuple(
        (outcome, tuple(record.outcomes[command].get(outcome, 0) for command in commands)) for outcome in outcomes
    )
    return OutcomeTable(commands, rows)


def _struck(finding: ExperimentFinding, seam: str, side: str) -> Struck | None:
    faults = [fault for fault in finding.faults if (fault.seam, fault.side) == (seam, side)]
    return Struck(sum(fault.delivered for fault in faults), len(faults)) if faults else None
