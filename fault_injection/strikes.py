"""Where and how the faults of an experiment fall, and which of them are made when not all are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Strike:
    """Where a fault is meant to fall: at the seam of that number, from 1, or on the way from it; and on which side."""

    number: int
    seam: str
    side: str


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
