"""Puts every rule of the book to every step, and counts how often each had something to say."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Rule
from keepfact.spec.vocabulary import Capability, Contract, Step

from .evidence import EvidenceWriter, ExpectationRecord, PartRecord
from .words import seen_in_words

LOCKSTEP = "lockstep"
"""The part of a run in which the harness itself plays the outside."""

MEETINGS = "meetings"
"""The part in which commands meet."""

MODEL = "MODEL"
"""Stands where a rule's id would: no rule was broken, but the model cannot explain what was seen."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A step that broke a rule: what the rule expects, and what was seen instead.

    `part` and `trace` say where it was, and `steps` how it came to that, this step included. `model` is what the
    model answers in words, where it ran beside.
    """

    rule: str
    step: Step
    expected: str
    seen: str
    part: str = ""
    trace: str = ""
    steps: tuple[Step, ...] = ()
    model: str = ""


class Judge:
    """Judges the steps of all parts of a run. `part` names the one that is under way, for the counts.

    `played` are the parts in which the harness itself plays the outside. `broken` counts how often each rule was; the
    violations themselves are what stories are told from.
    """

    def __init__(
        self,
        contracts: Iterable[Contract],
        rules: Iterable[Rule] = BOOK.rules,
        capabilities: Iterable[Capability] = frozenset(Capability),
    ) -> None:
        """Of `rules` those are put that can apply to a system with these contracts and capabilities."""
        self.contracts, self.capabilities = frozenset(contracts), frozenset(capabilities)
        self._rules = tuple(rule for rule in rules if rule.applies_to(self.contracts, self.capabilities))
        self._about: dict[tuple[type, bool, bool], tuple[Rule, ...]] = {}
        self.part = LOCKSTEP
        self.played = {LOCKSTEP, MEETINGS}
        self.spoken: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.violations: list[Violation] = []
        self.broken: Counter[str] = Counter()
        self.crashes: dict[str, str] = {}

    def enter(self, part: str, evidence: EvidenceWriter | None, *, played: bool) -> None:
        """From here on everything belongs to this part. `played`: in it the harness itself plays the outside."""
        self.part = part
        if played:
            self.played.add(part)
        if evidence is not None:
            evidence.write(PartRecord(name=part, played=played))

    def judges(self, rule: str) -> bool:
        """Whether it is one of the rules that can apply."""
        return any(one.id == rule for one in self._rules)

    def again(self) -> "Judge":
        """A judge with the same rules who has seen nothing, for trying things out without counting them."""
        return Judge(self.contracts, self._rules, self.capabilities)

    def see(self, step: Step, trace: str = "", steps: Sequence[Step] = ()) -> tuple[Violation, ...]:
        """The rules that this step broke. A rule that crashes is noted: its verdict is inconclusive, never a pass.

        `steps` are those of the trace so far; they are kept only with a violation.
        """
        broken, part = [], self.part
        idle = step.changed_nothing and step.truth is step.truth_before
        for rule in self._rules_about(type(step.cause), part in self.played, idle):
            try:
                held = rule.holds(step)
            except Exception as error:
                self.crashes[rule.id] = f"{type(error).__name__}: {error}"
                continue
            if held is None:
                continue
            self.spoken[rule.id][part] += 1
            if not held:
                seen = seen_in_words(step)
                broken.append(Violation(rule.id, step, rule.sentence, seen, part, trace, tuple(steps)))
        self._keep(broken)
        return tuple(broken)

    def _rules_about(self, cause: type, is_played: bool, is_idle: bool) -> tuple[Rule, ...]:
        """The rules that can speak of such a step, found once for each class of causes."""
        if (cause, is_played, is_idle) not in self._about:
            self._about[cause, is_played, is_idle] = tuple(
                rule
                for rule in self._rules
                if rule.is_about(cause) and not (rule.needs_world and is_played) and not (rule.of_changes and is_idle)
            )
        return self._about[cause, is_played, is_idle]

    def acquit(self, rule: str) -> None:
        """Take note that a rule was judged otherwise than on one step, and held."""
        self.spoken[rule][self.part] += 1

    def convict(self, violation: Violation) -> None:
        """Take note of a violation that was found otherwise than by a rule on one step."""
        self.spoken[violation.rule][self.part] += 1
        self._keep([replace(violation, part=self.part)])

    def weigh(
        self,
        rule: str,
        trace: str,
        expected: str,
        seen: str,
        evidence: EvidenceWriter | None,
        broken: Violation | None = None,
    ) -> None:
        """Acquit the rule, or convict it of that violation; in the evidence both can be counted again."""
        if evidence is not None:
            holds = broken is None
            evidence.write(ExpectationRecord(rule=rule, trace=trace, holds=holds, expected=expected, seen=seen))
        if broken is None:
            self.acquit(rule)
        else:
            self.convict(broken)

    def _keep(self, violations: Sequence[Violation]) -> None:
        self.violations += violations
        self.broken.update(violation.rule for violation in violations)
