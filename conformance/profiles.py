"""How far to search: quick for every change, ci for every merge, deep for a night."""

from dataclasses import dataclass
from enum import StrEnum


class Profile(StrEnum):
    QUICK = "quick"
    CI = "ci"
    DEEP = "deep"


@dataclass(frozen=True, slots=True)
class Effort:
    """So many traces, of at most so many steps each. `tours_in_brief`: beyond the spine the tours that come before show
    only every way in which a command can end, and not from wherever a run may stand.

    The search ends early once `plateau` traces in a row have shown no step of a new class. So many pairs of commands
    meet, all if None, in every order with at most so many preemptions; so many triples, all if None, in so many orders
    that chance gives with one preemption, every one if None. What must be decided once is raced for so many times by
    each number of racers. In `verify` an experiment strikes so many times under each contract, everywhere if None;
    with `regressions` faults that were reported of other systems are told again.
    """

    traces: int
    steps: int
    tours_in_brief: bool = False
    plateau: int = 300
    pairs: int | None = None
    preemptions: int = 1
    triples: int | None = None
    triple_orders: int | None = None
    races: int = 1
    strikes: int | None = None
    regressions: bool = True


EFFORTS = {
    Profile.QUICK: Effort(
        traces=60, steps=30, tours_in_brief=True, pairs=20, triples=4, triple_orders=4, strikes=2, regressions=False
    ),
    Profile.CI: Effort(traces=500, steps=40, triple_orders=20, races=10, strikes=8),
    Profile.DEEP: Effort(traces=5000, steps=60, plateau=1500, preemptions=2, races=50),
}
