"""The system and the model take the same steps, chosen by Hypothesis; they must agree, and no rule may break.

The search is guided: the model knows which commands can succeed, so most steps mean something. What is late, stale or
repeated comes by construction: every fence ever granted and every command ever sent stay at hand to be used again.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import ClassVar

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, HypothesisException
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from keepfact.model.scopes import SCOPES, Scope
from keepfact.model.tours import Walk, in_brief, tours
from keepfact.spec.vocabulary import Asked, Asking, Capability, Cause, Contract, Outcome

from .choices import Choices
from .concern import nearest_first
from .evidence import EvidenceWriter
from .judge import Judge
from .profiles import Effort
from .recorder import Move, Moves
from .shorten import lengthened, relabelled, shorten
from .system import System, capabilities_of
from .trial import Failure, RuleBrokenError, Trial

NOT_DRIVEN = frozenset({Capability.LOOKUP})
"""What only a real tool can answer, and so only experiments can show."""

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

    `tours_left_out` counts the walks that the effort did not reach to. `stopped_by` is an error that no search can go
    on after: a broken adapter, a full disk.
    """

    traces: int = 0
    tour_traces: int = 0
    tours_left_out: int = 0
    steps: int = 0
    outcomes: dict[str, dict[str, int]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    note: str = ""
    stopped_by: Exception | None = None
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
    concern: Iterable[str] = (),
    shortens: bool = True,
) -> Search:
    """Take the model's tours, then search on, until a rule breaks or the effort is spent.

    A failure is made as short as can be, if it is to be: that takes longer than finding it. `name` begins the name of
    every trace: a second search on one system needs another. The tours that come first are those which the rules of
    `concern` have something to say of.
    """
    found = Search(on_progress=progress)
    _take_the_tours(found, system, judge, evidence, effort, name, concern)
    if not found.failures:
        found.tour_traces = found.traces
        _search_on(found, system, judge, evidence, effort, seed_number, name)
    if found.failures and shortens:
        _narrow_down(found, system, judge, evidence, name)
    return found


def _take_the_tours(
    found: Search,
    system: System,
    judge: Judge,
    evidence: EvidenceWriter | None,
    effort: Effort,
    name: str,
    concern: Iterable[str],
) -> None:
    """What only the model sees says that something is wrong, not what: then they go on until a rule says it."""
    offered = frozenset(system.contracts), capabilities_of(system)
    walks = _tours_in_brief(*offered) if effort.tours_in_brief else _tours(*offered)
    found.tours_left_out = len(_tours(*offered)) - len(walks)
    for number, walk in enumerate(nearest_first(walks, concern), 1):
        trial = Trial(system, judge, evidence, f"{name}tour-{number}", found.count)
        found.traces += 1
        if failure := trial.run_through(_on(system, walk, f"{name}tour-{number}-")):
            found.failures.append(failure)
            if failure.breaks_a_rule:
                return


@cache
def _tours(contracts: frozenset[Contract], capabilities: frozenset[Capability]) -> list[Walk]:
    """The tours of what such a system offers, contract by contract. Finding them can take longer than taking them."""
    if len(contracts) > 1:
        return [walk for contract in _in_order(contracts) for walk in _tours(frozenset({contract}), capabilities)]
    return [walk for contract in contracts for walk in tours(_scopes(contract, capabilities))]


@cache
def _tours_in_brief(contracts: frozenset[Contract], capabilities: frozenset[Capability]) -> list[Walk]:
    """Under each contract the tours of the spine, and of everything else every way to end."""
    brief = []
    for contract in _in_order(contracts):
        own = frozenset({contract})
        brief += in_brief(_tours(own, capabilities), whole=_tours(own, frozenset()))
    return brief


def _in_order(contracts: frozenset[Contract]) -> list[Contract]:
    return [contract for contract in Contract if contract in contracts]


def _scopes(contract: Contract, capabilities: frozenset[Capability]) -> list[Scope]:
    """The scopes to take tours of: those in which nothing happens but what is offered and can be driven."""
    return [scope for scope in SCOPES if scope.contract is contract and scope.needs <= capabilities - NOT_DRIVEN]


def _on(system: System, walk: Walk, prefix: str) -> Moves:
    """The walk for this system: ids of its own, and every span as many times longer as its leases are."""
    return relabelled(lengthened([Move(cause) for cause in walk], system.lease_seconds), "", prefix)


def _search_on(
    found: Search,
    system: System,
    judge: Judge,
    evidence: EvidenceWriter | None,
    effort: Effort,
    seed_number: int,
    name: str,
) -> None:
    """Hypothesis gives up on a system that answers differently from one time to the next, as one does whose answers
    get lost on real ways. Then it begins anew with another seed, until enough traces are made.
    """
    bound = {"system": system, "judge": judge, "evidence": evidence, "search": found, "name": name}
    traces_max = found.traces + effort.traces
    for again in count():
        machine = seed(seed_number + again)(type("Lockstep", (LockstepMachine,), bound))
        try:
            run_state_machine_as_test(machine, settings=_settings(traces_max - found.traces, effort.steps))
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
