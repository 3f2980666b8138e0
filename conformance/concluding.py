"""From what was found to a verdict for each rule and one for the whole: while a run ends, and when it is audited."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from keepfact.spec.book import BOOK, Book
from keepfact.spec.chapter import Rule
from keepfact.spec.vocabulary import Capability, Contract

from .evidence import VerdictRecord
from .judge import MODEL, Judge
from .verdicts import ExitCode, Level, Verdict, exit_code_of, level_of, worst


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a run ended."""

    verdict: Verdict
    level: Level
    exit_code: ExitCode
    rules: tuple[VerdictRecord, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """Everything that a verdict rests on.

    `parts` are the verdicts of all parts of the run, NOT_APPLICABLE for each that could not be done. `caught` has, for
    each rule, the defects that it was to catch and caught. `saw_world`: servers outside could see something.
    """

    contracts: frozenset[Contract]
    capabilities: frozenset[Capability]
    judge: Judge
    parts: tuple[Verdict, ...]
    caught: Mapping[str, tuple[str, ...]]
    saw_world: bool
    book: Book = BOOK

    def conclude(self, rules: Iterable[Rule]) -> Conclusion:
        """A verdict for each of these rules, and of any other that was broken, and one for the whole.

        Judged by a part of the book only, the level cannot be full.
        """
        broken = self.judge.broken
        wanted = list(rules)
        wanted += [rule for rule in self.book.rules if broken[rule.id] and rule not in wanted]
        return self.total(self.verdict_of(rule) for rule in wanted)

    def total(self, rules: Iterable[VerdictRecord]) -> Conclusion:
        """What these verdicts and the parts add up to. What the model cannot explain is a violation of no rule."""
        records = tuple(rules)
        verdicts = [record.verdict for record in records] + list(self.parts)
        unexplained = [Verdict.VIOLATED] if self.judge.broken[MODEL] else []
        skipped = [Verdict.NOT_APPLICABLE] if len(records) < len(self.book.rules) else []
        verdict, level = worst(verdicts + unexplained), level_of(verdicts + unexplained + skipped)
        if not any(record.verdict is Verdict.HOLDS for record in records):
            level = Level.NONE
        return Conclusion(verdict, level, exit_code_of(verdict), records)

    def verdict_of(self, rule: Rule) -> VerdictRecord:
        """What the evidence says of one rule."""
        verdict, reason = self._verdict(rule)
        return VerdictRecord(
            rule=rule.id,
            digest=rule.digest,
            chapter=rule.chapter,
            sentence=rule.sentence,
            verdict=verdict,
            exercised=dict(self.judge.spoken[rule.id]),
            violations=self.judge.broken[rule.id],
            caught=self.caught.get(rule.id, ()),
            reason=reason,
        )

    def _verdict(self, rule: Rule) -> tuple[Verdict, str]:
        spoke = bool(self.judge.spoken[rule.id])
        if self.judge.broken[rule.id]:
            return Verdict.VIOLATED, ""
        if rule.id in self.judge.crashes:
            return Verdict.INCONCLUSIVE, f"the rule crashed: {self.judge.crashes[rule.id]}"
        if not rule.contracts & self.contracts:
            named = " or ".join(sorted(rule.contracts))
            return Verdict.NOT_APPLICABLE, f"the rule is about runs under {named}, which the system does not declare"
        if not rule.applies_to(self.contracts, self.capabilities):
            named = " or ".join(sorted(rule.needs))
            return Verdict.NOT_APPLICABLE, f"the rule is about {named}, which the system does not declare"
        if not spoke and rule.needs_world and not self.saw_world:
            return Verdict.NOT_APPLICABLE, "the rule is about what servers outside see; no experiment ran against them"
        if not spoke:
            return Verdict.NOT_EXERCISED, "nothing that was done to the system met its condition"
        if not self.caught.get(rule.id):
            return Verdict.INCONCLUSIVE, "no defect is on record that this rule catches, so it may not be able to fail"
        return Verdict.HOLDS, ""
