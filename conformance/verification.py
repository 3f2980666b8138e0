"""One run of the harness: its parts in order, evidence written as they happen, a verdict for every rule at the end."""

import os
import platform
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version

from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Rule
from keepfact.spec.vocabulary import Capability, Contract

from . import asking
from .evidence import (
    EvidenceWriter,
    ExperimentRecord,
    Header,
    LockstepRecord,
    MeetingsRecord,
    NotShownRecord,
    StoryRecord,
    VerdictRecord,
)
from .judge import LOCKSTEP, MEETINGS, MODEL, Judge
from .lockstep import NOT_SHOWN, Search, search
from .meetings.actors import Interleaves
from .meetings.together import NOT_SHOWN as MEETINGS_NOT_SHOWN
from .meetings.together import Meetings, Unexplained, bring_together
from .profiles import EFFORTS, Profile
from .recorder import Move
from .replay import write_replay
from .selftest import SelfTest
from .story import tell, tell_meeting, tell_violation
from .system import System, capabilities_of
from .touring import NOT_DRIVEN
from .trial import Failure
from .verdicts import ExitCode, Level, Verdict, exit_code_of, level_of, worst


@dataclass(frozen=True, slots=True)
class Conclusion:
    """How a run ended."""

    verdict: Verdict
    level: Level
    exit_code: ExitCode
    rules: tuple[VerdictRecord, ...]


