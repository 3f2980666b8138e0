"""The system and the model take the same steps, chosen by Hypothesis; they must agree, and no rule may break.

The search is guided: the model knows which commands can succeed, so most steps mean something. What is late, stale or
repeated comes by construction: every fence ever granted and every command ever sent stay at hand to be used again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import ClassVar

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import FlakyFailure
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from keepfact.model.tours import Walk, tours
from keepfact.spec.vocabulary import Asked, Cause, Outcome, Tick

from .choices import Choices
from .evidence import EvidenceWriter
from .judge import Judge
from .profiles import Effort
from .recorder import Move, Moves
from .shorten import relabelled, shorten
from .system import System
from .trial import Failure, RuleBrokenError, Trial

ANSWERED = "answered"
FATES = (*[ANSWERED] * 10, "withheld", "never sent")
"""Of twelve commands, the answer of one is lost on its way back, and one never arrives."""


NOT_SHOWN = (
    "In lockstep one command is answered before the next is sent: commands that meet in the database are not forced.",
    "Lockstep is a search: it covers every class of edge of the model's core scope, and beyond that what chance chose.",
)


@dataclass
class Search:
    """What came of it. The last of `failures`, if there are any, is the shortest that was found."""

    traces: int = 0
    tour_traces: int = 0
    steps: int = 0
    outcomes: dict[str, dict[str, int]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    note: str = ""
    on_progress: Callable[[int], None] = lambda _: None

    def count(self, cause: Cause, outcome: Outcome | None) -> None:
        """Take note of one step."""
        self.steps += 1
        self.on_progress(self.steps)
        if isinstance(cause, Asked):
            outcomes = self.outcomes.setdefault(type(cause).__name__, {})
            name = type(outcome).__name__
            outcomes[name] = outcomes.get(name, 0) + 1


def search(
    system: System,
    judge: Judge,
    evidence: EvidenceWriter | None,
    effort: Effort,
    seed_number: int,
    progress: Callable[[int], None] = lambda _: None,
    *,
    name: str = "",
) -> Search:
    """Take the model's tours, then search on, until a rule breaks or the effort is spent.

    A failure is made as short as can be. `name` begins the name of every trace: a second search on one system needs
    another.
    """
    found = Search(on_progress=progress)
    for number, walk in enumerate(tours(), 1):
        trial = Trial(system, judge, evidence, f"{name}tour-{number}", found.count)
        found.traces += 1
        if failure := trial.run_through(_on(system, walk, f"{name}tour-{number}-")):
            found.failures.append(failure)
            _narrow_down(found, system, judge, evidence, name)
            return found
    found.tour_traces = found.traces
    bound = {"system": system, "judge": judge, "evidence": evidence, "search": found, "name": name}
    machine = seed(seed_number)(type("Lockstep", (LockstepMachine,), bound))
    try:
        run_state_machine_as_test(machine, settings=_settings(effort))
    except (RuleBrokenError, FlakyFailure):
        _narrow_down(found, system, judge, evidence, name)
    return found


def _on(system: System, walk: Walk, prefix: str) -> Moves:
    """The walk for this system: ids of its own, and ticks as long as its leases."""
    causes = (replace(cause, seconds=system.lease_seconds) if isinstance(cause, Tick) else cause for cause in walk)
    return relabelled([Move(cause) for cause in causes], "", prefix)


def _narrow_down(found: Search, system: System, judge: Judge, evidence: EvidenceWriter | None, name: str) -> None:
    """Make the failing moves again, then fewer and fewer of them, each time about fresh runs."""
    first = found.failures[0]
    numbers = count(1)

    def breaks_the_same_rule(moves: Moves) -> bool:
        trace = f"{name}narrowing-{next(numbers)}"
        failure = Trial(system, judge.again(), None, trace).run_through(relabelled(moves, first.trace, trace))
        return failure is not None and first.rules[0] in failure.rules

    if not breaks_the_same_rule(first.moves):
        found.note = "the same commands, given again, did not break the rule again: something else decided"
        return
    short = relabelled(shorten(first.moves, breaks_the_same_rule), first.trace, f"{name}shortest")
    shortest = Trial(system, judge, evidence, f"{name}shortest").run_through(short)
    found.failures = [shortest] if shortest else found.failures


class LockstepMachine(RuleBasedStateMachine):
    """One trace. What comes next is drawn from the choices that the likely state offers."""

    system: ClassVar[System]
    judge: ClassVar[Judge]
    evidence: ClassVar[EvidenceWriter | None]
    search: ClassVar[Search]
    name: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self.search.traces += 1
        self.trial = Trial(
            self.system, self.judge, self.evidence, f"{self.name}lockstep-{self.search.traces}", self.search.count
        )
        self.choices = Choices(self.trial, self.system.lease_seconds)

    @rule(data=st.data(), fate=st.sampled_from(FATES))
    def something_happens(self, data: st.DataObject, fate: str) -> None:
        cause = self.choices.next_cause(lambda options: data.draw(st.sampled_from(options)))
        try:
            self.trial.make(Move(cause, fate if isinstance(cause, Asked) else ANSWERED))
        except RuleBrokenError as error:
            self.search.failures.append(error.failure)
            raise


def _settings(effort: Effort) -> settings:
    return settings(
        max_examples=effort.traces,
        stateful_step_count=effort.steps,
        database=None,
        deadline=None,
        phases=[Phase.generate],  # a failure is shortened by our own means, on fresh runs
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        print_blob=False,
    )
