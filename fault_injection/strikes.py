"""Where and how the faults of an experiment fall, and which of them are made when not all are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from keepfact.spec.vocabulary import CallKind

from .rehearsal import Rehearsal


@dataclass(frozen=True, slots=True)
class Strike:
    """Where a fault is meant to fall: at the seam of that number, from 1, or on the way from it; and on which side.

    `amount` is how much of it, where there can be more than one: workers that race, answers that are lost.
    """

    number: int
    seam: str
    side: str
    amount: int = 0

    @property
    def place(self) -> str:
        """The seam, and how much of the fault falls there."""
        return f"{self.seam} × {self.amount}" if self.amount else self.seam


def at_every_seam(rehearsal: Rehearsal, *sides: str) -> list[Strike]:
    """Wherever the worker stands."""
    return [Strike(number, seam, side) for number, seam in enumerate(rehearsal.seams, 1) for side in sides]


def before_every_write(rehearsal: Rehearsal, side: str) -> list[Strike]:
    """On the way from each seam after which the worker writes: the first word of those ends in `ing`."""
    return [strike for strike in at_every_seam(rehearsal, side) if strike.seam.split()[0].endswith("ing")]


def on_the_way(rehearsal: Rehearsal, sides: Mapping[str, CallKind]) -> list[Strike]:
    """Wherever a request leaves the worker, on the sides that are about requests of its kind."""
    return [
        Strike(dispatch.number, rehearsal.seams[dispatch.number - 1], side)
        for dispatch in rehearsal.dispatches
        for side, kind in sides.items()
        if dispatch.kind is kind
    ]


def on_sides(
    plan: Callable[[Rehearsal], Sequence[Strike]], sides: Iterable[str]
) -> Callable[[Rehearsal], Sequence[Strike]]:
    """The same plan without what is not on these sides."""
    kept = frozenset(sides)
    return lambda rehearsal: [strike for strike in plan(rehearsal) if strike.side in kept]


def in_order(*strikes: Strike) -> tuple[Strike, ...]:
    """As a worker comes to them."""
    return tuple(sorted(strikes, key=lambda strike: strike.number))


@dataclass(frozen=True, slots=True)
class Sample:
    """So many strikes under each contract; chance, which starts from the seed, says which."""

    strikes: int
    seed: int


def chosen(strikes: Sequence[Strike], sample: Sample | None) -> list[Strike]:
    """All, or a sample: of as many sides as there are strikes in it, then again of each."""
    if sample is None or sample.strikes >= len(strikes):
        return list(strikes)
    chance, of_side = Random(sample.seed), dict[str, list[Strike]]()
    for strike in chance.sample(strikes, len(strikes)):
        of_side.setdefault(strike.side, []).append(strike)
    rounds = max(map(len, of_side.values()))
    dealt = [side[number] for number in range(rounds) for side in of_side.values() if number < len(side)]
    return [strike for strike in strikes if strike in dealt[: sample.strikes]]


def never_struck(sides: Iterable[str], strikes: Sequence[Strike]) -> list[str]:
    """Sides on which no worker could be struck, since it never came there: a few harmless strikes are no sweep."""
    return [side for side in sides if side not in {strike.side for strike in strikes}]


def told(strikes: Sequence[Strike], planned: Sequence[Strike]) -> str:
    """How many strikes there were, and on how many sides, in words; of how many, if these are not all."""
    of_all = "" if len(strikes) == len(planned) else f" of {len(planned)}"
    sides, all_sides = ({strike.side for strike in some} for some in (strikes, planned))
    of_all_sides = "" if sides == all_sides else f" of {len(all_sides)}"
    return f"{len(strikes)}{of_all} strikes on {len(sides)}{of_all_sides} {'side' if len(all_sides) == 1 else 'sides'}"