class Verification:
    """Collects what the parts of one run find. Only `conclude` makes a verdict of it: a run cut off before has none."""

    def __init__(
        self, system: System, evidence: EvidenceWriter, profile: Profile, seed: int, opened_as: str | None = None
    ) -> None:
        """`opened_as` is the name that the system can be opened by again, for replays; its own, unless given."""
        self.system, self.evidence, self._profile, self.seed = system, evidence, profile, seed
        self.effort = EFFORTS[profile]
        self._opened_as = opened_as or system.name
        self._parts: list[Verdict] = []
        self._selftest = SelfTest((), ())
        self._saw_world = False
        self._capabilities = capabilities_of(system)
        self.judge = Judge(system.contracts, capabilities=self._capabilities)
        self.stories: list[StoryRecord] = []
        evidence.write(_header(system, profile, seed))

    def lockstep(
        self, progress: Callable[[int], None] = lambda _: None, *, concern: Iterable[str] = ()
    ) -> LockstepRecord:
        """Drive the system beside the model, beginning with what the rules of `concern` have something to say of.

        A failure is told, and can be replayed from a file of its own.
        """
        self.judge.part = LOCKSTEP
        found = search(self.system, self.judge, self.evidence, self.effort, self.seed, progress, concern=concern)
        self._tell(found)
        record = found.record(self.system)
        self.evidence.write(record)
        self._parts.append(record.verdict)
        for text in NOT_SHOWN:
            self.not_shown(text)
        if found.unheard_tours:
            self.not_shown(f"Where {found.unheard_tours} of the model's tours lead: on them the system did not answer.")
        if found.tours_left_out:
            self.not_shown(
                f"{found.tours_left_out} of the model's tours: beyond the spine, profile {self._profile} shows every "
                "way in which a command can end, but not from wherever a run may stand, as profile ci does. "
                f"{record.reachable - record.covered} of {record.reachable} classes of edges were not taken."
            )
        return record

    def meetings(self, progress: Callable[[int], None] = lambda _: None) -> MeetingsRecord | None:
        """Let commands meet, if the system can be stopped in the midst of one, and nothing is known to be wrong yet."""
        if not isinstance(self.system, Interleaves):
            self.not_shown("What happens where commands meet: the system cannot be stopped in the midst of one.")
            return None
        if self.judge.violations:
            self.not_shown("What happens where commands meet: not tried, as it went wrong where none did.")
            return None
        self.judge.part = MEETINGS
        found = bring_together(self.system, self.judge, self.evidence, self.effort, self.seed, progress)
        self._tell_meeting(found)
        record = found.record(self.effort.preemptions)
        self.evidence.write(record)
        self._parts.append(record.verdict)
        for text in MEETINGS_NOT_SHOWN:
            self.not_shown(text)
        if found.pairs < found.known and not found.failure:
            self.not_shown(f"{found.known - found.pairs} of {found.known} pairs of commands did not meet.")
        return record

    def experiment(self, record: ExperimentRecord, not_shown: Iterable[str]) -> None:
        """Take in an experiment that has run; its record is in the evidence already, its violations are told here."""
        self._parts.append(record.verdict)
        self._saw_world = self._saw_world or record.name not in self.judge.played
        told: set[str] = set()
        for violation in self.judge.violations:
            if violation.part == record.name and violation.rule not in told:
                told.add(violation.rule)
                self._keep([tell_violation(violation)])
        for text in not_shown:
            self.not_shown(text)
        for reason in record.not_applicable:
            self.not_applicable(reason)

    def not_applicable(self, reason: str) -> None:
        """A part that cannot be done with this system, and why: the level can no longer be full."""
        self._parts.append(Verdict.NOT_APPLICABLE)
        self.not_shown(reason)

    def selftest(self, proof: SelfTest) -> None:
        """Take in what the model showed: that the rules hold on it, and that each of them can fail."""
        for scope in proof.scopes:
            self.evidence.write(scope)
        for defect in proof.defects:
            self.evidence.write(defect)
        # What is wrong with our model is not the system's fault, but then nothing it says of the system counts.
        wrong = any(scope.verdict is Verdict.VIOLATED for scope in proof.scopes)
        self._parts += [Verdict.INCONCLUSIVE] if wrong else [scope.verdict for scope in proof.scopes]
        missed = [defect.name for defect in proof.defects if not set(defect.predicted) <= set(defect.killed_by)]
        if missed:
            self._parts.append(Verdict.INCONCLUSIVE)
            self.not_shown(f"Not every rule caught the defects of the model that it was to catch: {', '.join(missed)}.")
        self._selftest = proof

    def not_shown(self, text: str) -> None:
        """Say something that a reader might take as shown and that was not."""
        self.evidence.write(NotShownRecord(text=text))

    def conclude(self, rules: Iterable[Rule] = BOOK.rules) -> Conclusion:
        """A verdict for each of these rules, and of any other that was broken, and one for the whole; then the footer.

        Judged by a part of the book only, the level cannot be full.
        """
        for contract in sorted(set(Contract) - self.system.contracts):
            self.not_shown(f"Runs under the contract {contract}: the system does not declare it.")
        if missing := sorted(set(Capability) - self._capabilities):
            self.not_shown(f"What the system does not declare to offer: {', '.join(missing)}.")
        if untried := sorted(self._capabilities & NOT_DRIVEN):
            self.not_shown(f"Lockstep does not drive {', '.join(untried)}, which the system declares.")
        self.not_shown(f"Whatever no rule of this book speaks of: it has {len(BOOK.rules)} rules in {_chapters()}.")
        wanted, broken = list(rules), {violation.rule for violation in self.judge.violations}
        wanted += [rule for rule in BOOK.rules if rule.id in broken and rule not in wanted]
        records = tuple(self._judged(rule) for rule in wanted)
        for record in records:
            self.evidence.write(record)
        unexplained = [Verdict.VIOLATED] if MODEL in broken else []
        verdicts = [record.verdict for record in records] + self._parts + unexplained
        skipped = [Verdict.NOT_APPLICABLE] if len(wanted) < len(BOOK.rules) else []
        verdict, level = worst(verdicts), level_of(verdicts + skipped)
        if not any(record.verdict is Verdict.HOLDS for record in records):
            level = Level.NONE
        conclusion = Conclusion(verdict, level, exit_code_of(verdict), records)
        self.evidence.finish(verdict, level, conclusion.exit_code)
        return conclusion

    def _judged(self, rule: Rule) -> VerdictRecord:
        spoken = self.judge.spoken[rule.id]
        caught = self._selftest.caught_by(rule.id)
        violations = sum(violation.rule == rule.id for violation in self.judge.violations)
        verdict, reason = self._verdict(rule, bool(spoken), bool(caught), violations)
        return VerdictRecord(
            rule=rule.id,
            digest=rule.digest,
            chapter=rule.chapter,
            sentence=rule.sentence,
            verdict=verdict,
            exercised=dict(spoken),
            violations=violations,
            caught=caught,
            reason=reason,
        )

    def _verdict(self, rule: Rule, spoke: bool, could_fail: bool, violations: int) -> tuple[Verdict, str]:
        if violations:
            return Verdict.VIOLATED, ""
        if rule.id in self.judge.crashes:
            return Verdict.INCONCLUSIVE, f"the rule crashed: {self.judge.crashes[rule.id]}"
        if not rule.contracts & self.system.contracts:
            named = " or ".join(sorted(rule.contracts))
            return Verdict.NOT_APPLICABLE, f"the rule is about runs under {named}, which the system does not declare"
        if not rule.applies_to(self.system.contracts, self._capabilities):
            named = " or ".join(sorted(rule.needs))
            return Verdict.NOT_APPLICABLE, f"the rule is about {named}, which the system does not declare"
        if not spoke and rule.needs_world and not self._saw_world:
            return Verdict.NOT_APPLICABLE, "the rule is about what servers outside see; no experiment ran against them"
        if not spoke:
            return Verdict.NOT_EXERCISED, "nothing that was done to the system met its condition"
        if not could_fail:
            return Verdict.INCONCLUSIVE, "no defect is on record that this rule catches, so it may not be able to fail"
        return Verdict.HOLDS, ""

    def _tell_meeting(self, found: Meetings) -> None:
        match found.failure:
            case Unexplained(met, violations):
                for violation in violations:
                    self.judge.convict(violation)
                first, plan = violations[0], [actor for actor, _ in met.schedule]
                moves = (*met.way.recorder.moves, *(Move(asked.command) for asked in met.asked))
                path = write_replay(self.evidence.directory, self._opened_as, first.rule, first.expected, moves, plan)
                self._keep(tell_meeting(met, violations, path.name))
            case Failure(trace, moves, steps, violations):
                self._keep(tell(trace, steps, moves, violations, None))

    def _keep(self, stories: Iterable[StoryRecord]) -> None:
        for story in stories:
            self.evidence.write(story)
            self.stories.append(story)

    def _tell(self, found: Search) -> None:
        if not found.failures:
            return
        failure = found.failures[-1]
        first = failure.violations[0]
        path = None
        if not found.note:  # a failure that did not come again cannot be replayed either
            path = write_replay(self.evidence.directory, self._opened_as, first.rule, first.expected, failure.moves)
        self._keep(tell(failure.trace, failure.steps, failure.moves, failure.violations, path.name if path else None))


def _chapters() -> str:
    return ", ".join(chapter.name for chapter in BOOK.chapters)


def _header(system: System, profile: Profile, seed: int) -> Header:
    return Header(
        kit_version=version("keepfact"),
        command=" ".join(["keepfact", *sys.argv[1:]]),
        profile=profile,
        seed=seed,
        system=system.name,
        contracts=tuple(sorted(system.contracts)),
        versions=asking.versions(system),
        machine={
            "platform": platform.platform(),
            "python": platform.python_version(),
            "processors": str(os.cpu_count()),
        },
        book_digest=BOOK.digest,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
