"""What an auditor asks first, counted."""

import re
from dataclasses import dataclass

from keepfact.conformance.verdicts import Verdict

from .rules import RuleFinding
from .summary import Summary

FEW = 5
MODEL = "model"


@dataclass(frozen=True, slots=True)
class Questions:
    """Numbers for the answers. `rarest` are the rules that hold and were put to the test least often, rarest first.

    `times` is on `parts` of the run, without the model, on whose edges rules spoke `of_model` times. Of all `strikes`
    that experiments know `struck` were made. `could_fail` of the rules that hold catch a defect on record by name;
    `unproven` are the others.
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
    parts: int
    of_model: int
    struck: int
    strikes: int


def questions(summary: Summary) -> Questions:
    """Count what the evidence says."""
    held = [rule for rule in summary.rules if rule.verdict is Verdict.HOLDS]
    faults = [fault for finding in summary.experiments for fault in finding.faults]
    strikes = [one for found in summary.experiments if found.record for one in _strikes(found.record.note)]
    return Questions(
        held=len(held),
        applicable=sum(rule.verdict is not Verdict.NOT_APPLICABLE for rule in summary.rules),
        times=sum(times for rule in summary.rules for part, times in rule.record.exercised.items() if part != MODEL),
        rarest=tuple(sorted(held, key=lambda rule: rule.times_exercised)[:FEW]),
        could_fail=sum(bool(rule.record.caught) for rule in held),
        unproven=tuple(rule.record.rule for rule in held if not rule.record.caught),
        caught=sum(bool(defect.killed_by) for defect in summary.defects),
        survived=tuple(defect.name for defect in summary.defects if not defect.killed_by),
        meant=len(faults),
        delivered=sum(fault.delivered for fault in faults),
        parts=len(
            {part for rule in summary.rules for part, times in rule.record.exercised.items() if times and part != MODEL}
        ),
        of_model=sum(times for scope in summary.scopes for times in scope.checked.values()),
        struck=sum(made for made, _ in strikes),
        strikes=sum(known for _, known in strikes),
    )


def _strikes(note: str) -> list[tuple[int, int]]:
    """Of an experiment's note: for each contract how many strikes were made, of how many."""
    return [(int(made), int(known)) for made, known in re.findall(r"\b(\d{1,9}) of (\d{1,9}) strikes\b", note)]
