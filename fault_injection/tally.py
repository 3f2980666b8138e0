"""What came of one course of an experiment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """So many runs, and so many faults delivered to them; what could not be done or judged is `undone`, and `missed`
    are the ways to strike for which there was no occasion. Where it `is_whole`, every strike was made, and no sample.
    `told` says what was swept, in words, and `not_applicable` what could not be with this system.
    """

    seams: tuple[str, ...]
    runs: int
    delivered: int
    undone: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    is_whole: bool = True
    told: tuple[str, ...] = ()
    not_applicable: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """All that a reader of the record should know."""
        return (*self.told, *self.undone, *self.missed)
