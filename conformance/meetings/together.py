"""Commands that can meet in a system do, by two, three and more; what no order explains is told with what it breaks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from random import Random

from keepfact.conformance.evidence import EvidenceWriter, MeetingsRecord
from keepfact.conformance.judge import MODEL, Judge, Violation
from keepfact.conformance.profiles import Effort
from keepfact.conformance.selftest import fitting_scopes
from keepfact.conformance.system import System, capabilities_of
from keepfact.conformance.touring import NOT_DRIVEN
from keepfact.conformance.trial import Failure, RuleBrokenError
from keepfact.conformance.verdicts import Verdict
from keepfact.conformance.words import differences_in_words, outcome_in_words
from keepfact.model.state import State
from keepfact.model.step import step
from keepfact.model.view import view
from keepfact.spec.vocabulary import Step

from .groups import Group
from .interleave import Choose, Met, Schedules, by_chance, interleave, race
from .orders import Asked, Order, allowed_next, explanation
from .pairs import pairs_of
from .triples import triples_of

RACERS = (2, 4, 16)
RACED = {
    ("Claim", "Claim"),
    ("Recover", "Recover"),
    ("Wake", "Wake"),
    ("Decide", "Decide"),
    ("Cancel", "Succeed"),
    ("Stop", "Succeed"),
}
"""What must be decided once, however many try."""

BLAMED_MAX = 3
"""In how many orders more than these could have come nobody tries: then only the model says that something is wrong."""

NOT_SHOWN = (
    "Commands that met stood still only at the milestones that the system has: what happens between two of them was "
    "not cut in pieces.",
)


@dataclass(frozen=True, slots=True)
class Unexplained:
    """A meeting that no order explains, and what is broken in every order: rules, or at least the model."""

    met: Met
    violations: tuple[Violation, ...]


@dataclass
class Meetings:
    """What came of it: of `known` pairs so many, and so many `triples`, were brought together in so many ways. A
    `failure` has ended it.

    `undecided` counts those that had too many orders to tell.
    """

    known: int = 0
    pairs: int = 0
    triples: int = 0
    meetings: int = 0
    races: int = 0
    undecided: int = 0
    failure: Unexplained | Failure | None = None

    def takes(self, meetings: Iterable[Met], judge: Judge, progress: Callable[[int], None]) -> bool:
        """Take note of one meeting after the other; False as soon as no order explains one."""
        for met in meetings:
            self.meetings += 1
            if not self.explains(met, judge):
                return False
            progress(self.meetings)
        return True

    def explains(self, met: Met, judge: Judge) -> bool:
        """Take note of a meeting; False if no order explains it."""
        self.undecided += met.is_explained is None
        if met.is_explained is False:
            self.failure = Unexplained(met, blamed(met, judge))
        return self.failure is None

    def record(self, preemptions: int) -> MeetingsRecord:
        """For the evidence; `preemptions` are so many as there were at most."""
        verdict, note = Verdict.HOLDS, ""
        if self.failure:
            verdict, note = Verdict.VIOLATED, "no order of the commands explains what they were told and what was seen"
        elif self.undecided:
            verdict, note = Verdict.INCONCLUSIVE, f"{self.undecided} meetings have too many orders to tell"
        elif not self.meetings:
            verdict, note = Verdict.NOT_EXERCISED, "no two commands of what the system offers can meet"
        return MeetingsRecord(
            known=self.known,
            pairs=self.pairs,
            triples=self.triples,
            meetings=self.meetings,
            races=self.races,
            preemptions=preemptions,
            undecided=self.undecided,
            verdict=verdict,
            note=note,
        )


def bring_together(
    system: System,
    judge: Judge,
    evidence: EvidenceWriter | None,
    effort: Effort,
    seed: int,
    progress: Callable[[int], None] = lambda _: None,
) -> Meetings:
    """Have pairs meet, one after the other, then triples, then let many race, until something is not explained or the
    effort spent.

    `seed` is where chance starts that orders three, and the racers.
    """
    scopes = fitting_scopes(system.contracts, capabilities_of(system) - NOT_DRIVEN)
    pairs, chance = pairs_of(scopes), Random(seed)
    found = Meetings(known=len(pairs))
    try:
        for number, pair in enumerate(_chosen(pairs, effort.pairs), 1):
            found.pairs = number
            orders = Schedules(effort.preemptions)
            if not found.takes(interleave(system, pair, judge, evidence, f"meeting-{number}", orders), judge, progress):
                return found
        for number, triple in enumerate(triples_of(scopes)[: effort.triples], 1):
            found.triples = number
            some = _some_orders(effort.triple_orders, chance)
            if not found.takes(interleave(system, triple, judge, evidence, f"triple-{number}", some), judge, progress):
                return found
        for met in _raced(system, pairs, judge, evidence, effort.races, chance):
            found.races += 1
            if not found.explains(met, judge):
                return found
    except RuleBrokenError as error:
        found.failure = error.failure
    return found


def _some_orders(orders_max: int | None, chance: Random) -> Iterable[Choose]:
    """With one preemption: every one, or so many that chance gives."""
    return Schedules(1) if orders_max is None else (by_chance(chance) for _ in range(orders_max))


def _raced(
    system: System,
    pairs: Iterable[Group],
    judge: Judge,
    evidence: EvidenceWriter | None,
    times: int,
    chance: Random,
) -> Iterator[Met]:
    """All that is known of these pairs, by each number of racers, so many times."""
    for pair in pairs:
        if pair.matters and pair.names in RACED:
            for racers, again in product(RACERS, range(times)):
                name = f"race-{'-'.join(pair.names)}-{pair.scope.replace(' ', '-')}-{racers}-{again + 1}".lower()
                yield race(system, pair, judge, evidence, name, racers, chance)


def _chosen(pairs: Sequence[Group], pairs_max: int | None) -> Sequence[Group]:
    """Those whose order matters first; of as many as may be, one here and one there."""
    pairs = sorted(pairs, key=lambda pair: not pair.matters)
    if pairs_max is None or pairs_max >= len(pairs):
        return pairs
    matter = [pair for pair in pairs if pair.matters]
    return [matter[len(matter) * number // pairs_max] for number in range(min(pairs_max, len(matter)))]


def blamed(met: Met, judge: Judge) -> tuple[Violation, ...]:
    """The rules that are broken in whatever order the commands are taken; the model, if there is none in common."""
    orders = _orders(met.asked) if len(met.asked) <= BLAMED_MAX else [tuple(range(len(met.asked)))]
    accounts = [_account(met, order) for order in orders]
    broken = [{wrong.rule: wrong for made in steps for wrong in judge.again().see(made)} for steps, _ in accounts]
    common = set(broken[0]).intersection(*broken)
    if common and len(met.asked) <= BLAMED_MAX:
        return tuple(wrong for rule, wrong in broken[0].items() if rule in common)
    told = "; ".join(f"{type(one.said).__name__}: it {outcome_in_words(one.outcome)}" for one in met.asked)
    unlike = min((differences_in_words(view(end), met.observed) for _, end in accounts), key=len)
    seen = f"{told}; {'; '.join(unlike[:5]) or 'and no order gives these answers'}"
    return (
        Violation(MODEL, accounts[0][0][-1], "an order of the commands that explains what was told and seen", seen),
    )


def said_in(met: Met, judge: Judge) -> frozenset[str]:
    """The rules that have something to say of the commands in the order that explains them, in which all of them hold.

    None, where no order does.
    """
    order = explanation(met.way.worlds, met.asked, met.observed, met.way.beside)
    alone = judge.again()
    for made in _account(met, order)[0] if order is not None else ():
        alone.see(made)
    return frozenset(rule for rule, parts in alone.spoken.items() if parts)


def _orders(asked: Sequence[Asked]) -> Iterator[Order]:
    for order in permutations(range(len(asked))):
        if all(place in allowed_next(order[:at], asked) for at, place in enumerate(order)):
            yield order


def _account(met: Met, order: Order) -> tuple[list[Step], State]:
    """The steps as they would be in that order, between them looking as the model says; and where the model ends."""
    state, shown, steps = met.way.likely(), met.way.recorder.observation, list[Step]()
    for place in order:
        asked = met.asked[place]
        _, after = step(state, asked.command)
        seen = met.observed if place == order[-1] else view(after)
        steps.append(Step(shown, asked.said, asked.outcome, seen, state.truth, after.truth, session=asked.session))
        state, shown = after, seen
    return steps, state
