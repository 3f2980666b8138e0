"""What the evidence says of each rule, joined with the book of today by id and text digest."""

from dataclasses import dataclass

from keepfact.conformance.evidence import VerdictRecord
from keepfact.conformance.verdicts import Verdict, worst
from keepfact.spec.book import Book
from keepfact.spec.chapter import Rule

from .reading import Standing


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """One rule. `verdict` is what the record supports today; `doubt` says why that is less than it once said.

    `suspect` marks evidence for a text that the book no longer has.
    """

    record: VerdictRecord
    verdict: Verdict
    doubt: str = ""
    suspect: bool = False

    @property
    def times_exercised(self) -> int:
        """How often the rule's hypothesis was met, in all parts together."""
        return sum(self.record.exercised.values())


def findings(records: tuple[VerdictRecord, ...], standing: Standing, book: Book) -> tuple[RuleFinding, ...]:
    """One finding a record and one a rule that the evidence is silent about, in the order of the book."""
    today = {rule.id: rule for rule in book.rules}
    mentioned = {record.rule for record in records}
    silent = tuple(_silence(rule, standing) for rule in book.rules if rule.id not in mentioned)
    order = {rule_id: place for place, rule_id in enumerate(today)}
    every = sorted(records + silent, key=lambda record: order.get(record.rule, len(order)))
    return tuple(_finding(record, standing, today.get(record.rule)) for record in every)


def _finding(record: VerdictRecord, standing: Standing, rule: Rule | None) -> RuleFinding:
    match standing:
        case Standing.CUT_OFF:
            return _doubted(record, "The run was cut off before it could be concluded.")
        case Standing.ALTERED:
            return _doubted(record, "The evidence is not what was written, so it supports no verdict.")
        case Standing.COMPLETE:
            pass
    if rule is None:
        return _doubted(record, "The book of today has no rule of this id.", suspect=True)
    if rule.digest != record.digest:
        return _doubted(record, f"The rule was reworded since. Today it says: “{rule.sentence}”", suspect=True)
    if record.verdict is Verdict.HOLDS and not any(record.exercised.values()):
        return RuleFinding(record, Verdict.NOT_EXERCISED, "It was never put to the test, whatever the record says.")
    return RuleFinding(record, record.verdict)


def _doubted(record: VerdictRecord, doubt: str, suspect: bool = False) -> RuleFinding:
    return RuleFinding(record, worst([record.verdict, Verdict.INCONCLUSIVE]), doubt, suspect)


def _silence(rule: Rule, standing: Standing) -> VerdictRecord:
    """Of a rule that the evidence does not mention nothing was shown."""
    return VerdictRecord(
        rule=rule.id,
        digest=rule.digest,
        chapter=rule.chapter,
        sentence=rule.sentence,
        verdict=Verdict.NOT_EXERCISED if standing is Standing.COMPLETE else Verdict.INCONCLUSIVE,
        exercised={},
        violations=0,
        caught=(),
        reason="The book has this rule, and the evidence says nothing about it.",
    )
