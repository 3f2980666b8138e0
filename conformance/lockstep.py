"""The system and the model take the same steps, chosen by Hypothesis; they must agree, and no rule may break.

The search is guided: the model knows which commands can succeed, so most steps mean something. What is late, stale or
repeated comes by construction: every fence ever granted and every command ever sent stay at hand to be used again.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar, get_args

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, HypothesisException
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from keepfact.model.edge_classes import EdgeClass, edge_class
from keepfact.model.paths import Walk
from keepfact.spec.vocabulary import OFFERS, Asked, Asking, Lost, Spine, Step

from .choices import Choices
from .concern import nearest_first
from .evidence import EvidenceWriter, LockstepRecord
from .judge import Judge
from .profiles import Effort
from .recorder import Move, Moves
from .shorten import relabelled, shorten
from .system import System, capabilities_of, declared_by
from .touring import NOT_DRIVEN, fitting_tours, on, reachable_classes, soonest_tours, tours_of_all
from .trial import Failure, RuleBrokenError, Trial
from .verdicts import Verdict

ANSWERED = "answered"
FATES = (*[ANSWERED] * 6, "withheld", "never sent")
"""Of eight commands, the answer of one is lost on its way back, and one never arrives."""


NOT_SHOWN = (
    "In lockstep one command is answered before the next is sent: commands that meet in the database are not forced.",
    "Lockstep drives up to three runs, with their children and continuations six; what many live runs do to each other "
    "was not tried.",
    "Lockstep is a search: it takes every kind of step in the model's scopes, and beyond that what chance chooses.",
)


@dataclass
class Search:
    """What came of it. Of its `failures` one is left in the end, in the shortest form that was found.

    `tours_left_out` counts the walks that the effort did not reach to, `unheard_tours` those on which the system left
    something without an answer. `classes` are those of the model's edges, and
    others of their kind, that steps were like; in the last `quiet_traces` there was no new one. `unexplained` says what
    only the model saw, before a rule said what is wrong. `stopped_by` is an error that no search can go on after: a
    broken adapter, a full disk.
    """

    traces: int = 0
    tour_traces: int = 0
    tours_left_out: int = 0
    unheard_tours: int = 0
    steps: int = 0
    outcomes: dict[str, dict[str, int]] = field(default_factory=dict)
    classes: set[EdgeClass] = field(default_factory=set)
    quiet_traces: int = 0
    failures: list[Failure] = field(default_factory=list)
    note: str = ""
    unexplained: str = ""
    stopped_by: Exception | None = None
    on_progress: Callable[[int], None] = lambda _: None

    def begin_trace(self) -> None:
        """Take note of a trace; quiet until a step of a new class is made."""
        self.traces += 1
        self.quiet_traces += 1

    def count(self, step: Step) -> None:
        """Take note of one step."""
        self.steps += 1
        self.on_progress(self.steps)
        if isinstance(step.cause, Asked):
            outcomes = self.outcomes.setdefault(type(step.cause).__name__, {})
            name = type(step.outcome).__name__
            outcomes[name] = outcomes.get(name, 0) + 1
        kind = edge_class(step)
        if not isinstance(step.outcome, Lost) and kind not in self.classes:
            self.classes.add(kind)
            self.quiet_traces = 0

    def record(self, system: System) -> LockstepRecord:
        """For the evidence; what was never done, or never taken though all tours were, leaves no pass."""
        driven = capabilities_of(system) - NOT_DRIVEN
        reachable = reachable_classes(*declared_by(system))
        missed = sorted(reachable - self.classes)
        done = {name for name, outcomes in self.outcomes.items() if outcomes.get("Done")}
        beyond = [cause for capability in driven for cause in OFFERS[capability] if issubclass(cause, Asked)]
        never = sorted({command.__name__ for command in (*get_args(Spine), *beyond)} - done)
        verdict, note = self._verdict(never, missed)
        return LockstepRecord(
            traces=self.traces,
            steps=self.steps,
            outcomes=self.outcomes,
            covered=len(reachable & self.classes),
            reachable=len(reachable),
            beyond=len(self.classes - reachable),
            verdict=verdict,
            note=note,
        )

    def _verdict(self, never: Sequence[str], missed: Sequence[EdgeClass]) -> tuple[Verdict, str]:
        if self.failures:
            beside = self.unexplained if self.failures[-1].breaks_a_rule else ""  # or it is what is told anyhow
            return Verdict.VIOLATED, "; ".join(filter(None, (self.note, beside)))
        if not self.traces:
            return Verdict.NOT_EXERCISED, self.note
        if never:
            return Verdict.INCONCLUSIVE, f"never once done: {', '.join(never)}"
        if missed and not self.tours_left_out and not self.unheard_tours:
            named = "; ".join(", ".join(kind) for kind in missed[:5])
            return Verdict.INCONCLUSIVE, f"{len(missed)} classes of edges were not taken: {named}"
        return Verdict.HOLDS, ""


def search(
    system: System,
    judge: Judge,
    evidence: EvidenceWriter | None,
    effort: Effort,
    seed_number: int,
    progress: Callable[[int], None] = lambda _: None,
    *,
    name: str = "",
    walks: Sequence[Walk] | None = None,
    concern: Iterable[str] = (),
    shortens: bool = True,
) -> Search:
    """Take the model's tours, then search on, until a rule breaks or the effort is spent.

    A failure is made as short as can be, if it is to be: that takes longer than finding it. `name` begins the name of
    every trace: a second search on one system needs another. With `walks` these are taken, instead of all that fit;
    first those which the rules of `concern` have something to say of, and without them those that show the most.
    """
    found, concern = Search(on_progress=progress), tuple(concern)
    if walks is None:
        walks = (fitting_tours if concern else soonest_tours)(system, briefly=effort.tours_in_brief)
        found.tours_left_out = len(tours_of_all(*declared_by(system))) - len(walks)
    _take_the_tours(found, system, judge, evidence, nearest_first(walks, concern), name)
    if not found.failures and effort.traces:
        found.tour_traces = found.traces
        _search_on(found, system, judge, evidence, effort, seed_number, name)
    if found.failures and shortens:
        _narrow_down(found, system, judge, evidence, name)
    return found


def _take_the_tours(
    found: Search, system: System, judge: Judge, evidence: EvidenceWriter | None, walks: Sequence[Walk], name: str
) -> None:
    """What only the model sees says that something is wrong, not what: then they go on until a rule says it."""
    for number, walk in enumerate(walks, 1):
        trial = Trial(system, judge, evidence, f"{name}tour-{number}", found.count)
        found.begin_trace()
        if failure := trial.run_through(on(system, walk, f"{name}tour-{number}-")):
            found.failures.append(failure)
            if failure.breaks_a_rule:
                return
            seen = failure.violations[0]
            found.unexplained = found.unexplained or (
                f"the model could not explain {failure.trace} either: expected {seen.expected}, seen {seen.seen}"
            )
        found.unheard_tours += any(isinstance(step.outcome, Lost) for step in trial.recorder.steps)


def _search_on(
    found: Search,
    system: System,
    judge: Judge,
    evidence: EvidenceWriter | None,
    effort: Effort,
    seed_number: int,
    name: str,
) -> None:
    """Until the effort is spent, or so many traces have shown nothing new.

    Hypothesis gives up on a system that answers differently from one time to the next, as one does whose answers get
    lost on real ways. Then it begins anew with another seed, until enough traces are made.
    """
    bound = {"system": system, "judge": judge, "evidence": evidence, "search": found, "name": name}
    bound["plateau"] = effort.plateau
    traces_max = found.traces + effort.traces
    found.quiet_traces = 0
    for again in count():
        machine = seed(seed_number + again)(type("Lockstep", (LockstepMachine,), bound))
        try:
            run_state_machine_as_test(machine, settings=_settings(traces_max - found.traces, effort.steps))
            return
        except PlateauError:
            return
        except (RuleBrokenError, Flaky):
            if found.stopped_by is not None:
                raise found.stopped_by from None
            if found.failures or found.traces >= traces_max:
                return


def _narrow_down(found: Search, system: System, judge: Judge, evidence: EvidenceWriter | None, name: str) -> None:
    """Make the failing moves again, then fewer and fewer of them, each time about fresh runs."""
    first = next((failure for failure in found.failures if failure.breaks_a_rule), found.failures[0])
    numbers = count(1)

    def breaks_the_same_rule(moves: Moves) -> bool:
        trace = f"{name}narrowing-{next(numbers)}"
        failure = Trial(system, judge.again(), None, trace).run_through(relabelled(moves, first.trace, trace))
        return failure is not None and first.rules[0] in failure.rules

    shortest = None
    if breaks_the_same_rule(first.moves):
        short = relabelled(shorten(first.moves, breaks_the_same_rule), first.trace, f"{name}shortest")
        shortest = Trial(system, judge, evidence, f"{name}shortest").run_through(short)
    if shortest is None:
        found.note = "the same commands, given again, did not break the rule again: something else decided"
    found.failures = [shortest or first]


class PlateauError(Exception):
    """For many traces nothing new was seen: going on is not worth it."""


class LockstepMachine(RuleBasedStateMachine):
    """One trace. What comes next is drawn from the choices that the likely state offers."""

    system: ClassVar[System]
    judge: ClassVar[Judge]
    evidence: ClassVar[EvidenceWriter | None]
    search: ClassVar[Search]
    name: ClassVar[str]
    plateau: ClassVar[int]

    def __init__(self) -> None:
        super().__init__()
        if self.search.quiet_traces >= self.plateau:
            raise PlateauError
        self.search.begin_trace()
        self.trial = Trial(
            self.system, self.judge, self.evidence, f"{self.name}lockstep-{self.search.traces}", self.search.count
        )
        self.choices = Choices(self.trial, self.system)

    @rule(data=st.data(), fate=st.sampled_from(FATES))
    def something_happens(self, data: st.DataObject, fate: str) -> None:
        try:
            cause = self.choices.next_cause(lambda options: data.draw(st.sampled_from(options)))
            self.trial.make(Move(cause, fate if isinstance(cause, Asked | Asking) else ANSWERED))
        except RuleBrokenError as error:
            self.search.failures.append(error.failure)
            raise
        except HypothesisException:
            raise
        except Exception as error:
            self.search.stopped_by = error
            raise


def _settings(traces: int, steps: int) -> settings:
    return settings(
        max_examples=traces,
        stateful_step_count=steps,
        database=None,
        deadline=None,
        phases=[Phase.generate],  # a failure is shortened by our own means, on fresh runs
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        print_blob=False,
    )
