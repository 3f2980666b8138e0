"""What came of one course of an experiment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """So many runs, and so many faults delivered to them; what could not be done or judged is `undone`, and `missed`
    are the ways to strike for which there was no occasion. `told` says what was swept, in words.
    """

    seams: tuple[str, ...]
    runs: int
    delivered: int
    undone: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """All that a reader of the record should know."""
        return (*self.told, *self.undone, *self.missed)
