"""One run of the harness: its parts in order, evidence written as they happen, a verdict for every rule at the end."""

import os
import platform
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

from keepfact.spec.book import BOOK
from keepfact.spec.chapter import Rule
from keepfact.spec.vocabulary import Capability, Contract

from . import asking
from .concluding import Conclusion, Found
from .evidence import (
    EvidenceWriter,
    ExperimentRecord,
    Header,
    LockstepRecord,
    MeetingsRecord,
    NotShownRecord,
    StoryRecord,
)
from .evidence.redacting import Redaction
from .judge import LOCKSTEP, MEETINGS, Judge
from .meetings.actors import Interleaves
from .meetings.together import NOT_SHOWN as MEETINGS_NOT_SHOWN
from .meetings.together import Meetings, Unexplained, bring_together
from .profiles import EFFORTS, Profile
from .proof import SelfTest
from .recorder import Move
from .replay import write_replay
from .story import tell, tell_meeting, tell_violation, worst_of
from .system import System, capabilities_of
from .touring import NOT_DRIVEN
from .trial import Failure
from .verdicts import Verdict

if TYPE_CHECKING:
    from .lockstep import Search


ONE_AT_A_TIME = (
    "What happens where commands meet: the system cannot be stopped in the midst of one, so a fence that is checked "
    "outside the transaction of its write would have looked the same."
)


class Verification:
    """Collects what the parts of one run find. Only `conclude` makes a verdict of it: a run cut off before has none."""

    def __init__(
        self, system: System, evidence: EvidenceWriter, profile: Profile, seed: int, opened_as: str | None = None
    ) -> None:
        """`opened_as` is the name that the system can be opened by again, for replays; its own, unless given."""
        self.system, self.evidence, self._profile, self.seed = system, evidence, profile, seed
        self.effort = EFFORTS[profile]
        self._opened_as = Redaction().text(opened_as or system.name)
        self._parts: list[Verdict] = []
        self._selftest = SelfTest((), ())
        self._saw_world = False
        self._capabilities = capabilities_of(system)
        self.judge = Judge(system.contracts, capabilities=self._capabilities)
        self.stories: list[StoryRecord] = []
        self.untried = ""
        """What whoever reads a pass must know at once."""
        evidence.write(_header(system, profile, seed))

    def lockstep(
        self, progress: Callable[[int], None] = lambda _: None, *, concern: Iterable[str] = ()
    ) -> LockstepRecord:
        """Drive the system beside the model, beginning with what the rules of `concern` have something to say of.

        A failure is told, and can be replayed from a file of its own.
        """
        from .lockstep import NOT_SHOWN, search  # loads Hypothesis, which experiments alone do not need

        self.judge.enter(LOCKSTEP, self.evidence, played=True)
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
            self.untried = ONE_AT_A_TIME
            self.not_shown(ONE_AT_A_TIME)
            return None
        if self.judge.violations:
            self.not_shown("What happens where commands meet: not tried, as it went wrong where none did.")
            return None
        self.judge.enter(MEETINGS, self.evidence, played=True)
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
        worst = worst_of(violation for violation in self.judge.violations if violation.part == record.name)
        self._keep(map(tell_violation, worst))
        for text in not_shown:
            self.not_shown(text)
        for reason in record.not_applicable:
            self.not_applicable(reason)

    def not_applicable(self, reason: str) -> None:
        """A part that cannot be done with this system, and why: the level can no longer be full."""
        self._parts.append(Verdict.NOT_APPLICABLE)
        self.evidence.write(NotShownRecord(text=reason, not_applicable=True))

    def selftest(self, proof: SelfTest) -> None:
        """Take in what the model showed: that the rules hold on it, and that each of them can fail."""
        for scope in proof.scopes:
            self.evidence.write(scope)
        for defect in proof.defects:
            self.evidence.write(defect)
        if missed := proof.missed():
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
        conclusion = self._found().conclude(rules)
        for record in conclusion.rules:
            self.evidence.write(record)
        self.evidence.finish(conclusion.verdict, conclusion.level, conclusion.exit_code)
        return conclusion

    def _found(self) -> Found:
        """What the verdicts rest on."""
        return Found(
            self.system.contracts,
            self._capabilities,
            self.judge,
            (*self._parts, *self._selftest.verdicts()),
            self._selftest.caught(),
            self._saw_world,
        )

    def _tell_meeting(self, found: Meetings) -> None:
        match found.failure:
            case Unexplained(met, violations):
                trace = met.way.recorder.trace
                for broken in violations:
                    self.judge.weigh(broken.rule, trace, broken.expected, broken.seen, self.evidence, broken)
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

    def _tell(self, found: "Search") -> None:
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
        capabilities=tuple(sorted(capabilities_of(system))),
        lease_seconds=system.lease_seconds,
        versions=asking.versions(system),
        machine={
            "platform": platform.platform(),
            "python": platform.python_version(),
            "processors": str(os.cpu_count()),
        },
        book_digest=BOOK.digest,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
