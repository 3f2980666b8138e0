"""What an auditor asks first, counted."""

from dataclasses import dataclass

from keepfact.conformance.verdicts import Verdict

from .rules import RuleFinding
from .summary import Summary

FEW = 5


@dataclass(frozen=True, slots=True)
class Questions:
    """Numbers for the answers. `rarest` are the rules that hold and were put to the test least often, rarest first.

    `could_fail` of the rules that hold catch a defect on record by name; `unproven` are the others.
    """

    held: int
    applicable: int
    times: int
    rarest: tuple[RuleFinding, ...]
    could_fail: int
    unproven: tuple[str, ...]
    caught: int
    survived: tuple[str, ...]
    meant: int
    delivered: int


def questions(summary: Summary) -> Questions:
    """Count what the evidence says."""
    held = [rule for rule in summary.rules if rule.verdict is Verdict.HOLDS]
    faults = [fault for finding in summary.experiments for fault in finding.faults]
    return Questions(
        held=len(held),
        applicable=sum(rule.verdict is not Verdict.NOT_APPLICABLE for rule in summary.rules),
        times=sum(rule.times_exercised for rule in summary.rules),
        rarest=tuple(sorted(held, key=lambda rule: rule.times_exercised)[:FEW]),
        could_fail=sum(bool(rule.record.caught) for rule in held),
        unproven=tuple(rule.record.rule for rule in held if not rule.record.caught),
        caught=sum(bool(defect.killed_by) for defect in summary.defects),
        survived=tuple(defect.name for defect in summary.defects if not defect.killed_by),
        meant=len(faults),
        delivered=sum(fault.delivered for fault in faults),
    )
